// Questions of a program about gradients.
#include <algorithm>

#include "aten/traits.h"
#include "ir/error.h"
#include "ir/refusal.h"
#include "ir/writes.h"
#include "torch/graph_import.h"

namespace tonnx::torch {

using ir::Code;
using ir::Error;

namespace {

using aten::Gradient;

Gradient gradient_of(const ir::Node& node) { return aten::traits_of(node).gradient; }

// True if the node only passes tensors through, so that the gradient mode does not change them.
bool passes_through(const ir::Node& node) {
  return node.domain() == "prim" || aten::traits_of(node).container != aten::Container::None;
}

// True if a call of requires_grad_ sets the flag, or if this is known only at run time.
bool sets_flag(const ir::Node& node) {
  const ir::Constant* wanted = node.input_count() > 1 ? node.input(1)->constant() : nullptr;
  return !wanted || !wanted->get<bool>() || *wanted->get<bool>();
}

// Finds out whether a value may be computed from a weight that requires gradients. A loop-carried value is judged only
// by its initial value, since the walk is still inside the loop.
class GradSearch {
 public:
  GradSearch(const WeightTable& weights, const std::unordered_set<const ir::Node*>& without_grad)
      : weights_(weights), without_grad_(without_grad) {}

  // Throws Error(Code::Unsupported) if the answer differs between the tensors that the value may be.
  bool reaches(const ir::Value* value) {
    const auto [known, is_new] = known_.try_emplace(value, false);
    if (!is_new) return known->second;
    const bool result = search(value);
    return known_[value] = result;
  }

 private:
  bool search(const ir::Value* value) {
    if (value->weight()) return weights_.requires_grad(value);
    const ir::Node* node = value->node();
    if (const ir::Node* last = last_flag(value)) return sets_flag(*last);
    if (gradient_of(*node) == Gradient::Asked) return sets_flag(*node);
    if (computes_without_grad(*node)) return false;
    if (writes_meet(value)) return true;
    if (node->is("prim::Param")) return reaches_param(*node, value->index());
    if (gradient_of(*node) == Gradient::None) return false;
    if (node->is("prim::If"))
      return agreed({node->block(0)->outputs()[value->index()], node->block(1)->outputs()[value->index()]});
    for (const ir::Block* block : node->blocks())
      for (const ir::Value* out : block->outputs())
        if (reaches(out)) return true;
    if (passes_through(*node)) return agreed({node->inputs().begin(), node->inputs().end()});
    return std::any_of(node->inputs().begin(), node->inputs().end(), [&](const ir::Value* in) { return reaches(in); });
  }

  // The answer for a value that is one of these; values without tensors are ignored.
  bool agreed(const std::vector<const ir::Value*>& values) {
    std::optional<bool> answer;
    for (const ir::Value* value : values) {
      if (value->type().is(ir::Type::Kind::None) || value->type().is_scalar() ||
          value->type().is(ir::Type::Kind::String))
        continue;
      const bool one = reaches(value);
      if (answer && *answer != one)
        throw Error(
            Code::Unsupported,
            "whether the tensor requires gradients depends on a list index or a branch; ask each tensor separately");
      answer = one;
    }
    return answer.value_or(false);
  }

  bool computes_without_grad(const ir::Node& node) const {
    return without_grad_.contains(&node) && !passes_through(node);
  }

  // The last requires_grad_() on the value; null if there is none. The gradient mode does not affect it.
  static const ir::Node* last_flag(const ir::Value* value) {
    const ir::Node* last = nullptr;
    for (const ir::Use& use : value->uses())
      if (use.index == 0 && gradient_of(*use.node) == Gradient::Asked) last = use.node;
    return last;
  }

  // True if a write to the value, or an item inserted into it, requires gradients.
  bool writes_meet(const ir::Value* value) {
    return std::any_of(value->uses().begin(), value->uses().end(), [&](const ir::Use& use) {
      if (!writes_argument(*use.node, use.index) || gradient_of(*use.node) != Gradient::Computed) return false;
      if (computes_without_grad(*use.node)) return false;
      return std::any_of(use.node->inputs().begin(), use.node->inputs().end(),
                         [&](const ir::Value* in) { return reaches(in); });
    });
  }

  bool reaches_param(const ir::Node& params, std::size_t index) {
    bool reached = false;
    ir::for_each_node(params.graph().block(), [&](const ir::Node* owner) {
      for (const ir::Block* block : owner->blocks())
        if (block->params() == &params && index > 0) reached = reached || reaches(owner->input(index + 1));
    });
    return reached;
  }

  const WeightTable& weights_;
  const std::unordered_set<const ir::Node*>& without_grad_;
  std::unordered_map<const ir::Value*, bool> known_;  // false while the search is in progress
};

// torch.no_grad() and torch.enable_grad() read the mode only to restore it.
bool is_stored_only(const ::torch::jit::Node& node) {
  const auto& uses = node.output()->uses();
  return std::ranges::all_of(uses, [](const ::torch::jit::Use& use) {
    const auto type = use.user->input(0)->type()->cast<c10::ClassType>();
    return use.user->kind() == c10::prim::SetAttr && type && !type->is_module();
  });
}

}  // namespace

void GraphImport::note_gradient_question(const JitNode& node, std::optional<bool> answer) {
  gradient_questions_.push_back({node.kind().toQualString() + ir::site_after(location(node)), answer});
}

bool GraphImport::convert_grad_mode(const JitNode& node) {
  if (node.inputs().empty()) {
    if (!is_stored_only(node)) note_gradient_question(node, grad_);
    set(node.output(), c10::IValue(grad_));
    return true;
  }
  bool mode = true;
  if (const bool* known = get(node.input()).as_bool(mode)) {
    grad_ = *known;
    return true;
  }
  throw Error(Code::Unsupported, "whether gradients are enabled depends on the inputs");
}

bool GraphImport::takes_part_in_gradients(const ir::Value* value) const {
  return GradSearch(weights_, without_grad_).reaches(value);
}

// Inputs do not require gradients. A weight has the flag that the archive stores. A value computed from such weights
// while gradients are enabled requires gradients if its dtype is floating, which the facts decide.
bool GraphImport::convert_requires_grad(const JitNode& node) {
  const Imported known = get(node.input());
  if (!known.value()) return false;
  const bool may = takes_part_in_gradients(known.value());
  const bool is_known = !may || known.value()->weight();
  note_gradient_question(node, is_known ? std::optional(may) : std::nullopt);
  if (is_known) set(node.output(), c10::IValue(may));
  return is_known;
}

// A leaf is a weight, or a value that does not require gradients.
bool GraphImport::convert_leaf(const JitNode& node) {
  const Imported known = get(node.input());
  if (!known.value()) return false;
  if (known.value()->weight() || !takes_part_in_gradients(known.value())) {
    note_gradient_question(node, true);
    set(node.output(), c10::IValue(true));
    return true;
  }
  note_gradient_question(node, std::nullopt);
  ir::Node* asked = emit("prim::requires_grad", std::vector<ir::Value*>{known.value()}, 1, location(node));
  asked->output()->set_type(ir::Type::of(ir::Type::Kind::Bool));
  set(node.output(), negated(asked->output(), location(node)));
  return true;
}

}  // namespace tonnx::torch
