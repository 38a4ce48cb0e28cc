#include <algorithm>

#include "ir/checked.h"
#include "optimize/passes.h"
#include "optimize/reads.h"

namespace tonnx::optimize {
namespace {

using ir::Node;
using Dims = std::vector<std::int64_t>;

// True if the result of Reshape depends only on the elements: it copies no size from its operand.
bool spells_all_sizes(const Node& reshape) {
  const auto sizes = constant_ints(reshape.input(1));
  return sizes && std::ranges::count(*sizes, 0) == 0;
}

// The number of elements; nullopt if a dim is unknown.
std::optional<ir::Polynomial> count_of(const ir::Value& value) {
  if (!value.facts().dims) return std::nullopt;
  ir::Polynomial count = 1;
  for (const ir::Dim& dim : *value.facts().dims) {
    if (dim.is_unknown()) return std::nullopt;
    count = count * (dim.is_fixed() ? ir::Polynomial(dim.size()) : *dim.polynomial());
  }
  return count.is_valid() ? std::optional(count) : std::nullopt;
}

// True if the fixed sizes of x alone are a multiple of the spelled ones; -1 takes the rest.
bool divides_fixed_sizes(const Dims& sizes, const ir::Value& x) {
  if (std::ranges::count(sizes, -1) != 1 || !x.facts().dims) return false;
  std::optional<std::int64_t> has = 1, wanted = 1;
  for (std::size_t i = 0; i < x.facts().dims->size(); ++i) {
    const ir::Dim& dim = (*x.facts().dims)[i];
    const bool is_copied = i < sizes.size() && sizes[i] == 0;
    if (has && dim.is_fixed() && !is_copied) has = ir::checked_multiply(*has, dim.size());
  }
  for (const std::int64_t size : sizes)
    if (wanted && size > 0) wanted = ir::checked_multiply(*wanted, size);
  return has && wanted && *has % *wanted == 0;
}

// True if no size of the operand makes the Reshape fail. A shape that is gathered may be a check of the program.
bool never_fails(const Node& reshape) {
  const ir::Value& shape = *reshape.input(1);
  const auto sizes = constant_ints(&shape);
  if (sizes && divides_fixed_sizes(*sizes, *reshape.input(0))) return true;
  const auto before = count_of(*reshape.input(0)), after = count_of(*reshape.output());
  return (sizes || (shape.node() && shape.node()->is("onnx::Concat"))) && before && after && *before == *after;
}

bool join(Node& node) {
  if (node.input_count() == 0 || !node.input(0)) return false;
  const Node& before = *node.input(0)->node();
  if (before.kind() != node.kind()) return false;
  if (node.is("onnx::Reshape")) {
    if (node.input_count() != 2 || !spells_all_sizes(node) || !never_fails(before)) return false;
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

const Dims* order_of(const Node& node) {
  return node.is("onnx::Transpose") ? node.attribute_as<Dims>("perm") : nullptr;
}

// The permutation of the axes that remain without those in `places`.
Dims order_without(const Dims& order, const Dims& places) {
  Dims kept, gone;
  for (std::size_t i = 0; i < order.size(); ++i)
    (std::ranges::count(places, static_cast<std::int64_t>(i)) ? gone : kept).push_back(order[i]);
  for (std::int64_t& axis : kept) axis -= std::ranges::count_if(gone, [&](std::int64_t other) { return other < axis; });
  return kept;
}

// Removes an axis that is added, moved and removed again.
bool skip_added_axes(Node& squeeze) {
  if (!squeeze.is("onnx::Squeeze")) return false;
  const Node& transpose = *squeeze.input(0)->node();
  const Dims* order = order_of(transpose);
  if (!order || !transpose.input(0)->node()->is("onnx::Unsqueeze")) return false;
  const Node& unsqueeze = *transpose.input(0)->node();
  auto added = axes_of(unsqueeze), taken = axes_of(squeeze);
  if (!added || !taken) return false;
  Dims moved;
  for (std::int64_t& axis : *taken) moved.push_back((*order)[wrap(axis, order->size())]);
  for (Dims* axes : {&*added, &*taken})
    for (std::int64_t& axis : *axes) axis = static_cast<std::int64_t>(wrap(axis, order->size()));
  if (!std::ranges::is_permutation(moved, *added)) return false;
  squeeze.set_attribute("perm", order_without(*order, *taken));
  squeeze.remove_attribute("axes");
  squeeze.set_input(0, unsqueeze.input(0));
  if (squeeze.input_count() > 1) squeeze.remove_input(1);
  squeeze.set_kind("onnx::Transpose");
  return true;
}

// If all uses of a Transpose select one index of an axis, and the other axes keep their order, selects from its input
// instead.
bool pick_before_transpose(Node& transpose) {
  const Dims* order = order_of(transpose);
  const auto uses = transpose.output()->uses();
  if (!order || uses.empty()) return false;
  const auto axis_of = [&](const Node& gather) { return wrap(integer_of(gather, "axis", 0), order->size()); };
  const bool are_picked = std::ranges::all_of(uses, [&](const ir::Use& use) {
    if (!use.node->is("onnx::Gather") || use.index != 0) return false;
    const ir::Tensor* place = constant_tensor(use.node->input(1));
    return place && place->dims.empty() &&
           std::ranges::is_sorted(order_without(*order, {static_cast<std::int64_t>(axis_of(*use.node))}));
  });
  if (!are_picked) return false;
  for (const ir::Use& use : std::vector(uses.begin(), uses.end())) {
    use.node->set_attribute("axis", (*order)[axis_of(*use.node)]);
    use.node->set_input(0, transpose.input(0));
  }
  return true;
}

bool join_views_in(ir::Block& block) {
  bool changed = false;
  for (Node* node : block.nodes()) {
    for (ir::Block* inner : node->blocks()) changed = join_views_in(*inner) || changed;
    changed = join(*node) || changed;
    changed = skip_added_axes(*node) || changed;
    changed = pick_before_transpose(*node) || changed;
  }
  return changed;
}

}  // namespace

bool join_views(ir::Graph& model) { return join_views_in(model.block()); }

}  // namespace tonnx::optimize
