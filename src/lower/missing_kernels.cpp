#include "lower/missing_kernels.h"

#include <map>
#include <span>
#include <utility>

#include "ir/refusal.h"
#include "ir/target.h"

namespace tonnx::lower {
namespace {

// The first dtype of these values without a kernel; Undefined if all have one.
ir::DType dtype_without_kernel(const ir::OpDef& def, std::int32_t opset, const std::vector<ir::OpSlot>& slots,
                               std::span<ir::Value* const> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const ir::OpSlot* slot = i < slots.size()                          ? &slots[i]
                             : !slots.empty() && slots.back().variadic ? &slots.back()
                                                                       : nullptr;
    if (!slot || !values[i] || slot->sequence) continue;
    const ir::DType dtype = values[i]->facts().dtype;
    if (!ir::Target().has_kernel(def.name, opset, slot->type_variable, dtype)) return dtype;
  }
  return ir::DType::Undefined;
}

}  // namespace

std::vector<std::string> missing_kernels(const ir::Graph& model, const ir::Opset& opset) {
  struct Found {
    const ir::Node* first;
    std::size_t count;
  };
  std::map<std::pair<std::string, ir::DType>, Found> found;
  ir::for_each_node(model.block(), [&](const ir::Node* node) {
    const ir::OpDef* def = node->domain() == "onnx" ? opset.find(node->op()) : nullptr;
    if (!def) return;
    ir::DType dtype = dtype_without_kernel(*def, opset.version(), def->inputs, node->inputs());
    if (dtype == ir::DType::Undefined)
      dtype = dtype_without_kernel(*def, opset.version(), def->outputs, node->outputs());
    if (dtype != ir::DType::Undefined) ++found.try_emplace({def->name, dtype}, Found{node, 0}).first->second.count;
  });
  std::vector<std::string> warnings;
  for (const auto& [key, nodes] : found)
    warnings.push_back("ONNX Runtime has no CPU kernel for " + key.first + " of opset " +
                       std::to_string(opset.version()) + " with " + std::string(ir::name_of(key.second)) + " (" +
                       std::to_string(nodes.count) + (nodes.count == 1 ? " node" : " nodes, the first one") +
                       ir::site_after(nodes.first->location()) +
                       "); run the model in another runtime, or export it at another opset or dtype");
  return warnings;
}

}  // namespace tonnx::lower
