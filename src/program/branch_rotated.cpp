// Tensors that turns of a loop hand on in another order, and that are written to where one of them is read by another name later,
// are what a number chooses from those that there are before the loop: branch_chosen_tensors() writes and reads in a branch each.
//
// Needs each turn to end with tensors that it began with, or with others from before the loop:
//
//   %p, %q = prim::Loop(%n, %true, %a, %b)       %i, %k = prim::Loop(%n, %true, 0, 1)
//     block0(%t, %c, %d):                          block0(%t, %j, %l):
//       %_ = aten::add_(%c, 1)                       %z = aten::eq(%j, 0)
//       -> (%true, %d, %c)                           %c = prim::If(%z) (%a) (%b)
//   -> (%a, %p, %q)                                  %_ = aten::add_(%c, 1)
//                                                    -> (%true, %l, %j)
#include "program/branch_rotated.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "program/changing_memory.h"
#include "program/choice.h"
#include "program/edit.h"

namespace tonnx::program {

using ir::Block;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

constexpr std::size_t kMostTensors = 8;
constexpr std::ptrdiff_t kMostLoops = 6;  // where they stand in a row, each doubles what the next one writes to

class Rotation {
 public:
  Rotation(Node& loop, const Places& places) : loop_(loop), body_(*loop.block(0)), places_(places) {
    for (std::size_t i = 0; i < loop.output_count(); ++i)
      if (param(i)->type().is(Type::Kind::Tensor) && !is_never(loop.input(i + 2))) add(may_be_[i], loop.input(i + 2));
    for (bool more = true; more;) {
      more = false;
      const auto before = may_be_;
      for (const auto& [i, tensors] : before) {
        std::set<std::size_t> found = tensors;
        if (!find(body_.outputs()[i + 1], found)) {
          may_be_.erase(i);
          more = true;
        } else if (found != tensors && may_be_.contains(i)) {
          may_be_[i] = found;
          more = true;
        }
      }
    }
    for (const auto& [i, tensors] : may_be_)
      if (tensors.size() == 1) always_[param(i)] = *tensors.begin();
    std::erase_if(may_be_, [](const auto& entry) { return entry.second.size() < 2; });
  }

  bool is_empty() const { return may_be_.empty(); }

  bool is_found(const ChangingMemory& changing) const {
    const auto changes = [&](const auto& entry) {
      const auto& [i, tensors] = entry;
      return changing.contains(param(i)) || changing.contains(loop_.output(i)) ||
             std::ranges::any_of(tensors, [&](std::size_t at) { return changing.contains(tensors_[at]); });
    };
    return std::ranges::any_of(may_be_, changes) &&
           std::ranges::all_of(may_be_, [](const auto& entry) { return entry.second.size() <= kMostTensors; });
  }

  void run() {
    std::map<std::size_t, Value*> ends;
    for (const auto& [i, tensors] : may_be_) {
      numbers_[param(i)] = body_.add_input();
      numbers_[param(i)]->set_type(Type::of(Type::Kind::Int));
    }
    for (const auto& [i, tensors] : may_be_) ends[i] = number_of(body_.outputs()[i + 1]);
    for (const auto& [i, tensors] : may_be_) {
      Inserter outer(&loop_);
      loop_.add_input(outer.integer(static_cast<std::int64_t>(place_of(loop_.input(i + 2)))));
      body_.add_output(ends.at(i));
      Value* left = loop_.add_output();
      left->set_type(Type::of(Type::Kind::Int));
      body_.return_node()->set_input(i + 1, loop_.input(i + 2));
      Node* first = body_.first();
      Inserter start = first ? Inserter(first) : Inserter(&body_, loop_.location());
      replace(param(i), numbers_.at(param(i)), tensors, start);
      Inserter behind = loop_.next() ? Inserter(loop_.next()) : Inserter(loop_.parent(), loop_.location());
      replace(loop_.output(i), left, tensors, behind);
    }
  }

 private:
  Value* param(std::size_t i) const { return body_.inputs()[i + 1]; }

  std::size_t place_of(const Value* tensor) const {
    return static_cast<std::size_t>(std::ranges::find(tensors_, tensor) - tensors_.begin());
  }

  void add(std::set<std::size_t>& tensors, Value* tensor) {
    const std::size_t at = place_of(tensor);
    if (at == tensors_.size()) tensors_.push_back(tensor);
    tensors.insert(at);
  }

  // The tensor that writes in the loop give.
  Value* written(Value* value) const {
    while (places_.is_inside(*value->node(), loop_) && written_by(*value)) value = written_by(*value);
    return value;
  }

  // Adds the tensors from before the loop that the value may be; false: it may be others.
  bool find(Value* value, std::set<std::size_t>& tensors) {
    if (is_never(value)) return true;
    value = written(value);
    const Node& node = *value->node();
    if (&node == body_.params()) {
      const auto of_other = value->index() == 0 ? may_be_.end() : may_be_.find(value->index() - 1);
      if (of_other == may_be_.end()) return false;
      tensors.insert(of_other->second.begin(), of_other->second.end());
      return true;
    }
    if (!places_.is_inside(node, loop_)) {
      add(tensors, value);
      return true;
    }
    return node.is("prim::If") &&
           std::ranges::all_of(node.blocks(), [&](const Block* way) { return find(way->outputs()[value->index()], tensors); });
  }

  // Which of the tensors the value is, as a number.
  Value* number_of(Value* value) {
    value = written(value);
    if (const auto known = numbers_.find(value); known != numbers_.end()) return known->second;
    Node& node = *value->node();
    Inserter outer(&loop_);
    const auto number = [&](std::size_t place) { return outer.integer(static_cast<std::int64_t>(place)); };
    if (const auto known = always_.find(value); known != always_.end()) return number(known->second);
    if (is_never(value)) return number(0);
    if (!places_.is_inside(node, loop_)) return number(place_of(value));
    for (Block* way : node.blocks()) way->add_output(number_of(way->outputs()[value->index()]));
    Value* chosen = node.add_output();
    chosen->set_type(Type::of(Type::Kind::Int));
    return numbers_[value] = chosen;
  }

  void replace(Value* value, Value* number, const std::set<std::size_t>& tensors, Inserter& insert) {
    if (value->is_unused()) return;
    std::vector<Value*> chosen;
    for (const std::size_t at : tensors) chosen.push_back(tensors_[at]);
    std::vector<std::size_t> places(tensors.begin(), tensors.end());
    value->replace_uses(choose(insert, *value, *number, chosen, places, 0));
  }

  Value* choose(Inserter& insert, const Value& value, Value& number, const std::vector<Value*>& chosen,
                const std::vector<std::size_t>& places, std::size_t at) {
    if (at + 1 == chosen.size()) return chosen[at];
    Value* is_this = insert.call("aten::eq.int", {&number, insert.integer(static_cast<std::int64_t>(places[at]))});
    Node* branch = loop_.graph().create("prim::If", {&is_this, 1}, 1);
    branch->set_location(loop_.location());
    branch->add_block()->add_output(chosen[at]);
    Block* other = branch->add_block();
    Inserter inside(other, loop_.location());
    other->add_output(choose(inside, value, number, chosen, places, at + 1));
    branch->output()->set_type(value.type());
    branch->output()->set_facts(value.facts());
    insert.insert(branch);
    return branch->output();
  }

  Node& loop_;
  Block& body_;
  const Places& places_;
  std::vector<Value*> tensors_;                            // from before the loop
  std::map<std::size_t, std::set<std::size_t>> may_be_;    // by what the loop carries: places in `tensors_`
  std::map<const Value*, std::size_t> always_;             // what the loop carries that is one tensor in every turn: its place
  std::map<const Value*, Value*> numbers_;
};

bool branch_one(ir::Graph& graph) {
  std::vector<Node*> loops;
  for_each_node(graph.block(), [&](Node* node) {
    if (node->is("prim::Loop")) loops.push_back(node);
  });
  if (loops.empty()) return false;
  const Places places(graph);
  std::vector<Rotation> found;
  // Inner ones first, for what they hand on is then chosen of what the outer ones have.
  for (std::size_t i = loops.size(); i-- > 0;)
    if (Rotation rotation(*loops[i], places); !rotation.is_empty()) found.push_back(std::move(rotation));
  if (found.empty()) return false;
  const ChangingMemory changing(graph);
  const auto is_found = [&](const Rotation& one) { return one.is_found(changing); };
  const auto rotation = std::ranges::find_if(found, is_found);
  if (rotation == found.end() || std::count_if(rotation, found.end(), is_found) > kMostLoops) return false;
  rotation->run();
  return true;
}

}  // namespace

bool branch_rotated(ir::Graph& graph) {
  bool changed = false;
  while (branch_one(graph)) changed = true;
  return changed;
}

}  // namespace tonnx::program
