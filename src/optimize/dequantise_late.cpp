#include <algorithm>

#include "ir/onnx_traits.h"
#include "optimize/passes.h"

namespace tonnx::optimize {
namespace {

using ir::Node;
using ir::Value;

bool returns_signed_bytes(const Node* node) {
  if (!node || !node->is("onnx::DequantizeLinear") || node->input(0)->facts().dtype != ir::DType::Int8) return false;
  const ir::Facts& scale = node->input(1)->facts();
  return scale.has_rank() && scale.rank() == 0;
}

bool is_quantised_again(const Value& value) {
  return std::ranges::all_of(value.uses(), [](const ir::Use& use) { return use.node->is("onnx::QuantizeLinear"); });
}

Node* copy_of(const Node& node, std::vector<Value*> inputs, Node& before, const ir::Facts& facts) {
  Node* copy = node.graph().create(node.kind(), inputs, node.output_count());
  for (const ir::NamedAttribute& a : node.attributes()) copy->set_attribute(a.name, a.value);
  copy->set_location(node.location());
  copy->output()->set_facts(facts);
  copy->insert_before(&before);
  return copy;
}

bool dequantise_late_in(ir::Block& block) {
  bool changed = false;
  for (Node* node : block.nodes()) {
    for (ir::Block* inner : node->blocks()) changed = dequantise_late_in(*inner) || changed;
    if (!ir::onnx_traits_of(*node).moves || is_quantised_again(*node->output())) continue;
    const Node* dequantised = node->input(0)->node();
    if (!returns_signed_bytes(dequantised)) continue;
    std::vector<Value*> inputs(node->inputs().begin(), node->inputs().end());
    inputs[0] = dequantised->input(0);
    ir::Facts facts = node->output()->facts();
    facts.constant = nullptr;
    facts.dtype = ir::DType::Int8;
    Node* moved = copy_of(*node, inputs, *node, facts);
    std::vector<Value*> given(dequantised->inputs().begin(), dequantised->inputs().end());
    given[0] = moved->output();
    Value* result = copy_of(*dequantised, given, *node, node->output()->facts())->output();
    result->set_name(node->output()->name(), node->output()->has_made_up_name());
    node->output()->replace_uses(result);
    // The indices that a pool returns are the same.
    for (std::size_t i = 1; i < node->output_count(); ++i) {
      moved->output(i)->set_facts(node->output(i)->facts());
      moved->output(i)->set_name(node->output(i)->name(), node->output(i)->has_made_up_name());
      node->output(i)->replace_uses(moved->output(i));
    }
    node->erase();
    changed = true;
  }
  return changed;
}

}  // namespace

bool dequantise_late(ir::Graph& model) { return dequantise_late_in(model.block()); }

}  // namespace tonnx::optimize
