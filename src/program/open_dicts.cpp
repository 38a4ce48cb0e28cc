// A dict that gets keys in branches and loops becomes two values a key: whether it is there, and what it holds.
//
// Needs keys that are constants wherever the dict is asked or changed, and no reader of the whole dict; what a run does
// not set is read on no way:
//
//   %d = prim::DictConstruct()               %h, %y = prim::Loop(%n, %c, %false, %uninitialised)
//   prim::Loop(%n, %c)                         block0(%i, %g, %z): ... -> (%c, %true, %x)
//     block0: aten::_set_item(%d, %a, %x)
//   %q = aten::__contains__(%d, %a)          %q is %h
#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/constant_facts.h"
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

class Opener {
 public:
  explicit Opener(Node& made) : made_(made), dict_(*made.output()), value_(dict_.type().elements.at(1)) {}

  bool run() {
    const auto entries = entries_of(made_.inputs());
    if (!entries || !is_known(*entries)) return false;
    Inserter insert(&made_);
    std::vector<Entry> state;
    for (std::size_t k = 0; k < keys_.size(); ++k) {
      const bool is_there = 2 * k < entries->size();
      state.push_back({insert.boolean(is_there), is_there ? (*entries)[2 * k + 1] : insert.never(value_)});
    }
    walk(*made_.parent(), std::move(state));
    for (Node* node : gone_) node->erase();
    return true;
  }

 private:
  struct Entry {
    Value* is_there;
    Value* content;
  };

  bool is_known(const std::vector<Value*>& entries) {
    for (std::size_t i = 0; i < entries.size(); i += 2) place_of(*entries[i]->constant());
    bool needed = false;
    for (const ir::Use& use : dict_.uses()) {
      Node& node = *use.node;
      if (use.index != 0 || !node.parent() || node.input_count() < 2 || !node.input(1)->constant()) return false;
      switch (aten::traits_of(node).container) {
        case Container::Item:
        case Container::Contains:
        case Container::Get:
        case Container::SetItem:
        case Container::Pop:
        case Container::Delete:
        case Container::SetDefault: break;
        default: return false;
      }
      const std::size_t key = place_of(*node.input(1)->constant());
      readers_[&node] = key;
      for (Block* block = node.parent(); block != made_.parent(); block = block->owner()->parent()) {
        if (!block->owner()) return false;
        around_[block->owner()];
        if (!writes_argument(node, 0)) continue;
        needed = true;
        around_[block->owner()].insert(key);
      }
    }
    return needed;
  }

  std::size_t place_of(const ir::Constant& key) {
    const auto found =
        std::ranges::find_if(keys_, [&](const ir::Constant* known) { return ir::same_constant(*known, key); });
    if (found == keys_.end()) {
      keys_.push_back(&key);
      return keys_.size() - 1;
    }
    return static_cast<std::size_t>(found - keys_.begin());
  }

  std::vector<Entry> walk(const Block& block, std::vector<Entry> state) {
    for (Node* node : block.nodes()) {
      if (const auto reader = readers_.find(node); reader != readers_.end()) {
        meet(*node, state[reader->second]);
      } else if (const auto found = around_.find(node); found != around_.end()) {
        state =
            node->is("prim::If") ? branch(*node, state, found->second) : loop(*node, std::move(state), found->second);
      }
    }
    return state;
  }

  void meet(Node& node, Entry& entry) {
    gone_.push_back(&node);
    Inserter insert(&node);
    const Container form = aten::traits_of(node).container;
    Value* result = entry.content;
    if (form == Container::Contains) result = entry.is_there;
    const bool has_default = node.input_count() > 2 && form != Container::SetItem;
    if (form == Container::Get || has_default)
      result = either(node, entry, has_default ? node.input(2) : insert.none());
    if (node.output_count() == 1) node.output()->replace_uses(result);
    if (!writes_argument(node, 0)) return;
    const bool takes = form == Container::Pop || form == Container::Delete;
    entry.is_there = insert.boolean(!takes);
    if (form == Container::SetItem) entry.content = node.input(2);
    if (form == Container::SetDefault) entry.content = result;
  }

  static Value* either(Node& node, const Entry& entry, Value* otherwise) {
    return Inserter(&node).either(entry.is_there, node.output()->type(), entry.content, otherwise);
  }

  std::vector<Entry> branch(Node& node, std::vector<Entry> state, const std::unordered_set<std::size_t>& changed) {
    const std::vector<Entry> sides[] = {walk(*node.block(0), state), walk(*node.block(1), state)};
    for (std::size_t k = 0; k < state.size(); ++k) {
      if (!changed.contains(k)) continue;
      const auto join = [&](Value* a, Value* b) {
        if (a == b) return a;
        node.block(0)->add_output(a);
        node.block(1)->add_output(b);
        Value* out = node.add_output();
        out->set_type(a->type());
        return out;
      };
      const Entry &a = sides[0][k], &b = sides[1][k];
      state[k] = {join(a.is_there, b.is_there), join(a.content, b.content)};
      state[k].content->set_type(value_);
    }
    return state;
  }

  std::vector<Entry> loop(Node& node, std::vector<Entry> state, const std::unordered_set<std::size_t>& changed) {
    Block& body = *node.block(0);
    std::vector<Entry> inside = state;
    const auto carry = [&](Value*& outer, Value*& inner, const Type& type) {
      node.add_input(outer);
      inner = body.add_input();
      inner->set_type(type);
      outer = node.add_output();
      outer->set_type(type);
    };
    for (std::size_t k = 0; k < state.size(); ++k) {
      if (!changed.contains(k)) continue;
      carry(state[k].is_there, inside[k].is_there, Type::of(Type::Kind::Bool));
      carry(state[k].content, inside[k].content, value_);
    }
    const std::vector<Entry> after = walk(body, std::move(inside));
    for (std::size_t k = 0; k < after.size(); ++k) {
      if (!changed.contains(k)) continue;
      body.add_output(after[k].is_there);
      body.add_output(after[k].content);
    }
    return state;
  }

  Node& made_;
  Value& dict_;
  const Type value_;
  std::vector<const ir::Constant*> keys_;
  std::unordered_map<const Node*, std::size_t> readers_;  // by the key that they ask for
  std::unordered_map<const Node*, std::unordered_set<std::size_t>>
      around_;  // branches and loops, by the keys that change
  std::vector<Node*> gone_;
};

}  // namespace

bool open_dicts(ir::Graph& graph) {
  bool changed = false;
  for (Node* dict : dicts_of(graph)) changed = Opener(*dict).run() || changed;
  return changed;
}

}  // namespace tonnx::program
