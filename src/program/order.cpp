#include "program/order.h"

namespace tonnx::program {

using ir::Block;
using ir::Node;
using ir::Value;

Order::Order(const ir::Graph& graph) { number(graph.block()); }

void Order::number(const Block& block) {
  for (const Node* node : block.nodes()) {
    ranges_[node].begin = ++last_;
    for (const Block* inner : node->blocks()) number(*inner);
    ranges_[node].end = ++last_;
  }
  ++last_;
  ranges_[block.return_node()] = {last_, last_};
}

const Order::Range* Order::find(const Node* node) const {
  const auto found = ranges_.find(node);
  return found == ranges_.end() ? nullptr : &found->second;
}

std::int64_t Order::defined_at(const Value& value) const {
  const Block* body = value.node() ? value.node()->edge_of() : nullptr;
  if (body && body->owner()) return at(body->owner()).begin;
  const Range* range = find(value.node());
  return range ? range->end : 0;
}

}  // namespace tonnx::program
