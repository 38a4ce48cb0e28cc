#include "program/complete_facts.h"

#include <vector>

#include "aten/result_facts.h"
#include "ir/merge.h"

namespace tonnx::program {

namespace {

using ir::Block;
using ir::Facts;
using ir::Node;
using ir::Value;

bool is_open(const Value& value) {
  const Facts& facts = value.facts();
  return facts.dtype == ir::DType::Undefined && !facts.dims && !facts.constant;
}

void complete(Block& block);

// What holds of a result of either branch, or of no turn and of any turn of a loop.
void complete_results(Node& node) {
  const bool is_loop = node.is("prim::Loop");
  if (is_loop) {
    for (std::size_t i = 1; i < node.block(0)->inputs().size(); ++i) {
      Value* carried = node.block(0)->inputs()[i];
      if (is_open(*carried)) carried->facts().dtype = node.input(i + 1)->facts().dtype;
    }
  }
  for (Block* inner : node.blocks()) complete(*inner);
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    if (!is_open(*node.output(i))) continue;
    Facts facts = is_loop ? ir::join(node.input(i + 2)->facts(), node.block(0)->outputs()[i + 1]->facts())
                          : ir::join(node.block(0)->outputs()[i]->facts(), node.block(1)->outputs()[i]->facts());
    facts.constant = nullptr;
    node.output(i)->set_facts(std::move(facts));
  }
}

void complete_by_arguments(Node& node) {
  bool open = false;
  for (const Value* out : node.outputs()) open = open || is_open(*out);
  if (!open || node.is("prim::Constant")) return;
  std::vector<Facts> known = aten::result_facts(node);
  for (std::size_t i = 0; i < known.size(); ++i)
    if (is_open(*node.output(i))) node.output(i)->set_facts(std::move(known[i]));
}

void complete(Block& block) {
  for (Node* node : block.nodes()) {
    if (node->blocks().empty()) {
      complete_by_arguments(*node);
    } else {
      complete_results(*node);
    }
  }
}

void complete_operators(Block& block) {
  for (Node* node : block.nodes()) {
    if (node->blocks().empty()) complete_by_arguments(*node);
    for (Block* inner : node->blocks()) complete_operators(*inner);
  }
}

}  // namespace

void complete_facts(ir::Graph& graph) { complete(graph.block()); }

void complete_open_facts(ir::Graph& graph) { complete_operators(graph.block()); }

}  // namespace tonnx::program
