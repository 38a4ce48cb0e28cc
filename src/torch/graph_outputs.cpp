#include "ir/constant_facts.h"
#include "ir/error.h"
#include "torch/graph_import.h"

namespace tonnx::torch {

using ir::Code;
using ir::Error;

namespace {

std::string joined(const std::string& prefix, const std::string& name) {
  return prefix.empty() || name.empty() ? prefix + name : prefix + "." + name;
}

// Items without names are numbered if the whole has a name.
std::string numbered(const std::string& prefix, std::size_t i) {
  return prefix.empty() ? prefix : prefix + "." + std::to_string(i);
}

// The constructor of a list or dict that has no other use, so that it cannot have been changed.
const ir::Node* sole_construction(const ir::Value& value, std::string_view kind) {
  return value.node()->is(kind) && value.is_unused() ? value.node() : nullptr;
}

// Such a list is one output, a rank-1 tensor.
bool is_number_list(const c10::IValue& value) {
  return value.isIntList() || value.isDoubleList() || value.isBoolList();
}

// The class of the objects that a value of the type is or contains; "" if there are none.
std::string class_within(const ir::Type& type) {
  if (type.is(ir::Type::Kind::Object)) return type.name.substr(type.name.rfind('.') + 1);
  for (const ir::Type& element : type.elements)
    if (std::string found = class_within(element); !found.empty()) return found;
  return {};
}

// True if the entries of a dict are known: its keys are constants, and no two are equal.
bool has_known_keys(const ir::Node& dict) {
  for (std::size_t i = 0; i < dict.input_count(); i += 2) {
    const ir::Constant* key = dict.input(i)->constant();
    if (!key) return false;
    for (std::size_t k = 0; k < i; k += 2)
      if (ir::same_key(*key, *dict.input(k)->constant())) return false;
  }
  return true;
}

std::string key_text(const ir::Value& key) {
  const ir::Constant* constant = key.constant();
  if (!constant) return {};
  if (const auto* text = constant->get<std::string>()) return *text;
  return ir::to_string(*constant);
}

}  // namespace

void GraphImport::add_outputs(const Imported& known, const std::string& name, ir::RawProgram& program,
                              const std::optional<std::string>& path) {
  const auto leave_out = [&](const std::string& what) { warn("an output that is " + what + " is left out"); };
  // `items` adds the outputs of a list. One of tensors is noted, since it may be one output.
  const auto add_list = [&](bool of_tensors, bool is_empty, const auto& items) {
    if (is_empty && !of_tensors) return leave_out("an empty list");
    const std::size_t first = program.output_names.size();
    items();
    if (of_tensors) program.output_lists.push_back({name, first, program.output_names.size() - first});
  };
  const auto inside = [&](std::size_t i) { return path ? std::optional(*path + '.' + std::to_string(i)) : path; };
  const auto refuse_object = [](const std::string& name) {
    throw Error(Code::Unsupported,
                "the program returns an object of class " + name + "; return its attributes instead");
  };
  const Parts* parts = known.parts();
  if (parts && is_value(*parts->type)) refuse_object(parts->type->expectRef<c10::ClassType>().name()->name());
  if (parts) {
    const auto& schema = parts->type->expectRef<c10::TupleType>().schema();
    for (std::size_t i = 0; i < parts->items.size(); ++i)
      add_outputs(parts->items[i], schema ? joined(name, schema->arguments().at(i).name()) : numbered(name, i), program,
                  inside(i));
    return;
  }
  if (const c10::IValue* value = known.ivalue()) {
    if (value->isNone()) return leave_out("None");
    if (value->isString()) return leave_out("a string");
    const auto add_items = [&](c10::ArrayRef<c10::IValue> items) {
      for (std::size_t i = 0; i < items.size(); ++i) add_outputs(Imported(items[i]), numbered(name, i), program, {});
    };
    if (value->isTuple()) {
      const auto& items = value->toTupleRef().elements();
      return items.empty() ? leave_out("an empty tuple") : add_items(items);
    }
    if (value->isList() && !is_number_list(*value))
      return add_list(value->isTensorList(), value->toListRef().empty(), [&] { add_items(value->toListRef()); });
    if (value->isGenericDict()) {
      if (value->toGenericDict().empty()) return leave_out("an empty dict");
      for (const auto& entry : value->toGenericDict())
        add_outputs(Imported(entry.value()), joined(name, entry.key().isString() ? entry.key().toStringRef() : ""),
                    program, {});
      return;
    }
    if (value->isObject()) refuse_object(value->type()->annotation_str());
  }
  if (const LocalObject* local = known.local()) refuse_object(local->type->name()->name());
  ir::Value* value = materialise(known);
  const ir::Type type = value->type();
  if (const std::string held = class_within(type); !held.empty()) refuse_object(held);
  if (type.is(ir::Type::Kind::None)) return leave_out("None");
  if (type.is(ir::Type::Kind::String)) return leave_out("a string");
  if (type.is(ir::Type::Kind::Tuple)) {
    ir::Node* unpack = emit("prim::TupleUnpack", std::vector<ir::Value*>{value}, type.elements.size());
    for (std::size_t i = 0; i < type.elements.size(); ++i) {
      unpack->output(i)->set_type(type.elements[i]);
      add_outputs(Imported(unpack->output(i)), numbered(name, i), program, inside(i));
    }
    return;
  }
  const ir::Node* list = type.is_number_list() ? nullptr : sole_construction(*value, "prim::ListConstruct");
  if (list) {
    const std::vector<ir::Value*> items(list->inputs().begin(), list->inputs().end());
    return add_list(type.is_tensor_list(), items.empty(), [&] {
      for (std::size_t i = 0; i < items.size(); ++i) add_outputs(Imported(items[i]), numbered(name, i), program, {});
    });
  }
  if (const ir::Node* dict = sole_construction(*value, "prim::DictConstruct"); dict && has_known_keys(*dict)) {
    const std::vector<ir::Value*> items(dict->inputs().begin(), dict->inputs().end());
    if (items.empty()) return leave_out("an empty dict");
    for (std::size_t i = 0; i + 1 < items.size(); i += 2)
      add_outputs(Imported(items[i + 1]), joined(name, key_text(*items[i])), program, {});
    return;
  }
  if (type.is(ir::Type::Kind::Dict) && path) value->node()->set_attribute(ir::kResultPath, *path);
  graph_.block().add_output(value);
  program.output_names.push_back(name);
}

}  // namespace tonnx::torch
