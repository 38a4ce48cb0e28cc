// A dict, or a list of tensors or lists, that both ways of a branch make, or each turn of a loop, becomes one value a
// key or item.
//
// Needs the same constant keys in the same order, or as many items; and, where the program writes to anything, dicts
// and lists that nobody else knows behind that. In such programs dicts of other keys on each way of a branch become one
// from before it, which is filled there. A way that no run reads counts for nothing:
//
//   %d = prim::If(%c)                            %y = prim::If(%c)
//     block0: %p = prim::DictConstruct(%a, %x)     block0: -> (%x)
//             -> (%p)                              block1: -> (%z)
//     block1: %q = prim::DictConstruct(%a, %z)   %d = prim::DictConstruct(%a, %y)
//             -> (%q)
#include <algorithm>
#include <optional>
#include <unordered_set>
#include <vector>

#include "aten/containers.h"
#include "ir/control_flow.h"
#include "ir/writes.h"
#include "program/containers/entries.h"
#include "program/containers/items.h"
#include "program/containers/passes.h"
#include "program/control/carry.h"
#include "program/edit.h"

namespace tonnx::program {

using ir::Block;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

// What a dict or list is made of.
struct Made {
  std::vector<Value*> entries;  // a dict's: key, value, key, value, ...
  std::vector<Value*> values;
};

bool is_list(const Type& type) { return type.is(Type::Kind::List); }

bool may_be_split(const Type& type) {
  return type.is(Type::Kind::Dict) ||
         (is_list(type) && (type.elements.at(0).is(Type::Kind::Tensor) || is_list(type.elements.at(0))));
}

// Whether a block hands the container on at its end, and nobody else has it then: others have read of it before.
bool is_handed_on(const Value& container) {
  return std::ranges::count_if(container.uses(), [](const ir::Use& use) { return !only_asks(use); }) == 1;
}

// Whether a container that is made before the node, in its block, is read before that alone, or in the branch that the
// node is, but where `end` hands it on to what the node gives.
bool is_given_only(const Value& container, const Node& node, const Node& end) {
  std::unordered_set<const Node*> before;
  for (const Node* other = container.node(); other && other != &node; other = other->next()) before.insert(other);
  if (node.is("prim::If")) before.insert(&node);
  std::size_t given = 0;
  return container.node()->parent() == node.parent() && std::ranges::all_of(container.uses(), [&](const ir::Use& use) {
           if (use.node == &end) return ++given == 1;
           return only_asks(use) && before.contains(ir::holder_in(*node.parent(), *use.node));
         });
}

// Of what is made where it is handed on, `alone` if nobody else knows it then; where nothing is written to, of any.
std::optional<Made> made(const Value& container, const Block& block, bool is_written, bool alone) {
  const Node& maker = *container.node();
  if (is_written && (maker.parent() != &block || !alone)) return std::nullopt;
  if (is_list(container.type())) {
    if (!aten::acts_as(maker, aten::Container::List)) return std::nullopt;
    return Made{{}, {maker.inputs().begin(), maker.inputs().end()}};
  }
  if (!aten::acts_as(maker, aten::Container::Dict)) return std::nullopt;
  const auto entries = entries_of(maker.inputs());
  if (!entries) return std::nullopt;
  return Made{*entries, values_of(*entries)};
}

bool have_one_form(const Made& a, const Made& b) {
  return a.values.size() == b.values.size() && same_keys(a.entries, b.entries);
}

// A container of the type, with the keys of another one.
Value* made_of(Inserter& insert, const Type& type, const Made& keys, const std::vector<Value*>& values) {
  if (is_list(type)) return insert.list(type, values);
  return dict_of(insert, type, keys_of(keys.entries), values);
}

// Whether a dict is made before the branch, or before others that it is in, read before these and in it at most, and
// handed on by this way of it alone, where it may have changed.
bool is_given_to(const Value& dict, const Node& branch, const Block& way) {
  if (!aten::acts_as(*dict.node(), aten::Container::Dict)) return false;
  const Block* home = dict.node()->parent();
  const Node* top = &branch;
  for (; top->parent() != home; top = top->parent()->owner())
    if (!top->parent()->owner() || !top->parent()->owner()->is("prim::If")) return false;
  std::unordered_set<const Node*> before;
  for (const Node* node = dict.node()->next(); node != top; node = node->next()) {
    if (!node) return false;
    before.insert(node);
  }
  std::size_t given = 0;
  const bool is_known = std::ranges::all_of(dict.uses(), [&](const ir::Use& use) {
    if (use.node == way.return_node()) return ++given > 0;
    const Block* inner = nullptr;  // of the branch or of one around it
    const Node* node = use.node;
    for (; node != &branch && node->parent() && node->parent() != home && node->parent()->owner();
         node = inner->owner())
      inner = node->parent();
    const bool changes = use.index == 0 && writes_argument(*use.node, 0);
    return only_asks(use) ? node == &branch || before.contains(node) : changes && node == &branch && inner == &way;
  });
  return is_known && given == 1;
}

// Dicts of other keys on each way: one that is there before the branch, and is filled on either way.
bool fill_one(Node& node, std::size_t index) {
  const Type type = node.output(index)->type();
  Value* dict = nullptr;
  std::vector<Value*> old;
  std::optional<Made> sides[2];
  for (std::size_t k = 0; k < 2; ++k) {
    Value* given = node.block(k)->outputs()[index];
    if (is_never(given)) continue;
    if (!dict && is_given_to(*given, node, *node.block(k))) {
      const auto entries = entries_of(given->node()->inputs());
      if (!entries) return false;
      dict = given;
      old = *entries;
    } else {
      sides[k] = made(*given, *node.block(k), true, is_handed_on(*given));
      if (!sides[k]) return false;
    }
  }
  Inserter before(&node);
  if (!set_entries(before, node.output(index), {})) return false;
  if (!dict) dict = before.dict(type, {});
  node.output(index)->replace_uses(dict);
  for (std::size_t k = 0; k < 2; ++k) {
    if (!sides[k]) continue;
    Inserter end(node.block(k), node.location());
    delete_entries(end, dict, old);
    set_entries(end, dict, sides[k]->entries);
  }
  return true;
}

bool split(Node& node, std::size_t index, bool is_written) {
  const Type type = node.output(index)->type();
  std::optional<Made> sides[2];
  for (std::size_t k = 0; k < 2; ++k) {
    const Value* given = node.block(k)->outputs()[index];
    if (is_never(given)) continue;
    const bool is_before = is_written && is_given_only(*given, node, *node.block(k)->return_node());
    sides[k] = made(*given, is_before ? *node.parent() : *node.block(k), is_written, is_before || is_handed_on(*given));
    if (!sides[k]) return is_written && !is_list(type) && fill_one(node, index);
  }
  if (!sides[0] && !sides[1]) return false;
  if (sides[0] && sides[1] && !have_one_form(*sides[0], *sides[1]))
    return is_written && !is_list(type) && fill_one(node, index);
  const Made& known = sides[0] ? *sides[0] : *sides[1];
  std::vector<Value*> after;
  Inserter behind = Inserter::behind(node);
  for (std::size_t i = 0; i < known.values.size(); ++i) {
    const auto value_in = [&](std::size_t k) {
      return sides[k] ? sides[k]->values[i] : Inserter(node.block(k), node.location()).never(type.elements.back());
    };
    after.push_back(add_result(node, type.elements.back(), value_in(0), value_in(1)));
  }
  node.output(index)->replace_uses(made_of(behind, type, known, after));
  return true;
}

// What each turn of a loop makes anew.
bool split_carried_dict(Node& node, std::size_t index, bool is_written) {
  Block& body = *node.block(0);
  const Value& before = *node.input(index + 2);
  Value& inside = *body.inputs()[index + 1];
  if (node.output(index)->is_unused() && inside.is_unused()) return false;
  const Value& end = *body.outputs()[index + 1];
  const auto last = made(end, body, is_written, is_handed_on(end));
  const auto first =
      is_never(&before) ? last : made(before, *node.parent(), is_written, is_given_only(before, node, node));
  if (!first || !last || !have_one_form(*first, *last)) return false;
  const Type type = inside.type();
  std::vector<Value*> starts = first->values;
  Inserter outer(&node);
  if (is_never(&before))
    for (Value*& start : starts) start = outer.never(type.elements.back());
  carry_values(node, index, starts, last->values, [&](Inserter& insert, const std::vector<Value*>& values) {
    return made_of(insert, type, *last, values);
  });
  return true;
}

}  // namespace

bool split_chosen(ir::Graph& graph) {
  std::vector<Node*> nodes;
  const bool is_written = has_writes(graph);
  for_each_node(graph.block(), [&](Node* node) {
    if (node->is("prim::If") || node->is("prim::Loop")) nodes.push_back(node);
  });
  bool changed = false;
  for (Node* node : nodes) {
    for (std::size_t i = 0; i < node->output_count(); ++i) {
      const Type& type = node->output(i)->type();
      if (!may_be_split(type) || (is_list(type) && !is_written)) continue;
      if (node->is("prim::Loop")) {
        changed = split_carried_dict(*node, i, is_written) || changed;
      } else if (!node->output(i)->is_unused()) {
        changed = split(*node, i, is_written) || changed;
      }
    }
  }
  return changed;
}

}  // namespace tonnx::program
