#include "program/references/sharing.h"

#include <algorithm>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/writes.h"
#include "program/writes/views.h"

namespace tonnx::program {

using ir::Block;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

bool holds_tensor(const Type& type) {
  if (type.is(Type::Kind::Tensor) || type.is(Type::Kind::Any) || type.is(Type::Kind::Object) ||
      type.is(Type::Kind::Other))
    return true;
  return std::ranges::any_of(type.elements, holds_tensor);
}

// True if any argument may become an alias or an item of any other argument, or of a result.
bool may_mix(const Node& node) {
  const aten::Traits& traits = aten::traits_of(node);
  const auto holds_others = [](const Value* out) {
    return !out->type().is(Type::Kind::Tensor) && holds_tensor(out->type());
  };
  return traits.container != aten::Container::None || traits.write == aten::Write::Memory ||
         std::ranges::any_of(node.outputs(), holds_others);
}

}  // namespace

Sharing::Sharing(const ir::Graph& graph) {
  for_each_node(graph.block(), [&](const Node* node) { note(*node); });
  for_each_node(graph.block(), [&](const Node* node) {
    if (aten::traits_of(*node).container != aten::Container::None) return;
    for (std::size_t i = 0; i < node->input_count(); ++i)
      if (writes_argument(*node, i)) written_.insert(root(node->input(i)));
  });
}

const Value* Sharing::root(const Value* value) const {
  const Value* top = value;
  for (auto up = parents_.find(top); up != parents_.end(); up = parents_.find(top)) top = up->second;
  while (value != top) {
    const Value*& parent = parents_.at(value);
    value = parent;
    parent = top;
  }
  return top;
}

void Sharing::join(const Value* a, const Value* b) {
  if (!holds_tensor(a->type()) || !holds_tensor(b->type())) return;
  a = root(a);
  b = root(b);
  if (a != b) parents_[a] = b;
}

void Sharing::note(const Node& node) {
  if (node.is("prim::If")) {
    for (const Block* block : node.blocks())
      for (std::size_t i = 0; i < node.output_count(); ++i) join(block->outputs()[i], node.output(i));
  } else if (node.is("prim::Loop")) {
    const Block& body = *node.block(0);
    for (std::size_t i = 0; i < node.output_count(); ++i)
      for (const Value* value : {node.input(i + 2), body.inputs()[i + 1], body.outputs()[i + 1]})
        join(value, node.output(i));
  } else if (may_mix(node)) {
    const Value* first = nullptr;
    const auto add = [&](const Value* value) {
      if (!holds_tensor(value->type())) return;
      if (first) join(first, value);
      if (!first) first = value;
    };
    for (const Value* in : node.inputs()) add(in);
    for (const Value* out : node.outputs()) add(out);
  } else {
    for (std::size_t i = 0; i < node.output_count(); ++i) {
      const Relation relation = relation_of(node, i);
      for (std::size_t k = 0; k < node.input_count(); ++k)
        if (relation.kind == Relation::Kind::Unknown || (relation.kind != Relation::Kind::Fresh && relation.input == k))
          join(node.input(k), node.output(i));
    }
  }
}

}  // namespace tonnx::program
