// Objects as values, if the import cannot track each one: items of lists and dicts, and values that pass through
// branches and loops. Objects that are never changed after creation are tuples of their attributes. Others are indices:
// each class has one list per attribute, with the attribute of each object at its index, so that a write through one
// name is visible through all names.
#include <algorithm>

#include "aten/identity.h"
#include "aten/traits.h"
#include "ir/control_flow.h"
#include "ir/error.h"
#include "torch/convert.h"
#include "torch/graph_import.h"

namespace tonnx::torch {

using ir::Code;
using ir::Error;
using ir::Type;

bool GraphImport::is_value(const c10::Type& type) const {
  const auto* found = type.castRaw<c10::ClassType>();
  return found && forms_.contains(found);
}

bool GraphImport::is_number(const c10::Type& type) const {
  const auto found = forms_.find(type.castRaw<c10::ClassType>());
  return found != forms_.end() && found->second == ObjectForm::Number;
}

// Before a refusal of objects of the class: restarts the import with them as values, if possible.
void GraphImport::begin_with_values(const c10::ClassType& type) const {
  ObjectForms forms = forms_;
  if (forms_.contains(&type) || root_.isNone() || !add_forms(root_, type, forms)) return;
  throw Anew{{}, std::move(forms)};
}

void GraphImport::refuse_object(const c10::ClassType& type, const std::string& reason) const {
  begin_with_values(type);
  throw Error(Code::Unsupported, reason);
}

void GraphImport::make_heaps() {
  for (const auto& [type, form] : forms_) {
    if (form != ObjectForm::Number) continue;
    for (std::size_t k = 0; k < type->numAttributes(); ++k) {
      heaps_[type].push_back(emit("prim::ListConstruct", {}, 1)->output());
      heaps_[type].back()->set_type(Type::list(to_ir(*type->getAttribute(k))));
    }
  }
}

// The attributes of an object in an attribute, in declaration order; null if they are not values.
std::shared_ptr<const Parts> GraphImport::kept_parts(const Imported& known) {
  const c10::ivalue::Object* object = known.object();
  if (!object || !is_value(*object->type())) return nullptr;
  auto parts = std::make_shared<Parts>();
  parts->type = object->type();
  for (std::size_t k = 0; k < object->type()->numAttributes(); ++k)
    parts->items.push_back(stored_attribute(*object, object->type()->getAttributeName(k)));
  return parts;
}

// An object after its constructor; unchanged if the constructor leaves an attribute unset.
Imported GraphImport::form_of(const Imported& made, const ir::Location& where) {
  const LocalObject* local = made.local();
  if (!local) return made;
  auto parts = std::make_shared<Parts>();
  parts->type = local->type;
  for (std::size_t k = 0; k < local->type->numAttributes(); ++k) {
    const auto held = local->attributes.find(local->type->getAttributeName(k));
    if (held == local->attributes.end()) return made;
    parts->items.push_back(held->second);
  }
  if (!is_number(*parts->type)) return std::shared_ptr<const Parts>(std::move(parts));
  const std::vector<ir::Value*>& heap = heaps_.at(parts->type->castRaw<c10::ClassType>());
  ir::Value* number = schema_call("aten::len.t", {heap[0]}, where);
  number->set_type(to_ir(*parts->type));
  for (std::size_t k = 0; k < heap.size(); ++k)
    schema_call("aten::append.t", {heap[k], materialise(parts->items[k], where)}, where)->set_type(heap[k]->type());
  return number;
}

// Reads an attribute of an object that is a value.
bool GraphImport::convert_value_get(const JitNode& node) {
  const c10::TypePtr& type = node.input()->type();
  const Imported receiver = get(node.input());
  if (!is_value(*type) || (!receiver.value() && !receiver.parts())) return false;
  const auto& of = type->expectRef<c10::ClassType>();
  const std::size_t slot = of.getAttributeSlot(node.s(c10::attr::name));
  if (receiver.parts()) {
    const Imported item = receiver.parts()->items.at(slot);
    set(node.output(), item);
    return true;
  }
  const ir::Location where = location(node);
  ir::Value* item = nullptr;
  if (is_number(of)) {
    item = schema_call("aten::__getitem__.t", {heaps_.at(&of)[slot], receiver.value()}, where);
  } else {
    ir::Value* index = constant({static_cast<std::int64_t>(slot)}, where);
    item = emit("prim::TupleIndex", std::vector<ir::Value*>{receiver.value(), index}, 1, where)->output();
  }
  item->set_type(to_ir(*node.output()->type()));
  set(node.output(), item);
  return true;
}

bool GraphImport::convert_value_set(const JitNode& node) {
  const c10::TypePtr& type = node.input(0)->type();
  const Imported receiver = get(node.input(0));
  if (!is_number(*type) || !receiver.value()) return false;
  const auto& of = type->expectRef<c10::ClassType>();
  ir::Value* heap = heaps_.at(&of)[of.getAttributeSlot(node.s(c10::attr::name))];
  schema_call("aten::_set_item.t", {heap, receiver.value(), input(node, 1)}, location(node))->set_type(heap->type());
  return true;
}

bool GraphImport::holds_value(const c10::Type& type) const {
  if (is_value(type)) return true;
  return std::ranges::any_of(type.containedTypes(), [&](const c10::TypePtr& part) { return holds_value(*part); });
}

// Operators that compare objects call their methods, which operators on tuples or numbers would not.
void GraphImport::require_moved_only(const JitNode& node) const {
  if (forms_.empty() || !node.kind().is_aten()) return;
  const auto inputs = node.inputs();
  const auto held = std::ranges::find_if(inputs, [&](const JitValue* value) { return holds_value(*value->type()); });
  if (held == inputs.end()) return;
  const std::string kind = node.kind().toQualString();
  const c10::FunctionSchema* schema = node.maybeSchema();
  const aten::Traits& traits = aten::traits_of(kind, schema ? schema->overload_name() : "");
  const aten::Container form = traits.container;
  using enum aten::Container;
  const bool moves =
      (form != None && form != Sort && form != Sorted && form != Remove) || kind == "aten::mul";  // [a] * n
  if (moves || traits.passes || aten::identity_of(kind) != aten::Identity::None) return;
  throw Error(Code::Unsupported, "objects in " + (*held)->type()->annotation_str() +
                                     ", some of which are known only at run time, may be compared by a method of their "
                                     "class; write the comparison as a loop");
}

// Identity of two objects that are indices.
bool GraphImport::convert_is_number(const JitNode& node) {
  if (get(node.input(0)).is_none() || get(node.input(1)).is_none()) return false;
  const auto is_perhaps = [&](const JitValue* value) {
    const auto* optional = value->type()->castRaw<c10::OptionalType>();
    return optional && is_number(*optional->getElementType());
  };
  if (is_perhaps(node.input(0)) || is_perhaps(node.input(1)))
    throw Error(Code::Unsupported, "two objects that may both be None are compared; check for None first");
  if (!is_number(*node.input(0)->type()) || !is_number(*node.input(1)->type())) return false;
  const bool is = aten::identity_of(node.kind().toQualString()) == aten::Identity::Is;
  set(node.output(),
      schema_call(is ? "aten::eq.int" : "aten::ne.int", {input(node, 0), input(node, 1)}, location(node)));
  return true;
}

namespace {

void replace_objects(Type& type, const std::map<std::string, Type>& forms) {
  if (type.is(Type::Kind::Object))
    if (const auto found = forms.find(type.name); found != forms.end()) type = found->second;
  for (Type& element : type.elements) replace_objects(element, forms);
}

}  // namespace

void GraphImport::set_form_types() {
  if (forms_.empty()) return;
  std::map<std::string, Type> forms;
  for (const auto& [type, form] : forms_) {
    Type form_type = Type::of(form == ObjectForm::Tuple ? Type::Kind::Tuple : Type::Kind::Int);
    for (std::size_t k = 0; form == ObjectForm::Tuple && k < type->numAttributes(); ++k)
      form_type.elements.push_back(to_ir(*type->getAttribute(k)));
    forms.emplace(to_ir(*type).name, std::move(form_type));
  }
  const auto set_type = [&](ir::Value* value) {
    Type type = value->type();
    replace_objects(type, forms);
    if (type != value->type()) value->set_type(std::move(type));
  };
  ir::for_each_node(graph_.block(), [&](ir::Node* node) {
    for (ir::Value* output : node->outputs()) set_type(output);
    for (ir::Block* block : node->blocks())
      for (ir::Value* param : block->params()->outputs()) set_type(param);
  });
}

}  // namespace tonnx::torch
