// A dict that a branch or a loop writes to becomes one value a key.
//
// Needs keys that are constants, and the same ones after both branches and after every turn; leaves dicts that other
// containers hold, or that functions hand on, as they are:
//
//   %d = prim::DictConstruct(%a, %x)         %y = prim::If(%c)
//   prim::If(%c)                               block0: -> (%v)
//     block0: aten::_set_item(%d, %a, %v)      block1: -> (%x)
//     block1:                                %r is %y
//   %r = aten::__getitem__(%d, %a)
#include <algorithm>
#include <optional>
#include <unordered_set>
#include <vector>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/writes.h"
#include "program/edit.h"
#include "program/entries.h"
#include "program/simplify.h"

namespace tonnx::program {

using aten::Container;
using ir::Block;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

using Entries = std::vector<Value*>;

// One dict. The first walk asks whether all is known and changes nothing; the second one rewrites.
class Splitter {
 public:
  explicit Splitter(Node& made) : made_(made), dict_(*made.output()) {}

  bool run() {
    const auto entries = entries_of(made_.inputs());
    if (!entries || !is_written_inside()) return false;
    for (const ir::Use& use : dict_.uses())
      if (!note(use)) return false;
    const bool whole = made_.parent() != &made_.graph().block() && returned_;
    if (whole || !walk(*made_.parent(), *entries, false)) return false;
    auto last = walk(*made_.parent(), *entries, true);
    if (returned_) {
      Block& block = *made_.parent();
      Inserter end(&block, made_.location());
      Value* result = end.dict(dict_.type(), *last);
      for (std::size_t i = 0; i < block.outputs().size(); ++i)
        if (block.outputs()[i] == &dict_) block.return_node()->set_input(i, result);
    }
    for (Node* node : gone_) node->erase();
    return true;
  }

 private:
  bool is_written_inside() const {
    return std::any_of(dict_.uses().begin(), dict_.uses().end(), [&](const ir::Use& use) {
      return use.node->parent() && use.node->parent() != made_.parent() && writes_argument(*use.node, use.index);
    });
  }

  // Whether the walk will know what to do with a reader; notes where readers are.
  bool note(const ir::Use& use) {
    Node* reader = use.node;
    if (reader == made_.graph().block().return_node()) {
      returned_ = true;
      return true;
    }
    if (!reader->parent() || use.index != 0) return false;
    switch (aten::traits_of(*reader).container) {
      case Container::Item: case Container::Get: case Container::Contains: case Container::Length: case Container::Keys:
      case Container::Values: case Container::Items: case Container::Copy: case Container::SetItem: case Container::Pop:
      case Container::Delete: case Container::Clear: case Container::SetDefault:
        break;
      default:
        return false;
    }
    readers_.insert(reader);
    for (Block* block = reader->parent(); block != made_.parent(); block = block->owner()->parent()) {
      if (!block->owner()) return false;
      around_.insert(block->owner());
      if (writes_argument(*reader, 0)) writers_.insert(block->owner());
    }
    return true;
  }

  std::optional<Entries> walk(const Block& block, Entries entries, bool rewrite) {
    for (Node* node : block.nodes()) {
      std::optional<Entries> after;
      if (readers_.contains(node)) {
        after = meet(*node, entries, rewrite);
      } else if (!around_.contains(node)) {
        continue;
      } else if (node->is("prim::If")) {
        after = branch(*node, entries, rewrite);
      } else if (node->is("prim::Loop")) {
        after = loop(*node, entries, rewrite);
      }
      if (!after) return std::nullopt;
      entries = std::move(*after);
    }
    return entries;
  }

  std::optional<Entries> meet(Node& node, const Entries& entries, bool rewrite) {
    const Container form = aten::traits_of(node).container;
    const bool has_result = node.output_count() == 1 && !node.output()->is_unused();
    if (!rewrite) {
      if (form == Container::Item && !find_entry(entries, node.input(1)).value) return std::nullopt;
      const bool asks_key = form == Container::Get || form == Container::Contains || form == Container::Pop;
      if (asks_key && !find_entry(entries, node.input(1)).is_known) return std::nullopt;
      return writes(node) ? changed_entries(node, form, entries, nullptr) : std::optional(entries);
    }
    gone_.push_back(&node);
    Inserter insert(&node);
    if (!writes(node)) {
      if (has_result) {
        Value* result = form == Container::Copy ? insert.dict(dict_.type(), entries) : read_entries(node, entries, insert);
        node.output()->replace_uses(result);
      }
      return entries;
    }
    auto after = changed_entries(node, form, entries, nullptr);
    if (has_result) node.output()->replace_uses(entry_value(node, form == Container::SetDefault ? *after : entries));
    return after;
  }

  std::optional<Entries> branch(Node& node, const Entries& entries, bool rewrite) {
    auto first = walk(*node.block(0), entries, rewrite);
    auto second = walk(*node.block(1), entries, rewrite);
    if (!first || !second || !same_keys(*first, *second)) return std::nullopt;
    if (!rewrite) return first;
    Inserter before(&node);
    Entries after;
    for (std::size_t i = 0; i < first->size(); i += 2) {
      after.push_back(before.constant(*(*first)[i]->constant()));
      Value *a = (*first)[i + 1], *b = (*second)[i + 1];
      after.push_back(a == b ? a : carry(node));
      if (a == b) continue;
      node.block(0)->add_output(a);
      node.block(1)->add_output(b);
    }
    return after;
  }

  std::optional<Entries> loop(Node& node, const Entries& entries, bool rewrite) {
    Block& body = *node.block(0);
    if (!writers_.contains(&node)) return walk(body, entries, rewrite);
    if (!rewrite) {
      const auto after = walk(body, entries, false);
      return after && same_keys(entries, *after) ? std::optional(entries) : std::nullopt;
    }
    Entries inside = entries, outside = entries;
    for (std::size_t i = 1; i < entries.size(); i += 2) {
      node.add_input(entries[i]);
      inside[i] = body.add_input();
      inside[i]->set_type(dict_.type().elements.at(1));
      outside[i] = carry(node);
    }
    const Entries after = *walk(body, inside, true);
    for (std::size_t i = 1; i < after.size(); i += 2) body.add_output(after[i]);
    return outside;
  }

  Value* carry(Node& node) const {
    Value* out = node.add_output();
    out->set_type(dict_.type().elements.at(1));
    return out;
  }

  Node& made_;
  Value& dict_;
  bool returned_ = false;
  std::unordered_set<const Node*> readers_;
  std::unordered_set<const Node*> around_;   // branches and loops that readers are in
  std::unordered_set<const Node*> writers_;  // those of them in which the dict changes
  std::vector<Node*> gone_;
};

// d.update({key: value}) sets each key.
bool spell_update(Node& node) {
  const Value& added = *node.input(1);
  if (!aten::acts_as(*added.node(), Container::Dict) || added.uses().size() != 1) return false;
  const std::vector<Value*> entries(added.node()->inputs().begin(), added.node()->inputs().end());
  Inserter insert(&node);
  if (!set_entries(insert, node.input(), entries)) return false;
  node.erase();
  return true;
}

}  // namespace

bool split_dicts(ir::Graph& graph) {
  bool changed = false;
  std::vector<Node*> updates;
  for_each_node(graph.block(), [&](Node* node) {
    if (aten::acts_as(*node, Container::Update) && node->input_count() == 2 && node->output_count() == 0) updates.push_back(node);
  });
  for (Node* node : updates) changed = spell_update(*node) || changed;
  for (Node* dict : dicts_of(graph)) changed = Splitter(*dict).run() || changed;
  return changed;
}

}  // namespace tonnx::program
