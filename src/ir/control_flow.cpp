#include "ir/control_flow.h"

namespace tonnx::ir {

namespace {

std::vector<Value*> carried_from(const Node& loop, std::size_t index) {
  return {loop.input(index + 2), loop.block(0)->outputs()[index + 1]};
}

std::vector<Value*> carried_to(const Node& loop, std::size_t index) {
  return {loop.block(0)->inputs()[index + 1], loop.output(index)};
}

}  // namespace

std::string block_name(const Node& node, std::size_t index) {
  if (node.is("onnx::If") || node.is("prim::If")) return index == 0 ? "then_branch" : "else_branch";
  const auto* names = node.attribute_as<std::vector<std::string>>(kBlockNames);
  if (names && index < names->size()) return (*names)[index];
  return index == 0 ? "body" : "body" + std::to_string(index);
}

std::vector<Value*> handed_from(const Value& value) {
  const Node* node = value.node();
  if (!node) return {};
  if (node->is("prim::If")) return {node->block(0)->outputs()[value.index()], node->block(1)->outputs()[value.index()]};
  if (node->is("prim::Loop")) return carried_from(*node, value.index());
  const Node* owner = node->edge_of() ? node->edge_of()->owner() : nullptr;
  return owner && owner->is("prim::Loop") && value.index() > 0 ? carried_from(*owner, value.index() - 1)
                                                               : std::vector<Value*>();
}

std::vector<Value*> handed_to(const Use& use) {
  const Node& node = *use.node;
  if (node.is("prim::Loop")) return use.index >= 2 ? carried_to(node, use.index - 2) : std::vector<Value*>();
  const Node* owner = node.edge_of() ? node.edge_of()->owner() : nullptr;
  if (owner && owner->is("prim::If")) return {owner->output(use.index)};
  return owner && owner->is("prim::Loop") && use.index > 0 ? carried_to(*owner, use.index - 1) : std::vector<Value*>();
}

bool is_inside(const Node& node, const Block& block) {
  const Block* home = node.home();
  while (home && home != &block) home = home->owner() ? home->owner()->home() : nullptr;
  return home;
}

bool is_inside(const Node& node, const Node& owner) {
  const Block* home = node.home();
  while (home && home->owner() && home->owner() != &owner) home = home->owner()->home();
  return home && home->owner();
}

bool is_visible(const Value& value, const Node& node) {
  return value.weight() || is_inside(node, *value.node()->home());
}

const Node* holder_in(const Block& block, const Node& node) {
  const Node* holder = &node;
  while (holder && holder->home() != &block) holder = holder->home() ? holder->home()->owner() : nullptr;
  return holder;
}

bool is_in_loop(const Node& node) {
  for (const Node* owner = &node; owner && owner->home(); owner = owner->home()->owner())
    if (owner->is("prim::Loop")) return true;
  return false;
}

}  // namespace tonnx::ir
