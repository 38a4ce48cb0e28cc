// An optional result of an If or a Loop becomes two: its presence and its value.
//
// Runs after branches with a constant condition were folded. Leaves tests for None of numbers:
//
//   %y : Tensor? = prim::If(%c)              %b : bool, %v : Tensor = prim::If(%c)
//     block0: -> (%t)                          block0: -> (%true, %t)
//     block1: -> (%none)                       block1: -> (%false, %uninitialised)
//   %q = aten::__isnot__(%y, %none)          %q is %b
//
// An operator that takes either, in a program without writes, becomes an If: one branch with something, one with None.
// So does an output of the program, because a model can only have an optional output in that form.
#include <algorithm>
#include <unordered_set>
#include <vector>

#include "aten/identity.h"
#include "aten/traits.h"
#include "ir/constant_facts.h"
#include "ir/writes.h"
#include "program/containers/container_walk.h"
#include "program/containers/passes.h"
#include "program/control/branch_per_value.h"
#include "program/edit.h"

namespace tonnx::program {

using aten::Identity;
using ir::Node;
using ir::Type;
using ir::Use;
using ir::Value;

namespace {

bool is_optional(const Value& value) {
  return value.type().is(Type::Kind::Optional) && value.type().elements.size() == 1;
}

bool can_be_output(const Type& type) {
  if (type.is(Type::Kind::Tuple)) return !type.elements.empty() && std::ranges::all_of(type.elements, can_be_output);
  return type.is(Type::Kind::Tensor) || type.is_scalar() || type.is_number_list();
}

// True for a result of an If of the outermost block that is a value in one block and None in the other.
bool is_output_form(const Value& value) {
  const Node& node = *value.node();
  const ir::Block& outermost = node.graph().block();
  if (!node.is("prim::If") || node.parent() != &outermost) return false;
  const Value* something = node.block(0)->outputs()[value.index()];
  const Value* other = node.block(1)->outputs()[value.index()];
  if (is_none(something)) std::swap(something, other);
  return is_none(other) && !is_none(something) && !is_optional(*something) &&
         std::ranges::all_of(value.uses(), [&](const Use& use) { return use.node == outermost.return_node(); });
}

// The content is the presence and the value.
class OptionalWalk final : public ContainerWalk {
 public:
  OptionalWalk(ir::Graph& graph, Value& seed, bool has_writes)
      : ContainerWalk(graph, seed, true), is_written_(has_writes), content_(type_.elements[0]) {}

 private:
  static bool asks(const Node& node) { return aten::identity_of(node.kind()) != Identity::None; }
  static bool unwraps(const Node& node) {
    return aten::traits_of(node).alias == aten::Alias::Same && node.output_count() == 1 && !is_optional(*node.output());
  }

  // True if an operator returns tensors and numbers for a value as well as for None.
  bool takes_either(const Use& use) const {
    const Node& node = *use.node;
    if (is_written_ || !node.schema() || !node.blocks().empty() || use.index >= node.schema()->arguments.size())
      return false;
    return node.schema()->arguments[use.index].type.is(Type::Kind::Optional) &&
           std::ranges::all_of(node.outputs(), [](const Value* out) {
             return out->type().is(Type::Kind::Tensor) || out->type().is_scalar();
           });
  }

  void prepare() override {
    Inserter insert = Inserter::at_start(graph_.block(), names().front()->node()->location());
    yes_ = insert.boolean(true);
    no_ = insert.boolean(false);
  }
  void abandon() override {
    yes_->node()->erase();
    no_->node()->erase();
  }

  bool creates(const Node&) const override { return false; }
  bool converts(const Value& value) const override { return is_none(&value) || !is_optional(value); }
  Content converted(Value& value, Inserter* insert) override {
    if (!is_none(&value) && !value.type().is(Type::Kind::None)) return {yes_, &value};
    return {no_, insert ? insert->never(content_) : nullptr};
  }

  bool can_read(const Use& use) const override {
    const Node& node = *use.node;
    return asks(node) ? is_none(node.input(1 - use.index)) : unwraps(node) || takes_either(use);
  }
  bool can_change(const Use&) const override { return false; }
  bool can_return() const override { return can_be_output(content_); }
  std::optional<Content> created(Node&, const Contents&, bool) override { return std::nullopt; }
  std::optional<Content> changed(Node&, const Content&, bool) override { return std::nullopt; }

  std::size_t size(const Content&) const override { return 2; }
  const Type& value_type(std::size_t i) const override { return i == 0 ? bool_ : content_; }
  bool is_fixed(const Value* value) const override { return value == yes_ || value == no_; }
  bool takes_values() const override { return true; }
  bool can_make(const Content&) const override { return true; }
  Value* make(Inserter& insert, const Content& content) override {
    return insert.branch(
        content[0], type_, [&](Inserter&) { return content[1]; }, [](Inserter& without) { return without.none(); });
  }

  bool read(Node& node, std::size_t operand, const Content& content, bool rewrite) override {
    if (!rewrite) return true;
    Inserter insert(&node);
    const Identity question = aten::identity_of(node.kind());
    if (question == Identity::IsNot) {
      node.output()->replace_uses(content[0]);
    } else if (question == Identity::Is) {
      node.output()->replace_uses(insert.call("aten::__not__", {content[0]}));
    } else if (unwraps(node)) {
      node.output()->replace_uses(content[1]);
    } else {
      either_.push_back({&node, node.input(operand), content});
    }
    return true;
  }

  // A reader of two optionals is rewritten for one of them; the next run of the pass rewrites it for the other.
  void finish() override {
    std::unordered_set<const Node*> branched;
    for (const Either& read : either_) {
      if (!branched.insert(read.reader).second) continue;
      Value* const values[] = {read.content[1], Inserter(read.reader).none()};
      branch_per_value(*read.reader, read.value, values, Selector::by_flag(read.content[0]));
    }
  }

  struct Either {
    Node* reader;
    const Value* value;
    Content content;
  };
  std::vector<Either> either_;

  const bool is_written_;
  const Type bool_ = Type::of(Type::Kind::Bool), content_;
  Value *yes_ = nullptr, *no_ = nullptr;
};

}  // namespace

bool split_optionals(ir::Graph& graph) {
  const auto is_split = [](const Value& value) { return is_optional(value) && !is_output_form(value); };
  return walk_containers<OptionalWalk>(graph, is_split);
}

}  // namespace tonnx::program
