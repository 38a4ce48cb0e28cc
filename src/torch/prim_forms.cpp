#include "torch/prim_forms.h"

#include <algorithm>
#include <sstream>
#include <unordered_map>

#include <ATen/core/jit_type.h>
#include <ATen/ops/scalar_tensor.h>
#include <torch/csrc/jit/frontend/function_schema_parser.h>

#include "aten/traits.h"
#include "torch/evaluator_values.h"

namespace tonnx::torch {
namespace {

using Inputs = c10::ArrayRef<c10::IValue>;
using Outputs = std::vector<c10::IValue>;

bool constant(const ir::Node& node, Inputs, Outputs& out) {
  const ir::Value* value = node.output();
  if (!value->constant()) return false;
  out.push_back(value_of(*value->constant(), &value->type()));
  return true;
}

bool list_construct(const ir::Node& node, Inputs in, Outputs& out) {
  const ir::Type& type = node.output()->type();
  c10::TypePtr element;
  if (type.is(ir::Type::Kind::List)) {
    element = type_of(type.elements.at(0));
  } else {
    element = in.empty() ? c10::TypePtr(c10::TensorType::get()) : in[0].type();
  }
  c10::impl::GenericList list(element);
  list.reserve(in.size());
  for (const c10::IValue& item : in) list.push_back(item);
  out.emplace_back(std::move(list));
  return true;
}

bool tuple_construct(const ir::Node&, Inputs in, Outputs& out) {
  out.emplace_back(c10::ivalue::Tuple::create(in.vec()));
  return true;
}

bool dict_construct(const ir::Node& node, Inputs in, Outputs& out) {
  const ir::Type& type = node.output()->type();
  const bool typed = type.is(ir::Type::Kind::Dict);
  if (!typed && in.empty()) return false;
  c10::impl::GenericDict dict(typed ? type_of(type.elements.at(0)) : in[0].type(),
                              typed ? type_of(type.elements.at(1)) : in[1].type());
  for (std::size_t i = 0; i + 1 < in.size(); i += 2) dict.insert_or_assign(in[i], in[i + 1]);
  out.emplace_back(std::move(dict));
  return true;
}

bool list_unpack(const ir::Node& node, Inputs in, Outputs& out) {
  const auto list = in[0].toList();
  TORCH_CHECK(list.size() == node.output_count(), "Expected ", node.output_count(), " elements in a list but found ",
              list.size());
  for (const c10::IValue& item : list) out.push_back(item);
  return true;
}

bool tuple_unpack(const ir::Node&, Inputs in, Outputs& out) {
  for (const c10::IValue& item : in[0].toTupleRef().elements()) out.push_back(item);
  return true;
}

bool tuple_index(const ir::Node&, Inputs in, Outputs& out) {
  const auto& items = in[0].toTupleRef().elements();
  const auto count = static_cast<std::int64_t>(items.size());
  const std::int64_t index = in[1].toInt();
  TORCH_CHECK_INDEX(index >= -count && index < count, "Tuple index out of range");
  out.push_back(items[static_cast<std::size_t>(index < 0 ? index + count : index)]);
  return true;
}

bool tuple_slice(const ir::Node& node, Inputs in, Outputs& out) {
  const auto* begin = node.attribute_as<std::int64_t>("beg");
  const auto* end = node.attribute_as<std::int64_t>("end");
  const auto& items = in[0].toTupleRef().elements();
  const auto count = static_cast<std::int64_t>(items.size());
  if (!begin || !end || *begin < 0 || *end > count || *begin > *end) return false;
  std::vector<c10::IValue> part;
  for (std::int64_t i = *begin; i < *end; ++i) part.push_back(items[static_cast<std::size_t>(i)]);
  out.emplace_back(c10::ivalue::Tuple::create(std::move(part)));
  return true;
}

bool same(const ir::Node&, Inputs in, Outputs& out) {
  out.push_back(in[0]);
  return true;
}

bool unwrap_optional(const ir::Node&, Inputs in, Outputs& out) {
  TORCH_CHECK(!in[0].isNone(), "Unwrapping null optional");
  out.push_back(in[0]);
  return true;
}

bool number_to_tensor(const ir::Node&, Inputs in, Outputs& out) {
  if (!in[0].isScalar()) return false;
  const at::Scalar number = in[0].toScalar();
  out.emplace_back(at::scalar_tensor(number, at::device(at::kCPU).dtype(number.type())));
  return true;
}

bool nothing(const ir::Node& node, Inputs, Outputs&) { return node.output_count() == 0; }

bool yes(const ir::Node&, Inputs, Outputs& out) {
  out.emplace_back(true);
  return true;
}

bool no(const ir::Node&, Inputs, Outputs& out) {
  out.emplace_back(false);
  return true;
}

bool none(const ir::Node&, Inputs, Outputs& out) {
  out.emplace_back();
  return true;
}

bool device(const ir::Node&, Inputs, Outputs& out) {
  out.emplace_back(c10::Device(c10::kCPU));
  return true;
}

// For results computed from weights that require gradients.
bool requires_grad(const ir::Node&, Inputs in, Outputs& out) {
  const at::Tensor& tensor = in[0].toTensor();
  out.emplace_back(tensor.is_floating_point() || tensor.is_complex());
  return true;
}

// Null if the type is not a value type here.
c10::TypePtr parse_type(const std::string& name) {
  try {
    return ::torch::jit::parseSchema("f(" + name + " x) -> ()").arguments().at(0).type();
  } catch (const c10::Error&) {
    return nullptr;
  }
}

// Attribute "types" as in schemas: "int[]", "Tensor", "str?".
bool is_instance(const ir::Node& node, Inputs in, Outputs& out) {
  const auto* names = node.attribute_as<std::vector<std::string>>("types");
  if (!names) return false;
  bool found = false;
  for (const std::string& name : *names) {
    const c10::TypePtr type = parse_type(name);
    if (!type) return false;
    found = found || in[0].type()->isSubtypeOf(*type);
  }
  out.emplace_back(found);
  return true;
}

// The numbers of a tensor with known content, in nested lists as in the result's type.
c10::IValue numbers_of(const at::Tensor& tensor, const c10::TypePtr& type) {
  if (const auto list = type->cast<c10::ListType>()) {
    c10::impl::GenericList result(list->getElementType());
    for (const at::Tensor& item : tensor.unbind(0)) result.push_back(numbers_of(item, list->getElementType()));
    return result;
  }
  return tensor.item();
}

bool to_list(const ir::Node& node, Inputs in, Outputs& out) {
  const at::Tensor& tensor = in[0].toTensor();
  const c10::TypePtr type = tensor.is_cpu() ? parse_type(ir::to_string(node.output()->type())) : nullptr;
  if (!type) return false;
  out.push_back(numbers_of(tensor, type));
  return true;
}

bool prints_tensor(const c10::IValue& value) {
  bool found = false;
  value.visit([&](const c10::IValue& inner) { return found = found || inner.isTensor(); });
  return found;
}

// A string that contains elements of a tensor is unknown here.
bool format(const ir::Node&, Inputs in, Outputs& out) {
  if (in.empty() || !in[0].isString()) return false;
  if (std::any_of(in.begin(), in.end(), prints_tensor)) return true;
  const std::string& pattern = in[0].toStringRef();
  std::ostringstream text;
  std::size_t next = 1;
  std::size_t begin = 0;
  for (std::size_t at = pattern.find("{}"); at != std::string::npos; at = pattern.find("{}", begin)) {
    TORCH_CHECK(next < in.size(), "Too few arguments for format string: ", pattern);
    text << pattern.substr(begin, at - begin) << in[next++];
    begin = at + 2;
  }
  text << pattern.substr(begin);
  out.emplace_back(text.str());
  return true;
}

// Same for other operators that create strings; without tensors LibTorch computes them.
bool unknown_text(const ir::Node&, Inputs in, Outputs&) { return std::any_of(in.begin(), in.end(), prints_tensor); }

// LibTorch does not initialise memory that it adds.
bool checked_resize(const ir::Node&, Inputs in, Outputs&) {
  const std::int64_t held = in[0].toTensor().numel();
  const std::int64_t wanted = in[1].isTensor() ? in[1].toTensor().numel() : c10::multiply_integers(in[1].toIntVector());
  TORCH_CHECK(wanted <= held, "a tensor of ", held, " elements is resized to ", wanted,
              "; the new elements are undefined");
  return false;
}

}  // namespace

PrimForm find_prim_form(std::string_view kind) {
  static const auto* forms = new std::unordered_map<std::string_view, PrimForm>{
      {"prim::Constant", constant},
      {"prim::ListConstruct", list_construct},
      {"prim::TupleConstruct", tuple_construct},
      {"prim::DictConstruct", dict_construct},
      {"prim::ListUnpack", list_unpack},
      {"prim::TupleUnpack", tuple_unpack},
      {"prim::TupleIndex", tuple_index},
      {"prim::TupleSlice", tuple_slice},
      {"prim::NumToTensor", number_to_tensor},
      {"aten::_unwrap_optional", unwrap_optional},
      {"prim::data", same},
      {"prim::tolist", to_list},
      {"prim::Print", nothing},
      {"prim::RaiseException", nothing},
      {"aten::_resize_output", checked_resize},
      {"aten::resize", checked_resize},
      {"aten::resize_as", checked_resize},
      {"aten::warn", nothing},
      {"aten::format", format},
      {"aten::str", unknown_text},
      {"aten::percentFormat", unknown_text},
      {"prim::device", device},
      {"prim::requires_grad", requires_grad},
      {"aten::requires_grad_", same},
      {"prim::grad", none},
      {"prim::isinstance", is_instance},
      {"aten::cpu", same},
      {"aten::cuda", same},
      {"aten::pin_memory", same},
  };
  if (const auto found = forms->find(kind); found != forms->end()) return found->second;
  const aten::Traits& traits = aten::traits_of(kind);
  if (traits.passes) return same;
  if (traits.answer == aten::Answer::No) return no;
  return traits.answer == aten::Answer::Yes ? yes : nullptr;
}

}  // namespace tonnx::torch
