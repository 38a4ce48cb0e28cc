#include "ir/writes.h"

namespace tonnx::ir {

bool writes_argument(const Node& node, std::size_t input) {
  const Schema* schema = node.schema();
  return schema && input < schema->arguments.size() && schema->arguments[input].is_write;
}

bool writes(const Node& node) { return node.is_writing(); }

bool has_writes(const Graph& graph) { return graph.has_writing_node(); }

}  // namespace tonnx::ir
