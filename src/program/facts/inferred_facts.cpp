#include "program/facts/inferred_facts.h"

#include <algorithm>

#include "ir/emptied_axes.h"
#include "ir/graph.h"

namespace tonnx::program {

using ir::Facts;
using ir::Node;
using ir::Value;

void InferredFacts::apply(ir::Graph& graph) const {
  const auto set = [&](Value* value) {
    if (const Facts* facts = values.find(value)) value->set_facts(*facts);
  };
  std::ranges::for_each(graph.inputs(), set);
  std::ranges::for_each(graph.weights(), set);
  for_each_node(graph.block(), [&](Node* node) {
    std::ranges::for_each(node->outputs(), set);
    for (const ir::Block* block : node->blocks()) std::ranges::for_each(block->inputs(), set);
    node->remove_attribute("shares_memory");
    node->remove_attribute(ir::kEmptiedAxes);
    std::vector<std::int64_t> pairs;
    for (std::size_t o = 0; o < node->output_count(); ++o)
      if (const auto* axes = emptied.find(node->output(o)))
        for (const std::size_t axis : *axes)
          pairs.insert(pairs.end(), {static_cast<std::int64_t>(o), static_cast<std::int64_t>(axis)});
    if (!pairs.empty()) node->set_attribute(ir::kEmptiedAxes, std::move(pairs));
    if (node->output_count() == 0) return;
    const Value* key = node->output(0);
    if (const std::int64_t* shares = shares_memory.find(key)) node->set_attribute("shares_memory", *shares);
    if (const std::int64_t* offset = memory_offsets.find(key)) node->set_attribute("memory_offset", *offset);
    if (Value* const* whole = read_instead.find(key)) node->set_input(0, *whole);
  });
  graph.block().return_node()->set_attribute("example_ranks", output_ranks);
}

}  // namespace tonnx::program
