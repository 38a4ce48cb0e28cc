#include "exported/written_values.h"

#include <algorithm>

#include "aten/traits.h"
#include "ir/writes.h"

namespace tonnx::exported {

namespace {

// What a value is a view of, or the value itself.
ir::Value* origin(ir::Value* value) {
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

std::vector<ir::Value*> written_values(const ir::Graph& program) {
  std::vector<ir::Value*> values;
  ir::for_each_node(program.block(), [&](const ir::Node* node) {
    for (std::size_t i = 0; i < node->input_count(); ++i) {
      if (!writes_argument(*node, i)) continue;
      ir::Value* value = origin(node->input(i));
      const bool is_kept = value->weight() || value->node() == program.block().params();
      if (is_kept && std::ranges::find(values, value) == values.end()) values.push_back(value);
    }
  });
  return values;
}

}  // namespace tonnx::exported
