#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include <ATen/core/ivalue.h>
#include <ATen/core/jit_type.h>

#include "ir/graph.h"

// What an import knows about a value of the program. Internal: includes LibTorch.
namespace tonnx::torch {

struct LocalObject;
struct ObjectList;
struct Parts;

struct Imported {
  // A value of the graph under construction; a known value (a constant, a module, a function); a tuple with known
  // items; an object that the program creates, or a list of such objects.
  std::variant<ir::Value*, c10::IValue, std::shared_ptr<const Parts>, std::shared_ptr<LocalObject>,
               std::shared_ptr<ObjectList>>
      form = static_cast<ir::Value*>(nullptr);

  Imported() = default;
  Imported(ir::Value* value) : form(value) {}
  Imported(c10::IValue value) : form(std::move(value)) {}
  Imported(std::shared_ptr<const Parts> parts) : form(std::move(parts)) {}
  Imported(std::shared_ptr<LocalObject> object) : form(std::move(object)) {}
  Imported(std::shared_ptr<ObjectList> list) : form(std::move(list)) {}

  ir::Value* value() const {
    const auto* v = std::get_if<ir::Value*>(&form);
    return v ? *v : nullptr;
  }
  const c10::IValue* ivalue() const { return std::get_if<c10::IValue>(&form); }
  const Parts* parts() const {
    const auto* p = std::get_if<std::shared_ptr<const Parts>>(&form);
    return p ? p->get() : nullptr;
  }
  LocalObject* local() const {
    const auto* o = std::get_if<std::shared_ptr<LocalObject>>(&form);
    return o ? o->get() : nullptr;
  }
  ObjectList* objects() const {
    const auto* l = std::get_if<std::shared_ptr<ObjectList>>(&form);
    return l ? l->get() : nullptr;
  }
  // The module or other object that exists before the program runs; null if there is none.
  c10::ivalue::Object* object() const {
    const c10::IValue* v = ivalue();
    return v && v->isObject() ? &const_cast<c10::IValue*>(v)->toObjectRef() : nullptr;
  }
  bool is_none() const { return ivalue() && ivalue()->isNone(); }
  const bool* as_bool(bool& store) const {
    if (!ivalue() || !ivalue()->isBool()) return nullptr;
    store = ivalue()->toBool();
    return &store;
  }
};

struct Parts {
  std::vector<Imported> items;
  c10::TypePtr type;
};

// Scalar replacement of an object: its attributes are known values.
struct LocalObject {
  c10::ClassTypePtr type;
  Imported is_there;  // a bool; if false, the variable is None. Without form if there is always an object
  bool may_be_missing() const { return is_there.value() || is_there.ivalue(); }
  std::unordered_map<std::string, Imported> attributes;
  std::string path;  // path of the attribute that contains it; empty: the program created it
};

// A list of objects that the program creates.
struct ObjectList {
  std::vector<Imported> items;
  c10::TypePtr type;
  const ir::Block* home = nullptr;  // block that creates it; it is not changed in other blocks
};

}  // namespace tonnx::torch
