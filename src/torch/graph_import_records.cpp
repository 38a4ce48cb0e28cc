// Objects that nothing changes once they are made: where the import does not know them one by one (items of lists and dicts, what
// branches and loops hand on) they are the tuples of what they hold.
#include "aten/identity.h"
#include "torch/code_walk.h"
#include "torch/convert.h"
#include "torch/graph_import.h"

namespace tonnx::torch {

namespace jit = ::torch::jit;

namespace {

// The classes whose objects get attributes behind their constructor, or are constructed twice.
class ChangedClasses {
 public:
  explicit ChangedClasses(const c10::IValue& root) {
    CodeWalk([this](jit::Node& node) { note(node); }).object(root);
  }

  // Adds a class, and those of what its objects hold, if all are made once and hold what a tuple can.
  bool add_records(const c10::ClassType& type, std::set<const c10::ClassType*>& records) {
    if (records.contains(&type)) return true;
    if (type.is_module() || !library_class(type).empty() || changed_.contains(&type) || !open_.insert(&type).second) return false;
    std::set<const c10::ClassType*> found = records;
    for (std::size_t k = 0; k < type.numAttributes(); ++k)
      if (!add_held(*type.getAttribute(k), found)) return false;
    open_.erase(&type);
    found.insert(&type);
    records = std::move(found);
    return true;
  }

 private:
  bool add_held(const c10::Type& type, std::set<const c10::ClassType*>& records) {
    if (const auto* held = type.castRaw<c10::ClassType>()) return add_records(*held, records);
    if (type.kind() == c10::TypeKind::InterfaceType || type.kind() == c10::TypeKind::AnyType) return false;
    if (type.kind() == c10::TypeKind::EnumType) return true;
    for (const c10::TypePtr& part : type.containedTypes())
      if (!add_held(*part, records)) return false;
    return true;
  }

  void note(const jit::Node& node) {
    if (aten::identity_of(node.kind().toQualString()) != aten::Identity::None) return note_identity(node);
    const bool sets = node.kind() == c10::prim::SetAttr;
    if (!sets && (node.kind() != c10::prim::CallMethod || node.s(c10::attr::name) != "__init__")) return;
    const auto* type = node.input(0)->type()->castRaw<c10::ClassType>();
    if (!type || type->is_module()) return;
    const bool is_own = sets ? is_constructor_of(*type, node) : node.input(0)->node()->kind() == c10::prim::CreateObject;
    if (!is_own) changed_.insert(type);
  }

  // Of tuples nobody could tell whether two are one object.
  void note_identity(const jit::Node& node) {
    for (const jit::Value* input : node.inputs())
      if (input->type()->kind() == c10::TypeKind::NoneType) return;
    for (const jit::Value* input : node.inputs()) {
      const auto* optional = input->type()->castRaw<c10::OptionalType>();
      if (const auto* type = (optional ? optional->getElementType() : input->type())->castRaw<c10::ClassType>()) changed_.insert(type);
    }
  }

  // Whether the node sets an attribute of `self` in the constructor.
  static bool is_constructor_of(const c10::ClassType& type, const jit::Node& node) {
    jit::Function* constructor = type.findMethod("__init__");
    auto* code = constructor ? jit::tryToGraphFunction(*constructor) : nullptr;
    return code && code->graph().get() == node.owningGraph() && node.input(0) == node.owningGraph()->inputs()[0];
  }

  std::unordered_set<const c10::ClassType*> changed_;
  std::unordered_set<const c10::ClassType*> open_;  // asked about; one that holds itself has no form
};

}  // namespace

bool GraphImport::is_record(const c10::Type& type) const {
  const auto* found = type.castRaw<c10::ClassType>();
  return found && records_.contains(found);
}

// Behind a refusal of objects of the class: begins anew with them as tuples, if they can be.
void GraphImport::require_no_record(const c10::ClassType& type) const {
  std::set<const c10::ClassType*> records = records_;
  if (records_.contains(&type) || root_.isNone() || !ChangedClasses(root_).add_records(type, records)) return;
  throw Anew{{}, std::move(records)};
}

// What the object holds, in the order of the declarations; null for what is no record, or not made yet.
std::shared_ptr<const Parts> GraphImport::record_parts(const Imported& known) {
  auto parts = std::make_shared<Parts>();
  if (const LocalObject* local = known.local(); local && is_record(*local->type)) {
    parts->type = local->type;
    for (std::size_t k = 0; k < local->type->numAttributes(); ++k) {
      const auto held = local->attributes.find(local->type->getAttributeName(k));
      if (held == local->attributes.end()) return nullptr;
      parts->items.push_back(held->second);
    }
    return parts;
  }
  const c10::ivalue::Object* object = known.object();
  if (!object || !is_record(*object->type())) return nullptr;
  parts->type = object->type();
  for (std::size_t k = 0; k < object->type()->numAttributes(); ++k)
    parts->items.push_back(stored_attribute(*object, object->type()->getAttributeName(k)));
  return parts;
}

// An attribute of an object that is a tuple.
bool GraphImport::convert_record_get(const JitNode& node) {
  const c10::TypePtr& type = node.input()->type();
  const Imported receiver = get(node.input());
  if (!is_record(*type) || (!receiver.value() && !receiver.parts())) return false;
  const std::size_t slot = type->expectRef<c10::ClassType>().getAttributeSlot(node.s(c10::attr::name));
  if (receiver.parts()) {
    const Imported item = receiver.parts()->items.at(slot);
    set(node.output(), item);
    return true;
  }
  const ir::Location where = location(node);
  ir::Value* index = constant({static_cast<std::int64_t>(slot)}, where);
  ir::Value* item = emit("prim::TupleIndex", std::vector<ir::Value*>{receiver.value(), index}, 1, where)->output();
  item->set_type(to_ir(*node.output()->type()));
  set(node.output(), item);
  return true;
}

namespace {

void tell_records(ir::Type& type, const std::map<std::string, ir::Type>& tuples) {
  if (type.is(ir::Type::Kind::Object))
    if (const auto found = tuples.find(type.name); found != tuples.end()) type = found->second;
  for (ir::Type& element : type.elements) tell_records(element, tuples);
}

}  // namespace

void GraphImport::tell_records() {
  if (records_.empty()) return;
  std::map<std::string, ir::Type> tuples;
  for (const c10::ClassType* record : records_) {
    ir::Type tuple = ir::Type::of(ir::Type::Kind::Tuple);
    for (std::size_t k = 0; k < record->numAttributes(); ++k) tuple.elements.push_back(to_ir(*record->getAttribute(k)));
    tuples.emplace(to_ir(*record).name, std::move(tuple));
  }
  const auto tell = [&](ir::Value* value) {
    ir::Type type = value->type();
    torch::tell_records(type, tuples);
    if (type != value->type()) value->set_type(std::move(type));
  };
  ir::for_each_node(graph_.block(), [&](ir::Node* node) {
    for (ir::Value* output : node->outputs()) tell(output);
    for (ir::Block* block : node->blocks())
      for (ir::Value* param : block->params()->outputs()) tell(param);
  });
}

}  // namespace tonnx::torch
