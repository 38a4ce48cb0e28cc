// A side of a branch in which LibTorch refuses the rank of a tensor in every run raises, so that it is none.
//
// Needs facts, and a program without writes: a side that is none is forgotten, so ranks must be those of every run.
#include <vector>

#include "aten/ranks.h"
#include "ir/writes.h"
#include "program/raising.h"
#include "program/simplify.h"

namespace tonnx::program {

using ir::Node;

bool raise_by_rank(ir::Graph& graph) {
  if (has_writes(graph)) return false;
  std::vector<Node*> refused;
  for_each_node(graph.block(), [&](Node* node) {
    const Node* owner = node->parent()->owner();
    if (owner && owner->is("prim::If") && aten::refuses_rank(*node) && !always_raises(*node->parent()))
      refused.push_back(node);
  });
  for (Node* node : refused) raise_before(*node);
  return !refused.empty();
}

}  // namespace tonnx::program
