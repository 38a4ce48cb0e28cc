#include "torch/convert.h"

#include <algorithm>
#include <mutex>

#include <ATen/ScalarOps.h>
#include <ATen/core/class_type.h>
#include <ATen/core/enum_type.h>
#include <ATen/ops/_make_per_channel_quantized_tensor.h>
#include <ATen/ops/_make_per_tensor_quantized_tensor.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/q_per_channel_scales.h>
#include <ATen/ops/q_per_channel_zero_points.h>
#include <ATen/ops/resolve_conj.h>
#include <ATen/ops/resolve_neg.h>
#include <ATen/ops/tensor.h>
#include <c10/core/ScalarType.h>

#include "ir/device_copy.h"
#include "ir/error.h"
#include "ir/quantised_tensor.h"
#include "torch/device_storage.h"
#include "torch/tensor_bytes.h"

namespace tonnx::torch {

static_assert(static_cast<int>(c10::ScalarType::BFloat16) == static_cast<int>(ir::DType::BFloat16));
static_assert(static_cast<int>(c10::ScalarType::Float8_e4m3fnuz) == static_cast<int>(ir::DType::Float8E4M3FNUZ));
static_assert(static_cast<int>(c10::ScalarType::UInt64) == static_cast<int>(ir::DType::UInt64));

using ir::Code;
using ir::Constant;
using ir::Error;

ir::DType dtype_of(c10::ScalarType type) {
  const auto i = static_cast<std::int32_t>(type);
  if ((i >= 0 && i <= 15) || (i >= 23 && i <= 29)) return static_cast<ir::DType>(i);
  if (type == c10::ScalarType::Undefined) return ir::DType::Undefined;
  throw Error(Code::Unsupported, std::string("tensors of element type ") + c10::toString(type) + " are not supported");
}

c10::ScalarType scalar_type_of(ir::DType dtype) {
  if (dtype == ir::DType::Undefined) return c10::ScalarType::Undefined;
  if (dtype == ir::DType::String) throw Error(Code::Unsupported, "LibTorch has no tensors of strings");
  if (dtype > ir::DType::String)
    throw Error(Code::Argument, "LibTorch has no tensors of " + std::string(ir::name_of(dtype)));
  return static_cast<c10::ScalarType>(dtype);
}

std::string library_class(const c10::ClassType& type) {
  constexpr std::string_view kClasses = "__torch__.torch.classes.";
  const std::string name = type.name() ? type.name()->qualifiedName() : std::string();
  return name.starts_with(kClasses) ? name.substr(kClasses.size()) : std::string();
}

void StorageMap::set_region(const c10::StorageImpl* storage, std::shared_ptr<const ir::Storage> region) {
  storages_[storage] = std::move(region);
}

std::shared_ptr<const ir::Storage> StorageMap::of(const at::Tensor& tensor) {
  auto& found = storages_[tensor.storage().unsafeGetStorageImpl()];
  if (!found) {
    const auto owner = std::make_shared<const c10::Storage>(tensor.storage());
    found = ir::Storage::borrow(owner->data(), owner->nbytes(), owner);
  }
  return found;
}

std::shared_ptr<const ir::Storage> StorageMap::on_device(const at::Tensor& tensor) {
  if (!is_plain_tensor(tensor) || tensor.is_cpu() || tensor.is_conj() || tensor.is_neg()) return nullptr;
  auto& found = storages_[tensor.storage().unsafeGetStorageImpl()];
  if (!found) found = device_storage(tensor.storage());
  return found;
}

at::Tensor StorageMap::on_host(const at::Tensor& tensor) {
  if (!is_plain_tensor(tensor)) return tensor.cpu();
  HostCopy& found = copies_[tensor.storage().unsafeGetStorageImpl()];
  if (!found.copy) found = {tensor.storage(), host_copy_of(*tensor.storage().unsafeGetStorageImpl())};
  return over_copy(tensor, found.copy, {0, 0});
}

namespace {

ir::Tensor view_of(const at::Tensor& tensor, std::shared_ptr<const ir::Storage> storage) {
  return {dtype_of(tensor.scalar_type()), tensor.sizes().vec(), tensor.strides().vec(), tensor.storage_offset(),
          std::move(storage)};
}

ir::Quantisation quantisation_of(const at::Tensor& tensor) {
  if (tensor.qscheme() == at::kPerTensorAffine) return {{tensor.q_scale()}, {tensor.q_zero_point()}};
  const auto items = [](const at::Tensor& numbers, auto zero) {
    const at::Tensor dense = numbers.cpu().contiguous();
    const auto* first = dense.const_data_ptr<decltype(zero)>();
    return std::vector<decltype(zero)>(first, first + dense.numel());
  };
  return {items(tensor.q_per_channel_scales().to(at::kDouble), 0.0),
          items(tensor.q_per_channel_zero_points().to(at::kLong), std::int64_t{0}), tensor.q_per_channel_axis()};
}

}  // namespace

ir::Tensor to_ir(const at::Tensor& tensor) {
  StorageMap storages;
  return to_ir(tensor.defined() && !tensor.is_cpu() && !tensor.is_meta() ? tensor.detach().cpu() : tensor, storages);
}

ir::Tensor to_ir(const at::Tensor& given, StorageMap& storages) {
  if (!given.defined()) throw Error(Code::Unsupported, "an undefined tensor has no ONNX form");
  at::Tensor tensor = given.detach();
  if (tensor.is_quantized()) {
    if (tensor.qscheme() != at::kPerTensorAffine && tensor.qscheme() != at::kPerChannelAffine)
      throw Error(Code::Unsupported, "a quantised tensor with zero points that are not integers is not supported");
    if (tensor.scalar_type() != at::kQUInt8 && tensor.scalar_type() != at::kQInt8 &&
        tensor.scalar_type() != at::kQInt32)
      throw Error(Code::Unsupported, "quantised tensors of less than 8 bits are not supported");
    return ir::quantised(to_ir(tensor.int_repr(), storages), quantisation_of(tensor));
  }
  if (tensor.is_meta()) throw Error(Code::Unsupported, "a meta tensor has no data");
  if (tensor.layout() != c10::kStrided) throw Error(Code::Unsupported, "sparse tensors are not supported");
  if (tensor.is_conj()) tensor = tensor.resolve_conj();
  if (tensor.is_neg()) tensor = tensor.resolve_neg();
  if (!tensor.is_cpu()) tensor = storages.on_host(tensor);
  if (!tensor.has_storage()) throw Error(Code::Unsupported, "a tensor without a storage is not supported");
  return view_of(tensor, storages.of(tensor));
}

ir::Tensor to_ir_in_place(const at::Tensor& tensor, StorageMap& storages) {
  auto storage = storages.on_device(tensor);
  return storage ? view_of(tensor, std::move(storage)) : to_ir(tensor, storages);
}

at::Tensor to_torch(const ir::Tensor& tensor) {
  if (ir::is_quantised(tensor)) {
    const auto& [scales, zero_points, axis] = ir::quantisation_of(tensor);
    const at::Tensor integers = to_torch(ir::integers_of(tensor));
    if (!axis) return at::_make_per_tensor_quantized_tensor(integers, scales.front(), zero_points.front());
    return at::_make_per_channel_quantized_tensor(integers, at::tensor(scales, at::kDouble),
                                                  at::tensor(zero_points, at::kLong), *axis);
  }
  const auto options = at::TensorOptions().dtype(scalar_type_of(tensor.dtype)).device(c10::kCPU);
  const ir::Tensor host = tensor.on_host();
  void* data = host.numel() == 0 ? nullptr : const_cast<std::byte*>(host.data());
  return at::from_blob(data, host.dims, host.strides, [storage = host.storage](void*) {}, options);
}

at::Tensor to_torch_copy(const ir::Tensor& tensor) {
  at::Tensor borrowed = to_torch(tensor);
  if (borrowed.is_quantized()) return borrowed;  // has its own memory
  if (!borrowed.is_non_overlapping_and_dense()) return borrowed.clone(at::MemoryFormat::Contiguous);
  at::Tensor copy = at::empty_strided(borrowed.sizes(), borrowed.strides(), borrowed.options());
  copy.copy_(borrowed);
  return copy;
}

at::Tensor to_torch_copy_on_device(const ir::Tensor& tensor) {
  const at::Tensor copy = to_torch_copy(tensor);
  const std::string device = ir::device_of(tensor);
  return device.empty() ? copy : copy.to(c10::Device(device));
}

std::optional<Constant> to_ir(const c10::IValue& value) {
  StorageMap storages;
  return to_ir(value, storages);
}

namespace {

template <class Items>
std::optional<std::vector<Constant>> convert_items(const Items& items, StorageMap& storages) {
  std::vector<Constant> result;
  result.reserve(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    auto item = to_ir(static_cast<const c10::IValue&>(items[i]), storages);
    if (!item) return std::nullopt;
    result.push_back(std::move(*item));
  }
  return result;
}

// The index of a member in its enumeration.
Constant place_of(const c10::ivalue::EnumHolder& member) {
  const auto members = member.type()->enumNamesValues();
  const auto found =
      std::find_if(members.begin(), members.end(), [&](const auto& other) { return other.first == member.name(); });
  return {static_cast<std::int64_t>(found - members.begin())};
}

}  // namespace

std::optional<Constant> to_ir(const c10::IValue& value, StorageMap& storages) {
  if (value.isNone()) return Constant{Constant::None{}};
  if (value.isTensor()) {
    if (!value.toTensor().defined()) return Constant{Constant::None{}};
    return Constant{to_ir(value.toTensor(), storages)};
  }
  if (value.isBool()) return Constant{value.toBool()};
  if (value.isInt()) return Constant{value.toInt()};
  if (value.isDouble()) return Constant{value.toDouble()};
  if (value.isComplexDouble()) {
    const auto z = value.toComplexDouble();
    return Constant{std::complex<double>(z.real(), z.imag())};
  }
  if (value.isString()) return Constant{value.toStringRef()};
  if (value.isEnum()) return place_of(*value.toEnumHolder());
  if (value.isDevice()) return Constant{Constant::Device{value.toDevice().str()}};
  if (value.isList()) {
    auto items = convert_items(value.toListRef().vec(), storages);
    if (!items) return std::nullopt;
    return Constant{Constant::List{std::move(*items)}};
  }
  if (value.isTuple()) {
    const auto tuple = value.toTuple();
    auto items = convert_items(tuple->elements().vec(), storages);
    if (!items) return std::nullopt;
    Constant::Tuple result{std::move(*items), {}};
    const auto type = tuple->type<c10::TupleType>();
    if (type->schema())
      for (const auto& argument : type->schema()->arguments()) result.names.push_back(argument.name());
    return Constant{std::move(result)};
  }
  if (value.isGenericDict()) {
    Constant::Dict result;
    for (const auto& entry : value.toGenericDict()) {
      auto key = to_ir(entry.key(), storages);
      auto item = to_ir(entry.value(), storages);
      if (!key || !item) return std::nullopt;
      result.items.emplace_back(std::move(*key), std::move(*item));
    }
    return Constant{std::move(result)};
  }
  return std::nullopt;
}

namespace {

// Item type of a list or dict without a declared type.
c10::TypePtr common_type(const std::vector<Constant>& items) {
  if (items.empty()) return c10::IntType::get();
  c10::TypePtr type;
  for (const Constant& item : items) {
    c10::TypePtr next = item.get<Constant::List>() || item.get<Constant::Tuple>() || item.get<Constant::Dict>()
                            ? to_ivalue(item).type()
                        : item.get<ir::Tensor>() ? c10::TypePtr(c10::TensorType::get())
                                                 : to_ivalue(item).type();
    if (!type || *type == *next)
      type = next;
    else if (auto joined = c10::unifyTypes(type, next))
      type = *joined;
    else
      return c10::AnyType::get();
  }
  return type;
}

[[noreturn]] void mismatch(const Constant& constant, const c10::Type& type) {
  throw Error(Code::Argument,
              "a value of type " + type.annotation_str() + " is expected, not " + ir::to_string(constant));
}

at::Tensor wrapped_number(const c10::Scalar& number) {
  at::Tensor tensor = c10::scalar_to_tensor(number);
  tensor.unsafeGetTensorImpl()->set_wrapped_number(true);
  return tensor;
}

c10::IValue plain(const Constant& c) {
  if (c.is_none()) return {};
  if (const auto* b = c.get<bool>()) return *b;
  if (const auto* i = c.get<std::int64_t>()) return *i;
  if (const auto* d = c.get<double>()) return *d;
  if (const auto* z = c.get<std::complex<double>>()) return c10::complex<double>(z->real(), z->imag());
  if (const auto* s = c.get<std::string>()) return *s;
  if (const auto* t = c.get<ir::Tensor>()) return to_torch(*t);
  if (const auto* d = c.get<Constant::Device>()) return c10::Device(d->name);
  throw Error(Code::Internal, "a container is not a plain value");
}

bool is_of_one_element(const Constant& c) {
  const auto* tensor = c.get<ir::Tensor>();
  return tensor && std::ranges::all_of(tensor->dims, [](std::int64_t size) { return size == 1; });
}

c10::IValue list_of(const std::vector<Constant>& items, const c10::TypePtr& element) {
  c10::impl::GenericList list(element);
  list.reserve(items.size());
  for (const Constant& item : items) list.push_back(to_ivalue(item, element));
  return list;
}

c10::IValue dict_of(const Constant::Dict& dict, const c10::TypePtr& key, const c10::TypePtr& value) {
  c10::impl::GenericDict result(key, value);
  for (const auto& [k, v] : dict.items) result.insert(to_ivalue(k, key), to_ivalue(v, value));
  return result;
}

c10::IValue tuple_of(std::vector<c10::IValue> items, const c10::TupleTypePtr& type) {
  return type->schema() ? c10::ivalue::Tuple::createNamed(std::move(items), type)
                        : c10::ivalue::Tuple::create(std::move(items));
}

c10::IValue copy_of(const c10::IValue& value, c10::IValue::HashIdentityIValueMap& copies) {
  if (value.isTuple()) {
    std::vector<c10::IValue> items;
    for (const c10::IValue& item : value.toTupleRef().elements()) items.push_back(copy_of(item, copies));
    return tuple_like(value, std::move(items));
  }
  if (value.isList() && !value.isTensorList()) {
    const auto list = value.toList();
    c10::impl::GenericList items(list.elementType());
    for (std::size_t i = 0; i < list.size(); ++i) items.push_back(copy_of(list.get(i), copies));
    return items;
  }
  if (value.isGenericDict()) {
    const auto dict = value.toGenericDict();
    c10::impl::GenericDict items(dict.keyType(), dict.valueType());
    for (const auto& entry : dict) items.insert(entry.key(), copy_of(entry.value(), copies));
    return items;
  }
  return value.deepcopy(copies);
}

c10::IValue untyped(const Constant& c) {
  if (const auto* list = c.get<Constant::List>()) return list_of(list->items, common_type(list->items));
  if (const auto* tuple = c.get<Constant::Tuple>()) {
    std::vector<c10::IValue> items;
    for (const Constant& item : tuple->items) items.push_back(to_ivalue(item));
    return c10::ivalue::Tuple::create(std::move(items));
  }
  if (const auto* dict = c.get<Constant::Dict>()) {
    std::vector<Constant> keys, values;
    for (const auto& [k, v] : dict->items) {
      keys.push_back(k);
      values.push_back(v);
    }
    return dict_of(*dict, keys.empty() ? c10::TypePtr(c10::StringType::get()) : common_type(keys),
                   values.empty() ? c10::TypePtr(c10::TensorType::get()) : common_type(values));
  }
  return plain(c);
}

}  // namespace

c10::IValue tuple_like(const c10::IValue& like, std::vector<c10::IValue> items) {
  return tuple_of(std::move(items), like.toTuple()->type<c10::TupleType>());
}

c10::IValue copy_of(const c10::IValue& value) {
  c10::IValue::HashIdentityIValueMap copies;
  return copy_of(value, copies);
}

c10::IValue number_in(const at::Tensor& tensor, const c10::Type& type) {
  const c10::Scalar number = tensor.item();
  if (type.kind() == c10::TypeKind::BoolType || type.kind() == c10::TypeKind::SymBoolType) return number.toBool();
  if (type.kind() == c10::TypeKind::IntType || type.kind() == c10::TypeKind::SymIntType)
    return number.to<std::int64_t>();
  return number.toDouble();
}

c10::IValue to_ivalue(const Constant& c, const c10::TypePtr& type) {
  if (!type) return untyped(c);
  switch (type->kind()) {
    case c10::TypeKind::OptionalType:
      return c.is_none() ? c10::IValue() : to_ivalue(c, type->expectRef<c10::OptionalType>().getElementType());
    case c10::TypeKind::ListType: {
      const auto& element = type->expectRef<c10::ListType>().getElementType();
      if (const auto* list = c.get<Constant::List>()) return list_of(list->items, element);
      if (const auto* tuple = c.get<Constant::Tuple>()) return list_of(tuple->items, element);
      mismatch(c, *type);
    }
    case c10::TypeKind::TupleType: {
      const auto tuple_type = type->expect<c10::TupleType>();
      const auto* tuple = c.get<Constant::Tuple>();
      const auto* list = c.get<Constant::List>();
      if (!tuple && !list) mismatch(c, *type);
      const auto& items = tuple ? tuple->items : list->items;
      if (items.size() != tuple_type->elements().size()) mismatch(c, *type);
      std::vector<c10::IValue> values;
      for (std::size_t i = 0; i < items.size(); ++i) values.push_back(to_ivalue(items[i], tuple_type->elements()[i]));
      return tuple_of(std::move(values), tuple_type);
    }
    case c10::TypeKind::DictType: {
      const auto* dict = c.get<Constant::Dict>();
      if (!dict) mismatch(c, *type);
      const auto& dict_type = type->expectRef<c10::DictType>();
      return dict_of(*dict, dict_type.getKeyType(), dict_type.getValueType());
    }
    case c10::TypeKind::TensorType:
      if (c.get<ir::Tensor>()) return plain(c);
      if (const auto* b = c.get<bool>()) return wrapped_number(*b);
      if (const auto* i = c.get<std::int64_t>()) return wrapped_number(*i);
      if (const auto* d = c.get<double>()) return wrapped_number(*d);
      if (const auto* z = c.get<std::complex<double>>())
        return wrapped_number(c10::complex<double>(z->real(), z->imag()));
      if (c.is_none()) return at::Tensor();
      mismatch(c, *type);
    case c10::TypeKind::FloatType:
    case c10::TypeKind::SymFloatType:
      if (const auto* i = c.get<std::int64_t>()) return static_cast<double>(*i);
      if (const auto* d = c.get<double>()) return *d;
      if (is_of_one_element(c)) return number_in(to_torch(*c.get<ir::Tensor>()), *type);
      mismatch(c, *type);
    case c10::TypeKind::IntType:
    case c10::TypeKind::SymIntType:
      if (const auto* i = c.get<std::int64_t>()) return *i;
      if (const auto* b = c.get<bool>()) return static_cast<std::int64_t>(*b);
      if (is_of_one_element(c)) return number_in(to_torch(*c.get<ir::Tensor>()), *type);
      mismatch(c, *type);
    case c10::TypeKind::BoolType:
    case c10::TypeKind::SymBoolType:
      if (const auto* b = c.get<bool>()) return *b;
      if (is_of_one_element(c)) return number_in(to_torch(*c.get<ir::Tensor>()), *type);
      mismatch(c, *type);
    case c10::TypeKind::NumberType:
      if (c.is_number() || c.get<std::complex<double>>()) return plain(c);
      mismatch(c, *type);
    case c10::TypeKind::StringType:
      if (c.get<std::string>()) return plain(c);
      mismatch(c, *type);
    case c10::TypeKind::NoneType:
      if (c.is_none()) return {};
      mismatch(c, *type);
    case c10::TypeKind::DeviceObjType:
      if (const auto* s = c.get<std::string>()) return c10::Device(*s);
      if (c.get<Constant::Device>()) return plain(c);
      mismatch(c, *type);
    default: return untyped(c);
  }
}

ir::Type to_ir(const c10::Type& type) {
  using Kind = ir::Type::Kind;
  const auto nested = [](Kind kind, const c10::Type& t) {
    ir::Type result = ir::Type::of(kind);
    for (const auto& element : t.containedTypes()) result.elements.push_back(to_ir(*element));
    return result;
  };
  const auto named = [](Kind kind, const std::string& name) { return ir::Type{kind, {}, name}; };
  switch (type.kind()) {
    case c10::TypeKind::TensorType: return ir::Type::of(Kind::Tensor);
    case c10::TypeKind::IntType:
    case c10::TypeKind::SymIntType:
    case c10::TypeKind::EnumType:  // a member is its index
      return ir::Type::of(Kind::Int);
    case c10::TypeKind::FloatType:
    case c10::TypeKind::SymFloatType: return ir::Type::of(Kind::Float);
    case c10::TypeKind::BoolType:
    case c10::TypeKind::SymBoolType: return ir::Type::of(Kind::Bool);
    case c10::TypeKind::ComplexType: return ir::Type::of(Kind::Complex);
    case c10::TypeKind::NumberType: return ir::Type::of(Kind::Number);
    case c10::TypeKind::StringType: return ir::Type::of(Kind::String);
    case c10::TypeKind::NoneType: return ir::Type::of(Kind::None);
    case c10::TypeKind::DeviceObjType: return ir::Type::of(Kind::Device);
    case c10::TypeKind::ListType: return nested(Kind::List, type);
    case c10::TypeKind::TupleType: {
      ir::Type result = nested(Kind::Tuple, type);
      if (const auto name = type.expectRef<c10::TupleType>().name()) result.name = name->name();
      return result;
    }
    case c10::TypeKind::DictType: return nested(Kind::Dict, type);
    case c10::TypeKind::FutureType:  // forked code runs immediately
      return to_ir(*type.expectRef<c10::FutureType>().getElementType());
    case c10::TypeKind::OptionalType:
      return ir::Type{Kind::Optional, {to_ir(*type.expectRef<c10::OptionalType>().getElementType())}, {}};
    case c10::TypeKind::AnyType:
    case c10::TypeKind::VarType: return ir::Type::of(Kind::Any);
    case c10::TypeKind::ClassType:
    case c10::TypeKind::InterfaceType: {
      const auto name = type.castRaw<c10::NamedType>()->name();
      return named(Kind::Object, name ? name->qualifiedName() : std::string());
    }
    default: return named(Kind::Other, type.str());
  }
}

namespace {

std::string set_name(const std::unordered_set<c10::Symbol>& sets) {
  std::string best;  // the smallest one, so that the result does not depend on hashing
  for (const c10::Symbol& s : sets) {
    const std::string name = s.toUnqualString();
    if (best.empty() || name < best) best = name;
  }
  return best;
}

void convert_alias(const c10::AliasInfo& info, ir::Argument& argument) {
  if (info.isWildcardBefore())
    argument.alias_set = "*";
  else
    argument.alias_set = set_name(info.beforeSets());
  argument.is_write = info.isWrite();
  // Tensor(a)[]: the elements alias, not the list.
  if (argument.alias_set.empty() && !info.containedTypes().empty()) convert_alias(info.containedTypes()[0], argument);
}

ir::Argument convert_argument(const c10::Argument& argument) {
  ir::Argument result;
  result.name = argument.name();
  result.type = to_ir(*argument.type());
  if (argument.default_value()) result.default_value = to_ir(*argument.default_value());
  if (argument.alias_info()) convert_alias(*argument.alias_info(), result);
  return result;
}

}  // namespace

ir::SchemaPtr to_ir(const c10::FunctionSchema& schema) {
  static std::mutex mutex;
  static auto& cache = *new std::unordered_map<std::string, ir::SchemaPtr>();
  std::string key = schema.name() + "." + schema.overload_name();
  const std::lock_guard lock(mutex);
  auto& found = cache[key];
  // One name and overload may have two schemas if a library was unloaded and another one uses the name.
  if (found && found->arguments.size() == schema.arguments().size() && found->returns.size() == schema.returns().size())
    return found;
  ir::Schema result;
  result.name = schema.name();
  result.overload = schema.overload_name();
  result.is_vararg = schema.is_vararg();
  for (const auto& argument : schema.arguments()) result.arguments.push_back(convert_argument(argument));
  for (const auto& argument : schema.returns()) result.returns.push_back(convert_argument(argument));
  found = std::make_shared<const ir::Schema>(std::move(result));
  return found;
}

}  // namespace tonnx::torch
