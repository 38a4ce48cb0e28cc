#include "ir/writes.h"

namespace tonnx::ir {

bool writes_argument(const Node& node, std::size_t input) {
  const Schema* schema = node.schema();
  return schema && input < schema->arguments.size() && schema->arguments[input].is_write;
}

bool writes(const Node& node) {
  if (const Schema* schema = node.schema())
    for (const Argument& argument : schema->arguments)
      if (argument.is_write) return true;
  return false;
}

bool has_writes(const Graph& graph) {
  bool any = false;
  for_each_node(graph.block(), [&](const Node* node) { any = any || writes(*node); });
  return any;
}

}  // namespace tonnx::ir
