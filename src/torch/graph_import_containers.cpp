// Lists, tuples and dicts in attributes: constants wherever they are read, until the program changes one.
#include <functional>
#include <unordered_map>

#include "aten/containers.h"
#include "ir/control_flow.h"
#include "ir/value_groups.h"
#include "ir/writes.h"
#include "torch/graph_import.h"
#include "torch/scoped.h"

namespace tonnx::torch {

using ir::Type;

bool is_container(const c10::IValue& value) { return value.isList() || value.isTuple() || value.isGenericDict(); }

void for_each_item(const c10::IValue& container, const ItemVisitor& visit) {
  std::size_t place = 0;
  if (container.isGenericDict()) {
    for (const auto& entry : container.toGenericDict()) {
      const std::string number = std::to_string(place++);
      visit(&entry.key(), entry.value(), entry.key().isString() ? entry.key().toStringRef() : number);
    }
  } else if (container.isList() || container.isTuple()) {
    const c10::ArrayRef<c10::IValue> items =
        container.isList() ? container.toListRef() : container.toTupleRef().elements();
    for (const c10::IValue& item : items) visit(nullptr, item, std::to_string(place++));
  }
}

// Each tensor, list, tuple and dict has one name, for all reads.
void GraphImport::name_contents(const c10::IValue& value, const std::string& name, const std::string& attribute) {
  const bool is_tensor = value.isTensor() && value.toTensor().defined();
  if (!value.isPtrType() || (!is_tensor && !is_container(value))) return;
  if (!content_names_.emplace(value.internalToPointer(), name).second || is_tensor) return;
  containers_.push_back({value, attribute});
  for_each_item(value, [&](const c10::IValue*, const c10::IValue& item, const std::string& place) {
    name_contents(item, name + "." + place, attribute);
  });
}

bool GraphImport::is_kept(const c10::IValue& container) const {
  return container.isPtrType() && is_container(container) && content_names_.contains(container.internalToPointer());
}

// True if it is an object of a script class in an attribute, whose own attributes are not known values.
bool GraphImport::is_kept_object(const Imported& known) const {
  const c10::ivalue::Object* object = known.object();
  return object && paths_.contains(object) && !object->type()->is_module() && library_class(*object->type()).empty() &&
         !chosen_objects_.contains(object) && !is_value(*object->type());
}

void GraphImport::make_changed(const std::set<const void*>& contents) {
  std::unordered_map<const void*, std::vector<const void*>>
      beside;  // the containers that contain one, or that it contains
  for (const auto& [container, attribute] : containers_) {
    const void* outer = container.internalToPointer();
    for_each_item(container, [&](const c10::IValue*, const c10::IValue& item, const std::string&) {
      if (!is_kept(item)) return;
      beside[outer].push_back(item.internalToPointer());
      beside[item.internalToPointer()].push_back(outer);
    });
  }
  std::vector<const void*> open(contents.begin(), contents.end());
  while (!open.empty()) {
    const void* identity = open.back();
    open.pop_back();
    if (changed_.insert(identity).second) open.insert(open.end(), beside[identity].begin(), beside[identity].end());
  }
  const Scoped constructing(constructs_, true);
  for (const auto& [container, attribute] : containers_) {
    const void* identity = container.internalToPointer();
    if (contents.contains(identity)) note_change(attribute, nullptr);
    if (changed_.contains(identity)) materialise(container);
  }
  make_chosen(contents);
}

void GraphImport::make_chosen(const std::set<const void*>& objects) {
  std::map<std::string, const c10::ivalue::Object*> chosen;
  for (const auto& [path, object] : objects_)
    if (objects.contains(object) && !is_value(*object->type())) chosen.emplace(path, object);
  for (const auto& [path, object] : chosen) {
    auto made = std::make_shared<LocalObject>();
    made->type = object->type();
    made->path = path;
    chosen_objects_[object] = made;
    locals_.push_back(std::move(made));
  }
  for (const auto& [path, object] : chosen)
    for (std::size_t k = 0; k < object->type()->numAttributes(); ++k) {
      const std::string& name = object->type()->getAttributeName(k);
      chosen_objects_.at(object)->attributes[name] = stored_attribute(*object, name);
    }
}

namespace {

bool is_container(const Type& type) {
  if (type.is(Type::Kind::Optional)) return is_container(type.elements.at(0));
  return type.is(Type::Kind::List) || type.is(Type::Kind::Dict) || type.is(Type::Kind::Tuple) ||
         type.is(Type::Kind::Any);
}

bool holds_container(const Type& type) {
  return std::ranges::any_of(type.elements, [](const Type& element) { return is_container(element); });
}

// True if a result may be an operand of the node, or contain it.
bool passes_through(const ir::Node& node, std::size_t output) {
  const Type& type = node.output(output)->type();
  if (!is_container(type)) return false;
  if (holds_container(type)) return true;
  const ir::Schema* schema = node.schema();
  if (aten::traits_of(node).container != aten::Container::None || !schema) return !aten::gives_new_list(node);
  return output >= schema->returns.size() || !schema->returns[output].alias_set.empty();
}

// True if the node adds items of another container to one, but not that container itself.
bool adds_items(const ir::Node& node) {
  const aten::Container form = aten::traits_of(node).container;
  return form == aten::Container::Extend || form == aten::Container::Update;
}

// Containers that may be the same, or contain each other, under any name.
class Meetings {
 public:
  explicit Meetings(const ir::Graph& graph) {
    ir::for_each_node(graph.block(), [&](const ir::Node* node) {
      note(*node);
      for (const ir::Block* block : node->blocks()) note(*block->return_node());
    });
  }

  // The first node that may change a container, one that it may alias, or one that it contains; null if there is none.
  const ir::Node* changed_by(const ir::Value* value) const {
    const auto first = std::ranges::find_if(changes_, [&](const ir::Use& change) {
      return groups_.root(change.node->input(change.index)) == groups_.root(value);
    });
    return first == changes_.end() ? nullptr : first->node;
  }

 private:
  void note(const ir::Node& node) {
    const ir::Value* handed = nullptr;
    for (std::size_t i = 0; i < node.output_count(); ++i)
      if (passes_through(node, i)) handed = join(handed, node.output(i));
    for (std::size_t i = 0; i < node.input_count(); ++i) {
      const ir::Value* in = node.input(i);
      if (!is_container(in->type())) continue;
      for (const ir::Value* name : ir::handed_to({const_cast<ir::Node*>(&node), i})) join(in, name);
      if (!ir::writes_argument(node, i)) continue;
      changes_.push_back({const_cast<ir::Node*>(&node), i});
      handed = join(handed, in);
    }
    if (!handed || !node.blocks().empty()) return;
    for (const ir::Value* in : node.inputs())
      if (is_container(in->type()) && (!adds_items(node) || holds_container(in->type()))) join(handed, in);
  }

  const ir::Value* join(const ir::Value* a, const ir::Value* b) {
    if (!a) return b;
    groups_.join(a, b);
    return a;
  }

  ir::ValueGroups groups_;
  std::vector<ir::Use> changes_;
};

}  // namespace

void GraphImport::require_unchanged() {
  if (copies_.empty() && changed_containers_.empty() && argument_containers_.empty()) return;
  const Meetings meetings(graph_);
  std::set<const void*> identities;
  for (const auto& [copy, identity] : copies_)
    if (meetings.changed_by(copy)) identities.insert(identity);
  if (!identities.empty()) throw Anew{std::move(identities), {}};
  for (const auto& [container, attribute] : containers_) {
    const auto made = changed_containers_.find(container.internalToPointer());
    const ir::Node* writer = made == changed_containers_.end() ? nullptr : meetings.changed_by(made->second);
    const auto change = std::ranges::find_if(
        changes_, [&, &name = attribute](const ir::StateWrite& known) { return known.name == name; });
    if (writer && change != changes_.end() && change->op.empty())
      *change = ir::state_write(change->kind, attribute, *writer);
  }
  for (const auto& [container, name] : argument_containers_)
    if (const ir::Node* writer = meetings.changed_by(container))
      changes_.push_back(ir::state_write(ir::StateWrite::Kind::Container, name, *writer));
}

}  // namespace tonnx::torch
