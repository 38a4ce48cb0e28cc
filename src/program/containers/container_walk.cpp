#include "program/containers/container_walk.h"

#include <utility>

#include "program/control/carry.h"

namespace tonnx::program {

using ir::Block;
using ir::Node;
using ir::Type;
using ir::Value;

bool ContainerWalk::note_return(const ir::Use& use) {
  if (use.node != made_.parent()->return_node()) return false;
  return returned_ = true;
}

bool ContainerWalk::note_reader(Node& reader, bool changes) {
  readers_.insert(&reader);
  for (Block* block = reader.parent(); block != made_.parent(); block = block->owner()->parent()) {
    if (!block->owner()) return false;
    around_.insert(block->owner());
    if (changes) writers_.insert(block->owner());
  }
  return true;
}

bool ContainerWalk::rewrite_all(const Content& content) {
  Block& block = *made_.parent();
  const auto end = walk(block, content, false);
  if (!end || (returned_ && !can_make(*end))) return false;
  const auto last = walk(block, content, true);
  if (returned_) {
    Value* result = made_of(*last);
    for (std::size_t i = 0; i < block.outputs().size(); ++i)
      if (block.outputs()[i] == &container_) block.return_node()->set_input(i, result);
  }
  for (Node* node : gone_) node->erase();
  return true;
}

std::optional<ContainerWalk::Content> ContainerWalk::walk(const Block& block, Content content, bool rewrite) {
  for (Node* node : block.nodes()) {
    std::optional<Content> after;
    if (readers_.contains(node)) {
      after = meet(*node, content, rewrite);
    } else if (!around_.contains(node)) {
      continue;
    } else if (node->is("prim::If")) {
      after = branch(*node, content, rewrite);
    } else if (node->is("prim::Loop")) {
      after = loop(*node, content, rewrite);
    }
    if (!after) return std::nullopt;
    content = std::move(*after);
  }
  return content;
}

std::optional<ContainerWalk::Content> ContainerWalk::branch(Node& node, const Content& content, bool rewrite) {
  const auto first = walk(*node.block(0), content, rewrite), second = walk(*node.block(1), content, rewrite);
  auto after = first && second ? join(*first, *second) : std::nullopt;
  if (!after || !rewrite) return after;
  const Content joined = *after;
  for (std::size_t i = 0; i < joined.size(); ++i) {
    const Type* type = carried_type(joined, i);
    if (!type) continue;
    Value *a = (*first)[i], *b = (*second)[i];
    (*after)[i] = a == b ? a : add_result(node, *type, a, b);
  }
  return after;
}

std::optional<ContainerWalk::Content> ContainerWalk::loop(Node& node, const Content& content, bool rewrite) {
  Block& body = *node.block(0);
  if (!writers_.contains(&node)) return walk(body, content, rewrite);
  Content joined = content;  // with which an iteration may begin
  for (;;) {
    const auto end = walk(body, joined, false);
    auto next = end ? join(joined, *end) : std::nullopt;
    if (!next) return std::nullopt;
    if (*next == joined) break;
    joined = std::move(*next);
  }
  if (!rewrite) return joined;
  Content inside = joined, outside = joined;
  for (std::size_t i = 0; i < joined.size(); ++i) {
    const Type* type = carried_type(joined, i);
    if (!type) continue;
    const LoopValue carried = add_loop_value(node, *type, content[i]);
    inside[i] = carried.inside;
    outside[i] = carried.after;
  }
  const Content after = *walk(body, inside, true);
  for (std::size_t i = 0; i < joined.size(); ++i)
    if (carried_type(joined, i)) body.add_output(after[i]);
  return outside;
}

}  // namespace tonnx::program
