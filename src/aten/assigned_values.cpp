#include "aten/assigned_values.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "aten/traits.h"
#include "ir/constant_facts.h"

namespace tonnx::aten {

using ir::Node;
using ir::Value;

namespace {

constexpr std::size_t kValues = 2;  // argument of index_put

bool assigns_by_indices(const Node& node) {
  return node.is("aten::index_put") || node.is("aten::index_put_") || node.is("aten::_index_put_impl_");
}

// The least rank that what the indices pick can have; none where a rank is not known. An index of several axes may be a mask,
// which takes as many, or numbers, which give as many.
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

// Whether the one value is the other without leading axes of size 1.
bool lacks_leading_ones(const Value& view, const Value& whole) {
  const auto &less = view.facts().dims, &all = whole.facts().dims;
  if (!less || !all || less->size() >= all->size()) return false;
  const auto rest = all->end() - static_cast<std::ptrdiff_t>(less->size());
  const auto is_fixed = [](const ir::Dim& dim) { return dim.is_fixed(); };
  const auto size = [](const ir::Dim& dim) { return dim.size(); };
  return std::all_of(all->begin(), all->end(), is_fixed) && std::all_of(less->begin(), less->end(), is_fixed) &&
         std::all_of(all->begin(), rest, [](const ir::Dim& dim) { return dim.size() == 1; }) &&
         std::ranges::equal(*less, std::ranges::subrange(rest, all->end()), {}, size, size);
}

}  // namespace

void keep_assigned_ranks(ir::Graph& graph) {
  for_each_node(graph.block(), [](Node* node) {
    if (!assigns_by_indices(*node) || node->input_count() <= kValues) return;
    const Node* view = node->input(kValues)->node();
    if (!view || traits_of(*view).inverse != Inverse::Reshape) return;
    Value* whole = view->input(0);
    const std::optional<std::int64_t> rank = least_picked_rank(*node);
    if (rank && lacks_leading_ones(*view->output(), *whole) && whole->facts().rank() <= *rank) node->set_input(kValues, whole);
  });
}

}  // namespace tonnx::aten
