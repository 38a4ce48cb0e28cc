#include "subgraph.h"

#include <algorithm>

#include "guard.h"
#include "ir/merge.h"
#include "symbolic.h"
#include "tonnx/graph.h"

using tonnx::capi::guard;
using tonnx::capi::in_graph;
using tonnx::capi::refuse;
using tonnx::capi::require;
using tonnx::capi::require_open;
using tonnx::capi::wrap;

namespace tonnx::capi {
namespace {

// The graph attributes of an operator; those that were set for one outside of the standard.
std::vector<std::string_view> body_names(std::string_view op, const tonnx_attributes& attributes) {
  if (is_foreign(op)) {
    std::vector<std::string_view> names;
    for (const auto& [name, _] : attributes.graphs) names.push_back(name);
    std::ranges::sort(names);
    return names;
  }
  if (op == "If") return {"then_branch", "else_branch"};
  if (op == "Loop" || op == "Scan" || op == "SequenceMap") return {"body"};
  return {};
}

}  // namespace

bool is_foreign(std::string_view name) { return without_domain(name).find("::") != std::string_view::npos; }

std::string_view without_domain(std::string_view name) {
  return name.starts_with("onnx::") ? name.substr(std::string_view("onnx::").size()) : name;
}

Bodies bodies_of(const tonnx_graph& graph, std::string_view name, const tonnx_attributes& attributes) {
  const std::string_view op = without_domain(name);
  const std::vector<std::string_view> wanted = body_names(op, attributes);
  for (const auto& [attribute, _] : attributes.graphs)
    if (std::ranges::find(wanted, attribute) == wanted.end())
      refuse(std::string(op) + " has no sub-graph '" + attribute +
             "'; If has then_branch and else_branch, Loop, Scan and SequenceMap have body");
  Bodies bodies;
  for (const std::string_view attribute : wanted) {
    const auto given =
        std::ranges::find_if(attributes.graphs, [&](const auto& known) { return known.first == attribute; });
    if (given == attributes.graphs.end())
      refuse(std::string(op) + " needs the sub-graph '" + std::string(attribute) + "' (tonnx_attributes_set_graph)");
    tonnx_graph* body = given->second.get();
    const std::string title = "the sub-graph '" + std::string(attribute) + "' ";
    if (!body->root) refuse("the symbolic of " + title + "has returned");
    if (body->parent != &graph) refuse(title + "was added to another graph");
    if (!body->owner || std::ranges::count(bodies.graphs, body)) refuse(title + "is part of a node already");
    if (!body->returned) refuse(title + "has no results (tonnx_graph_set_results)");
    bodies.names.emplace_back(attribute);
    bodies.graphs.push_back(body);
  }
  return bodies;
}

void release(tonnx_graph& subgraph, std::string_view name) {
  // ONNX Runtime needs the types of the iteration number and of the condition.
  const auto inputs = subgraph.block->inputs();
  if (without_domain(name) == "Loop")
    for (std::size_t i = 0; i < 2 && i < inputs.size(); ++i)
      if (const auto conflict = ir::merge(
              inputs[i]->facts(), {i == 0 ? ir::DType::Int64 : ir::DType::Bool, std::vector<ir::Dim>{}, nullptr}))
        refuse("input " + std::to_string(i) + " of the body of a Loop has another type: " + *conflict);
  subgraph.released = subgraph.owner;
  subgraph.owner = nullptr;
}

void set_results(tonnx_graph& subgraph, std::span<tonnx_value* const> values) {
  std::vector<ir::Value*> results;
  for (tonnx_value* value : values) {
    if (!value) refuse("a result of a sub-graph is NULL");
    results.push_back(as_tensor(subgraph, *value));
  }
  subgraph.returned = true;  // also if a result is refused, for the block has the ones before it
  in_graph(subgraph, [&](lower::Builder& builder) {
    for (ir::Value* result : results) lower::add_output(builder, subgraph.block, result);
  });
}

}  // namespace tonnx::capi

tonnx_status tonnx_graph_add_subgraph(tonnx_graph** out, tonnx_graph* graph, tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, [&] {
    require(out, "out");
    require_open(graph);
    auto made = std::make_shared<tonnx_graph>();
    made->op = graph->op;
    made->root = graph->root;
    made->parent = graph;
    graph->root->subgraphs.push_back(made);
    made->owner = graph->op->builder().graph().create("onnx::If", {}, 0);
    made->block = made->owner->add_block();
    *out = made.get();
  });
}

tonnx_status tonnx_graph_add_input(tonnx_value** out, tonnx_graph* graph, tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, [&] {
    require(out, "out");
    require_open(graph);
    if (!graph->parent) refuse("only a sub-graph gets inputs (tonnx_graph_add_subgraph)");
    *out = wrap(*graph, graph->block->add_input());
  });
}
