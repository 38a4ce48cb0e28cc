#include "guard.h"
#include "lower/built_in_call.h"
#include "symbolic.h"
#include "tonnx/graph.h"

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
using tonnx::lower::CallArgument;
using tonnx::lower::Lowered;

namespace {

void require_torch_dtype(tonnx::ir::DType dtype) {
  if (dtype >= tonnx::ir::DType::String)
    refuse("LibTorch has no tensors of " + std::string(tonnx::ir::name_of(dtype)) + "; cast the argument first");
}

CallArgument argument_of(tonnx_graph& graph, tonnx_value* value) {
  if (!value || tonnx_value_is_none(value)) return {Constant{Constant::None{}}};
  if (value->walk || value->attribute) as_tensor(graph, *value);  // refuses it
  if (value->is_list) {
    CallArgument list{std::nullopt, {Lowered::Kind::List, nullptr, {}}};
    for (tonnx_value* item : value->list) {
      tonnx::ir::Value* made = item ? as_tensor(graph, *item) : nullptr;
      if (made) require_torch_dtype(made->facts().dtype);
      list.value.list.push_back(made);
    }
    return list;
  }
  const tonnx::ir::Value* source = value->source;
  if (source && source->constant() && !source->weight()) return {*source->constant()};
  const bool is_number = source && (source->type().is_scalar() || source->type().is_number_list());
  if (source && source->type().is(tonnx::ir::Type::Kind::List) && !is_number) {
    const Lowered* lowered = graph.op->lowered(source);
    if (!lowered || lowered->kind != Lowered::Kind::Sequence) refuse(name_of(*value) + " cannot be passed on");
    return {std::nullopt, *lowered};
  }
  tonnx::ir::Value* made = as_tensor(graph, *value);
  require_torch_dtype(made->facts().dtype);
  const bool is_sequence = made->type().is(tonnx::ir::Type::Kind::List);
  return {std::nullopt, {is_sequence ? Lowered::Kind::Sequence : Lowered::Kind::One, made, {}}, is_number};
}

Constant constant_of(const tonnx::ir::Attribute& attribute) {
  return std::visit(
      [](const auto& value) -> Constant {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, tonnx::ir::TypeAttribute>) {
          refuse("a type is not an argument of an operator");
        } else if constexpr (std::is_same_v<T, std::int64_t> || std::is_same_v<T, double> ||
                             std::is_same_v<T, std::string>) {
          return {value};
        } else if constexpr (std::is_same_v<T, tonnx::ir::Tensor>) {
          require_torch_dtype(value.dtype);
          return {value};
        } else {
          Constant::List list;
          for (const auto& item : value) list.items.push_back({item});
          return {std::move(list)};
        }
      },
      attribute);
}

tonnx_value* wrap_result(tonnx_graph& graph, const Lowered& result) {
  switch (result.kind) {
    case Lowered::Kind::Nothing: return nullptr;
    case Lowered::Kind::One:
    case Lowered::Kind::Sequence: return wrap(graph, result.one);
    case Lowered::Kind::Complex: return wrap(graph, graph.op->joined({result.one, result.imaginary}));
    case Lowered::Kind::List:
    case Lowered::Kind::ComplexList: break;
  }
  tonnx_value& list = graph.root->values.emplace_back();
  list.is_list = true;
  for (std::size_t i = 0; i < result.list.size(); ++i) {
    tonnx::ir::Value* imaginary = i < result.imaginaries.size() ? result.imaginaries[i] : nullptr;
    tonnx::ir::Value* item = imaginary ? graph.op->joined({result.list[i], imaginary}) : result.list[i];
    list.list.push_back(item ? wrap(graph, item) : nullptr);
  }
  return &list;
}

}  // namespace

tonnx_status tonnx_graph_call(tonnx_value** outputs, size_t output_count, tonnx_graph* graph, const char* name,
                              tonnx_value* const* inputs, size_t input_count, const tonnx_attributes* arguments,
                              tonnx_error** error) {
  for (size_t i = 0; outputs && i < output_count; ++i) outputs[i] = nullptr;
  return guard(error, [&] {
    require_open(graph);
    require(name, "name");
    if (output_count > 0) require(outputs, "outputs");
    if (input_count > 0) require(inputs, "inputs");
    std::vector<CallArgument> positional;
    for (size_t i = 0; i < input_count; ++i) positional.push_back(argument_of(*graph, inputs[i]));
    std::vector<tonnx::lower::NamedArgument> named;
    if (arguments) {
      if (!arguments->graphs.empty()) refuse("a sub-graph is not an argument of an operator");
      for (const auto& attribute : arguments->attributes)
        named.push_back({attribute.name, {constant_of(attribute.value)}});
    }
    as_callers([&] {
      in_graph(*graph, [&](tonnx::lower::Builder&) {
        const auto results = tonnx::lower::call_built_in(*graph->op, name, positional, named);
        if (results.items.size() != output_count)
          refuse(std::string(name) + " has " + std::to_string(results.items.size()) + " outputs, not " +
                 std::to_string(output_count));
        for (size_t i = 0; i < output_count; ++i) outputs[i] = wrap_result(*graph, results.items[i]);
      });
    });
  });
}

tonnx_status tonnx_graph_list(tonnx_value** out, tonnx_graph* graph, tonnx_value* const* values, size_t count,
                              tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, [&] {
    require(out, "out");
    require_open(graph);
    if (count > 0) require(values, "values");
    for (size_t i = 0; i < count; ++i)
      if (values[i]) as_tensor(*graph, *values[i]);
    tonnx_value& list = graph->root->values.emplace_back();
    list.is_list = true;
    list.list.assign(values, values + count);
    *out = &list;
  });
}
