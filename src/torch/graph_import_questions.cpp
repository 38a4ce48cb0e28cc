// Questions that a program asks about its values and about LibTorch, answered while it is imported.
#include <algorithm>

#include "aten/identity.h"
#include "aten/schemas.h"
#include "aten/traits.h"
#include "ir/error.h"
#include "ir/refusal.h"
#include "ir/writes.h"
#include "torch/convert.h"
#include "torch/graph_import.h"

namespace tonnx::torch {

using ir::Code;
using ir::Error;
using Kind = ir::Type::Kind;

namespace {

bool may_be_none(const ir::Type& type) {
  return type.is(Kind::Optional) || type.is(Kind::None) || type.is(Kind::Any) || type.is(Kind::Other);
}

// Whether a value of the type is an instance of `wanted`; of tuples only their own type is.
bool is_instance(const ir::Type& type, const c10::Type& wanted) {
  if (wanted.kind() == c10::TypeKind::AnyListType) return type.is(Kind::List);
  if (wanted.kind() == c10::TypeKind::AnyTupleType) return type.is(Kind::Tuple);
  return wanted.kind() == c10::TypeKind::AnyType || to_ir(wanted) == type;
}

}  // namespace

bool GraphImport::convert_is(const JitNode& node) {
  if (convert_is_number(node)) return true;
  const Imported a = get(node.input(0));
  const Imported b = get(node.input(1));
  const bool is = aten::identity_of(node.kind().toQualString()) == aten::Identity::Is;
  const LocalObject* object = a.is_none() ? b.local() : b.is_none() ? a.local() : nullptr;
  if (object && object->may_be_missing()) {
    const Imported is_there = object->is_there;
    bool known = false;
    if (is_there.as_bool(known)) {
      set(node.output(), c10::IValue(known != is));
    } else {
      set(node.output(), is ? negated(is_there.value(), location(node)) : is_there);
    }
    return true;
  }
  const auto never_none = [](const Imported& k) {
    return k.parts() || k.local() || (k.value() && !may_be_none(k.value()->type())) ||
           (k.ivalue() && !k.ivalue()->isNone());
  };
  if (a.is_none() && b.is_none())
    set(node.output(), c10::IValue(is));
  else if ((a.is_none() && never_none(b)) || (b.is_none() && never_none(a)))
    set(node.output(), c10::IValue(!is));
  else
    return false;
  return true;
}

// Decided where the static type says it; else the node stays with the types as text.
bool GraphImport::convert_isinstance(const JitNode& node) {
  const Imported known = get(node.input());
  const auto& types = node.tys(c10::attr::types);
  const auto answer = [&](const auto& holds) {
    set(node.output(), c10::IValue(std::any_of(types.begin(), types.end(), holds)));
    return true;
  };
  if (known.ivalue()) return answer([&](const auto& type) { return known.ivalue()->type()->isSubtypeOf(*type); });
  if (known.parts()) return answer([&](const auto& type) { return known.parts()->type->isSubtypeOf(*type); });
  if (known.value() && !may_be_none(known.value()->type()) && !known.value()->type().is(Kind::Number))
    return answer([&](const auto& type) { return is_instance(known.value()->type(), *type); });
  if (known.value() && known.value()->type().is(Kind::Optional) && !known.value()->type().elements.empty()) {
    const ir::Type& held = known.value()->type().elements.front();
    const bool holds_none = std::ranges::any_of(types, [](const auto& type) { return type->kind() == c10::TypeKind::NoneType; });
    const bool holds_other = std::ranges::any_of(types, [&](const auto& type) { return is_instance(held, *type); });
    if (holds_none == holds_other) return answer([&](const auto&) { return holds_none; });
    const char* question = holds_other ? "aten::__isnot__" : "aten::__is__";
    set(node.output(), schema_call(question, {known.value(), materialise(c10::IValue())}, location(node)));
    return true;
  }
  std::vector<std::string> names;
  for (const auto& type : types) names.push_back(ir::to_string(to_ir(*type)));
  ir::Value* operand = input(node, 0);
  // TorchScript gives the question no place of its own.
  const auto& uses = node.output()->uses();
  const JitNode& placed = node.sourceRange().source() || uses.empty() ? node : *uses.front().user;
  ir::Node* made = emit("prim::isinstance", std::vector<ir::Value*>{operand}, 1, location(placed));
  made->set_attribute("types", std::move(names));
  ir::set_why_refused(*made, "which type the value has depends on the inputs; keep a variable for each type");
  made->output()->set_type(ir::Type::of(Kind::Bool));
  set(node.output(), made->output());
  return true;
}

bool GraphImport::convert_grad_mode(const JitNode& node) {
  if (node.inputs().empty()) {
    set(node.output(), c10::IValue(grad_));
    return true;
  }
  bool mode = true;
  if (const bool* known = get(node.input()).as_bool(mode)) {
    grad_ = *known;
    return true;
  }
  throw Error(Code::Unsupported, "whether gradients are switched on depends on the inputs");
}

namespace {

using aten::Gradient;

Gradient gradient_of(const ir::Node& node) { return aten::traits_of(node).gradient; }

// Whether a value may be computed from a weight that learns. What a loop carries is told by what goes in and, as the
// walk stands in the loop, by nothing else.
class GradSearch {
 public:
  GradSearch(const WeightTable& weights, const std::unordered_set<const ir::Node*>& without_grad)
      : weights_(weights), without_grad_(without_grad) {}

  bool reaches(const ir::Value* value) {
    if (!seen_.insert(value).second) return false;
    if (value->weight()) return weights_.requires_grad(value);
    const ir::Node* node = value->node();
    if (without_grad_.contains(node)) return false;
    if (writes_meet(value)) return true;
    if (node->is("prim::Param")) return reaches_param(*node, value->index());
    if (gradient_of(*node) == Gradient::None) return false;
    if (gradient_of(*node) == Gradient::Asked) {
      const ir::Constant* wanted = node->input_count() > 1 ? node->input(1)->constant() : nullptr;
      return !wanted || !wanted->get<bool>() || *wanted->get<bool>();
    }
    for (const ir::Block* block : node->blocks())
      for (const ir::Value* out : block->outputs())
        if (reaches(out)) return true;
    return std::any_of(node->inputs().begin(), node->inputs().end(), [&](const ir::Value* in) { return reaches(in); });
  }

 private:
  // What is written to a value, or put into it.
  bool writes_meet(const ir::Value* value) {
    return std::any_of(value->uses().begin(), value->uses().end(), [&](const ir::Use& use) {
      if (!writes_argument(*use.node, use.index)) return false;
      const Gradient gradient = gradient_of(*use.node);
      if (without_grad_.contains(use.node) || gradient == Gradient::None) return false;
      return gradient == Gradient::Asked ||
             std::any_of(use.node->inputs().begin(), use.node->inputs().end(),
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
  std::unordered_set<const ir::Value*> seen_;
};

}  // namespace

// Inputs come as data. What is computed from weights that learn requires gradients if it is floating, which the facts
// tell.
bool GraphImport::convert_requires_grad(const JitNode& node) {
  const Imported known = get(node.input());
  if (!known.value()) return false;
  const bool may = GradSearch(weights_, without_grad_).reaches(known.value());
  if (may && !known.value()->weight()) return false;
  set(node.output(), c10::IValue(may));
  return true;
}

// A leaf is what learns itself, and what needs no gradient.
bool GraphImport::convert_leaf(const JitNode& node) {
  const Imported known = get(node.input());
  if (!known.value()) return false;
  if (known.value()->weight() || !GradSearch(weights_, without_grad_).reaches(known.value())) {
    set(node.output(), c10::IValue(true));
    return true;
  }
  ir::Node* asked = emit("prim::requires_grad", std::vector<ir::Value*>{known.value()}, 1, location(node));
  asked->output()->set_type(ir::Type::of(Kind::Bool));
  set(node.output(), negated(asked->output(), location(node)));
  return true;
}

ir::Value* GraphImport::negated(ir::Value* truth, const ir::Location& where) {
  ir::Node* made = emit("aten::__not__", std::vector<ir::Value*>{truth}, 1, where);
  made->set_schema(aten::find_schema("aten::__not__"));
  made->output()->set_type(ir::Type::of(Kind::Bool));
  return made->output();
}

}  // namespace tonnx::torch
