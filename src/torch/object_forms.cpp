#include "torch/object_forms.h"

#include <unordered_set>

#include "aten/identity.h"
#include "torch/code_walk.h"
#include "torch/convert.h"

namespace tonnx::torch {

namespace jit = ::torch::jit;

namespace {

// The classes whose objects are changed after their constructor or compared by identity, and those that the module
// stores.
class Classes {
 public:
  explicit Classes(const c10::IValue& root) {
    CodeWalk([this](jit::Node& node) { note(node); }).object(root);
    root.visit([this](const c10::IValue& part) {
      if (!part.isObject()) return false;
      const bool is_new = seen_.insert(part.internalToPointer()).second;
      if (is_new) kept_.insert(part.toObjectRef().type().get());
      return !is_new;
    });
  }

  bool add(const c10::ClassType& type, ObjectForms& known) {
    if (known.contains(&type)) return true;
    if (type.is_module() || !library_class(type).empty() || type.numAttributes() == 0) return false;
    const bool is_changed = changed_.contains(&type);
    if (is_changed && kept_.contains(&type)) return false;
    known[&type] = is_changed ? ObjectForm::Number : ObjectForm::Tuple;
    for (std::size_t k = 0; k < type.numAttributes(); ++k)
      if (!add_held(*type.getAttribute(k), known)) return false;
    return true;
  }

 private:
  bool add_held(const c10::Type& type, ObjectForms& known) {
    if (const auto* held = type.castRaw<c10::ClassType>()) return add(*held, known);
    if (type.kind() == c10::TypeKind::InterfaceType || type.kind() == c10::TypeKind::AnyType) return false;
    if (type.kind() == c10::TypeKind::EnumType) return true;
    for (const c10::TypePtr& part : type.containedTypes())
      if (!add_held(*part, known)) return false;
    return true;
  }

  void note(const jit::Node& node) {
    if (aten::identity_of(node.kind().toQualString()) != aten::Identity::None) return note_identity(node);
    const bool sets = node.kind() == c10::prim::SetAttr;
    if (!sets && (node.kind() != c10::prim::CallMethod || node.s(c10::attr::name) != "__init__")) return;
    const auto* type = node.input(0)->type()->castRaw<c10::ClassType>();
    if (!type || type->is_module()) return;
    const bool is_own =
        sets ? is_constructor_of(*type, node) : node.input(0)->node()->kind() == c10::prim::CreateObject;
    if (!is_own) changed_.insert(type);
  }

  void note_identity(const jit::Node& node) {
    for (const jit::Value* input : node.inputs())
      if (input->type()->kind() == c10::TypeKind::NoneType) return;
    for (const jit::Value* input : node.inputs()) {
      const auto* optional = input->type()->castRaw<c10::OptionalType>();
      const c10::Type& type = optional ? *optional->getElementType() : *input->type();
      if (const auto* found = type.castRaw<c10::ClassType>()) changed_.insert(found);
    }
  }

  // True if the node sets an attribute of `self` in the constructor.
  static bool is_constructor_of(const c10::ClassType& type, const jit::Node& node) {
    jit::Function* constructor = type.findMethod("__init__");
    auto* code = constructor ? jit::tryToGraphFunction(*constructor) : nullptr;
    return code && code->graph().get() == node.owningGraph() && node.input(0) == node.owningGraph()->inputs()[0];
  }

  std::unordered_set<const c10::ClassType*> changed_;
  std::unordered_set<const c10::ClassType*> kept_;
  std::unordered_set<const void*> seen_;
};

}  // namespace

bool add_forms(const c10::IValue& root, const c10::ClassType& type, ObjectForms& known) {
  ObjectForms found = known;
  if (!Classes(root).add(type, found)) return false;
  known = std::move(found);
  return true;
}

}  // namespace tonnx::torch
