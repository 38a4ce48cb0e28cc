#include "program/carried_parts.h"

#include <algorithm>

namespace tonnx::program {

using ir::Block;
using ir::Node;
using ir::Value;

bool CarriedParts::any_whole(std::span<Value* const> values) const {
  return std::ranges::any_of(values, [&](const Value* value) { return is_whole(*value); });
}

void CarriedParts::walk(Block& block) {
  for (Node* node : block.nodes()) {
    if (node->is("prim::If")) {
      branch(*node);
    } else if (node->is("prim::Loop")) {
      loop(*node);
    } else {
      rewrite(*node);
    }
  }
}

template <class Make>
void CarriedParts::add_parts(const Value& value, const Make& make) {
  Parts parts;
  for (const ir::Type& type : part_types(value)) {
    parts.push_back(make());
    parts.back()->set_type(type);
  }
  parts_[&value] = std::move(parts);
}

// An output of a block of the node, which becomes that result.
void CarriedParts::hand_on(Block& block, std::size_t output, const Node& node, std::size_t result) {
  Inserter end(&block, node.location());
  for (Value* part : parts_of(*block.outputs()[output], *node.output(result), end)) block.add_output(part);
}

void CarriedParts::branch(Node& node) {
  for (Block* side : node.blocks()) walk(*side);
  for (std::size_t i = 0, count = node.output_count(); i < count; ++i) {
    if (!is_whole(*node.output(i))) continue;
    for (Block* side : node.blocks()) hand_on(*side, i, node, i);
    add_parts(*node.output(i), [&] { return node.add_output(); });
  }
}

void CarriedParts::loop(Node& node) {
  Block& body = *node.block(0);
  std::vector<std::size_t> carried;
  for (std::size_t i = 0, count = node.output_count(); i < count; ++i) {
    if (!is_whole(*node.output(i))) continue;
    carried.push_back(i);
    Inserter before(&node);
    for (Value* part : parts_of(*node.input(i + 2), *node.output(i), before)) node.add_input(part);
    add_parts(*body.inputs()[i + 1], [&] { return body.add_input(); });
    add_parts(*node.output(i), [&] { return node.add_output(); });
  }
  walk(body);
  for (const std::size_t i : carried) hand_on(body, i + 1, node, i);
}

}  // namespace tonnx::program
