// Questions of a program about its values and about LibTorch that the import answers.
#include <algorithm>

#include "aten/identity.h"
#include "aten/schemas.h"
#include "ir/refusal.h"
#include "torch/convert.h"
#include "torch/graph_import.h"

namespace tonnx::torch {

using Kind = ir::Type::Kind;

namespace {

bool may_be_none(const ir::Type& type) {
  return type.is(Kind::Optional) || type.is(Kind::None) || type.is(Kind::Any) || type.is(Kind::Other);
}

// True if a value of the type is an instance of `wanted`; a tuple is only an instance of its own type.
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

// Answered if the static type decides it; else the node is kept, with the types as text.
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
    const bool holds_none =
        std::ranges::any_of(types, [](const auto& type) { return type->kind() == c10::TypeKind::NoneType; });
    const bool holds_other = std::ranges::any_of(types, [&](const auto& type) { return is_instance(held, *type); });
    if (holds_none == holds_other) return answer([&](const auto&) { return holds_none; });
    const char* question = holds_other ? "aten::__isnot__" : "aten::__is__";
    set(node.output(), schema_call(question, {known.value(), materialise(c10::IValue())}, location(node)));
    return true;
  }
  std::vector<std::string> names;
  for (const auto& type : types) names.push_back(ir::to_string(to_ir(*type)));
  ir::Value* operand = input(node, 0);
  // TorchScript stores no location for this node.
  const auto& uses = node.output()->uses();
  const JitNode& placed = node.sourceRange().source() || uses.empty() ? node : *uses.front().user;
  ir::Node* made = emit("prim::isinstance", std::vector<ir::Value*>{operand}, 1, location(placed));
  made->set_attribute("types", std::move(names));
  ir::set_why_refused(*made, "the type of the value depends on the inputs; use one variable per type");
  made->output()->set_type(ir::Type::of(Kind::Bool));
  set(node.output(), made->output());
  return true;
}

ir::Value* GraphImport::negated(ir::Value* truth, const ir::Location& where) {
  ir::Node* made = emit("aten::__not__", std::vector<ir::Value*>{truth}, 1, where);
  made->set_schema(aten::find_schema("aten::__not__"));
  made->output()->set_type(ir::Type::of(Kind::Bool));
  return made->output();
}

}  // namespace tonnx::torch
