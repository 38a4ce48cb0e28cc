#include <algorithm>
#include <vector>

#include "optimize/passes.h"

namespace tonnx::optimize {
namespace {

using ir::Dim;
using ir::Node;
using ir::Value;

// The size of the axis `back` positions before the last one; 1 if there is none.
Dim size_from_back(const std::vector<Dim>& dims, std::size_t back) {
  return back < dims.size() ? dims[dims.size() - 1 - back] : Dim(1);
}

bool has_elements(const std::vector<Dim>& dims) {
  return std::ranges::all_of(dims, [](const Dim& dim) { return dim.size() > 0; });
}

// The value that can replace the product's expanded operand `index`; null unless the sizes prove that MatMul broadcasts
// it to the same shape.
Value* unexpanded(const Node& product, std::size_t index, bool declared_sizes, bool broadcasts_nothing) {
  constexpr std::size_t kMatrix = 2;
  const Value* operand = product.input(index);
  const Node* expand = operand->node();
  if (!expand || !expand->is("onnx::Expand")) return nullptr;
  Value* small = expand->input(0);
  const auto &have = small->facts().dims, &wide = operand->facts().dims,
             &other = product.input(1 - index)->facts().dims;
  if (!have || !wide || !other || have->size() < kMatrix || other->size() < kMatrix) return nullptr;
  if (wide->size() > std::max(have->size(), other->size())) return nullptr;
  // Defect::EmptyMatMul: without elements, only a single matrix on the right is broadcast.
  const bool has_all = broadcasts_nothing || (has_elements(*wide) && has_elements(*other));
  const bool is_right_matrix = index == 1 && have->size() == kMatrix;
  const auto are_same = [&](const Dim& a, const Dim& b) { return a.same(b) && (declared_sizes || a.is_fixed()); };
  for (std::size_t back = 0; back < wide->size(); ++back) {
    const Dim had = size_from_back(*have, back), given = size_from_back(*wide, back);
    if (are_same(had, given)) continue;
    const bool is_broadcast = back >= kMatrix && (has_all || is_right_matrix) && had.size() == 1 &&
                              are_same(given, size_from_back(*other, back));
    if (!is_broadcast) return nullptr;
  }
  return small;
}

bool drop_expansions_in(ir::Block& block, bool declared_sizes, bool broadcasts_nothing) {
  bool changed = false;
  for (Node* node : block.nodes()) {
    for (ir::Block* inner : node->blocks())
      changed = drop_expansions_in(*inner, declared_sizes, broadcasts_nothing) || changed;
    if (!node->is("onnx::MatMul")) continue;
    for (const std::size_t index : {std::size_t{0}, std::size_t{1}}) {
      Value* small = unexpanded(*node, index, declared_sizes, broadcasts_nothing);
      if (small) node->set_input(index, small);
      changed = changed || small;
    }
  }
  return changed;
}

}  // namespace

bool drop_expansions(ir::Graph& model, bool declared_sizes, bool broadcasts_nothing) {
  return drop_expansions_in(model.block(), declared_sizes, broadcasts_nothing);
}

}  // namespace tonnx::optimize
