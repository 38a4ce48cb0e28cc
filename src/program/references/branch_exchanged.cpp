// Loop-carried tensors that iterations exchange or rotate, and that are written to while an alias is live, are selected
// by loop-carried numbers from the tensors before the loop. functionalise() reads and writes the selected tensor.
//
// Needs iterations that yield the tensors they began with, or others from before the loop:
//
//   %p, %q = prim::Loop(%n, %true, %a, %b)       %i, %k = prim::Loop(%n, %true, 0, 1)
//     block0(%t, %c, %d):                          block0(%t, %j, %l):
//       %_ = aten::add_(%c, 1)                       %z = aten::eq(%j, 0)
//       -> (%true, %d, %c)                           %c = prim::If(%z) (%a) (%b)
//   -> (%a, %p, %q)                                  %_ = aten::add_(%c, 1)
//                                                    -> (%true, %l, %j)
//
// or fresh tensors that escape only through loop-carried values (LoopMemory). The loop carries a copy of each of these
// as one more candidate. If several loop-carried values are the same fresh tensor, they share the copy of the first
// one.
#include "program/references/branch_exchanged.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "aten/remove_dead.h"
#include "aten/traits.h"
#include "ir/control_flow.h"
#include "ir/writes.h"
#include "program/control/carry.h"
#include "program/edit.h"
#include "program/nodes_where.h"
#include "program/references/alias.h"
#include "program/references/loop_memory.h"
#include "program/references/names.h"
#include "program/writes/views.h"

namespace tonnx::program {

using ir::Block;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

constexpr std::size_t kMostTensors = 12;

// Storage that is written to while a tensor that may or may not share it is read later.
class ChangingMemory {
 public:
  explicit ChangingMemory(ir::Graph& graph) : forest_(graph) {
    for_each_node(graph.block(), [&](Node* node) {
      for (std::size_t i = 0; i < node->input_count(); ++i) {
        const bool is_written = node->input(i)->type().is(Type::Kind::Tensor) && writes_argument(*node, i);
        if (is_written && forest_.conflict(node->input(i), node)) roots_.merge(roots_of(node->input(i)));
      }
    });
  }

  bool contains(const Value* value) const {
    const std::set<const Value*> roots = roots_of(value);
    return std::ranges::any_of(roots, [&](const Value* root) { return roots_.contains(root); });
  }

 private:
  std::set<const Value*> roots_of(const Value* value) const {
    const std::vector<Value*> roots = forest_.roots(const_cast<Value*>(value));
    return {roots.begin(), roots.end()};
  }

  AliasForest forest_;
  std::set<const Value*> roots_;
};

class Rotation {
 public:
  explicit Rotation(Node& loop) : loop_(loop), body_(*loop.block(0)), memory_(loop) {
    for (std::size_t i = 0; i < loop.output_count(); ++i)
      if (param(i)->type().is(Type::Kind::Tensor)) may_be_[i];
    reset();
    while (!step()) {
    }
    drop_invariant();
  }

  bool is_empty() const { return may_be_.empty(); }

  // Retains the loop-carried values whose candidates, or others of their group, have changing storage; all of them if
  // an outer loop carries changing storage, which they may alias. False if none is left, or there are too many
  // candidates.
  bool find(const ChangingMemory& changing) {
    const bool is_inner = changes_around(changing);
    const auto changes = [&](std::size_t i) {
      return is_inner || changing.contains(param(i)) || changing.contains(loop_.output(i)) ||
             std::ranges::any_of(may_be_.at(i), [&](Which which) { return changing.contains(tensors_.at(which)); });
    };
    std::set<std::size_t> found;
    for (const auto& [i, tensors] : may_be_)
      if (!found.contains(i) && !is_sole_owner(i) && changes(i)) found.merge(group_of(i));
    std::erase_if(may_be_, [&](const auto& entry) { return !found.contains(entry.first); });
    drop_invariant();
    const auto are_few = [](const auto& entry) { return entry.second.size() <= kMostTensors; };
    return !may_be_.empty() && std::ranges::all_of(may_be_, are_few);
  }

  void run() {
    std::map<std::size_t, Value*> ends, results;
    for (const auto& [i, tensors] : may_be_) {
      Value* start = loop_.input(i + 2);
      const Which first = is_never(start) ? 0 : add_number(start);
      const LoopValue carried = add_loop_value(loop_, Type::of(Type::Kind::Int), integer(first));
      numbers_[param(i)] = carried.inside;
      results[i] = carried.after;
    }
    for (const auto& [i, tensors] : may_be_) ends[i] = number_of(body_.outputs()[i + 1]);
    for (const auto& [i, number] : with_copies(std::move(ends))) body_.add_output(number);
    carry_copies();
    Inserter start = Inserter::at_start(body_, loop_.location());
    Inserter after = Inserter::after(loop_);
    for (const auto& [i, tensors] : may_be_) {
      replace(param(i), numbers_.at(param(i)), tensors, start, false);
      replace(loop_.output(i), results.at(i), tensors, after, true);
    }
    for (const auto& [i, tensors] : may_be_) {  // the loop-carried values are dead now
      loop_.set_input(i + 2, Inserter(&loop_).never(param(i)->type()));
      body_.return_node()->set_input(i + 1, param(i));
    }
  }

 private:
  using Which = std::int64_t;

  Value* param(std::size_t i) const { return body_.inputs()[i + 1]; }
  Value* end(std::size_t i) const { return body_.outputs()[i + 1]; }

  bool is_inside(const Value* value) const { return ir::is_inside(*value->node(), loop_); }

  // The number of a tensor, and that of the copy carried for loop-carried value `i`.
  Which add_number(Value* tensor) {
    const Which which = which_.emplace(tensor, next_).first->second;
    if (which == next_) ++next_;
    tensors_[which] = tensor;
    return which;
  }
  Which copy_of(std::size_t i) {
    const auto [entry, is_new] = copy_numbers_.emplace(i, next_);
    if (is_new) ++next_;
    tensors_[entry->second] = end(i);
    return entry->second;
  }
  Value* integer(Which which) const { return Inserter(&loop_).integer(which); }
  bool is_from_before(Which which) const {
    const auto is_copy = [&](const auto& entry) { return entry.second == which; };
    return !is_inside(tensors_.at(which)) && std::ranges::none_of(copy_numbers_, is_copy);
  }
  bool are_from_before(const std::set<Which>& tensors) const {
    return std::ranges::all_of(tensors, [&](Which which) { return is_from_before(which); });
  }

  // True if both may be the same fresh tensor.
  bool may_be_same_fresh(const std::set<Which>& a, const std::set<Which>& b) const {
    return std::ranges::any_of(a, [&](Which which) { return b.contains(which) && !is_from_before(which); });
  }

  void reset() {
    for (auto& [i, tensors] : may_be_) {
      tensors.clear();
      if (Value* start = loop_.input(i + 2); !is_never(start)) tensors.insert(add_number(start));
    }
  }

  // One step; true at the fixpoint.
  bool step() {
    ends_.clear();
    const auto is_followed = [&](std::size_t i) { return may_be_.contains(i); };
    for (const auto& [i, tensors] : may_be_) {
      if (find(end(i), ends_[i]) && (are_from_before(ends_[i]) || memory_.escapes_only_through(end(i), is_followed)))
        continue;
      may_be_.erase(i);
      reset();
      return false;
    }
    bool is_fixpoint = true;
    for (auto& [i, tensors] : may_be_) {
      std::set<Which> next;
      for (const Which which : ends_.at(i))
        if (is_from_before(which)) next.insert(which);
      for (const auto& [j, others] : ends_)
        if (j <= i && may_be_same_fresh(ends_.at(i), others)) next.insert(copy_of(j));
      for (const Which which : next) is_fixpoint = !tensors.insert(which).second && is_fixpoint;
    }
    return is_fixpoint;
  }

  // A value that is the same tensor from before the loop in every iteration needs no number.
  void drop_invariant() {
    for (const auto& [i, tensors] : may_be_)
      if (tensors.size() == 1 && is_from_before(*tensors.begin())) invariant_[param(i)] = tensors_.at(*tensors.begin());
    std::erase_if(may_be_,
                  [&](const auto& entry) { return entry.second.empty() || invariant_.contains(param(entry.first)); });
    if (std::ranges::none_of(may_be_, [](const auto& entry) { return entry.second.size() > 1; })) may_be_.clear();
  }

  // True if all candidates of loop-carried value `i` are fresh and only it refers to them.
  bool is_sole_owner(std::size_t i) {
    const Value* start = loop_.input(i + 2);
    const bool starts_fresh = is_never(start) || (start->uses().size() == 1 && is_new_tensor(*start));
    const auto is_fresh_tensor = [&](Which which) { return !is_from_before(which); };
    return starts_fresh && group_of(i).size() == 1 && std::ranges::all_of(ends_.at(i), is_fresh_tensor);
  }

  // True if a loop around this one carries a tensor with changing storage.
  bool changes_around(const ChangingMemory& changing) const {
    for (const Node* owner = loop_.parent()->owner(); owner; owner = owner->parent()->owner()) {
      const auto changes = [&](const Value* value) {
        return value->type().is(Type::Kind::Tensor) && changing.contains(value);
      };
      if (!owner->is("prim::Loop")) continue;
      if (std::ranges::any_of(owner->block(0)->inputs(), changes) || std::ranges::any_of(owner->outputs(), changes))
        return true;
    }
    return false;
  }

  // The loop-carried values that share candidates with `i`, transitively.
  std::set<std::size_t> group_of(std::size_t i) {
    std::set<std::size_t> group = {i};
    const auto share_candidate = [&](std::size_t j, std::size_t k) {
      const std::set<Which>&a = may_be_.at(j), &b = may_be_.at(k);
      const auto is_shared = [&](Which which) { return b.contains(which); };
      return a.contains(copy_of(k)) || b.contains(copy_of(j)) || std::ranges::any_of(a, is_shared);
    };
    for (bool more = true; more;) {
      more = false;
      for (const auto& entry : may_be_) {
        const std::size_t j = entry.first;
        const auto is_related = [&](std::size_t k) { return share_candidate(j, k); };
        if (!group.contains(j) && std::ranges::any_of(group, is_related)) more = group.insert(j).second;
      }
    }
    return group;
  }

  // The tensor that writes in the loop return.
  Value* written(Value* value) const {
    while (is_inside(value) && written_by(*value)) value = written_by(*value);
    return value;
  }

  // Adds the candidates of a value; false if some are unknown.
  bool find(Value* value, std::set<Which>& tensors) {
    if (is_never(value)) return true;
    value = written(value);
    const Node& node = *value->node();
    if (&node == body_.params()) {
      const auto of_other = value->index() == 0 ? may_be_.end() : may_be_.find(value->index() - 1);
      if (of_other == may_be_.end()) return false;
      tensors.insert(of_other->second.begin(), of_other->second.end());
      return true;
    }
    if (!is_inside(value) || memory_.is_new(value)) {
      tensors.insert(add_number(value));
      return true;
    }
    return node.is("prim::If") && std::ranges::all_of(node.blocks(), [&](const Block* block) {
             return find(block->outputs()[value->index()], tensors);
           });
  }

  // The number of the candidate that the value is.
  Value* number_of(Value* value) {
    value = written(value);
    if (const auto found = numbers_.find(value); found != numbers_.end()) return found->second;
    Node& node = *value->node();
    if (is_never(value)) return integer(0);
    if (const auto found = invariant_.find(value); found != invariant_.end()) return integer(add_number(found->second));
    if (!is_inside(value) || memory_.is_new(value)) return integer(add_number(value));
    const auto number_in = [&](std::size_t block) { return number_of(node.block(block)->outputs()[value->index()]); };
    Value *yes = number_in(0), *no = number_in(1);
    return numbers_[value] = add_result(node, Type::of(Type::Kind::Int), yes, no);
  }

  // The same numbers, with those of fresh tensors replaced by the number of the copy that the first owner carries.
  std::map<std::size_t, Value*> with_copies(std::map<std::size_t, Value*> ends) {
    Inserter insert(&body_, loop_.location());
    std::map<std::size_t, Value*> numbers;
    for (const auto& [i, number] : ends) {
      numbers[i] = number;
      for (const Which which : ends_.at(i)) {
        if (is_from_before(which)) continue;
        Value* copy = insert.integer(copy_of(i));
        for (auto other = ends.rbegin(); other != ends.rend(); ++other) {
          if (other->first >= i || !ends_.at(other->first).contains(which)) continue;
          Value* is_other = insert.call("aten::eq.int", {number, other->second});
          copy = insert.either(is_other, copy->type(), insert.integer(copy_of(other->first)), copy);
        }
        if (ends_.at(i).size() > 1) {
          Value* is_this = insert.call("aten::eq.int", {number, insert.integer(which)});
          copy = insert.either(is_this, copy->type(), copy, numbers.at(i));
        }
        numbers[i] = copy;
      }
    }
    return numbers;
  }

  void carry_copies() {
    std::set<Which> all;
    for (const auto& [i, tensors] : may_be_) all.insert(tensors.begin(), tensors.end());
    for (const auto& [i, which] : copy_numbers_) {
      if (!all.contains(which)) continue;
      Inserter outer(&loop_), inner(&body_, loop_.location());
      Value* start = loop_.input(i + 2);
      Value* begin = is_never(start) ? outer.never(start->type()) : copy(outer, *start);
      const LoopValue carried = add_loop_value(loop_, start->type(), begin);
      carried.inside->set_facts(param(i)->facts());
      carried.after->set_facts(loop_.output(i)->facts());
      body_.add_output(copy(inner, *end(i)));
      copies_[which] = carried;
    }
  }

  static Value* copy(Inserter& insert, Value& tensor) {
    Value* clone = insert.call("aten::clone", {&tensor});
    clone->set_facts(tensor.facts());
    return clone;
  }

  void replace(Value* value, Value* number, const std::set<Which>& tensors, Inserter& insert, bool is_after) {
    const std::vector<Which> ordered(tensors.begin(), tensors.end());
    if (!value->is_unused()) value->replace_uses(select(insert, *value, number, ordered, is_after));
  }

  // Selects one of the tensors by its number, with nested Ifs.
  Value* select(Inserter& insert, const Value& like, Value* number, std::span<const Which> tensors, bool is_after) {
    const Which which = tensors.front();
    const auto copy = copies_.find(which);
    Value* tensor = copy == copies_.end() ? tensors_.at(which) : is_after ? copy->second.after : copy->second.inside;
    if (tensors.size() == 1) return tensor;
    Value* is_equal = insert.call("aten::eq.int", {number, insert.integer(which)});
    Value* chosen = insert.branch(
        is_equal, like.type(), [&](Inserter&) { return tensor; },
        [&](Inserter& other) { return select(other, like, number, tensors.subspan(1), is_after); });
    chosen->set_facts(like.facts());
    return chosen;
  }

  Node& loop_;
  Block& body_;
  LoopMemory memory_;
  std::map<std::size_t, std::set<Which>> may_be_;  // candidates of a loop-carried value at the start of an iteration
  std::map<std::size_t, std::set<Which>> ends_;    // at its end
  std::map<const Value*, Value*> invariant_;       // the tensor from before, if it is the same in every iteration
  std::map<std::size_t, Which> copy_numbers_;
  std::map<const Value*, Which> which_;
  std::map<Which, Value*> tensors_;
  Which next_ = 0;
  std::map<const Value*, Value*> numbers_;
  std::map<Which, LoopValue> copies_;
};

bool replace_if_used(Value& old, Value* value) {
  if (old.is_unused()) return false;
  old.replace_uses(value);
  return true;
}

// Replaces a tensor that all iterations of a loop, or both branches of an If, pass through by its origin.
bool propagate_invariant(Node& node) {
  bool changed = false;
  const bool is_loop = node.is("prim::Loop");
  const Block& body = *node.block(0);
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    if (!node.output(i)->type().is(Type::Kind::Tensor)) continue;
    Value* end = written_first(body.outputs()[is_loop ? i + 1 : i]);
    if (is_loop && end == body.inputs()[i + 1]) {
      changed = replace_if_used(*body.inputs()[i + 1], node.input(i + 2)) || changed;
      changed = replace_if_used(*node.output(i), node.input(i + 2)) || changed;
    } else if (!is_loop && end == written_first(node.block(1)->outputs()[i])) {
      changed = replace_if_used(*node.output(i), end) || changed;
    }
  }
  return changed;
}

// The same for all nodes, inner ones first.
bool propagate_invariant(ir::Graph& graph) {
  if (reshapes_in_place(graph)) return false;
  bool changed = false;
  const std::vector<Node*> nodes = control_flow_of(graph);
  for (std::size_t i = nodes.size(); i-- > 0;) changed = propagate_invariant(*nodes[i]) || changed;
  return changed;
}

// Inner loops first: an outer loop then finds the candidates that an inner one selects from.
bool branch_loops(ir::Graph& graph) {
  const std::vector<Node*> loops = loops_of(graph);
  if (loops.empty()) return false;
  bool changed = propagate_invariant(graph);
  std::optional<ChangingMemory> changing;
  for (std::size_t i = loops.size(); i-- > 0;) {
    Rotation rotation(*loops[i]);
    if (rotation.is_empty()) continue;
    if (!changing) changing.emplace(graph);
    if (!rotation.find(*changing)) continue;
    rotation.run();
    changed = true;
  }
  return changed;
}

}  // namespace

bool branch_rotated(ir::Graph& graph) {
  if (!branch_loops(graph)) return false;
  aten::remove_dead(graph);
  return true;
}

}  // namespace tonnx::program
