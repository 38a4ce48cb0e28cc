#include "lower/traced_functions.h"

#include <algorithm>
#include <vector>

#include "aten/remove_dead.h"
#include "ir/function_region.h"

namespace tonnx::lower {

namespace {

using ir::Node;
using ir::Value;

void replace_results(Node& node, std::span<Value* const> results) {
  for (std::size_t i = 0; i < node.output_count(); ++i) node.output(i)->replace_uses(results[i]);
  node.erase();
}

// Replaces the end of a function by the operator that symbolics convert.
Node* make_function_node(ir::Graph& graph, Node& end) {
  const std::size_t outputs = end.output_count();
  std::vector<Value*> inputs(end.inputs().begin() + static_cast<std::ptrdiff_t>(outputs), end.inputs().end());
  Node* name = graph.create_constant({ir::function_name(end)});
  name->insert_before(&end);
  inputs.push_back(name->output());
  auto schema = std::make_shared<ir::Schema>(*end.schema());
  schema->name = ir::kFunction;
  schema->arguments.erase(schema->arguments.begin(), schema->arguments.begin() + static_cast<std::ptrdiff_t>(outputs));
  schema->arguments.push_back({ir::kFunctionName, ir::Type::of(ir::Type::Kind::String), {}, {}});
  std::vector<std::int64_t> flags;  // of the inputs, which are results of the beginning unless a pass moved them
  for (const Value* input : inputs) {
    const Node* maker = input->node();
    const auto* known = maker && maker->is(ir::kFunctionBegin)
                            ? maker->attribute_as<std::vector<std::int64_t>>(ir::kRequiresGrad)
                            : nullptr;
    flags.push_back(known ? known->at(input->index()) : 0);
  }
  Node* node = graph.create(ir::kFunction, inputs, outputs);
  node->set_schema(std::move(schema));
  node->set_location(end.location());
  node->set_attribute(ir::kRequiresGrad, std::move(flags));
  if (const ir::Attribute* of_outputs = end.attribute(ir::kRequiresGrad))
    node->set_attribute(ir::kOutputsRequireGrad, *of_outputs);
  for (std::size_t i = 0; i < outputs; ++i) {
    node->output(i)->set_type(end.output(i)->type());
    node->output(i)->set_facts(end.output(i)->facts());
  }
  node->insert_before(&end);
  return node;
}

}  // namespace

FunctionForm with_function_nodes(const ir::Graph& program, const std::set<std::size_t>& inlined) {
  FunctionForm form;
  bool has_marks = false;
  ir::for_each_node(program.block(), [&](const Node* node) { has_marks = has_marks || ir::is_function_mark(*node); });
  if (!has_marks) return form;
  form.graph = program.clone();
  std::vector<Node*> begins, ends;
  ir::for_each_node(form.graph->block(), [&](Node* node) {
    if (node->is(ir::kFunctionBegin)) begins.push_back(node);
    if (node->is(ir::kFunctionEnd)) ends.push_back(node);
  });
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (inlined.contains(i)) {
      replace_results(*ends[i], ends[i]->inputs());
    } else {
      Node* node = make_function_node(*form.graph, *ends[i]);
      form.nodes[node] = i;
      replace_results(*ends[i], node->outputs());
    }
  }
  for (Node* begin : begins) replace_results(*begin, begin->inputs());
  aten::remove_dead(*form.graph);
  FunctionNodes left;
  ir::for_each_node(form.graph->block(), [&](const Node* node) {
    if (const auto known = form.nodes.find(node); known != form.nodes.end()) left.insert(*known);
  });
  form.nodes = std::move(left);
  return form;
}

}  // namespace tonnx::lower
