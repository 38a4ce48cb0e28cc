// Replaces readers and writers of a tensor that an If selects and that is written to after the If by a branch for each
// path; so for other Ifs that select among the same tensors, and if one of the candidates is written to directly.
//
// A result without another alias has its own storage and does not change. For others, each path must yield a tensor
// from before the If, a view of one, a fresh tensor, or the result of a nested If of these, and no operator may change
// sizes in place. A tensor that a path creates becomes a result of the If, and is read on that path only:
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

constexpr std::size_t kMostBlocks = 1 << 14;  // of the program; nested selections multiply the branches of a reader

struct Program {
  explicit Program(const ir::Graph& graph) : positions(positions_in(graph)) {
    for_each_node(graph.block(), [&](const Node* node) { blocks += node->blocks().size(); });
  }

  const Positions positions;  // before the first change
  std::size_t blocks = 0;     // the current number
};

// A tensor that an If selects. run() replaces its readers, and those of its views, by branches.
class ChosenTensor {
 public:
  ChosenTensor(Node& branch, std::size_t index, Program& program)
      : branch_(branch), index_(index), value_(branch.output(index)), program_(program) {
    if (!value_->type().is(Type::Kind::Tensor)) return;
    const ChoiceMaker maker(branch);
    can_be_ = maker.can_make(yield(0), bases_) && maker.can_make(yield(1), bases_) &&
              maker.written(yield(0)) != maker.written(yield(1));
    from_before_ = can_be_ && bases_ == std::vector<const Value*>{yield(0), yield(1)};
  }

  bool can_be() const { return can_be_ && !bases_.empty(); }
  const Value* value() const { return value_; }

  // Adds the tensor and its bases to `written` if one of them is in it or is written to, or if a base is in `changing`.
  bool join(std::unordered_set<const Value*>& written, const ChangingMemory& changing) const {
    const bool is_written_itself = is_written(value_, written) && (from_before_ || is_read_later());
    const auto changes = [&](const Value* base) { return written.contains(base) || changing.contains(base); };
    if (!is_written_itself && std::ranges::none_of(bases_, changes)) return false;
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
    for (std::size_t k = 0; k < 2; ++k) choice_.paths[k] = maker.make(yield(k));
    branch_readers(value_);
  }

 private:
  Value* yield(std::size_t k) const { return branch_.block(k)->outputs()[index_]; }

  // True if an alias may be read after the If; otherwise a write to the tensor changes nothing else.
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
      const auto position = program_.positions.find(&node);
      if (position == program_.positions.end() || position->second > program_.positions.at(&branch_)) return true;
      if (is_view(node) && use.index == 0) return is_memory_read_later(node.output());
      // Other operators through which the storage may escape.
      return !node.schema() || !node.blocks().empty() || !returns_fresh(node);
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

  // Replaces each reader of the tensor, or of the view of it that `chain_` creates, by a branch.
  void branch_readers(Value* value) {
    while (read_written_as_itself(value)) {
    }
    while (!value->uses().empty()) {
      const ir::Use use = value->uses().front();
      Node& reader = *use.node;
      if (use.index == 0 && is_view(reader)) {
        chain_.push_back(&reader);
        branch_readers(reader.output());
        chain_.pop_back();
        reader.erase();
      } else if (can_read_copy(reader, value)) {
        Value* content = Inserter(&reader).call("aten::clone", {value});
        content->set_facts(value->facts());
        reader.set_input(use.index, content);
      } else if (reader.schema() && reader.blocks().empty() && reader.parent()) {
        Node* again = select_again(reader, value, &reader);
        for (std::size_t i = 0; i < reader.output_count(); ++i) reader.output(i)->replace_uses(again->output(i));
        reader.erase();
      } else {
        reader.set_input(use.index, select_again(reader, value, nullptr)->output());
      }
    }
  }

  // True if the operator reads several tensors, and this one neither is written to nor escapes. Then a copy will do.
  static bool can_read_copy(const Node& reader, const Value* value) {
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

  // Inserts the selection again before `user`: of the results of a copy of `copied`; null: of the value itself.
  Node* select_again(Node& user, const Value* value, const Node* copied) {
    if (program_.blocks > kMostBlocks) {
      const std::string what =
          "a tensor that is written to and selected by too many branches; write to a copy (clone()) instead";
      throw user.schema() ? refusal(user, "reads " + what) : refusal(branch_, "returns " + what);
    }
    Node* again = select_again(choice_, value, copied, user.location());
    if (Block* ended = user.edge_of()) {
      ended->append(again);
    } else {
      again->insert_before(&user);
    }
    return again;
  }

  Node* select_again(const Choice& choice, const Value* value, const Node* copied, const ir::Location& location) {
    Value* condition = choice.condition;
    Node* again = branch_.graph().create("prim::If", {&condition, 1}, copied ? copied->output_count() : 1);
    again->set_location(branch_.location());
    for (const auto& path : choice.paths) {
      Block* block = again->add_block();
      Inserter inside(block, location);
      if (path->condition) {
        Node* inner = select_again(*path, value, copied, location);
        inside.insert(inner);
        for (Value* out : inner->outputs()) block->add_output(out);
        continue;
      }
      ValueMap map = {{value_, path->insert_into(inside)}};
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
  std::vector<const Value*> bases_;  // the candidates from before the If, or the tensors that they are views of
  bool can_be_ = false;
  bool from_before_ = false;  // each path yields a base, not a view
  Choice choice_;
  std::vector<Node*> chain_;  // views from the value to the current one
};

}  // namespace

bool branch_chosen_tensors(ir::Graph& graph) {
  if (!has_writes(graph) || reshapes_in_place(graph)) return false;
  std::vector<ChosenTensor> results;
  Program program(graph);
  for_each_node(graph.block(), [&](Node* node) {
    for (std::size_t i = 0; node->is("prim::If") && i < node->output_count(); ++i)
      if (ChosenTensor chosen(*node, i, program); chosen.can_be()) results.push_back(std::move(chosen));
  });
  if (results.empty()) return false;
  const ChangingMemory changing(graph);
  std::vector<ChosenTensor> candidates;
  for (ChosenTensor& chosen : results)
    if (!changing.is_unaliased_result(chosen.value())) candidates.push_back(std::move(chosen));
  std::unordered_set<const Value*> written;
  std::vector<bool> is_affected(candidates.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < candidates.size(); ++i)
      if (!is_affected[i] && candidates[i].join(written, changing)) is_affected[i] = changed = true;
  }
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (is_affected[i]) candidates[i].read_as_itself();
  // In reverse, because a later If may select the result of an earlier one.
  for (std::size_t i = candidates.size(); i-- > 0;)
    if (is_affected[i]) candidates[i].run();
  return std::ranges::count(is_affected, true) > 0;
}

}  // namespace tonnx::program
