// A dict that both ways of a branch make becomes one value a key.
//
// Needs the same constant keys in the same order, and dicts that nobody else knows; a way that no run reads counts for nothing:
//
//   %d = prim::If(%c)                            %y = prim::If(%c)
//     block0: %p = prim::DictConstruct(%a, %x)     block0: -> (%x)
//             -> (%p)                              block1: -> (%z)
//     block1: %q = prim::DictConstruct(%a, %z)   %d = prim::DictConstruct(%a, %y)
//             -> (%q)
#include <optional>
#include <vector>

#include "aten/containers.h"
#include "program/edit.h"
#include "program/entries.h"
#include "program/simplify.h"

namespace tonnx::program {

using ir::Node;
using ir::Type;
using ir::Value;

namespace {

using Entries = std::vector<Value*>;

bool split(Node& node, std::size_t index) {
  std::optional<Entries> sides[2];
  for (std::size_t k = 0; k < 2; ++k) {
    const Value* made = node.block(k)->outputs()[index];
    if (is_never(made)) continue;
    if (!aten::acts_as(*made->node(), aten::Container::Dict) || made->node()->parent() != node.block(k) || made->uses().size() != 1)
      return false;
    sides[k] = entries_of(made->node()->inputs());
    if (!sides[k]) return false;
  }
  if ((!sides[0] && !sides[1]) || (sides[0] && sides[1] && !same_keys(*sides[0], *sides[1]))) return false;
  const Type type = node.output(index)->type();
  const Entries& known = sides[0] ? *sides[0] : *sides[1];
  Entries after;
  Inserter behind = node.next() ? Inserter(node.next()) : Inserter(node.parent(), node.location());
  for (std::size_t i = 0; i < known.size(); i += 2) {
    after.push_back(behind.constant(*known[i]->constant()));
    after.push_back(node.add_output());
    after.back()->set_type(type.elements.at(1));
    for (std::size_t k = 0; k < 2; ++k) {
      Value* value = sides[k] ? (*sides[k])[i + 1] : nullptr;
      if (!value) {
        Node* never = node.graph().create("prim::Uninitialized", {}, 1);
        never->output()->set_type(type.elements.at(1));
        node.block(k)->append(never);
        value = never->output();
      }
      node.block(k)->add_output(value);
    }
  }
  node.output(index)->replace_uses(behind.dict(type, after));
  return true;
}

}  // namespace

bool split_chosen_dicts(ir::Graph& graph) {
  std::vector<Node*> branches;
  for_each_node(graph.block(), [&](Node* node) {
    if (node->is("prim::If")) branches.push_back(node);
  });
  bool changed = false;
  for (Node* node : branches)
    for (std::size_t i = 0; i < node->output_count(); ++i)
      if (node->output(i)->type().is(Type::Kind::Dict) && !node->output(i)->is_unused()) changed = split(*node, i) || changed;
  return changed;
}

}  // namespace tonnx::program
