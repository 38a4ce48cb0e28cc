#include "exported/unknown_writes.h"

#include <algorithm>
#include <cstddef>
#include <unordered_map>

#include "aten/traits.h"

namespace tonnx::exported {
namespace {

using ir::Node;
using ir::Value;

class Readers {
 public:
  explicit Readers(const ir::Graph& graph) {
    ir::for_each_node(graph.block(), [&](const Node* node) { places_[node] = places_.size(); });
  }

  bool has_later_read_of_argument(const Node& call) const {
    return std::ranges::any_of(call.inputs(), [&](const Value* argument) {
      return argument->type().is(ir::Type::Kind::Tensor) && is_read_after(memory_of(argument), call);
    });
  }

 private:
  static bool may_be_view(const Node& node) {
    const ir::Schema* schema = node.schema();
    const bool is_marked = schema && !schema->returns.empty() && !schema->returns[0].alias_set.empty();
    return node.input_count() > 0 && (is_marked || aten::may_alias(aten::traits_of(node)));
  }

  static const Value* memory_of(const Value* value) {
    while (value->node() && may_be_view(*value->node()) && value->node()->input()->type().is(ir::Type::Kind::Tensor))
      value = value->node()->input();
    return value;
  }

  // The end of a block has no index; it is after all nodes.
  bool is_read_after(const Value* value, const Node& call) const {
    return std::ranges::any_of(value->uses(), [&](const ir::Use& use) {
      if (use.node == &call) return false;
      const auto place = places_.find(use.node);
      if (place == places_.end() || place->second > places_.at(&call)) return true;
      if (use.index != 0 || !may_be_view(*use.node)) return false;
      return std::ranges::any_of(use.node->outputs(), [&](const Value* view) { return is_read_after(view, call); });
    });
  }

  std::unordered_map<const Node*, std::size_t> places_;
};

}  // namespace

std::vector<std::string> unknown_writers(const ir::Graph& graph, std::span<const Node* const> calls) {
  std::vector<std::string> names;
  if (calls.empty()) return names;
  const Readers readers(graph);
  for (const Node* call : calls)
    if (std::string name = call->full_name();
        std::ranges::find(names, name) == names.end() && readers.has_later_read_of_argument(*call))
      names.push_back(std::move(name));
  return names;
}

}  // namespace tonnx::exported
