#include "program/writes/functionalise.h"

#include <memory>
#include <utility>
#include <vector>

#include "aten/traits.h"
#include "ir/constant_facts.h"
#include "ir/writes.h"
#include "program/edit.h"
#include "program/nodes_where.h"
#include "program/writes/state_writes.h"
#include "program/writes/write_rewriter.h"

namespace tonnx::program {

namespace {

// True for a batch normalisation that writes its running statistics; in inference it does not.
bool writes_in_training(const ir::Node& node) { return aten::write_of(node) == aten::Write::Statistics; }

bool is_inference(const ir::Node& node) { return ir::constant_truth(node.input("training")) == false; }

// True if the node alone uses the state that it writes. The write is dropped then; a trainer updates the statistics.
bool is_sole_user(const ir::Node& node) {
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    if (!writes_argument(node, i)) continue;
    const ir::Value* target = node.input(i);
    const bool outer = target->weight() || target->node() == node.graph().block().params();
    if (!outer || target->uses().size() != 1) return false;
  }
  return true;
}

void drop_writes(ir::Node& node) {
  auto schema = std::make_shared<ir::Schema>(*node.schema());
  for (auto& argument : schema->arguments) argument.is_write = false;
  node.set_schema(std::move(schema));
}

// Replaces the sizes of a tensor by a list of integers, so that the program may change it.
void expand_sizes(ir::Node& node) {
  const ir::Facts& facts = node.input()->facts();
  Inserter insert(&node);
  std::vector<ir::Value*> sizes;
  for (std::int64_t axis = 0; axis < facts.rank(); ++axis) {
    const ir::Dim& dim = (*facts.dims)[static_cast<std::size_t>(axis)];
    sizes.push_back(dim.is_fixed() ? insert.integer(dim.size())
                                   : insert.call("aten::size.int", {node.input(), insert.integer(axis)}));
  }
  node.output()->replace_uses(insert.list(node.output()->type(), sizes));
  node.erase();
}

bool changes_integers(const ir::Node& node) {
  return writes(node) && node.input()->type() == ir::Type::list(ir::Type::of(ir::Type::Kind::Int));
}

void expand_written_sizes(ir::Graph& graph) {
  bool any = false;
  const std::vector<ir::Node*> sizes = nodes_where(graph, [&](const ir::Node* node) {
    any = any || (node->input_count() > 0 && changes_integers(*node));
    return aten::traits_of(*node).gives_sizes && node->input_count() == 1 && node->input()->facts().has_rank();
  });
  if (!any) return;
  for (ir::Node* node : sizes) expand_sizes(*node);
}

}  // namespace

void functionalise(ir::Graph& graph, ir::Refusals& refusals, ir::StateWrites* state,
                   std::vector<std::string>* warnings) {
  expand_written_sizes(graph);
  for_each_node(graph.block(), [](ir::Node* node) {
    if (writes_in_training(*node) && is_inference(*node)) drop_writes(*node);
  });
  if (state && has_writes(graph)) find_state_writes(graph, *state);
  for_each_node(graph.block(), [](ir::Node* node) {
    if (writes_in_training(*node) && is_sole_user(*node)) drop_writes(*node);
  });
  if (has_writes(graph)) WriteRewriter(graph, refusals, warnings).rewrite();
  if (state) drop_unwritten_outputs(graph, *state);
  for_each_node(graph.block(), [](ir::Node* node) { node->remove_attribute("shares_memory"); });
}

}  // namespace tonnx::program
