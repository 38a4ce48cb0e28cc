#include "tonnx/graph.h"

#include <mutex>
#include <string_view>

#include "dtype.h"
#include "guard.h"
#include "ir/complex.h"
#include "ir/function_region.h"
#include "ir/merge.h"
#include "subgraph.h"
#include "symbolic.h"
#include "walk.h"

using tonnx::capi::answer;
using tonnx::capi::as_callers;
using tonnx::capi::as_tensor;
using tonnx::capi::guard;
using tonnx::capi::in_graph;
using tonnx::capi::name_of;
using tonnx::capi::refuse;
using tonnx::capi::require;
using tonnx::capi::require_open;
using tonnx::capi::wrap;
using tonnx::ir::Constant;
using tonnx::ir::DType;

namespace {

void check_name(const tonnx_attributes* attributes, const char* name) {
  require(attributes, "attributes");
  require(name, "name");
  if (!*name) refuse("an attribute name is empty");
}

tonnx_status set(tonnx_attributes* attributes, const char* name, tonnx_error** error, const auto& make) {
  return guard(error, [&] {
    check_name(attributes, name);
    tonnx::ir::Attribute value = make();
    std::erase_if(attributes->graphs, [&](const auto& known) { return known.first == name; });
    for (auto& known : attributes->attributes) {
      if (known.name != name) continue;
      known.value = std::move(value);
      return;
    }
    attributes->attributes.push_back({name, std::move(value)});
  });
}

template <class T>
std::vector<T> copy(const T* values, size_t count) {
  if (count > 0) require(values, "values");
  return std::vector<T>(values, values + count);
}

// Returns a dtype that ONNX has; refuses others.
DType onnx_dtype(tonnx_dtype dtype) {
  const auto type = tonnx::capi::from_c(dtype);
  if (tonnx::ir::onnx_type(type) == 0) refuse("ONNX has no dtype " + std::to_string(dtype));
  return type;
}

tonnx::ir::Facts facts_from(tonnx_dtype dtype, const int64_t* dims, size_t rank) {
  tonnx::ir::Facts facts;
  facts.dtype = dtype == TONNX_DTYPE_UNDEFINED ? DType::Undefined : onnx_dtype(dtype);
  facts.dims.emplace();
  for (const std::int64_t d : copy(dims, rank)) facts.dims->push_back(d < 0 ? tonnx::ir::Dim() : tonnx::ir::Dim(d));
  return facts;
}

}  // namespace

tonnx_status tonnx_attributes_new(tonnx_attributes** out, tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, [&] {
    require(out, "out");
    *out = new tonnx_attributes;
  });
}

tonnx_status tonnx_attributes_set_int(tonnx_attributes* attributes, const char* name, int64_t value,
                                      tonnx_error** error) {
  return set(attributes, name, error, [&] { return std::int64_t{value}; });
}

tonnx_status tonnx_attributes_set_float(tonnx_attributes* attributes, const char* name, double value,
                                        tonnx_error** error) {
  return set(attributes, name, error, [&] { return value; });
}

tonnx_status tonnx_attributes_set_string(tonnx_attributes* attributes, const char* name, const char* value,
                                         tonnx_error** error) {
  return set(attributes, name, error, [&] {
    require(value, "value");
    return std::string(value);
  });
}

tonnx_status tonnx_attributes_set_tensor(tonnx_attributes* attributes, const char* name, const tonnx_tensor* value,
                                         tonnx_error** error) {
  return set(attributes, name, error, [&] {
    require(value, "value");
    return value->tensor;
  });
}

tonnx_status tonnx_attributes_set_ints(tonnx_attributes* attributes, const char* name, const int64_t* values,
                                       size_t count, tonnx_error** error) {
  return set(attributes, name, error, [&] { return copy(values, count); });
}

tonnx_status tonnx_attributes_set_floats(tonnx_attributes* attributes, const char* name, const double* values,
                                         size_t count, tonnx_error** error) {
  return set(attributes, name, error, [&] { return copy(values, count); });
}

tonnx_status tonnx_attributes_set_strings(tonnx_attributes* attributes, const char* name, const char* const* values,
                                          size_t count, tonnx_error** error) {
  return set(attributes, name, error, [&] {
    std::vector<std::string> texts;
    for (const char* text : copy(values, count)) {
      require(text, "values");
      texts.emplace_back(text);
    }
    return texts;
  });
}

tonnx_status tonnx_attributes_set_tensors(tonnx_attributes* attributes, const char* name,
                                          const tonnx_tensor* const* values, size_t count, tonnx_error** error) {
  return set(attributes, name, error, [&] {
    std::vector<tonnx::ir::Tensor> tensors;
    for (const tonnx_tensor* tensor : copy(values, count)) {
      require(tensor, "values");
      tensors.push_back(tensor->tensor);
    }
    return tensors;
  });
}

tonnx_status tonnx_attributes_set_type(tonnx_attributes* attributes, const char* name, tonnx_dtype dtype,
                                       const int64_t* dims, size_t rank, tonnx_error** error) {
  return set(attributes, name, error,
             [&] { return tonnx::ir::TypeAttribute{onnx_dtype(dtype), copy(dims, rank), true, false}; });
}

tonnx_status tonnx_attributes_set_graph(tonnx_attributes* attributes, const char* name, tonnx_graph* graph,
                                        tonnx_error** error) {
  return guard(error, [&] {
    check_name(attributes, name);
    require(graph, "graph");
    if (!graph->parent) refuse("the graph is not a sub-graph (tonnx_graph_add_subgraph)");
    if (!graph->root) refuse("the symbolic of the sub-graph has returned");
    std::erase_if(attributes->attributes, [&](const auto& known) { return known.name == name; });
    std::erase_if(attributes->graphs, [&](const auto& known) { return known.first == name; });
    attributes->graphs.emplace_back(name, graph->shared_from_this());
  });
}

void tonnx_attributes_free(tonnx_attributes* attributes) { tonnx::capi::destroy(attributes); }

tonnx_status tonnx_graph_op(tonnx_value** outputs, size_t output_count, tonnx_graph* graph, const char* name,
                            tonnx_value* const* inputs, size_t input_count, const tonnx_attributes* attributes,
                            tonnx_error** error) {
  for (size_t i = 0; outputs && i < output_count; ++i) outputs[i] = nullptr;
  return guard(error, [&] {
    require_open(graph);
    require(name, "name");
    const std::string_view text = name;
    if (text.empty() || text.starts_with("::") || text.ends_with("::"))
      refuse("'" + std::string(text) + "' is not an operator name: write Op or domain::Op");
    if (output_count == 0) refuse("a node needs at least one output");
    require(outputs, "outputs");
    if (input_count > 0) require(inputs, "inputs");
    tonnx::lower::Values values;
    for (size_t i = 0; i < input_count; ++i)
      values.push_back(inputs[i] && !tonnx_value_is_none(inputs[i]) ? as_tensor(*graph, *inputs[i]) : nullptr);
    const tonnx_attributes none;
    const tonnx::lower::Attributes& given = (attributes ? attributes : &none)->attributes;
    const std::vector<tonnx_graph*> bodies = tonnx::capi::bodies_of(*graph, text, attributes ? *attributes : none);
    const auto made = as_callers([&] {
      return in_graph(*graph, [&](tonnx::lower::Builder& builder) {
        if (bodies.empty()) return builder.op(name, values, given, output_count);
        std::vector<tonnx::ir::Block*> blocks;
        for (const tonnx_graph* body : bodies) blocks.push_back(body->block);
        // From here on the node owns them, also if ONNX refuses it.
        for (tonnx_graph* body : bodies) tonnx::capi::release(*body, text);
        return builder.op(tonnx::capi::without_domain(text), values, given, blocks, output_count);
      });
    });
    for (size_t i = 0; i < output_count; ++i) outputs[i] = wrap(*graph, made[i]);
  });
}

tonnx_status tonnx_graph_constant(tonnx_value** out, tonnx_graph* graph, const tonnx_tensor* tensor,
                                  tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, [&] {
    require(out, "out");
    require_open(graph);
    require(tensor, "tensor");
    *out = wrap(*graph, in_graph(*graph, [&](auto& builder) { return builder.constant(tensor->tensor); }));
  });
}

tonnx_status tonnx_graph_cast(tonnx_value** out, tonnx_graph* graph, tonnx_value* value, tonnx_dtype dtype,
                              tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, [&] {
    require(out, "out");
    require_open(graph);
    require(value, "value");
    tonnx::ir::Value* given = as_tensor(*graph, *value);
    *out = wrap(*graph, as_callers([&] {
      return in_graph(*graph, [&](auto& builder) { return builder.cast(given, onnx_dtype(dtype)); });
    }));
  });
}

int32_t tonnx_graph_opset(const tonnx_graph* graph) {
  if (graph && graph->walk) return graph->walk->opset();
  return graph && graph->root ? graph->op->opset() : 0;
}

int32_t tonnx_graph_is_training(const tonnx_graph* graph) { return graph && graph->root && graph->op->training(); }

tonnx_status tonnx_graph_return(tonnx_graph* graph, tonnx_value* const* values, size_t count, tonnx_error** error) {
  return guard(error, [&] {
    require_open(graph);
    if (count > 0) require(values, "values");
    if (graph->parent) {
      tonnx::capi::set_results(*graph, {values, count});
      return;
    }
    // Checked here so that a wrong result is reported as a failure of the symbolic, with its operator.
    for (size_t i = 0; i < count; ++i)
      if (values[i]) as_tensor(*graph, *values[i]);
    graph->results.assign(values, values + count);
    graph->returned = true;
  });
}

void tonnx_graph_fail(tonnx_graph* graph, const char* message, void* cause, tonnx_destroy_fn destroy) {
  tonnx::capi::answer(0, [&] {
    std::shared_ptr<void> owned = tonnx::capi::own_cause(cause, destroy);
    if (!graph || !graph->root) return 0;
    graph = graph->root;
    graph->failure = message && *message ? message : "it reported no reason";
    graph->cause = std::move(owned);
    return 0;
  });
}

const char* tonnx_value_name(const tonnx_value* value) {
  if (value && value->attribute) return value->attribute->name.c_str();
  const tonnx::ir::Value* known = value ? (value->source ? value->source : value->value) : nullptr;
  return known ? known->name().c_str() : "";
}

namespace {

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

}  // namespace

tonnx_kind tonnx_value_kind(const tonnx_value* value) {
  if (!value || tonnx_value_is_none(value)) return TONNX_KIND_NONE;
  if (value->is_list) return TONNX_KIND_TENSOR_LIST;
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

namespace {

// Guards the caches of all values. Held only briefly.
std::mutex value_caches;

}  // namespace

const char* tonnx_value_dim_symbol(const tonnx_value* value, size_t axis) {
  if (axis >= tonnx_value_rank(value)) return "";
  return answer("", [&] {
    const std::lock_guard lock(value_caches);
    return value->texts.insert((*value->facts().dims)[axis].text()).first->c_str();
  });
}

const char* tonnx_value_type(const tonnx_value* value) {
  const tonnx::ir::Type* type = value ? value->type() : nullptr;
  if (!type) return value && value->is_list ? "Tensor[]" : "";
  return answer("", [&] {
    const std::lock_guard lock(value_caches);
    return value->texts.insert(to_string(*type)).first->c_str();
  });
}

namespace {

const Constant* constant_of(const tonnx_value* value) { return value ? value->facts().constant.get() : nullptr; }

const Constant& need_constant(const tonnx_value* value) {
  require(value, "value");
  const Constant* constant = constant_of(value);
  if (!constant) refuse(name_of(*value) + " is not a constant: it depends on the model's inputs");
  return *constant;
}

[[noreturn]] void refuse_constant(const tonnx_value& value, const Constant& constant, const std::string& wanted) {
  refuse(name_of(value) + " is not " + wanted + ": it is " + to_string(constant) + " of type " +
         to_string(*value.type()));
}

// The elements of a list of numbers, or of an integer or floating tensor.
template <class T>
std::vector<T> numbers_of(const tonnx_value& value, const Constant& constant, auto convert) {
  std::vector<T> numbers;
  if (const auto* list = constant.get<Constant::List>()) {
    for (const Constant& item : list->items) {
      if (!item.is_number()) refuse_constant(value, constant, "a list of numbers");
      numbers.push_back(convert(item));
    }
    return numbers;
  }
  if (const auto* tensor = constant.get<tonnx::ir::Tensor>(); tensor && !tonnx::ir::is_complex(tensor->dtype)) {
    for (std::int64_t i = 0; i < tensor->numel(); ++i) {
      if constexpr (std::is_same_v<T, double>) {
        numbers.push_back(tensor->as_double(i));
      } else {
        numbers.push_back(tensor->as_int64(i));
      }
    }
    return numbers;
  }
  refuse_constant(value, constant, "a list of numbers");
}

template <class T>
void get_numbers(const T** out, size_t* count, const tonnx_value* value, auto kept, auto convert) {
  require(out, "out");
  require(count, "count");
  const Constant& constant = need_constant(value);
  const std::lock_guard lock(value_caches);
  std::optional<std::vector<T>>& numbers = kept();
  if (!numbers) numbers = numbers_of<T>(*value, constant, convert);
  *out = numbers->data();
  *count = numbers->size();
}

}  // namespace

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
  if (out) *out = 0;
  return guard(error, [&] {
    require(out, "out");
    const Constant& constant = need_constant(value);
    const auto* tensor = constant.get<tonnx::ir::Tensor>();
    if (constant.get<double>() || (!constant.is_number() && !(tensor && tensor->numel() == 1)))
      refuse_constant(*value, constant, "an int");
    *out = constant.as_int64();
  });
}

tonnx_status tonnx_value_get_float(double* out, const tonnx_value* value, tonnx_error** error) {
  if (out) *out = 0;
  return guard(error, [&] {
    require(out, "out");
    const Constant& constant = need_constant(value);
    const auto* tensor = constant.get<tonnx::ir::Tensor>();
    if (!constant.is_number() && !(tensor && tensor->numel() == 1)) refuse_constant(*value, constant, "a number");
    *out = constant.as_double();
  });
}

tonnx_status tonnx_value_get_bool(int32_t* out, const tonnx_value* value, tonnx_error** error) {
  if (out) *out = 0;
  return guard(error, [&] {
    require(out, "out");
    const Constant& constant = need_constant(value);
    const bool* flag = constant.get<bool>();
    if (!flag) refuse_constant(*value, constant, "a bool");
    *out = *flag;
  });
}

tonnx_status tonnx_value_get_string(const char** out, const tonnx_value* value, tonnx_error** error) {
  if (out) *out = "";
  return guard(error, [&] {
    require(out, "out");
    const Constant& constant = need_constant(value);
    const auto* text = constant.get<std::string>();
    if (!text) refuse_constant(*value, constant, "a string");
    *out = text->c_str();
  });
}

tonnx_status tonnx_value_get_ints(const int64_t** out, size_t* count, const tonnx_value* value, tonnx_error** error) {
  if (out) *out = nullptr;
  if (count) *count = 0;
  return guard(error, [&] {
    get_numbers(
        out, count, value, [&]() -> auto& { return value->ints; }, [](const Constant& c) { return c.as_int64(); });
  });
}

tonnx_status tonnx_value_get_floats(const double** out, size_t* count, const tonnx_value* value, tonnx_error** error) {
  if (out) *out = nullptr;
  if (count) *count = 0;
  return guard(error, [&] {
    get_numbers(
        out, count, value, [&]() -> auto& { return value->floats; }, [](const Constant& c) { return c.as_double(); });
  });
}

tonnx_status tonnx_value_get_strings(const char* const** out, size_t* count, const tonnx_value* value,
                                     tonnx_error** error) {
  if (out) *out = nullptr;
  if (count) *count = 0;
  return guard(error, [&] {
    require(out, "out");
    require(count, "count");
    const Constant& constant = need_constant(value);
    const auto* list = constant.get<Constant::List>();
    if (!list) refuse_constant(*value, constant, "a list of strings");
    const std::lock_guard lock(value_caches);
    if (!value->strings) {
      std::vector<const char*> texts;
      for (const Constant& item : list->items) {
        const auto* text = item.get<std::string>();
        if (!text) refuse_constant(*value, constant, "a list of strings");
        texts.push_back(text->c_str());
      }
      value->strings = std::move(texts);
    }
    *out = value->strings->data();
    *count = value->strings->size();
  });
}

tonnx_status tonnx_value_get_tensor(tonnx_tensor** out, const tonnx_value* value, tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, [&] {
    require(out, "out");
    require(value, "value");
    const tonnx::ir::Value* known = value->value ? value->value : value->source;
    if (known && known->weight()) {
      *out = new tonnx_tensor(*known->weight());
      return;
    }
    const Constant& constant = need_constant(value);
    const auto* tensor = constant.get<tonnx::ir::Tensor>();
    if (!tensor) refuse_constant(*value, constant, "a tensor");
    *out = new tonnx_tensor(*tensor);
  });
}

tonnx_status tonnx_value_get_list(tonnx_value* const** out, size_t* count, const tonnx_value* value,
                                  tonnx_error** error) {
  if (out) *out = nullptr;
  if (count) *count = 0;
  return guard(error, [&] {
    require(out, "out");
    require(count, "count");
    require(value, "value");
    if (!value->is_list && !(value->type() && value->type()->without_optional().is_tensor_list()))
      refuse(name_of(*value) + " is not a list of tensors");
    if (value->walk && !value->attribute) refuse("the items of a list are known only in a symbolic");
    *out = value->list.data();
    *count = value->list.size();
  });
}

namespace {

// Adds to the known facts of a value; refuses a type that contradicts them.
void refine_type(tonnx_value& value, const tonnx::ir::Facts& given) {
  if (!value.value) refuse("the type of a value can be set only if it belongs to the graph under construction");
  if (const auto conflict = tonnx::ir::merge(value.value->facts(), given))
    refuse("the type contradicts what is known of the value: " + *conflict);
}

}  // namespace

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
