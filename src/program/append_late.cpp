// What goes into a container and is written to behind that goes there behind the writes, where nobody meets the container in
// between:
//
//   %_ = aten::append(%l, %t)                %v = aten::select(%t, 0, 1)
//   %v = aten::select(%t, 0, 1)              %_ = aten::fill_(%v, 2)
//   %_ = aten::fill_(%v, 2)                  %_ = aten::append(%l, %t)
#include <algorithm>
#include <vector>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/writes.h"
#include "program/edit.h"
#include "program/sharing.h"
#include "program/simplify.h"

namespace tonnx::program {

using aten::Container;
using ir::Block;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

// Whether a value of the type may be, or hold, a container of the other one.
bool may_hold(const Type& type, const Type& container) {
  if (type == container || type.is(Type::Kind::Any) || type.is(Type::Kind::Object) || type.is(Type::Kind::Other)) return true;
  return std::ranges::any_of(type.elements, [&](const Type& element) { return may_hold(element, container); });
}

bool meets(const Node& node, const Type& container) {
  const auto is_met = [&](const Value* value) { return may_hold(value->type(), container); };
  if (std::ranges::any_of(node.inputs(), is_met) || std::ranges::any_of(node.outputs(), is_met)) return true;
  bool any = false;
  for (const Block* block : node.blocks()) {
    any = any || std::ranges::any_of(block->outputs(), is_met);
    for (const Node* inner : block->nodes()) any = any || meets(*inner, container);
  }
  return any;
}

// The tensors that the node puts into the container that it changes.
std::vector<const Value*> put_by(const Node& node) {
  const Container form = aten::traits_of(node).container;
  if (form != Container::Append && form != Container::Insert && form != Container::SetItem) return {};
  std::vector<const Value*> tensors;
  const auto note = [&](const Value* value) {
    if (value->type().is(Type::Kind::Tensor)) tensors.push_back(value);
  };
  for (const Value* in : node.inputs().subspan(1)) {
    note(in);
    if (!in->node() || !(aten::acts_as(*in->node(), Container::Tuple) || aten::acts_as(*in->node(), Container::Dict))) continue;
    for (const Value* item : in->node()->inputs()) note(item);
  }
  return tensors;
}

bool writes_to(const Node& node, const std::vector<const Value*>& tensors, const Sharing& sharing) {
  bool any = false;
  const auto note = [&](const Node& writer) {
    for (std::size_t i = 0; i < writer.input_count(); ++i) {
      const Value* target = writer.input(i);
      any = any || (target->type().is(Type::Kind::Tensor) && writes_argument(writer, i) &&
                    std::ranges::any_of(tensors, [&](const Value* tensor) { return sharing.may_share(target, tensor); }));
    }
  };
  note(node);
  for (const Block* block : node.blocks()) for_each_node(*block, [&](const Node* inner) { note(*inner); });
  return any;
}

}  // namespace

void append_late(ir::Graph& graph) {
  std::vector<Node*> changes;
  for_each_node(graph.block(), [&](Node* node) {
    if (node->input_count() > 1 && !put_by(*node).empty()) changes.push_back(node);
  });
  if (changes.empty()) return;
  const Sharing sharing(graph);
  // The last first, so that it is out of the way of those before it.
  for (auto change = changes.rbegin(); change != changes.rend(); ++change) {
    const std::vector<const Value*> tensors = put_by(**change);
    Node* last = nullptr;
    for (Node* node = (*change)->next(); node && !meets(*node, (*change)->input()->type()); node = node->next())
      if (writes_to(*node, tensors, sharing)) last = node;
    if (!last) continue;
    (*change)->move_before(last);
    last->move_before(*change);
  }
}

}  // namespace tonnx::program
