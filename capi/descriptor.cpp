#include "descriptor.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "guard.h"
#include "handles.h"
#include "ir/text.h"
#include "lower/op.h"
#include "value.h"

namespace tonnx::capi {
namespace {

// A kind of argument: its letters in a declaration, and the getter that must succeed; null: none.
struct Kind {
  std::string_view text;
  void (*read)(const tonnx_value& value);
};

constexpr std::array kKinds = {
    Kind{"v", nullptr},
    Kind{"none", nullptr},
    Kind{"i", [](const tonnx_value& value) { int_of(value); }},
    Kind{"f", [](const tonnx_value& value) { float_of(value); }},
    Kind{"b", [](const tonnx_value& value) { flag_of(value); }},
    Kind{"s", [](const tonnx_value& value) { text_of(value); }},
    Kind{"t", [](const tonnx_value& value) { tensor_of(value); }},
    Kind{"is", [](const tonnx_value& value) { ints_of(value); }},
    Kind{"fs", [](const tonnx_value& value) { floats_of(value); }},
    Kind{"ss", [](const tonnx_value& value) { texts_of(value); }},
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

const Kind& kind_named(std::string_view text) {
  for (const Kind& kind : kKinds)
    if (kind.text == text) return kind;
  refuse("'" + std::string(text) + "' is not a kind of argument; kinds are " +
         ir::comma_list(kKinds, [](const Kind& kind) { return std::string(kind.text); }));
}

struct Checked {
  std::shared_ptr<const lower::Symbolic> symbolic;
  std::vector<const Kind*> kinds;

  std::optional<lower::Outputs> operator()(lower::Op& op) const {
    check(op.node());
    return (*symbolic)(op);
  }

  void check(const ir::Node& node) const {
    const auto fail = [](const std::string& message) { throw ir::Error(ir::Code::Callback, message); };
    if (node.input_count() > kinds.size())
      fail("it describes " + std::to_string(kinds.size()) + " arguments, but the operator has " +
           std::to_string(node.input_count()) + ", in " + call_text(node));
    for (std::size_t i = 0; i < node.input_count(); ++i) {
      tonnx_value argument;
      argument.source = node.input(i);
      argument.node = &node;
      argument.argument = i;
      if (!kinds[i]->read || tonnx_value_is_none(&argument)) continue;
      try {
        kinds[i]->read(argument);
      } catch (const ir::Error& error) {
        fail(error.what() + std::string(" (its kind is '") + std::string(kinds[i]->text) + "')");
      }
    }
  }
};

}  // namespace

lower::Symbolic with_arguments(const std::shared_ptr<const lower::Symbolic>& symbolic, std::string_view kinds) {
  Checked checked{symbolic, {}};
  if (const auto* known = symbolic->target<Checked>()) checked.symbolic = known->symbolic;
  for (std::size_t begin = 0; !trimmed(kinds).empty();) {
    const std::size_t end = std::min(kinds.find(',', begin), kinds.size());
    checked.kinds.push_back(&kind_named(trimmed(kinds.substr(begin, end - begin))));
    if (end == kinds.size()) break;
    begin = end + 1;
  }
  return checked;
}

}  // namespace tonnx::capi
