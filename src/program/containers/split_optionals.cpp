// Values that branches and loops make None or something become two: whether there is something, and what it is.
//
// Needs branches that constants decide to be gone; leaves questions for None that read a number:
//
//   %y : Tensor? = prim::If(%c)              %b : bool, %v : Tensor = prim::If(%c)
//     block0: -> (%t)                          block0: -> (%true, %t)
//     block1: -> (%none)                       block1: -> (%false, %uninitialised)
//   %q = aten::__isnot__(%y, %none)          %q is %b
//
// An operator that takes either, in a program without writes, becomes a branch: one with something, one with None. So
// does an output of the program, which a model can hold in that form alone.
#include <algorithm>
#include <unordered_set>
#include <vector>

#include "aten/identity.h"
#include "aten/traits.h"
#include "ir/constant_facts.h"
#include "ir/control_flow.h"
#include "ir/writes.h"
#include "program/containers/carried_parts.h"
#include "program/containers/passes.h"
#include "program/control/branch_per_value.h"
#include "program/edit.h"

namespace tonnx::program {

using aten::Identity;
using ir::Block;
using ir::Node;
using ir::Type;
using ir::Use;
using ir::Value;

namespace {

bool is_optional(const Value* value) {
  return value->type().is(Type::Kind::Optional) && value->type().elements.size() == 1;
}

bool asks(const Node& node) { return aten::identity_of(node.kind()) != Identity::None; }

bool unwraps(const Node& node) {
  return aten::traits_of(node).alias == aten::Alias::Same && node.output_count() == 1 && !is_optional(node.output());
}

// One result of a branch, or one value that a loop carries.
struct Carried {
  Node* node;
  std::size_t index;
};

std::vector<Value*> values_of(const Carried& carried) {
  const auto [node, index] = carried;
  if (node->is("prim::If")) return {node->output(index)};
  return {node->output(index), node->block(0)->inputs()[index + 1]};
}

class OptionalSplitter final : public CarriedParts {
 public:
  explicit OptionalSplitter(ir::Graph& graph) : graph_(graph), has_writes_(has_writes(graph)) {}

  bool run() {
    find(graph_.block());
    while (drop_impossible()) {
    }
    if (carried_.empty()) return false;
    walk(graph_.block());
    for (const Carried& carried : carried_)
      for (Value* value : values_of(carried)) answer(value);
    return true;
  }

 private:
  struct Pair {
    Value* is_there;
    Value* content;
  };

  void find(const Block& block) {
    for (Node* node : block.nodes()) {
      for (const Block* inner : node->blocks()) find(*inner);
      if (!node->is("prim::If") && !node->is("prim::Loop")) continue;
      for (std::size_t i = 0; i < node->output_count(); ++i) {
        if (!is_optional(node->output(i)) || is_output_form(*node, i)) continue;
        carried_.push_back({node, i});
        for (const Value* value : values_of(carried_.back())) members_.insert(value);
      }
    }
  }

  // Something or None, and that an output of the program.
  bool is_output_form(const Node& node, std::size_t i) const {
    if (!node.is("prim::If") || node.parent() != &graph_.block()) return false;
    const auto& uses = node.output(i)->uses();
    const Value* something = node.block(0)->outputs()[i];
    const Value* other = node.block(1)->outputs()[i];
    if (is_none(something)) std::swap(something, other);
    return is_none(other) && !is_none(something) && !is_optional(something) &&
           std::all_of(uses.begin(), uses.end(),
                       [&](const Use& use) { return use.node == graph_.block().return_node(); });
  }

  static bool can_be_output(const Type& type) {
    if (type.is(Type::Kind::Tuple)) return !type.elements.empty() && std::ranges::all_of(type.elements, can_be_output);
    return type.is(Type::Kind::Tensor) || type.is_scalar() || type.is_number_list();
  }

  // Whether what reads the value can read the two instead.
  bool can_read(const Use& use) const {
    const Node& node = *use.node;
    if (&node == graph_.block().return_node()) return can_be_output(node.input(use.index)->type().elements[0]);
    if (asks(node)) return is_none(node.input(1 - use.index));
    if (unwraps(node) || takes_either(use)) return true;
    const std::vector<Value*> results = handed_to(use);
    return !results.empty() && members_.contains(results.back());
  }

  // Whether an operator gives tensors and numbers of something as of None.
  bool takes_either(const Use& use) const {
    const Node& node = *use.node;
    if (has_writes_ || !node.parent() || !node.schema() || !node.blocks().empty() ||
        use.index >= node.schema()->arguments.size())
      return false;
    if (!node.schema()->arguments[use.index].type.is(Type::Kind::Optional)) return false;
    return std::all_of(node.outputs().begin(), node.outputs().end(),
                       [](const Value* out) { return out->type().is(Type::Kind::Tensor) || out->type().is_scalar(); });
  }

  bool can_split(const Carried& carried) const {
    for (const Value* source : handed_from(*carried.node->output(carried.index)))
      if (is_optional(source) && !members_.contains(source) && !is_none(source) && !is_never(source)) return false;
    for (const Value* value : values_of(carried))
      for (const Use& use : value->uses())
        if (!can_read(use)) return false;
    return true;
  }

  bool drop_impossible() {
    return std::erase_if(carried_, [&](const Carried& carried) {
             if (can_split(carried)) return false;
             for (const Value* value : values_of(carried)) members_.erase(value);
             return true;
           }) > 0;
  }

  bool is_whole(const Value& value) const override { return members_.contains(&value); }
  std::vector<Type> part_types(const Value& value) const override {
    return {Type::of(Type::Kind::Bool), value.type().elements[0]};
  }
  void rewrite(Node&) override {}

  Parts parts_of(Value& source, const Value& whole, Inserter& insert) override {
    if (members_.contains(&source)) return parts_.at(&source);
    if (!is_none(&source) && !is_never(&source)) return {insert.boolean(true), &source};
    Value* never = insert.never(whole.type().elements[0]);
    return {insert.boolean(false), never};
  }

  Pair pair_of(const Value* value) {
    const Parts& parts = parts_.at(value);
    ir::Facts facts = value->facts();
    facts.constant = nullptr;
    parts[1]->set_facts(std::move(facts));
    return {parts[0], parts[1]};
  }

  Value* output_form(const Pair& pair, const Type& type) {
    Inserter insert(&graph_.block(), pair.content->node()->location());
    return insert.branch(
        pair.is_there, type, [&](Inserter&) { return pair.content; }, [](Inserter& without) { return without.none(); });
  }

  // Branches and loops read both already; the old values have no other reader left then, and go as dead.
  void answer(Value* value) {
    const Pair pair = pair_of(value);
    const std::vector<Use> uses(value->uses().begin(), value->uses().end());
    std::unordered_set<const Node*> branched;
    for (const Use& use : uses) {
      if (branched.contains(use.node)) continue;
      Node& reader = *use.node;
      if (&reader == graph_.block().return_node()) {
        reader.set_input(use.index, output_form(pair, value->type()));
        continue;
      }
      const Identity question = aten::identity_of(reader.kind());
      if (question == Identity::IsNot) {
        reader.output()->replace_uses(pair.is_there);
      } else if (question == Identity::Is) {
        Inserter insert(&reader);
        reader.output()->replace_uses(insert.call("aten::__not__", {pair.is_there}));
      } else if (unwraps(reader)) {
        reader.output()->replace_uses(pair.content);
      } else if (takes_either(use)) {
        branched.insert(&reader);
        Value* const either[] = {pair.content, Inserter(&reader).none()};
        branch_per_value(reader, {[&](Inserter&, std::size_t) { return pair.is_there; }, value, either});
        continue;
      } else {
        continue;
      }
      if (reader.parent()) reader.erase();
    }
  }

  ir::Graph& graph_;
  const bool has_writes_;
  std::vector<Carried> carried_;
  std::unordered_set<const Value*> members_;
};

}  // namespace

bool split_optionals(ir::Graph& graph) { return OptionalSplitter(graph).run(); }

}  // namespace tonnx::program
