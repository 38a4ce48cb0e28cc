#include <algorithm>

#include "optimize/reads.h"
#include "optimize/passes.h"

namespace tonnx::optimize {
namespace {

using ir::Node;
using Dims = std::vector<std::int64_t>;

// Whether Reshape makes the same of whatever has the elements: no size is copied from its operand.
bool spells_all_sizes(const Node& reshape) {
  const auto sizes = constant_ints(reshape.input(1));
  return sizes && std::ranges::count(*sizes, 0) == 0;
}

bool join(Node& node) {
  if (node.input_count() == 0 || !node.input(0)) return false;
  const Node& before = *node.input(0)->node();
  if (before.kind() != node.kind()) return false;
  if (node.is("onnx::Reshape")) {
    if (node.input_count() != 2 || !spells_all_sizes(node)) return false;
    node.set_input(0, before.input(0));
    return true;
  }
  if (!node.is("onnx::Transpose")) return false;
  const Dims *last = node.attribute_as<Dims>("perm"), *first = before.attribute_as<Dims>("perm");
  if (!last || !first || last->size() != first->size()) return false;
  Dims both;
  for (const std::int64_t p : *last) both.push_back((*first)[static_cast<std::size_t>(p)]);
  node.set_input(0, before.input(0));
  node.set_attribute("perm", both);
  return true;
}

bool sweep(ir::Block& block) {
  bool changed = false;
  for (Node* node : block.nodes()) {
    for (ir::Block* inner : node->blocks()) changed = sweep(*inner) || changed;
    changed = join(*node) || changed;
  }
  return changed;
}

}  // namespace

bool join_views(ir::Graph& model) { return sweep(model.block()); }

}  // namespace tonnx::optimize
