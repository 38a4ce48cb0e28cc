// Removes the assignment of an item of a list or dict to itself, which follows the write in `l[i] += x`:
//
//   %v = aten::__getitem__(%l, %i)           %v = aten::__getitem__(%l, %i)
//   %w = aten::add_(%v, %x)                  %w = aten::add_(%v, %x)
//   %_ = aten::_set_item(%l, %i, %w)
#include <vector>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/constant_facts.h"
#include "ir/writes.h"
#include "program/containers/items.h"
#include "program/nodes_where.h"
#include "program/references/names.h"
#include "program/references/passes.h"

namespace tonnx::program {

using aten::Container;
using ir::Node;
using ir::Value;

namespace {

bool is_same_key(const Value* key, const Value* other) {
  return key == other || (key->constant() && other->constant() && ir::same_key(*key->constant(), *other->constant()));
}

bool sets_item_to_itself(const Node& set) {
  const Value* container = set.input(0);
  const Node& read = *written_first(set.input(2))->node();
  if (!aten::acts_as(read, Container::Item) || read.input(0) != container || !is_same_key(read.input(1), set.input(1)))
    return false;
  for (const Node* node = read.next(); node; node = node->next()) {
    if (node == &set) return true;
    if (may_change(*node, container->type())) return false;
  }
  return false;
}

}  // namespace

bool keep_items(ir::Graph& graph) {
  const std::vector<Node*> redundant = nodes_where(graph, [&](const Node* node) {
    const bool sets = aten::acts_as(*node, Container::SetItem) && node->input_count() == 3;
    return sets && sets_item_to_itself(*node);
  });
  for (Node* node : redundant) {
    for (Value* out : node->outputs()) out->replace_uses(node->input(0));
    node->erase();
  }
  return !redundant.empty();
}

}  // namespace tonnx::program
