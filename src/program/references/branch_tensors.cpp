// Tensors that branches choose, and that are written to behind them, are read and written in a branch each. So are
// others that branches choose of the same tensors, and those that may be a tensor which is written to by its own name.
//
// What nobody else has behind the branch is memory of its own and stays as it is. Of all others each way gives a tensor
// from before, a view of one, a new one, or what branches inside it choose of such; and no operator gives a tensor
// other sizes in place. What a way makes leaves the branch on its own, and is read on that way alone:
//
//   %c = prim::If(%k)                        %n = prim::If(%k)
//     block0: -> (%a)                          block0: -> (%never)
//     block1: %b = aten::mul(%x, 2)            block1: %b = aten::mul(%x, 2)
//             -> (%b)                                  -> (%b)
//   %_ = aten::add_(%c, 1)                   prim::If(%k)
//   -> (%a, %c)                                block0: %_ = aten::add_(%a, 1)
//                                              block1: %_ = aten::add_(%n, 1)
//                                            %c = prim::If(%k)
//                                              block0: -> (%a)
//                                              block1: -> (%n)
//                                            -> (%a, %c)
#include <algorithm>
#include <cstddef>
#include <memory>
#include <unordered_set>
#include <utility>
#include <vector>

#include "aten/traits.h"
#include "ir/refusal.h"
#include "ir/writes.h"
#include "program/edit.h"
#include "program/references/changing_memory.h"
#include "program/references/choice.h"
#include "program/references/passes.h"
#include "program/writes/views.h"

namespace tonnx::program {

using ir::Block;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

constexpr std::size_t kMostBlocks =
    1 << 14;  // of the whole program: each choice among others multiplies the readers' branches

struct Program {
  explicit Program(const ir::Graph& graph) : positions(positions_in(graph)) {
    for_each_node(graph.block(), [&](const Node* node) { blocks += node->blocks().size(); });
  }

  const Positions positions;  // before any tensor is chosen anew
  std::size_t blocks = 0;     // now
};

// A tensor that a branch chooses and that is written to behind it, itself or by views: whatever reads it, or a view of
// it, does so in a branch of its own.
class ChosenTensor {
 public:
  ChosenTensor(Node& branch, std::size_t index, Program& program)
      : branch_(branch), index_(index), value_(branch.output(index)), program_(program) {
    if (!value_->type().is(Type::Kind::Tensor)) return;
    const ChoiceMaker maker(branch);
    can_be_ = maker.can_make(side(0), bases_) && maker.can_make(side(1), bases_) &&
              maker.written(side(0)) != maker.written(side(1));
    from_before_ = can_be_ && bases_ == std::vector<const Value*>{side(0), side(1)};
  }

  bool can_be() const { return can_be_ && !bases_.empty(); }
  const Value* value() const { return value_; }

  // Adds what is chosen to `written` if it, a view of it, or one of what it may be is written to or among those, or if
  // the memory of one of what it may be is in `changing`.
  bool join(std::unordered_set<const Value*>& written, const ChangingMemory& changing) const {
    const bool own = is_written(value_, written) && (from_before_ || is_read_later());
    const auto changes = [&](const Value* base) { return written.contains(base) || changing.contains(base); };
    if (!own && std::ranges::none_of(bases_, changes)) return false;
    written.insert(value_);
    written.insert(bases_.begin(), bases_.end());
    return true;
  }

  void read_as_itself() {
    while (read_written_as_itself(value_)) {
    }
  }
  void run() {
    choice_.condition = branch_.input();
    ChoiceMaker maker(branch_);
    for (std::size_t k = 0; k < 2; ++k) choice_.sides[k] = maker.make(side(k));
    spread(value_);
  }

 private:
  Value* side(std::size_t k) const { return branch_.block(k)->outputs()[index_]; }

  // Whether what is chosen is read under another name behind the branch; else a write to it changes nothing else.
  bool is_read_later() const {
    for (const Value* other : branch_.outputs())
      if (other != value_ && is_memory(other->type()) && !other->is_unused()) return true;
    return is_in_loop(branch_) || std::ranges::any_of(bases_, [&](const Value* base) { return is_read_later(base); });
  }

  bool is_read_later(const Value* base) const {
    while (is_view(*base->node())) base = base->node()->input();
    return !base->node()->schema() || aten::traits_of(*base->node()).container != aten::Container::None ||
           is_memory_read_later(base);
  }

  bool is_memory_read_later(const Value* value) const {
    return std::ranges::any_of(value->uses(), [&](const ir::Use& use) {
      const Node& node = *use.node;
      if (is_inside(node, branch_)) return false;
      const auto place = program_.positions.find(&node);
      if (place == program_.positions.end() || place->second > program_.positions.at(&branch_)) return true;
      if (is_view(node) && use.index == 0) return is_memory_read_later(node.output());
      // Anything else that may hand the memory on.
      return !node.schema() || !node.blocks().empty() || !gives_fresh(node);
    });
  }

  static bool is_written(const Value* value, const std::unordered_set<const Value*>& written) {
    return written.contains(value) || std::any_of(value->uses().begin(), value->uses().end(), [&](const ir::Use& use) {
             return writes_argument(*use.node, use.index) ||
                    (use.index == 0 && is_view(*use.node) && is_written(use.node->output(), written));
           });
  }

  static bool read_written_as_itself(Value* value) {
    for (const ir::Use& use : value->uses()) {
      const Node& node = *use.node;
      if (node.output_count() != 1 || node.output()->is_unused() || written_by(*node.output()) != value) continue;
      node.output()->replace_uses(value);
      return true;
    }
    return false;
  }

  // Brings what was chosen, or the view of it that the chain makes, to each of its readers.
  void spread(Value* value) {
    while (read_written_as_itself(value)) {
    }
    while (!value->uses().empty()) {
      const ir::Use use = value->uses().front();
      Node& reader = *use.node;
      if (use.index == 0 && is_view(reader)) {
        chain_.push_back(&reader);
        spread(reader.output());
        chain_.pop_back();
        reader.erase();
      } else if (is_read_apart(reader, value)) {
        Value* content = Inserter(&reader).call("aten::clone", {value});
        content->set_facts(value->facts());
        reader.set_input(use.index, content);
      } else if (reader.schema() && reader.blocks().empty() && reader.parent()) {
        Node* again = chosen_again(reader, value, &reader);
        for (std::size_t i = 0; i < reader.output_count(); ++i) reader.output(i)->replace_uses(again->output(i));
        reader.erase();
      } else {
        reader.set_input(use.index, chosen_again(reader, value, nullptr)->output());
      }
    }
  }

  // Whether an operator asks what several tensors hold, and neither writes to this one nor gives it to anybody.
  static bool is_read_apart(const Node& reader, const Value* value) {
    if (!reader.schema() || !reader.blocks().empty() || !reader.parent()) return false;
    if (aten::traits_of(reader).container != aten::Container::None) return false;
    const auto is_tensor = [](const Value* in) { return in->type().is(Type::Kind::Tensor); };
    if (std::ranges::count_if(reader.inputs(), is_tensor) < 2) return false;
    for (std::size_t i = 0; i < reader.input_count(); ++i)
      if (reader.input(i) == value && writes_argument(reader, i)) return false;
    for (std::size_t i = 0; i < reader.output_count(); ++i) {
      if (!is_memory(reader.output(i)->type())) continue;
      const Relation relation = relation_of(reader, i);
      const bool is_other = relation.kind != Relation::Kind::Unknown && reader.input(relation.input) != value;
      if (relation.kind != Relation::Kind::Fresh && !is_other) return false;
    }
    return true;
  }

  // The same choice before `place`, of what `copied` gives of it; null: of the value itself, which is handed on.
  Node* chosen_again(Node& place, const Value* value, const Node* copied) {
    if (program_.blocks > kMostBlocks) {
      const std::string text =
          "memory that is written to in more ways than can be told apart; write to a copy (clone()) instead";
      throw place.schema() ? refusal(place, "reads " + text) : refusal(branch_, "gives " + text);
    }
    Node* again = chosen_again(choice_, value, copied, place.location());
    if (Block* ended = place.edge_of()) {
      ended->append(again);
    } else {
      again->insert_before(&place);
    }
    return again;
  }

  Node* chosen_again(const Choice& choice, const Value* value, const Node* copied, const ir::Location& location) {
    Value* condition = choice.condition;
    Node* again = branch_.graph().create("prim::If", {&condition, 1}, copied ? copied->output_count() : 1);
    again->set_location(branch_.location());
    for (const auto& side : choice.sides) {
      Block* block = again->add_block();
      Inserter inside(block, location);
      if (side->condition) {
        Node* inner = chosen_again(*side, value, copied, location);
        inside.insert(inner);
        for (Value* out : inner->outputs()) block->add_output(out);
        continue;
      }
      ValueMap map = {{value_, side->insert_into(inside)}};
      for (const Node* view : chain_) inside.insert(copy_node(*view, map));
      if (!copied) {
        block->add_output(map.at(value));
        continue;
      }
      Node* copy = copy_node(*copied, map);
      inside.insert(copy);
      for (Value* out : copy->outputs()) block->add_output(out);
    }
    for (std::size_t i = 0; i < again->output_count(); ++i) {
      const Value* old = copied ? copied->output(i) : value;
      again->output(i)->set_type(old->type());
      again->output(i)->set_facts(old->facts());
    }
    program_.blocks += again->blocks().size();
    return again;
  }

  Node& branch_;
  std::size_t index_;
  Value* value_;
  Program& program_;
  std::vector<const Value*> bases_;  // from before the branch: what may be chosen, itself or by views
  bool can_be_ = false;
  bool from_before_ = false;  // two of them, themselves
  Choice choice_;
  std::vector<Node*> chain_;  // of views, from the value on
};

}  // namespace

bool branch_chosen_tensors(ir::Graph& graph) {
  if (reshapes_in_place(graph)) return false;
  std::vector<ChosenTensor> found;
  Program program(graph);
  for_each_node(graph.block(), [&](Node* node) {
    for (std::size_t i = 0; node->is("prim::If") && i < node->output_count(); ++i)
      if (ChosenTensor chosen(*node, i, program); chosen.can_be()) found.push_back(std::move(chosen));
  });
  if (found.empty()) return false;
  const ChangingMemory changing(graph);
  std::vector<ChosenTensor> open;
  for (ChosenTensor& chosen : found)
    if (!changing.is_unaliased_result(chosen.value())) open.push_back(std::move(chosen));
  std::unordered_set<const Value*> written;
  std::vector<bool> is_found(open.size());
  for (bool more = true; more;) {
    more = false;
    for (std::size_t i = 0; i < open.size(); ++i)
      if (!is_found[i] && open[i].join(written, changing)) is_found[i] = more = true;
  }
  for (std::size_t i = 0; i < open.size(); ++i)
    if (is_found[i]) open[i].read_as_itself();
  // The last one first, for it may choose what an earlier one gives.
  for (std::size_t i = open.size(); i-- > 0;)
    if (is_found[i]) open[i].run();
  return std::ranges::count(is_found, true) > 0;
}

}  // namespace tonnx::program
