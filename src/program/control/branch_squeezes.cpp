// Replaces a squeeze of dynamic axes by a branch on their sizes, if a reader of the result needs a rank.
//
// Needs facts, and a program without writes. sink_readers() then moves the readers into the branches:
//
//   %r = aten::squeeze(%x, 0)                %s = aten::size(%x, 0)
//   %w = aten::argmax(%r, -1)                %c = aten::eq(%s, 1)
//                                            %r = prim::If(%c)
//                                              block0: %a = aten::select(%x, 0, 0) -> (%a)
//                                              block1: -> (%x)
//                                            %w = aten::argmax(%r, -1)
#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "aten/traits.h"
#include "ir/writes.h"
#include "program/control/passes.h"
#include "program/control/rank_readers.h"
#include "program/control/single_axes.h"
#include "program/edit.h"

namespace tonnx::program {

using ir::Block;
using ir::Node;
using ir::Value;

namespace {

constexpr std::size_t kMostOpen = 3;

// The conditions that an axis has size 1. Equal symbolic sizes share one condition, which dominates its users if nodes
// are passed in program order.
class Conditions {
 public:
  Value* is_one(Node& before, Value* tensor, std::size_t axis) {
    const ir::Dim& dim = (*tensor->facts().dims)[axis];
    for (const Block* block = before.parent(); block && dim.is_symbolic();
         block = block->owner() ? block->owner()->parent() : nullptr)
      if (const auto found = conditions_.find({block, dim.text()}); found != conditions_.end()) return found->second;
    Inserter insert(&before);
    Value* size = insert.call("aten::size.int", {tensor, insert.integer(static_cast<std::int64_t>(axis))});
    Value* is_one = insert.call("aten::eq.int", {size, insert.integer(1)});
    conditions_[{before.parent(), dim.text()}] = is_one;
    return is_one;
  }

 private:
  std::map<std::pair<const Block*, std::string>, Value*> conditions_;
};

class Squeeze {
 public:
  Squeeze(Node& node, Conditions& conditions) : node_(node) {
    const SingleAxes single = single_axes(node);
    for (const std::size_t axis : single.dropped) axes_.push_back({axis, nullptr});
    for (const std::size_t axis : single.open) axes_.push_back({axis, conditions.is_one(node, node.input(), axis)});
    std::ranges::sort(axes_, std::greater<>(), &Axis::at);
  }

  void run() {
    Inserter insert(&node_);
    Value* result = drop(insert, node_.input(), 0);
    result->set_facts(node_.output()->facts());
    node_.output()->replace_uses(result);
    node_.erase();
  }

 private:
  struct Axis {
    std::size_t at;
    Value* is_one;  // null: always
  };

  // Returns the tensor without those axes of `axes_` from `next` on that have size 1.
  Value* drop(Inserter& insert, Value* tensor, std::size_t next) {
    if (next == axes_.size()) return tensor;
    const Axis& axis = axes_[next];
    const auto select_first = [&](Inserter& inside) {
      Value* at = inside.integer(static_cast<std::int64_t>(axis.at));
      return drop(inside, inside.call("aten::select.int", {tensor, at, inside.integer(0)}), next + 1);
    };
    if (!axis.is_one) return select_first(insert);
    return insert.branch(axis.is_one, tensor->type(), select_first,
                         [&](Inserter& inside) { return drop(inside, tensor, next + 1); });
  }

  Node& node_;
  std::vector<Axis> axes_;  // from the last one to the first
};

}  // namespace

bool branch_squeezes(ir::Graph& graph) {
  if (has_writes(graph)) return false;
  std::vector<Node*> squeezes;
  std::unordered_set<const Value*> wanted;  // tensors whose squeezes are all replaced, so that they agree
  for_each_node(graph.block(), [&](Node* node) {
    if (!aten::traits_of(*node).drops_single || node->output()->facts().dims) return;
    if (node->input_count() > 1 && !node->input(1)->constant()) return;
    const std::size_t axes = single_axes(*node).open.size();
    if (axes == 0 || axes > kMostOpen) return;
    squeezes.push_back(node);
    if (wants_rank(*node->output())) wanted.insert(node->input());
  });
  std::erase_if(squeezes, [&](const Node* node) { return !wanted.contains(node->input()); });
  Conditions conditions;
  for (Node* node : squeezes) Squeeze(*node, conditions).run();
  return !squeezes.empty();
}

}  // namespace tonnx::program
