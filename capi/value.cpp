#include "value.h"

#include <mutex>
#include <string_view>
#include <utility>

#include "dtype.h"
#include "guard.h"
#include "ir/complex.h"
#include "ir/function_region.h"
#include "ir/merge.h"
#include "ir/printer.h"
#include "ir/text.h"
#include "symbolic.h"
#include "tonnx/graph.h"

using tonnx::capi::answer;
using tonnx::capi::guard;
using tonnx::capi::name_of;
using tonnx::capi::onnx_dtype;
using tonnx::capi::refuse;
using tonnx::capi::require;
using tonnx::ir::Constant;

namespace {

// Guards the caches of all values. Held only briefly.
std::mutex value_caches;

const Constant* constant_of(const tonnx_value* value) { return value ? value->facts().constant.get() : nullptr; }

// ", in aten::elu(...)" for an argument of an operator.
std::string place_of(const tonnx_value& value) {
  return value.node ? ", in " + tonnx::capi::call_text(*value.node) : std::string();
}

// " (item 1 of the list)" if only some items of a list are constant.
std::string item_of(const tonnx_value& value) {
  const tonnx::ir::Node* list = value.source ? value.source->node() : nullptr;
  if (!list || !list->is("prim::ListConstruct")) return {};
  for (std::size_t i = 0; i < list->input_count(); ++i)
    if (!list->input(i)->constant()) return " (item " + std::to_string(i) + " of the list)";
  return {};
}

const Constant& need_constant(const tonnx_value& value) {
  const Constant* constant = constant_of(&value);
  if (!constant)
    refuse(name_of(value) + " is not a constant: it depends on the model's inputs" + item_of(value) + place_of(value));
  return *constant;
}

[[noreturn]] void refuse_constant(const tonnx_value& value, const Constant& constant, const std::string& wanted) {
  refuse(name_of(value) + " is not " + wanted + ": it is " + to_string(constant) + " of type " +
         to_string(*value.type()) + place_of(value));
}

// The tensor of a constant if it has one element.
const tonnx::ir::Tensor* single(const Constant& constant) {
  const auto* tensor = constant.get<tonnx::ir::Tensor>();
  return tensor && tensor->numel() == 1 ? tensor : nullptr;
}

bool is_int(const Constant& constant) {
  const auto* tensor = single(constant);
  return constant.get<std::int64_t>() || constant.get<bool>() ||
         (tensor && (tonnx::ir::is_integral(tensor->dtype) || tensor->dtype == tonnx::ir::DType::Bool));
}

bool is_real(const Constant& constant) {
  const auto* tensor = single(constant);
  return constant.is_number() || (tensor && !tonnx::ir::is_complex(tensor->dtype));
}

// The elements of a list of numbers, of a tensor, or a single number.
template <class T>
std::vector<T> numbers_of(const tonnx_value& value, const char* wanted, auto is_number, auto convert) {
  const Constant& constant = need_constant(value);
  std::vector<T> numbers;
  const auto take = [&](const Constant& item) {
    if (!is_number(item)) refuse_constant(value, constant, wanted);
    numbers.push_back(convert(item));
  };
  if (const auto* list = constant.get<Constant::List>()) {
    for (const Constant& item : list->items) take(item);
  } else if (const auto* tensor = constant.get<tonnx::ir::Tensor>(); tensor && tensor->numel() != 1) {
    const bool is_whole = tonnx::ir::is_integral(tensor->dtype) || tensor->dtype == tonnx::ir::DType::Bool;
    if (tonnx::ir::is_complex(tensor->dtype) || (std::is_integral_v<T> && !is_whole))
      refuse_constant(value, constant, wanted);
    for (std::int64_t i = 0; i < tensor->numel(); ++i) {
      if constexpr (std::is_same_v<T, double>) {
        numbers.push_back(tensor->as_double(i));
      } else {
        numbers.push_back(tensor->as_int64(i));
      }
    }
  } else {
    take(constant);
  }
  return numbers;
}

// The content of a value in its cache, which `make` fills.
template <class T>
const T& cached(std::optional<T>& cache, const auto& make) {
  const std::lock_guard lock(value_caches);
  if (!cache) cache = make();
  return *cache;
}

tonnx_kind kind_of(const tonnx::ir::Type& type) {
  using Kind = tonnx::ir::Type::Kind;
  switch (type.kind) {
    case Kind::Tensor: return TONNX_KIND_TENSOR;
    case Kind::Int: return TONNX_KIND_INT;
    case Kind::Float: return TONNX_KIND_FLOAT;
    case Kind::Bool: return TONNX_KIND_BOOL;
    case Kind::String: return TONNX_KIND_STRING;
    case Kind::None: return TONNX_KIND_NONE;
    case Kind::List: return type.is_tensor_list() ? TONNX_KIND_TENSOR_LIST : TONNX_KIND_LIST;
    case Kind::Optional: return kind_of(type.elements.at(0));
    default: return TONNX_KIND_OTHER;
  }
}

tonnx::ir::Facts facts_from(tonnx_dtype dtype, const int64_t* dims, size_t rank) {
  tonnx::ir::Facts facts;
  facts.dtype = dtype == TONNX_DTYPE_UNDEFINED ? tonnx::ir::DType::Undefined : onnx_dtype(dtype);
  facts.dims.emplace();
  if (rank > 0) require(dims, "values");
  for (size_t i = 0; i < rank; ++i) facts.dims->push_back(dims[i] < 0 ? tonnx::ir::Dim() : tonnx::ir::Dim(dims[i]));
  return facts;
}

// Adds to the known facts of a value; refuses a type that contradicts them.
void refine_type(tonnx_value& value, const tonnx::ir::Facts& given) {
  if (!value.value) refuse("the type of a value can be set only if it belongs to the graph under construction");
  if (const auto conflict = tonnx::ir::merge(value.value->facts(), given))
    refuse("the type contradicts what is known of the value: " + *conflict);
}

// Runs a getter: clears its output, and writes what `read` returns.
template <class T>
tonnx_status get(T* out, const tonnx_value* value, tonnx_error** error, T none, const auto& read) {
  if (out) *out = none;
  return guard(error, [&] {
    require(out, "out");
    require(value, "value");
    *out = read(*value);
  });
}

template <class T>
tonnx_status get_list(const T** out, size_t* count, const tonnx_value* value, tonnx_error** error, const auto& read) {
  if (out) *out = nullptr;
  if (count) *count = 0;
  return guard(error, [&] {
    require(out, "out");
    require(count, "count");
    require(value, "value");
    const auto& items = read(*value);
    *out = items.data();
    *count = items.size();
  });
}

}  // namespace

namespace tonnx::capi {

std::string call_text(const ir::Node& node) {
  const auto argument = [&](std::size_t i) {
    const ir::Value& value = *node.input(i);
    const bool is_named = node.schema() && i < node.schema()->arguments.size();
    std::string text = is_named ? node.schema()->arguments[i].name + ": " : std::string();
    text += ir::print_type(value);
    const Constant* constant = value.constant();
    return constant && !constant->get<ir::Tensor>() ? text + " = " + to_string(*constant) : text;
  };
  std::string text = node.full_name() + "(";
  for (std::size_t i = 0; i < node.input_count(); ++i) text += (i ? ", " : "") + argument(i);
  text += ") -> ";
  if (node.output_count() != 1) text += '(';
  for (std::size_t i = 0; i < node.output_count(); ++i) text += (i ? ", " : "") + ir::print_type(*node.output(i));
  return node.output_count() != 1 ? text + ")" : text;
}

std::int64_t int_of(const tonnx_value& value) {
  const Constant& constant = need_constant(value);
  if (!is_int(constant)) refuse_constant(value, constant, "an int");
  return constant.as_int64();
}

double float_of(const tonnx_value& value) {
  const Constant& constant = need_constant(value);
  if (!is_real(constant)) refuse_constant(value, constant, "a number");
  return constant.as_double();
}

bool flag_of(const tonnx_value& value) {
  const Constant& constant = need_constant(value);
  const bool* flag = constant.get<bool>();
  if (!flag) refuse_constant(value, constant, "a bool");
  return *flag;
}

const std::string& text_of(const tonnx_value& value) {
  const Constant& constant = need_constant(value);
  const auto* text = constant.get<std::string>();
  if (!text) refuse_constant(value, constant, "a string");
  return *text;
}

ir::Tensor tensor_of(const tonnx_value& value) {
  const ir::Value* known = value.value ? value.value : value.source;
  if (!value.attribute && known && known->weight()) return *known->weight();
  const Constant& constant = need_constant(value);
  if (const auto* tensor = constant.get<ir::Tensor>()) return *tensor;
  if (const auto* number = constant.get<std::int64_t>()) return ir::Tensor::scalar(ir::DType::Int64, *number);
  if (const auto* number = constant.get<double>()) return ir::Tensor::scalar(ir::DType::Float64, *number);
  if (const auto* flag = constant.get<bool>()) return ir::Tensor::scalar(ir::DType::Bool, std::int64_t{*flag});
  refuse_constant(value, constant, "a tensor");
}

const std::vector<std::int64_t>& ints_of(const tonnx_value& value) {
  return cached(value.ints, [&] {
    return numbers_of<std::int64_t>(value, "a list of ints", is_int, [](const Constant& c) { return c.as_int64(); });
  });
}

const std::vector<double>& floats_of(const tonnx_value& value) {
  return cached(value.floats, [&] {
    return numbers_of<double>(value, "a list of numbers", is_real, [](const Constant& c) { return c.as_double(); });
  });
}

const std::vector<const char*>& texts_of(const tonnx_value& value) {
  return cached(value.strings, [&] {
    const Constant& constant = need_constant(value);
    const auto* list = constant.get<Constant::List>();
    if (!list) refuse_constant(value, constant, "a list of strings");
    std::vector<const char*> texts;
    for (const Constant& item : list->items) {
      const auto* text = item.get<std::string>();
      if (!text) refuse_constant(value, constant, "a list of strings");
      texts.push_back(text->c_str());
    }
    return texts;
  });
}

}  // namespace tonnx::capi

const char* tonnx_value_name(const tonnx_value* value) {
  if (value && value->attribute) return value->attribute->name.c_str();
  const tonnx::ir::Value* known = value ? (value->source ? value->source : value->value) : nullptr;
  return known ? known->name().c_str() : "";
}

tonnx_kind tonnx_value_kind(const tonnx_value* value) {
  if (!value || tonnx_value_is_none(value)) return TONNX_KIND_NONE;
  if (value->is_list) return TONNX_KIND_TENSOR_LIST;
  if (value->attribute && value->attribute->is_type) return TONNX_KIND_TYPE;
  if (const Constant* constant = value->facts().constant.get()) {
    if (constant->get<tonnx::ir::Tensor>()) return TONNX_KIND_TENSOR;
    if (constant->get<std::int64_t>()) return TONNX_KIND_INT;
    if (constant->get<double>()) return TONNX_KIND_FLOAT;
    if (constant->get<bool>()) return TONNX_KIND_BOOL;
    if (constant->get<std::string>()) return TONNX_KIND_STRING;
  }
  const tonnx::ir::Type* type = value->type();
  return type ? kind_of(*type) : TONNX_KIND_OTHER;
}

const char* tonnx_value_type(const tonnx_value* value) {
  const tonnx::ir::Type* type = value ? value->type() : nullptr;
  if (!type) return value && value->is_list ? "Tensor[]" : "";
  return answer("", [&] {
    const std::lock_guard lock(value_caches);
    return value->texts.insert(to_string(*type)).first->c_str();
  });
}

tonnx_dtype tonnx_value_dtype(const tonnx_value* value) {
  return value ? tonnx::capi::to_c(value->facts().dtype) : TONNX_DTYPE_UNDEFINED;
}

int32_t tonnx_value_has_rank(const tonnx_value* value) { return value && value->facts().has_rank(); }

size_t tonnx_value_rank(const tonnx_value* value) {
  return tonnx_value_has_rank(value) ? value->facts().dims->size() : 0;
}

int64_t tonnx_value_dim(const tonnx_value* value, size_t axis) {
  return axis < tonnx_value_rank(value) ? (*value->facts().dims)[axis].size() : -1;
}

const char* tonnx_value_dim_symbol(const tonnx_value* value, size_t axis) {
  if (axis >= tonnx_value_rank(value)) return "";
  return answer("", [&] {
    const std::lock_guard lock(value_caches);
    return value->texts.insert((*value->facts().dims)[axis].text()).first->c_str();
  });
}

int32_t tonnx_value_requires_grad(const tonnx_value* value) {
  if (!value) return 0;
  const auto flag = [](const tonnx::ir::Node* node, const char* name, size_t index) -> int32_t {
    const auto* flags = node ? node->attribute_as<std::vector<int64_t>>(name) : nullptr;
    return flags && index < flags->size() && (*flags)[index] != 0;
  };
  if (value->node) return flag(value->node, tonnx::ir::kRequiresGrad, value->argument);
  return value->source ? flag(value->source->node(), tonnx::ir::kOutputsRequireGrad, value->source->index()) : 0;
}

int32_t tonnx_value_is_none(const tonnx_value* value) {
  if (!value) return 1;
  const Constant* constant = constant_of(value);
  return constant && constant->is_none();
}

int32_t tonnx_value_is_constant(const tonnx_value* value) { return constant_of(value) != nullptr; }

tonnx_status tonnx_value_get_int(int64_t* out, const tonnx_value* value, tonnx_error** error) {
  return get<int64_t>(out, value, error, 0, tonnx::capi::int_of);
}

tonnx_status tonnx_value_get_float(double* out, const tonnx_value* value, tonnx_error** error) {
  return get<double>(out, value, error, 0, tonnx::capi::float_of);
}

tonnx_status tonnx_value_get_bool(int32_t* out, const tonnx_value* value, tonnx_error** error) {
  return get<int32_t>(out, value, error, 0, tonnx::capi::flag_of);
}

tonnx_status tonnx_value_get_string(const char** out, const tonnx_value* value, tonnx_error** error) {
  return get<const char*>(out, value, error, "", [](const auto& v) { return tonnx::capi::text_of(v).c_str(); });
}

tonnx_status tonnx_value_get_ints(const int64_t** out, size_t* count, const tonnx_value* value, tonnx_error** error) {
  return get_list(out, count, value, error, [](const auto& v) -> const auto& { return tonnx::capi::ints_of(v); });
}

tonnx_status tonnx_value_get_floats(const double** out, size_t* count, const tonnx_value* value, tonnx_error** error) {
  return get_list(out, count, value, error, [](const auto& v) -> const auto& { return tonnx::capi::floats_of(v); });
}

tonnx_status tonnx_value_get_strings(const char* const** out, size_t* count, const tonnx_value* value,
                                     tonnx_error** error) {
  return get_list(out, count, value, error, [](const auto& v) -> const auto& { return tonnx::capi::texts_of(v); });
}

tonnx_status tonnx_value_get_tensor(tonnx_tensor** out, const tonnx_value* value, tonnx_error** error) {
  return get<tonnx_tensor*>(out, value, error, nullptr,
                            [](const auto& v) { return new tonnx_tensor(tonnx::capi::tensor_of(v)); });
}

tonnx_status tonnx_value_get_list(tonnx_value* const** out, size_t* count, const tonnx_value* value,
                                  tonnx_error** error) {
  return get_list(out, count, value, error, [](const tonnx_value& v) -> const auto& {
    if (!v.is_list && !(v.type() && v.type()->without_optional().is_tensor_list()))
      refuse(name_of(v) + " is not a list of tensors" + place_of(v));
    if (v.walk && !v.attribute) refuse("the items of a list are known only in a symbolic");
    return v.list;
  });
}

tonnx_status tonnx_value_set_type(tonnx_value* value, tonnx_dtype dtype, const int64_t* dims, size_t rank,
                                  tonnx_error** error) {
  return guard(error, [&] {
    require(value, "value");
    refine_type(*value, facts_from(dtype, dims, rank));
  });
}

tonnx_status tonnx_value_copy_type(tonnx_value* value, const tonnx_value* from, tonnx_error** error) {
  return guard(error, [&] {
    require(value, "value");
    require(from, "from");
    refine_type(*value, tonnx::ir::with_parts(from->facts()));
  });
}
