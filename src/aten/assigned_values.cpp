#include "aten/assigned_values.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "ir/constant_facts.h"

namespace tonnx::aten {

using ir::Node;
using ir::Value;

namespace {

constexpr std::size_t kValues = 2;  // position of the values argument of index_put

bool assigns_by_indices(const Node& node) {
  return node.is("aten::index_put") || node.is("aten::index_put_") || node.is("aten::_index_put_impl_");
}

// The smallest possible rank of the elements that the indices select; nullopt if a rank is unknown. An index of several
// axes may be a mask, which removes as many axes, or integers, which add as many.
std::optional<std::int64_t> least_picked_rank(const Node& node) {
  const Node* indices = node.input(1)->node();
  if (!node.input(0)->facts().has_rank() || !indices || !indices->is("prim::ListConstruct")) return std::nullopt;
  std::int64_t taken = 0, given = 0;
  for (const Value* index : indices->inputs()) {
    if (ir::is_none(index)) continue;
    if (!index->facts().has_rank()) return std::nullopt;
    taken += std::max<std::int64_t>(1, index->facts().rank());
    given = std::max(given, std::min<std::int64_t>(1, index->facts().rank()));
  }
  return node.input(0)->facts().rank() - taken + given;
}

// True if the node is a view that removes leading axes of size 1 with constant arguments, as LibTorch does. If the code
// has a dynamic size, every recording contains the view.
bool drops_leading_ones(const Node& view) {
  const auto all = view.input(0)->facts().fixed_dims(), less = view.output()->facts().fixed_dims();
  const Node* sizes = view.input(1)->node();
  if (!view.is("aten::view") || !all || !less || less->size() >= all->size() || !sizes ||
      !sizes->is("prim::ListConstruct"))
    return false;
  const auto rest = all->end() - static_cast<std::ptrdiff_t>(less->size());
  return std::all_of(all->begin(), rest, [](std::int64_t size) { return size == 1; }) &&
         std::equal(less->begin(), less->end(), rest) &&
         std::ranges::equal(sizes->inputs(), *less,
                            [](const Value* given, std::int64_t size) { return ir::constant_integer(given) == size; });
}

// True if no node is between them, so that the viewed tensor cannot have changed.
bool comes_at_once(const Node& view, const Node& node) {
  const Node* next = view.next();
  while (next && next != &node && (next->is("prim::Constant") || next->is("prim::ListConstruct"))) next = next->next();
  return next == &node;
}

}  // namespace

void keep_assigned_ranks(ir::Graph& graph) {
  for_each_node(graph.block(), [](Node* node) {
    if (!assigns_by_indices(*node) || node->input_count() <= kValues) return;
    const Node* view = node->input(kValues)->node();
    if (!view || view->input_count() != 2 || !drops_leading_ones(*view) || !comes_at_once(*view, *node)) return;
    Value* whole = view->input(0);
    if (const auto rank = least_picked_rank(*node); rank && whole->facts().rank() <= *rank)
      node->set_input(kValues, whole);
  });
}

}  // namespace tonnx::aten
