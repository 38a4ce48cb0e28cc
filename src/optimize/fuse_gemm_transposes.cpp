#include "optimize/passes.h"

namespace tonnx::optimize {
namespace {

bool is_matrix_transpose(const ir::Node& node) {
  if (!node.is("onnx::Transpose")) return false;
  const auto* perm = node.attribute_as<std::vector<std::int64_t>>("perm");
  return perm && *perm == std::vector<std::int64_t>{1, 0};
}

bool fuse(ir::Node& gemm, std::size_t input, const char* attribute) {
  const ir::Node& producer = *gemm.input(input)->node();
  if (!is_matrix_transpose(producer)) return false;
  const std::int64_t* set = gemm.attribute_as<std::int64_t>(attribute);
  const bool was_transposed = set && *set != 0;
  gemm.set_input(input, producer.input(0));
  if (was_transposed) {
    gemm.remove_attribute(attribute);
  } else {
    gemm.set_attribute(attribute, std::int64_t{1});
  }
  return true;
}

bool fuse_gemm_transposes_in(ir::Block& block) {
  bool changed = false;
  for (ir::Node* node : block.nodes()) {
    for (ir::Block* inner : node->blocks()) changed = fuse_gemm_transposes_in(*inner) || changed;
    if (!node->is("onnx::Gemm")) continue;
    changed = fuse(*node, 0, "transA") || changed;
    changed = fuse(*node, 1, "transB") || changed;
  }
  return changed;
}

}  // namespace

bool fuse_gemm_transposes(ir::Graph& model) { return fuse_gemm_transposes_in(model.block()); }

}  // namespace tonnx::optimize
