#include "torch/evaluator_values.h"

#include <cstring>

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>

namespace tonnx::torch {
namespace {

constexpr std::size_t max_constant_bytes = std::size_t{16} << 20;

at::Tensor tensor_of(const ir::Tensor& tensor) {
  const auto dtype = static_cast<c10::ScalarType>(tensor.dtype);
  if (tensor.bytes() > max_constant_bytes) {
    return at::empty_strided(tensor.dims, tensor.strides, at::device(at::kMeta).dtype(dtype));
  }
  at::Tensor result = at::empty(tensor.dims, at::device(at::kCPU).dtype(dtype));
  if (tensor.numel() > 0) tensor.read(0, tensor.numel(), static_cast<std::byte*>(result.mutable_data_ptr()));
  if (tensor.is_contiguous()) return result;
  at::Tensor strided = at::empty_strided(tensor.dims, tensor.strides, at::device(at::kCPU).dtype(dtype));
  return strided.copy_(result);
}

c10::TypePtr item_type(const std::vector<c10::IValue>& items, const ir::Type* type) {
  if (type && type->is(ir::Type::Kind::Optional)) type = &type->elements.at(0);
  if (type && type->is(ir::Type::Kind::List)) return type_of(type->elements.at(0));
  return items.empty() ? c10::TypePtr(c10::TensorType::get()) : items[0].type();
}

template <class List>
std::vector<c10::IValue> values_of(const List& list, const ir::Type* type) {
  const ir::Type* element = nullptr;
  if (type && type->is(ir::Type::Kind::Optional)) type = &type->elements.at(0);
  if (type && type->is(ir::Type::Kind::List)) element = &type->elements.at(0);
  std::vector<c10::IValue> items;
  for (const ir::Constant& item : list) items.push_back(value_of(item, element));
  return items;
}

}  // namespace

c10::TypePtr type_of(const ir::Type& type) {
  using Kind = ir::Type::Kind;
  switch (type.kind) {
    case Kind::Tensor: return c10::TensorType::get();
    case Kind::Int: return c10::IntType::get();
    case Kind::Float: return c10::FloatType::get();
    case Kind::Bool: return c10::BoolType::get();
    case Kind::Complex: return c10::ComplexType::get();
    case Kind::Number: return c10::NumberType::get();
    case Kind::String: return c10::StringType::get();
    case Kind::None: return c10::NoneType::get();
    case Kind::Device: return c10::DeviceObjType::get();
    case Kind::List: return c10::ListType::create(type_of(type.elements.at(0)));
    case Kind::Optional: return c10::OptionalType::create(type_of(type.elements.at(0)));
    case Kind::Dict: return c10::DictType::create(type_of(type.elements.at(0)), type_of(type.elements.at(1)));
    case Kind::Tuple: {
      std::vector<c10::TypePtr> elements;
      for (const ir::Type& element : type.elements) elements.push_back(type_of(element));
      return c10::TupleType::create(std::move(elements));
    }
    case Kind::Any:
    case Kind::Object:
    case Kind::Other: break;
  }
  return c10::AnyType::get();
}

c10::IValue value_of(const ir::Constant& constant, const ir::Type* type) {
  return std::visit(
      [&](const auto& value) -> c10::IValue {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, ir::Constant::None>) {
          return {};
        } else if constexpr (std::is_same_v<T, std::complex<double>>) {
          return c10::complex<double>(value.real(), value.imag());
        } else if constexpr (std::is_same_v<T, ir::Tensor>) {
          return tensor_of(value);
        } else if constexpr (std::is_same_v<T, ir::Constant::Device>) {
          return c10::Device(value.name);
        } else if constexpr (std::is_same_v<T, ir::Constant::List>) {
          const std::vector<c10::IValue> items = values_of(value.items, type);
          c10::impl::GenericList list(item_type(items, type));
          for (const c10::IValue& item : items) list.push_back(item);
          return list;
        } else if constexpr (std::is_same_v<T, ir::Constant::Tuple>) {
          const bool typed = type && type->is(ir::Type::Kind::Tuple) && type->elements.size() == value.items.size();
          std::vector<c10::IValue> items;
          for (std::size_t i = 0; i < value.items.size(); ++i) {
            items.push_back(value_of(value.items[i], typed ? &type->elements[i] : nullptr));
          }
          return c10::ivalue::Tuple::create(std::move(items));
        } else if constexpr (std::is_same_v<T, ir::Constant::Dict>) {
          const bool typed = type && type->is(ir::Type::Kind::Dict);
          std::vector<std::pair<c10::IValue, c10::IValue>> items;
          for (const auto& [key, item] : value.items) {
            items.emplace_back(value_of(key, typed ? &type->elements[0] : nullptr),
                               value_of(item, typed ? &type->elements[1] : nullptr));
          }
          c10::TypePtr key_type = c10::StringType::get();
          c10::TypePtr item_type = c10::TensorType::get();
          if (typed) {
            key_type = type_of(type->elements[0]);
            item_type = type_of(type->elements[1]);
          } else if (!items.empty()) {
            key_type = items[0].first.type();
            item_type = items[0].second.type();
          }
          c10::impl::GenericDict dict(key_type, item_type);
          for (auto& [key, item] : items) dict.insert(std::move(key), std::move(item));
          return dict;
        } else {
          return value;
        }
      },
      constant.value);
}

bool convert_value(const c10::IValue& value, const std::function<bool(const at::Tensor&)>& accept, ir::Constant& out) {
  if (value.isNone()) {
    out.value = ir::Constant::None{};
  } else if (value.isBool()) {
    out.value = value.toBool();
  } else if (value.isInt()) {
    out.value = value.toInt();
  } else if (value.isDouble()) {
    out.value = value.toDouble();
  } else if (value.isComplexDouble()) {
    const c10::complex<double> number = value.toComplexDouble();
    out.value = std::complex<double>(number.real(), number.imag());
  } else if (value.isString()) {
    out.value = value.toStringRef();
  } else if (value.isDevice()) {
    out.value = ir::Constant::Device{value.toDevice().str()};
  } else if (value.isTensor()) {
    const at::Tensor& tensor = value.toTensor();
    if (!tensor.defined() || tensor.is_meta() || tensor.layout() != at::kStrided || tensor.is_quantized() ||
        !accept(tensor)) {
      return false;
    }
    const at::Tensor plain = tensor.resolve_conj().resolve_neg().contiguous();
    out.value = ir::Tensor::from_bytes(static_cast<ir::DType>(plain.scalar_type()), plain.sizes().vec(),
                                       plain.const_data_ptr(), plain.nbytes());
  } else if (value.isList()) {
    ir::Constant::List list;
    for (const c10::IValue& item : value.toList()) {
      if (!convert_value(item, accept, list.items.emplace_back())) return false;
    }
    out.value = std::move(list);
  } else if (value.isTuple()) {
    ir::Constant::Tuple tuple;
    for (const c10::IValue& item : value.toTupleRef().elements()) {
      if (!convert_value(item, accept, tuple.items.emplace_back())) return false;
    }
    out.value = std::move(tuple);
  } else if (value.isGenericDict()) {
    ir::Constant::Dict dict;
    for (const auto& entry : value.toGenericDict()) {
      auto& [key, item] = dict.items.emplace_back();
      if (!convert_value(entry.key(), accept, key) || !convert_value(entry.value(), accept, item)) return false;
    }
    out.value = std::move(dict);
  } else {
    return false;
  }
  return true;
}

}  // namespace tonnx::torch
