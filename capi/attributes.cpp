#include <algorithm>
#include <string_view>

#include "dtype.h"
#include "guard.h"
#include "tonnx/graph.h"
#include "value.h"

using tonnx::capi::guard;
using tonnx::capi::onnx_dtype;
using tonnx::capi::refuse;
using tonnx::capi::require;
using tonnx::ir::Constant;

namespace {

void check_name(const tonnx_attributes* attributes, const char* name) {
  require(attributes, "attributes");
  require(name, "name");
  if (!*name) refuse("an attribute name is empty");
}

void store(tonnx_attributes& attributes, const std::string& name, tonnx::ir::Attribute value) {
  std::erase_if(attributes.graphs, [&](const auto& known) { return known.first == name; });
  for (auto& known : attributes.attributes) {
    if (known.name != name) continue;
    known.value = std::move(value);
    return;
  }
  attributes.attributes.push_back({name, std::move(value)});
}

tonnx_status set(tonnx_attributes* attributes, const char* name, tonnx_error** error, const auto& make) {
  return guard(error, [&] {
    check_name(attributes, name);
    store(*attributes, name, make());
  });
}

// "dims" and "i" of "dims_i".
std::pair<std::string, std::string_view> split_suffix(std::string_view name) {
  const std::size_t at = name.rfind('_');
  const std::string_view suffix = at == std::string_view::npos ? std::string_view() : name.substr(at + 1);
  const std::string_view known[] = {"i", "f", "s", "t", "z", "ty"};
  if (suffix == "g") refuse("'" + std::string(name) + "': a graph is set by tonnx_attributes_set_graph");
  if (at == 0 || std::ranges::find(known, suffix) == std::end(known))
    refuse("the attribute name '" + std::string(name) +
           "' must end with its kind, _i, _f, _s, _t, _z or _ty, as in 'dim_i' or 'dims_i'");
  return {std::string(name.substr(0, at)), suffix};
}

tonnx::ir::TypeAttribute type_of(const tonnx_value& value) {
  const tonnx::ir::Facts& facts = value.facts();
  const tonnx::ir::Type* type = value.type();
  tonnx::ir::TypeAttribute made{onnx_dtype(tonnx::capi::to_c(facts.dtype)), {}, facts.has_rank(), false};
  made.is_sequence = type && type->is(tonnx::ir::Type::Kind::List);
  if (facts.has_rank())
    for (const tonnx::ir::Dim& dim : *facts.dims) made.dims.push_back(dim.size());
  return made;
}

const Constant::List* list_of(const tonnx_value& value) {
  const auto& constant = value.facts().constant;
  return constant ? constant->get<Constant::List>() : nullptr;
}

// True for a list, and for a tensor of several dimensions.
bool is_plural(const tonnx_value& value) {
  const auto kind = tonnx_value_kind(&value);
  return list_of(value) || kind == TONNX_KIND_LIST || (kind == TONNX_KIND_TENSOR && tonnx_value_rank(&value) > 0);
}

tonnx::ir::Attribute attribute_of(const tonnx_value& value, std::string_view suffix) {
  using namespace tonnx::capi;
  if (suffix == "ty") return type_of(value);
  if (suffix == "t" || suffix == "z") {
    const Constant::List* list = list_of(value);
    if (!value.is_list && (!list || !list->items.empty())) return tensor_of(value);
    std::vector<tonnx::ir::Tensor> tensors;
    for (const tonnx_value* item : value.list) {
      if (!item) refuse("an item of the list is None");
      tensors.push_back(tensor_of(*item));
    }
    return tensors;
  }
  const bool plural = is_plural(value);
  if (suffix == "i") return plural ? tonnx::ir::Attribute(ints_of(value)) : tonnx::ir::Attribute(int_of(value));
  if (suffix == "f") return plural ? tonnx::ir::Attribute(floats_of(value)) : tonnx::ir::Attribute(float_of(value));
  if (!plural) return text_of(value);
  const std::vector<const char*>& texts = texts_of(value);
  return std::vector<std::string>(texts.begin(), texts.end());
}

template <class T>
std::vector<T> copy(const T* values, size_t count) {
  if (count > 0) require(values, "values");
  return std::vector<T>(values, values + count);
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

tonnx_status tonnx_attributes_set_suffixed(tonnx_attributes* attributes, const char* suffixed_name,
                                           const tonnx_value* value, tonnx_error** error) {
  return guard(error, [&] {
    check_name(attributes, suffixed_name);
    const auto [name, suffix] = split_suffix(suffixed_name);
    if (tonnx_value_is_none(value)) return;
    store(*attributes, name, attribute_of(*value, suffix));
  });
}

void tonnx_attributes_free(tonnx_attributes* attributes) { tonnx::capi::destroy(attributes); }
