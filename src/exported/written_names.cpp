#include "exported/written_names.h"

#include <algorithm>

#include "aten/traits.h"
#include "ir/writes.h"

namespace tonnx::exported {

namespace {

// What a value is a view of, or the value itself.
const ir::Value* origin(const ir::Value* value) {
  while (!value->weight()) {
    const ir::Node* node = value->node();
    const ir::Schema* schema = node->schema();
    if (!schema || node->input_count() == 0) break;
    const bool is_view = !schema->arguments.at(0).alias_set.empty();
    if (!is_view && !aten::may_alias(aten::traits_of(*node))) break;
    value = node->input();
  }
  return value;
}

}  // namespace

std::vector<std::string> written_names(const ir::Graph& program) {
  std::vector<std::string> names;
  ir::for_each_node(program.block(), [&](const ir::Node* node) {
    for (std::size_t i = 0; i < node->input_count(); ++i) {
      if (!writes_argument(*node, i)) continue;
      const ir::Value* value = origin(node->input(i));
      const bool is_kept = value->weight() || value->node() == program.block().params();
      if (is_kept && std::ranges::find(names, value->name()) == names.end()) names.push_back(value->name());
    }
  });
  return names;
}

}  // namespace tonnx::exported
