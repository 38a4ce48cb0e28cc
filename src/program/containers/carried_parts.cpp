#include "program/containers/carried_parts.h"

#include <algorithm>

#include "program/control/carry.h"

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

void CarriedParts::branch(Node& node) {
  for (Block* path : node.blocks()) walk(*path);
  for (std::size_t i = 0, count = node.output_count(); i < count; ++i) {
    const Value& whole = *node.output(i);
    if (!is_whole(whole)) continue;
    const Parts yes = result_parts(*node.block(0), i, whole), no = result_parts(*node.block(1), i, whole);
    const std::vector<ir::Type> types = part_types(whole);
    Parts results;
    for (std::size_t p = 0; p < types.size(); ++p) results.push_back(add_result(node, types[p], yes[p], no[p]));
    parts_[&whole] = std::move(results);
  }
}

void CarriedParts::loop(Node& node) {
  Block& body = *node.block(0);
  std::vector<std::size_t> carried;
  for (std::size_t i = 0, count = node.output_count(); i < count; ++i) {
    const Value& whole = *node.output(i);
    if (!is_whole(whole)) continue;
    carried.push_back(i);
    Inserter before(&node);
    const Parts starts = parts_of(*node.input(i + 2), whole, before);
    const std::vector<ir::Type> types = part_types(whole);
    Parts inside, after;
    for (std::size_t p = 0; p < types.size(); ++p) {
      const LoopValue part = add_loop_value(node, types[p], starts[p]);
      inside.push_back(part.inside);
      after.push_back(part.after);
    }
    parts_[body.inputs()[i + 1]] = std::move(inside);
    parts_[&whole] = std::move(after);
  }
  walk(body);
  for (const std::size_t i : carried)
    for (Value* part : result_parts(body, i + 1, *node.output(i))) body.add_output(part);
}

CarriedParts::Parts CarriedParts::result_parts(Block& block, std::size_t output, const Value& whole) {
  Inserter end(&block, block.owner()->location());
  return parts_of(*block.outputs()[output], whole, end);
}

}  // namespace tonnx::program
