#include "export/operator_list.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "aten/functional_form.h"
#include "aten/primitives.h"
#include "aten/quantised_traits.h"
#include "aten/schemas.h"
#include "aten/traits.h"

namespace tonnx::exporting {

using lower::Registry;

namespace {

constexpr std::int32_t kFirst = 7;  // the oldest opset: what passes replace without a node has no opset of its own

// The first opset of each built-in entry.
class Lowerings {
 public:
  Lowerings() {
    for (const Registry::Entry* entry : Registry().entries()) {
      const auto [at, fresh] = since_.try_emplace(entry->name, entry->since);
      if (!fresh) at->second = std::min(at->second, entry->since);
    }
  }
  // The first opset of an overload, or else of the operator.
  std::optional<std::int32_t> since(std::string_view full_name) const {
    auto at = since_.find(full_name);
    if (at == since_.end()) at = since_.find(full_name.substr(0, full_name.find('.')));
    return at == since_.end() ? std::nullopt : std::optional(at->second);
  }

 private:
  std::map<std::string, std::int32_t, std::less<>> since_;
};

// The arguments that an operator writes to.
std::vector<std::size_t> written_by(const ir::Schema& schema) {
  std::vector<std::size_t> written;
  for (std::size_t i = 0; i < schema.arguments.size(); ++i)
    if (schema.arguments[i].is_write) written.push_back(i);
  return written;
}

// The first opset of a writing operator; nullopt if it is not converted.
std::optional<std::int32_t> since_of_write(const ir::Schema& schema, const aten::Traits& traits,
                                           const Lowerings& lowerings) {
  const std::vector<std::size_t> written = written_by(schema);
  if (written.empty()) return std::nullopt;
  switch (traits.write) {
    case aten::Write::Copy:
    case aten::Write::Fill:
    case aten::Write::Zero:
    case aten::Write::Nothing: return kFirst;
    case aten::Write::Content: break;
    default: return std::nullopt;  // some uses of them are refused
  }
  if (!traits.functional.empty()) return lowerings.since(traits.functional);
  const ir::SchemaPtr form = written.size() == 1 ? aten::functional_form(schema, written.front()).schema
                                                 : aten::functional_form_of_outs(schema, written.size());
  return form ? lowerings.since(form->full_name()) : std::nullopt;
}

// True for strings, numbers and lists of these.
bool is_host_type(const ir::Type& type) {
  using Kind = ir::Type::Kind;
  switch (type.kind) {
    case Kind::Int:
    case Kind::Float:
    case Kind::Bool:
    case Kind::String:
    case Kind::Any:
    case Kind::Other: return true;
    case Kind::List:
    case Kind::Optional: return is_host_type(type.elements.front());
    default: return false;
  }
}

// True if the operator takes or returns strings, and nothing that an export does not know or number.
bool is_of_strings(const ir::Schema& schema) {
  std::size_t strings = 0;
  const auto fits = [&](const ir::Type& type) {
    strings += type.is(ir::Type::Kind::String);
    return is_host_type(type);
  };
  return std::ranges::all_of(schema.arguments, [&](const ir::Argument& argument) { return fits(argument.type); }) &&
         std::ranges::all_of(schema.returns, [&](const ir::Argument& result) { return fits(result.type); }) &&
         strings > 0 && !schema.returns.empty();
}

// The conversion by passes of an operator without a lowering of its own.
std::optional<Conversion> replaced(const aten::SchemaLine& line, const Lowerings& lowerings) {
  const std::string name(line.full_name);
  const std::string_view op = line.full_name.substr(0, line.full_name.find('.'));
  const aten::Traits& traits = aten::traits_of(op, line.overload());
  if (!traits.refusal.empty() || traits.effect != aten::Effect::None) return std::nullopt;
  if (traits.container != aten::Container::None) return Conversion{name, kFirst, "container"};
  if (line.text.find('!') != std::string_view::npos) {
    const ir::SchemaPtr schema = aten::find_schema(line.full_name);
    const auto since = schema ? since_of_write(*schema, traits, lowerings) : std::nullopt;
    if (since) return Conversion{name, *since, "write"};
  }
  if (const ir::SchemaPtr schema = aten::find_schema(line.full_name); schema && is_of_strings(*schema))
    return Conversion{name, kFirst, "string"};
  const bool is_answered = traits.type_only || traits.answer != aten::Answer::Asked;
  return is_answered ? std::optional(Conversion{name, kFirst, "constant"}) : std::nullopt;
}

const std::vector<Conversion>& all_replaced() {
  static const auto& all = *[] {
    auto* made = new std::vector<Conversion>;
    const Lowerings lowerings;
    for (const aten::QuantisedRow* row : aten::quantised_rows())
      if (aten::is_quantised_alone(row->traits.form) && row->traits.form != aten::QuantisedForm::Refused)
        made->push_back({std::string(row->op), kFirst, "quantised"});
    std::set<std::string, std::less<>> quantised;
    for (const Conversion& known : *made) quantised.insert(known.name);
    aten::for_each_line([&](const aten::SchemaLine& line) {
      const std::string_view op = line.full_name.substr(0, line.full_name.find('.'));
      if (lowerings.since(line.full_name) || quantised.contains(line.full_name) || quantised.contains(op)) return;
      if (auto conversion = replaced(line, lowerings)) made->push_back(std::move(*conversion));
    });
    const std::vector<Conversion> others = *made;
    const auto add = [&](const aten::Primitive& primitive) {
      const auto passed = std::ranges::find(others, primitive.as, &Conversion::name);
      const auto since = passed == others.end() ? lowerings.since(primitive.as) : std::optional(passed->since);
      if (since && !lowerings.since(primitive.name))
        made->push_back({std::string(primitive.name), *since, "primitive"});
    };
    std::ranges::for_each(aten::primitives(), add);
    std::ranges::for_each(aten::composed_primitives(), add);
    // Nodes of TorchScript's own, which have no schema.
    for (const aten::Row& row : aten::container_traits())
      if (row.traits.container != aten::Container::None && !aten::find_line(row.op) &&
          aten::overloads_of(row.op).empty() && !lowerings.since(row.op))
        made->push_back({std::string(row.op), kFirst, "container"});
    return made;
  }();
  return all;
}

std::string_view kind_of(const Registry::Entry& entry) {
  if (!entry.is_custom()) return "lowering";
  return entry.function.empty() ? "symbolic" : "function";
}

}  // namespace

std::vector<Conversion> list_operators(const Registry& registry) {
  std::vector<Conversion> all;
  std::set<std::string_view> built_in;  // operator names without overload
  for (const Registry::Entry* entry : registry.entries()) {
    all.push_back({entry->name, entry->since, kind_of(*entry), entry->is_custom()});
    if (!entry->is_custom()) built_in.insert(std::string_view(entry->name).substr(0, entry->name.find('.')));
  }
  for (const Conversion& conversion : all_replaced())
    if (conversion.kind != "quantised" || !built_in.contains(conversion.name)) all.push_back(conversion);
  std::ranges::stable_sort(all, [](const Conversion& a, const Conversion& b) {
    return a.name != b.name ? a.name < b.name : a.since < b.since;
  });
  return all;
}

}  // namespace tonnx::exporting
