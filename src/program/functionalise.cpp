#include "program/functionalise.h"

#include <memory>
#include <utility>

#include "aten/traits.h"
#include "program/memory.h"

namespace tonnx::program {

namespace {

// Batch normalisation that brings its running statistics up to date as well. In inference it writes nothing; in
// training what nobody else reads is left to the trainer, as the write that aten::batch_norm does not tell of is.
bool only_tells_of_writes(const ir::Node& node) {
  if (aten::write_of(node) != aten::Write::Statistics) return false;
  const ir::Value* training = node.input("training");
  const bool* known = training && training->constant() ? training->constant()->get<bool>() : nullptr;
  if (known && !*known) return true;
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

}  // namespace

void functionalise(ir::Graph& graph) {
  bool any = false;
  for_each_node(graph.block(), [](ir::Node* node) {
    if (only_tells_of_writes(*node)) drop_writes(*node);
  });
  for_each_node(graph.block(), [&](const ir::Node* node) {
    any = any || writes(*node);
  });
  if (any) Memory(graph).rewrite();
  for_each_node(graph.block(), [](ir::Node* node) { node->remove_attribute("shares_memory"); });
}

}  // namespace tonnx::program
