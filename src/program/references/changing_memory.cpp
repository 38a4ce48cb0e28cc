#include "program/references/changing_memory.h"

#include "ir/writes.h"

namespace tonnx::program {

ChangingMemory::ChangingMemory(ir::Graph& graph) : forest_(graph) {
  for_each_node(graph.block(), [&](ir::Node* node) {
    for (std::size_t i = 0; i < node->input_count(); ++i) {
      const bool is_written = node->input(i)->type().is(ir::Type::Kind::Tensor) && writes_argument(*node, i);
      if (is_written && forest_.conflict(node->input(i), node)) roots_.insert(forest_.root(node->input(i)));
    }
  });
}

}  // namespace tonnx::program
