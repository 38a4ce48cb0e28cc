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
    value.is_list = true;
    for (ir::Value* item : lowered->list) value.list.push_back(item ? wrap(graph, item) : nullptr);
  } else if (lowered || source->weight()) {
    value.value = graph.op->value_of(source);
  }
  return &value;
}

// Ends the sub-graphs of a symbolic that returns; those that are part of no node are removed.
struct SubgraphsEnd {
  tonnx_graph& root;
  ~SubgraphsEnd() {
    // Later ones may be inside of earlier ones, whose values they use.
    for (auto it = root.subgraphs.rbegin(); it != root.subgraphs.rend(); ++it) {
      for (ir::Node* owner : {(*it)->owner, (*it)->released})
        if (owner) owner->erase();
      (*it)->owner = (*it)->released = nullptr;
      (*it)->block = nullptr;
      (*it)->root = nullptr;
    }
  }
};

std::optional<lower::Outputs> run(tonnx_symbolic_fn function, void* user_data, lower::Op& op) {
  tonnx_graph graph;
  graph.op = &op;
  graph.block = op.builder().block();
  const SubgraphsEnd end{graph};
  tonnx_node node(op.node(), nullptr);
  for (const ir::Value* out : op.node().outputs()) {
    tonnx_value& output = graph.values.emplace_back();
    output.source = out;
    node.outputs.push_back(&output);
  }

  std::vector<tonnx_value*> inputs;
  for (std::size_t i = 0; i < op.node().input_count(); ++i) {
    tonnx_value* input = inputs.emplace_back(wrap_source(graph, op.node().input(i)));
    node.inputs.push_back(input);
    if (input->node) continue;  // an earlier argument is the same value
    input->node = &op.node();
    input->argument = i;
  }
  const std::int32_t outcome = function(&graph, &node, inputs.data(), inputs.size(), user_data);
  if (outcome == TONNX_SYMBOLIC_DECLINE) return std::nullopt;
  if (outcome != TONNX_SYMBOLIC_DONE || !graph.failure.empty())
    throw ir::CallbackError(graph.failure.empty() ? "it reported no reason" : graph.failure, {}, graph.cause);
  if (!graph.returned)
    throw Error(Code::Callback, "it returned without results (tonnx_graph_set_results was not called)");
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
  tonnx_graph& root = *graph.root;
  const auto it = root.known.find(value);
  if (it != root.known.end()) return it->second;
  tonnx_value& made = root.values.emplace_back();
  made.value = value;
  root.known[value] = &made;
  return &made;
}

void require_open(const tonnx_graph* graph) {
  require(graph, "graph");
  if (graph->walk) refuse("the graph belongs to the contents of a program or model, and can only be read");
  if (!graph->root) refuse("the symbolic of the sub-graph has returned");
  if (graph->parent && !graph->owner) refuse("the sub-graph is part of a node already");
  if (graph->parent && graph->returned) refuse("the sub-graph has its results already (tonnx_graph_set_results)");
}

std::string name_of(const tonnx_value& value) {
  if (value.attribute && !value.attribute->name.empty()) return "attribute '" + value.attribute->name + "'";
  if (!value.node) return "the value";
  const ir::Schema* schema = value.node->schema();
  const bool is_named = schema && value.argument < schema->arguments.size();
  return "argument " +
         (is_named ? "'" + schema->arguments[value.argument].name + "'" : std::to_string(value.argument)) + " of " +
         value.node->kind();
}

namespace {

// True if a node of the graph may use the value.
bool is_visible(const tonnx_graph& graph, const ir::Value& value) {
  if (value.weight()) return true;
  const ir::Block* home = value.node()->home();
  for (const tonnx_graph* inner = &graph; inner->parent; inner = inner->parent)
    if (inner->block == home) return true;
  for (const ir::Block* block = graph.root->block; block; block = block->owner() ? block->owner()->home() : nullptr)
    if (block == home) return true;
  return false;
}

}  // namespace

ir::Value* as_tensor(tonnx_graph& graph, tonnx_value& value) {
  if (value.walk) refuse("the value belongs to the contents of a program or model, not to this graph");
  if (value.attribute) refuse(name_of(value) + " is not a value of the graph; use it as an attribute or a constant");
  if (!value.value) {
    if (value.is_list) refuse(name_of(value) + " is a list, not a tensor; use its items");
    if (!value.source || value.source->node() == &graph.op->node())
      refuse("an output of the source operator cannot be read");
    // Sub-graphs that are begun later may use it, too.
    value.value = in_graph(*graph.root, [&](lower::Builder&) { return graph.op->value_of(value.source); });
  }
  if (&value.value->node()->graph() != &graph.op->builder().graph()) refuse("the value belongs to another graph");
  if (!is_visible(graph, *value.value)) refuse("the value belongs to a sub-graph that does not contain this node");
  return value.value;
}

}  // namespace tonnx::capi
