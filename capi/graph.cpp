#include "tonnx/graph.h"

#include <string_view>

#include "dtype.h"
#include "guard.h"
#include "ir/control_flow.h"
#include "subgraph.h"
#include "symbolic.h"
#include "walk.h"

using tonnx::capi::as_callers;
using tonnx::capi::as_tensor;
using tonnx::capi::guard;
using tonnx::capi::in_graph;
using tonnx::capi::onnx_dtype;
using tonnx::capi::refuse;
using tonnx::capi::require;
using tonnx::capi::require_open;
using tonnx::capi::wrap;

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
    const tonnx::capi::Bodies bodies = tonnx::capi::bodies_of(*graph, text, attributes ? *attributes : none);
    const auto made = as_callers([&] {
      return in_graph(*graph, [&](tonnx::lower::Builder& builder) {
        if (bodies.graphs.empty()) return builder.op(name, values, given, output_count);
        std::vector<tonnx::ir::Block*> blocks;
        for (const tonnx_graph* body : bodies.graphs) blocks.push_back(body->block);
        // From here on the node owns them, also if ONNX refuses it.
        for (tonnx_graph* body : bodies.graphs) tonnx::capi::release(*body, text);
        tonnx::lower::Attributes named = given;
        if (tonnx::capi::is_foreign(text)) named.push_back({tonnx::ir::kBlockNames, bodies.names});
        return builder.op(tonnx::capi::without_domain(text), values, std::move(named), blocks, output_count);
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

tonnx_status tonnx_graph_set_results(tonnx_graph* graph, tonnx_value* const* values, size_t count,
                                     tonnx_error** error) {
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
