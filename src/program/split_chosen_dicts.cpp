// A dict that both ways of a branch make, or each turn of a loop, becomes one value a key.
//
// Needs the same constant keys in the same order, and, where the program writes to anything, dicts that nobody else knows; a way
// that no run reads counts for nothing:
//
//   %d = prim::If(%c)                            %y = prim::If(%c)
//     block0: %p = prim::DictConstruct(%a, %x)     block0: -> (%x)
//             -> (%p)                              block1: -> (%z)
//     block1: %q = prim::DictConstruct(%a, %z)   %d = prim::DictConstruct(%a, %y)
//             -> (%q)
#include <optional>
#include <vector>

#include "aten/containers.h"
#include "ir/writes.h"
#include "program/edit.h"
#include "program/entries.h"
#include "program/simplify.h"

namespace tonnx::program {

using ir::Block;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

using Entries = std::vector<Value*>;

// The entries of a dict that is made where it is handed on, for nobody else; where nothing is written to, of any.
std::optional<Entries> entries_made(const Value& dict, const Block& block, bool is_written) {
  const Node& maker = *dict.node();
  if (!aten::acts_as(maker, aten::Container::Dict)) return std::nullopt;
  if (is_written && (maker.parent() != &block || dict.uses().size() != 1)) return std::nullopt;
  return entries_of(maker.inputs());
}

bool split(Node& node, std::size_t index, bool is_written) {
  std::optional<Entries> sides[2];
  for (std::size_t k = 0; k < 2; ++k) {
    const Value* made = node.block(k)->outputs()[index];
    if (is_never(made)) continue;
    sides[k] = entries_made(*made, *node.block(k), is_written);
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
        Inserter end(node.block(k), node.location());
        value = end.never(type.elements[1]);
      }
      node.block(k)->add_output(value);
    }
  }
  node.output(index)->replace_uses(behind.dict(type, after));
  return true;
}

// A dict that each turn of a loop makes anew.
bool split_carried(Node& node, std::size_t index, bool is_written) {
  Block& body = *node.block(0);
  const Value& before = *node.input(index + 2);
  Value& inside = *body.inputs()[index + 1];
  if (node.output(index)->is_unused() && inside.is_unused()) return false;
  const auto last = entries_made(*body.outputs()[index + 1], body, is_written);
  const auto first = is_never(&before) ? last : entries_made(before, *node.parent(), is_written);
  if (!first || !last || !same_keys(*first, *last)) return false;
  const Type type = inside.type();
  Inserter outer(&node), start(*body.nodes().begin());
  Inserter behind = node.next() ? Inserter(node.next()) : Inserter(node.parent(), node.location());
  Entries carried, after;
  for (std::size_t i = 0; i < last->size(); i += 2) {
    node.add_input(is_never(&before) ? outer.never(type.elements.at(1)) : (*first)[i + 1]);
    carried.insert(carried.end(), {start.constant(*(*last)[i]->constant()), body.add_input()});
    after.insert(after.end(), {behind.constant(*(*last)[i]->constant()), node.add_output()});
    for (Value* value : {carried.back(), after.back()}) value->set_type(type.elements[1]);
    body.add_output((*last)[i + 1]);
  }
  inside.replace_uses(start.dict(type, carried));
  node.output(index)->replace_uses(behind.dict(type, after));
  return true;
}

}  // namespace

bool split_chosen_dicts(ir::Graph& graph) {
  std::vector<Node*> nodes;
  const bool is_written = has_writes(graph);
  for_each_node(graph.block(), [&](Node* node) {
    if (node->is("prim::If") || node->is("prim::Loop")) nodes.push_back(node);
  });
  bool changed = false;
  for (Node* node : nodes) {
    for (std::size_t i = 0; i < node->output_count(); ++i) {
      if (!node->output(i)->type().is(Type::Kind::Dict)) continue;
      if (node->is("prim::Loop")) {
        changed = split_carried(*node, i, is_written) || changed;
      } else if (!node->output(i)->is_unused()) {
        changed = split(*node, i, is_written) || changed;
      }
    }
  }
  return changed;
}

}  // namespace tonnx::program
