#include "program/clamps.h"

#include <cstdlib>
#include <functional>
#include <set>

#include "aten/traits.h"

namespace tonnx::program {

namespace {

constexpr std::int64_t kLargest = 8192;

bool is_bound(const ir::Node& node, std::size_t argument) {
  if (node.is("prim::min") || node.is("prim::max")) return true;
  return aten::traits_of(node).inverse == aten::Inverse::Slice && (argument == 2 || argument == 3);
}

}  // namespace

std::vector<std::int64_t> clamps_of(const ir::Graph& graph) {
  std::set<std::int64_t, std::greater<>> found;
  ir::for_each_node(graph.block(), [&](ir::Node* node) {
    for (std::size_t i = 0; i < node->input_count(); ++i) {
      const ir::Constant* constant = is_bound(*node, i) ? node->input(i)->constant() : nullptr;
      const auto* number = constant ? constant->get<std::int64_t>() : nullptr;
      if (number && *number >= -kLargest && *number <= kLargest) found.insert(std::abs(*number));
    }
  });
  return {found.begin(), found.end()};
}

}  // namespace tonnx::program
