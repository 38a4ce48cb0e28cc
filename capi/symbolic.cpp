#include "symbolic.h"

#include <algorithm>

#include "guard.h"
#include "ir/callback_error.h"

namespace tonnx::capi {
namespace {

using ir::Code;
using ir::Error;

// Wraps a source argument: a tensor has its ONNX value, everything else is a constant or a list.
tonnx_value* wrap_source(tonnx_graph& graph, const ir::Value* source) {
  const auto it = graph.known.find(source);
  if (it != graph.known.end()) return it->second;
  tonnx_value& value = graph.values.emplace_back();
  graph.known[source] = &value;
  value.source = source;
  const lower::Lowered* lowered = graph.op->lowered(source);
  if (lowered && lowered->kind == lower::Lowered::Kind::List) {
    for (ir::Value* item : lowered->list) value.list.push_back(item ? wrap(graph, item) : nullptr);
  } else if (lowered || source->weight()) {
    value.value = graph.op->value_of(source);
  }
  return &value;
}

std::optional<lower::Outputs> run(tonnx_symbolic_fn function, void* user_data, lower::Op& op) {
  tonnx_graph graph;
  graph.op = &op;
  tonnx_node node;
  node.node = &op.node();
  node.module = op.node().location().module_path();
  node.source = op.node().location().source();
  for (const ir::Value* out : op.node().outputs()) node.outputs.emplace_back().source = out;

  std::vector<tonnx_value*> inputs;
  for (const ir::Value* in : op.node().inputs()) inputs.push_back(wrap_source(graph, in));
  const std::int32_t outcome = function(&graph, &node, inputs.data(), inputs.size(), user_data);
  if (outcome == TONNX_SYMBOLIC_DECLINE) return std::nullopt;
  if (outcome != TONNX_SYMBOLIC_DONE || !graph.failure.empty())
    throw ir::CallbackError(graph.failure.empty() ? "it reported no reason" : graph.failure, {}, graph.cause);
  if (!graph.returned) throw Error(Code::Callback, "it returned without results (tonnx_graph_return was not called)");
  std::vector<ir::Value*> results;
  for (tonnx_value* value : graph.results) results.push_back(value ? as_tensor(graph, *value) : nullptr);
  const auto& outputs = op.node().outputs();
  const bool is_sequence = results.size() == 1 && results[0] && results[0]->type().is(ir::Type::Kind::List);
  if (outputs.size() != 1 || !outputs[0]->type().is_tensor_list() || is_sequence) return lower::Outputs::many(results);
  if (std::ranges::count(results, nullptr)) throw Error(Code::Callback, "it returned NULL for an item of its list");
  return lower::Outputs::list(results);
}

}  // namespace

lower::Symbolic make_symbolic(tonnx_symbolic_fn function, std::shared_ptr<void> user_data) {
  return [function, user_data = std::move(user_data)](lower::Op& op) { return run(function, user_data.get(), op); };
}

tonnx_value* wrap(tonnx_graph& graph, ir::Value* value) {
  const auto it = graph.known.find(value);
  if (it != graph.known.end()) return it->second;
  tonnx_value& made = graph.values.emplace_back();
  made.value = value;
  graph.known[value] = &made;
  return &made;
}

ir::Value* as_tensor(tonnx_graph& graph, tonnx_value& value) {
  if (value.value) {
    if (&value.value->node()->graph() != &graph.op->builder().graph()) refuse("the value belongs to another graph");
    return value.value;
  }
  if (!value.list.empty()) refuse("the value is a list, not a tensor; use its items");
  if (!value.source || value.source->node() == &graph.op->node())
    refuse("an output of the source operator cannot be read");
  return value.value = graph.op->value_of(value.source);
}

}  // namespace tonnx::capi
