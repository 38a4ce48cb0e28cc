// Tensors that turns of a loop hand on in another order, and that are written to where one of them is read by another
// name later, are what a number chooses from those that there are before the loop: branch_chosen_tensors() writes and
// reads in a branch each.
//
// Needs each turn to end with tensors that it began with, or with others from before the loop:
//
//   %p, %q = prim::Loop(%n, %true, %a, %b)       %i, %k = prim::Loop(%n, %true, 0, 1)
//     block0(%t, %c, %d):                          block0(%t, %j, %l):
//       %_ = aten::add_(%c, 1)                       %z = aten::eq(%j, 0)
//       -> (%true, %d, %c)                           %c = prim::If(%z) (%a) (%b)
//   -> (%a, %p, %q)                                  %_ = aten::add_(%c, 1)
//                                                    -> (%true, %l, %j)
//
// or with new ones that nobody but the loop has (LoopMemory). Of such each turn hands on a copy, as a tensor more to
// choose from: where several names have it, that of the first one.
#include "program/references/branch_exchanged.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "aten/remove_dead.h"
#include "aten/traits.h"
#include "ir/control_flow.h"
#include "ir/writes.h"
#include "program/control/carry.h"
#include "program/edit.h"
#include "program/nodes_where.h"
#include "program/references/changing_memory.h"
#include "program/references/choice.h"
#include "program/references/loop_memory.h"
#include "program/references/selections.h"
#include "program/writes/views.h"

namespace tonnx::program {

using ir::Block;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

constexpr std::size_t kMostTensors = 12;

class Rotation {
 public:
  using Which = Selections::Which;

  Rotation(Node& loop, Selections& selections)
      : loop_(loop), body_(*loop.block(0)), selections_(selections), memory_(loop) {
    for (std::size_t i = 0; i < loop.output_count(); ++i)
      if (param(i)->type().is(Type::Kind::Tensor)) may_be_[i];
    start_over();
    while (!come_to_rest()) {
    }
    forget_steady();
  }

  bool is_empty() const { return may_be_.empty(); }

  // Leaves what is chosen of memory that changes; what is not known of a loop around this one may hang on any.
  bool find(const ChangingMemory& changing) {
    const bool is_inner = changes_around(changing);
    const auto changes = [&](std::size_t i) {
      return is_inner || changing.contains(param(i)) || changing.contains(loop_.output(i)) ||
             std::ranges::any_of(may_be_.at(i), [&](Which which) { return changing.contains(known_.at(which)); });
    };
    std::set<std::size_t> found;
    for (const auto& [i, tensors] : may_be_)
      if (!found.contains(i) && !is_alone(i) && changes(i)) found.merge(group_of(i));
    std::erase_if(may_be_, [&](const auto& entry) { return !found.contains(entry.first); });
    forget_steady();
    const auto are_few = [](const auto& entry) { return entry.second.size() <= kMostTensors; };
    return !may_be_.empty() && std::ranges::all_of(may_be_, are_few);
  }

  void run() {
    std::map<std::size_t, Value*> ends, lefts;
    for (const auto& [i, tensors] : may_be_) {
      Value* start = loop_.input(i + 2);
      Value* number = is_never(start) ? Inserter(&loop_).integer(0) : selections_.number_value(start);
      const LoopValue carried = add_loop_value(loop_, Type::of(Type::Kind::Int), number);
      numbers_[param(i)] = carried.inside;
      lefts[i] = carried.after;
    }
    for (const auto& [i, tensors] : may_be_) ends[i] = number_of(body_.outputs()[i + 1]);
    for (const auto& [i, number] : with_copies(std::move(ends))) body_.add_output(number);
    carry_copies();
    Inserter start = Inserter::at_start(body_, loop_.location());
    Inserter behind = Inserter::behind(loop_);
    for (const auto& [i, tensors] : may_be_) {
      replace(param(i), numbers_.at(param(i)), tensors, start, false);
      replace(loop_.output(i), lefts.at(i), tensors, behind, true);
    }
    for (const auto& [i, tensors] : may_be_) {  // what nobody reads any more
      loop_.set_input(i + 2, Inserter(&loop_).never(param(i)->type()));
      body_.return_node()->set_input(i + 1, param(i));
    }
  }

 private:
  Value* param(std::size_t i) const { return body_.inputs()[i + 1]; }
  Value* end(std::size_t i) const { return body_.outputs()[i + 1]; }

  bool is_inside(const Value* value) const { return ir::is_inside(*value->node(), loop_); }

  // The number of a tensor; that of the copy that is carried for what the loop carries at a place.
  Which know(Value* tensor) {
    const Which which = selections_.number_of(tensor);
    known_[which] = tensor;
    return which;
  }
  Which copy_of(std::size_t i) {
    const auto [place, is_new] = copy_numbers_.emplace(i, 0);
    if (is_new) place->second = selections_.new_number();
    known_[place->second] = end(i);
    return place->second;
  }
  bool is_from_before(Which which) const {
    const auto is_copy = [&](const auto& entry) { return entry.second == which; };
    return !is_inside(known_.at(which)) && std::ranges::none_of(copy_numbers_, is_copy);
  }
  bool are_from_before(const std::set<Which>& tensors) const {
    return std::ranges::all_of(tensors, [&](Which which) { return is_from_before(which); });
  }

  // Whether two may be one tensor that is not from before.
  bool meet(const std::set<Which>& a, const std::set<Which>& b) const {
    return std::ranges::any_of(a, [&](Which which) { return b.contains(which) && !is_from_before(which); });
  }

  void start_over() {
    for (auto& [i, tensors] : may_be_) {
      tensors.clear();
      add(loop_.input(i + 2), tensors);
    }
  }

  // Adds a tensor from before the loop, or those that it is chosen from.
  void add(Value* tensor, std::set<Which>& tensors) {
    if (is_never(tensor)) return;
    if (const auto* chosen = selections_.tensors_of(tensor)) {
      for (const auto& [which, one] : *chosen) tensors.insert(know(one));
    } else {
      tensors.insert(know(tensor));
    }
  }

  // One step; true where nothing is left to do.
  bool come_to_rest() {
    ends_.clear();
    const auto is_followed = [&](std::size_t i) { return may_be_.contains(i); };
    for (const auto& [i, tensors] : may_be_) {
      if (find(end(i), ends_[i]) && (are_from_before(ends_[i]) || memory_.stays(end(i), is_followed))) continue;
      may_be_.erase(i);
      start_over();
      return false;
    }
    bool rests = true;
    for (auto& [i, tensors] : may_be_) {
      std::set<Which> next;
      for (const Which which : ends_.at(i))
        if (is_from_before(which)) next.insert(which);
      for (const auto& [j, others] : ends_)
        if (j <= i && meet(ends_.at(i), others)) next.insert(copy_of(j));
      for (const Which which : next) rests = !tensors.insert(which).second && rests;
    }
    return rests;
  }

  // What is one tensor from before in every turn needs no number.
  void forget_steady() {
    for (const auto& [i, tensors] : may_be_)
      if (tensors.size() == 1 && is_from_before(*tensors.begin())) always_[param(i)] = known_.at(*tensors.begin());
    std::erase_if(may_be_,
                  [&](const auto& entry) { return entry.second.empty() || always_.contains(param(entry.first)); });
    if (std::ranges::none_of(may_be_, [](const auto& entry) { return entry.second.size() > 1; })) may_be_.clear();
  }

  // Whether the loop has for itself whatever it carries at a place.
  bool is_alone(std::size_t i) {
    const Value* start = loop_.input(i + 2);
    const bool is_given = is_never(start) || (start->uses().size() == 1 && is_new_tensor(*start));
    const auto is_made = [&](Which which) { return !is_from_before(which); };
    return is_given && group_of(i).size() == 1 && std::ranges::all_of(ends_.at(i), is_made);
  }

  // Whether a loop around this one carries memory that changes.
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

  // What the loop carries that may be one of the tensors that `i` may be, and so on.
  std::set<std::size_t> group_of(std::size_t i) {
    std::set<std::size_t> group = {i};
    const auto are_tied = [&](std::size_t j, std::size_t k) {
      const std::set<Which>&a = may_be_.at(j), &b = may_be_.at(k);
      const auto is_of_both = [&](Which which) { return b.contains(which); };
      return a.contains(copy_of(k)) || b.contains(copy_of(j)) || std::ranges::any_of(a, is_of_both);
    };
    for (bool more = true; more;) {
      more = false;
      for (const auto& entry : may_be_) {
        const std::size_t j = entry.first;
        const auto is_tied = [&](std::size_t k) { return are_tied(j, k); };
        if (!group.contains(j) && std::ranges::any_of(group, is_tied)) more = group.insert(j).second;
      }
    }
    return group;
  }

  // The tensor that writes in the loop give.
  Value* written(Value* value) const {
    while (is_inside(value) && written_by(*value)) value = written_by(*value);
    return value;
  }

  // Adds what the value may be; false: it may be something else.
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
    if (!is_inside(value)) {
      add(value, tensors);
      return true;
    }
    if (const auto* chosen = selections_.tensors_of(value))
      return std::ranges::all_of(*chosen, [&](const auto& entry) { return find(entry.second, tensors); });
    if (memory_.is_new(value)) {
      tensors.insert(know(value));
      return true;
    }
    return node.is("prim::If") && std::ranges::all_of(node.blocks(), [&](const Block* way) {
             return find(way->outputs()[value->index()], tensors);
           });
  }

  // Which of the tensors the value is, as a number.
  Value* number_of(Value* value) {
    value = written(value);
    if (const auto known = numbers_.find(value); known != numbers_.end()) return known->second;
    Node& node = *value->node();
    if (is_never(value)) return Inserter(&loop_).integer(0);
    if (const auto known = always_.find(value); known != always_.end()) return selections_.number_value(known->second);
    if (!is_inside(value) || memory_.is_new(value)) return selections_.number_value(value);
    if (selections_.tensors_of(value)) return numbers_[value] = number_of_chosen(value);
    const auto number_in = [&](std::size_t way) { return number_of(node.block(way)->outputs()[value->index()]); };
    Value *yes = number_in(0), *no = number_in(1);
    return numbers_[value] = add_result(node, Type::of(Type::Kind::Int), yes, no);
  }

  // The number that chooses it; of a tensor that is another one by its name, that one's.
  Value* number_of_chosen(Value* value) {
    const Selections::Tensors tensors = *selections_.tensors_of(value);
    Value* number = selections_.number_value(value);
    Node& maker = *value->node();
    Inserter insert = maker.next() ? Inserter(maker.next()) : Inserter(maker.parent(), loop_.location());
    for (const auto& [which, one] : tensors) {
      const bool has_number =
          !is_inside(one) || memory_.is_new(one) || (one->node() == body_.params() && numbers_.contains(one));
      if (has_number) continue;
      Value* is_one = insert.call("aten::eq.int", {selections_.number_value(value), insert.integer(which)});
      number = insert.either(is_one, number->type(), number_of(one), number);
    }
    return number;
  }

  // The numbers in which what is no tensor from before is the copy that the first one which has it carries.
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
      const LoopValue made = add_loop_value(loop_, start->type(), begin);
      made.inside->set_facts(param(i)->facts());
      made.after->set_facts(loop_.output(i)->facts());
      body_.add_output(copy(inner, *end(i)));
      selections_.give_number(made.inside, which);
      selections_.give_number(made.after, which);
      copies_[which] = made;
    }
  }

  static Value* copy(Inserter& insert, Value& tensor) {
    Value* made = insert.call("aten::clone", {&tensor});
    made->set_facts(tensor.facts());
    return made;
  }

  void replace(Value* value, Value* number, const std::set<Which>& tensors, Inserter& insert, bool is_behind) {
    Selections::Tensors chosen;
    for (const Which which : tensors) {
      const auto copy = copies_.find(which);
      chosen.emplace_back(which, copy == copies_.end() ? known_.at(which)
                                 : is_behind           ? copy->second.after
                                                       : copy->second.inside);
    }
    selections_.expand(value, number, chosen);
    if (!value->is_unused()) value->replace_uses(selections_.select(insert, *value, number, chosen));
  }

  Node& loop_;
  Block& body_;
  Selections& selections_;
  LoopMemory memory_;
  std::map<std::size_t, std::set<Which>> may_be_;  // by what the loop carries, at the start of a turn
  std::map<std::size_t, std::set<Which>> ends_;    // the same at the end of one
  std::map<const Value*, Value*> always_;  // what the loop carries that is one tensor from before in every turn: that
  std::map<std::size_t, Which> copy_numbers_;
  std::map<Which, Value*> known_;
  std::map<const Value*, Value*> numbers_;
  std::map<Which, LoopValue> copies_;
};

// A tensor that every turn of a loop hands on as it got it, or either way of a branch, is the one from before.
void read_steady_from_before(Node& node) {
  const bool is_loop = node.is("prim::Loop");
  const Block& body = *node.block(0);
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    if (!node.output(i)->type().is(Type::Kind::Tensor)) continue;
    Value* end = written_first(body.outputs()[is_loop ? i + 1 : i]);
    if (is_loop && end == body.inputs()[i + 1]) {
      body.inputs()[i + 1]->replace_uses(node.input(i + 2));
      node.output(i)->replace_uses(node.input(i + 2));
    } else if (!is_loop && end == written_first(node.block(1)->outputs()[i])) {
      node.output(i)->replace_uses(end);
    }
  }
}

// The same of all, the inner ones first.
void read_steady_from_before(ir::Graph& graph) {
  if (reshapes_in_place(graph)) return;
  const std::vector<Node*> nodes = control_flow_of(graph);
  for (std::size_t i = nodes.size(); i-- > 0;) read_steady_from_before(*nodes[i]);
}

// Inner loops first, for what they hand on is then chosen of what the outer ones have.
bool branch_loops(ir::Graph& graph) {
  const std::vector<Node*> loops = loops_of(graph);
  if (loops.empty()) return false;
  read_steady_from_before(graph);
  Selections selections(graph);
  std::optional<ChangingMemory> changing;
  bool changed = false;
  for (std::size_t i = loops.size(); i-- > 0;) {
    Rotation rotation(*loops[i], selections);
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
