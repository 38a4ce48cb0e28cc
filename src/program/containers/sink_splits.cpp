#include <algorithm>
#include <vector>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/constant_facts.h"
#include "program/containers/passes.h"
#include "program/containers/pieces.h"
#include "program/edit.h"
#include "program/nodes_where.h"

namespace tonnx::program {

using aten::Container;
using aten::Inverse;
using ir::Block;
using ir::Node;
using ir::Use;
using ir::Value;

namespace {

// True if the number of pieces is dynamic and a read past it must fail. A slice would return an empty tensor there.
bool fails_outside(const Node& node) {
  const Inverse inverse = aten::traits_of(node).inverse;
  const bool has_sizes = inverse == Inverse::Split && node.input(1)->type().is(ir::Type::Kind::List);
  return (inverse == Inverse::Unbind || has_sizes) && piece_count(node, node.input()->facts()) < 0;
}

// True if the use reads pieces at constant, non-negative indices only.
bool reads_constant_index(const Use& use) {
  if (aten::acts_as(*use.node, Container::ListUnpack)) return true;
  if (!aten::acts_as(*use.node, Container::Item) || use.index != 0) return false;
  const auto index = ir::constant_integer(use.node->input(1));
  return index && *index >= 0;
}

bool move_to_readers(Node& split) {
  const std::vector<Use> uses(split.output()->uses().begin(), split.output()->uses().end());
  if (!std::ranges::all_of(uses, reads_constant_index)) return false;
  std::vector<Block*> blocks;
  for (const Use& use : uses)
    if (use.node->parent() != split.parent() && !std::ranges::count(blocks, use.node->parent()))
      blocks.push_back(use.node->parent());
  for (Block* block : blocks) {
    Value* copy = nullptr;
    for (Node* node : block->nodes()) {
      if (node->input_count() == 0 || node->input() != split.output()) continue;
      if (!copy) {
        ValueMap map;
        copy_node(split, map)->insert_before(node);
        copy = map.at(split.output());
      }
      node->set_input(0, copy);
    }
  }
  if (split.output()->is_unused()) split.erase();
  return !blocks.empty();
}

}  // namespace

bool sink_splits(ir::Graph& graph) {
  const std::vector<Node*> splits = nodes_where(graph, [&](const Node* node) {
    return node->output_count() == 1 && node->output()->type().is_tensor_list() && fails_outside(*node);
  });
  bool changed = false;
  for (Node* split : splits) changed = move_to_readers(*split) || changed;
  return changed;
}

}  // namespace tonnx::program
