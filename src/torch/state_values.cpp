#include "torch/state_values.h"

#include <optional>

#include "ir/constant.h"
#include "torch/graph_import.h"

namespace tonnx::torch {

using ir::Constant;

namespace {

void add_given(const Constant& given, const c10::IValue& value, const std::string& name, NamedValues& values) {
  if (value.isTensor() || value.isScalar()) {
    values.emplace_back(name, value);
    return;
  }
  const auto* dict = given.get<Constant::Dict>();
  const auto* list = given.get<Constant::List>();
  const auto* tuple = given.get<Constant::Tuple>();
  const std::size_t count = dict ? dict->items.size() : list ? list->items.size() : tuple ? tuple->items.size() : 0;
  std::size_t i = 0;
  for_each_item(value, [&](const c10::IValue*, const c10::IValue& item, const std::string& place) {
    if (i < count)
      add_given(dict   ? dict->items[i].value
                : list ? list->items[i]
                       : tuple->items[i],
                item, name + "." + place, values);
    ++i;
  });
}

std::optional<c10::IValue> child_of(const c10::IValue& holder, const std::string& name) {
  std::optional<c10::IValue> found;
  if (holder.isObject()) {
    const auto slot = holder.toObjectRef().type()->findAttributeSlot(name);
    if (slot) found = holder.toObjectRef().getSlot(*slot);
  } else {
    for_each_item(holder, [&](const c10::IValue*, const c10::IValue& item, const std::string& place) {
      if (place == name) found = item;
    });
  }
  return found;
}

}  // namespace

void add_named(const BoundArgument& argument, const c10::IValue& value, NamedValues& values) {
  if (argument.given) add_given(argument.value, value, argument.name, values);
}

c10::IValue value_at(const c10::IValue& object, const std::string& path) {
  if (const auto whole = child_of(object, path)) return *whole;
  for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', dot + 1)) {
    const auto held = child_of(object, path.substr(0, dot));
    if (!held) continue;
    if (c10::IValue found = value_at(*held, path.substr(dot + 1)); !found.isNone()) return found;
  }
  return {};
}

}  // namespace tonnx::torch
