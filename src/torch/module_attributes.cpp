#include "torch/module_attributes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace tonnx::torch {
namespace {

// Attributes of ONNX are float32.
std::optional<double> as_float(double value) {
  if (std::isfinite(value) && std::fabs(value) > static_cast<double>(std::numeric_limits<float>::max()))
    return std::nullopt;
  return value;
}

// The items, if `take` returns a value for each.
template <class T, class Items, class Take>
std::optional<ir::Attribute> list_of(const Items& items, const Take& take) {
  std::vector<T> list;
  for (const c10::IValue& item : items) {
    const std::optional<T> value = take(item);
    if (!value) return std::nullopt;
    list.push_back(*value);
  }
  return list;
}

std::optional<std::int64_t> whole_of(const c10::IValue& value) {
  if (value.isBool()) return std::int64_t{value.toBool()};
  return value.isInt() ? std::optional(value.toInt()) : std::nullopt;
}

std::optional<double> float_of(const c10::IValue& value) {
  return value.isDouble() ? as_float(value.toDouble()) : std::nullopt;
}

std::optional<std::string> string_of(const c10::IValue& value) {
  return value.isString() ? std::optional(value.toStringRef()) : std::nullopt;
}

template <class Items>
std::optional<ir::Attribute> list_attribute(const Items& items) {
  if (items.begin() == items.end()) return std::nullopt;  // its type is not known
  if (auto whole = list_of<std::int64_t>(items, whole_of)) return whole;
  if (auto floats = list_of<double>(items, float_of)) return floats;
  return list_of<std::string>(items, string_of);
}

std::optional<ir::Attribute> attribute_of(const c10::IValue& value) {
  if (const auto whole = whole_of(value)) return *whole;
  if (const auto number = float_of(value)) return *number;
  if (const auto text = string_of(value)) return *text;
  if (value.isList()) return list_attribute(value.toListRef());
  if (value.isTuple()) return list_attribute(value.toTupleRef().elements());
  return std::nullopt;
}

}  // namespace

ir::ModuleAttributes module_attributes(const ::torch::jit::Module& module) {
  ir::ModuleAttributes attributes;
  for (const auto& known : module.named_modules()) {
    const auto object = known.value._ivalue();
    const auto& type = object->type();
    std::vector<ir::NamedAttribute> of_module;
    const auto add = [&](const std::string& name, const c10::IValue& value) {
      if (name == "training" || name.front() == '_') return;
      if (auto attribute = attribute_of(value)) of_module.push_back({name, std::move(*attribute)});
    };
    for (std::size_t i = 0; i < type->numAttributes(); ++i) add(type->getAttributeName(i), object->getSlot(i));
    for (std::size_t i = 0; i < type->numConstants(); ++i) add(type->getConstantName(i), type->getConstant(i));
    std::ranges::sort(of_module, {}, &ir::NamedAttribute::name);
    if (!of_module.empty()) attributes.emplace(known.name, std::move(of_module));
  }
  return attributes;
}

}  // namespace tonnx::torch
