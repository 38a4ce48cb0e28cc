#include "exported/open_squeezes.h"

#include <algorithm>
#include <optional>

#include "aten/traits.h"

namespace tonnx::exported {
namespace {

// The axes that a node squeezes; nullopt if they are not constant.
std::optional<std::vector<std::int64_t>> axes_of(const ir::Node& node, std::int64_t rank) {
  std::vector<std::int64_t> axes;
  const auto add = [&](std::int64_t axis) { axes.push_back(axis < 0 ? axis + rank : axis); };
  if (node.schema()->index_of("dim") < 0) {
    for (std::int64_t axis = 0; axis < rank; ++axis) add(axis);
    return axes;
  }
  const ir::Constant* given = node.input("dim")->constant();
  if (!given) return std::nullopt;
  if (const auto* axis = given->get<std::int64_t>()) add(*axis);
  if (const auto* list = given->get<ir::Constant::List>())
    for (const ir::Constant& item : list->items)
      if (const auto* axis = item.get<std::int64_t>()) add(*axis);
  return axes;
}

}  // namespace

std::vector<std::string> squeezed_symbols(const ir::Graph& graph, const std::map<std::string, ir::SizeRange>& ranges) {
  std::vector<std::string> symbols;
  ir::for_each_node(graph.block(), [&](const ir::Node* node) {
    if (!node->schema() || !aten::traits_of(*node).drops_single) return;
    const ir::Facts& facts = node->input()->facts();
    const auto axes = facts.dims ? axes_of(*node, facts.rank()) : std::nullopt;
    if (!axes) return;
    for (const std::int64_t axis : *axes) {
      if (axis < 0 || axis >= facts.rank()) continue;
      const ir::Dim& dim = (*facts.dims)[static_cast<std::size_t>(axis)];
      const std::string* symbol = !dim.is_fixed() && dim.polynomial() ? dim.polynomial()->symbol() : nullptr;
      if (!symbol || std::ranges::find(symbols, *symbol) != symbols.end()) continue;
      const auto range = ranges.find(*symbol);
      if (range == ranges.end() || (range->second.least() <= 1 && range->second.max >= 1)) symbols.push_back(*symbol);
    }
  });
  return symbols;
}

}  // namespace tonnx::exported
