#include "program/functionalise.h"

#include "program/memory.h"

namespace tonnx::program {

void functionalise(ir::Graph& graph) {
  bool any = false;
  for_each_node(graph.block(), [&](const ir::Node* node) {
    any = any || writes(*node);
  });
  if (any) Memory(graph).rewrite();
  for_each_node(graph.block(), [](ir::Node* node) { node->remove_attribute("shares_memory"); });
}

}  // namespace tonnx::program
