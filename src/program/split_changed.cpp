// A list of tensors, lists or dicts that the program changes becomes its items, in programs that write to such items.
//
// Needs a list that has no other name, changes at constant places, and as many items after both branches and after every turn:
//
//   %l = prim::ListConstruct(%a, %b)         %x, %y = prim::Loop(%n, %c, %a, %b)
//   prim::Loop(%n, %c)                         block0(%i, %u, %v): ... -> (%c, %v, %u)
//     block0: %t = aten::pop(%l, %0)         %l = prim::ListConstruct(%x, %y)
//             aten::append(%l, %t)           %r = aten::stack(%l)
//   %r = aten::stack(%l)
#include <algorithm>
#include <optional>
#include <unordered_set>
#include <vector>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/writes.h"
#include "program/edit.h"
#include "program/items.h"
#include "program/simplify.h"

namespace tonnx::program {

using aten::Container;
using ir::Block;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

constexpr std::size_t kMostItems = 64;

using Items = std::vector<Value*>;

bool may_be_written(const Type& item) { return item.is(Type::Kind::Tensor) || item.is(Type::Kind::List) || item.is(Type::Kind::Dict); }

// One list. The first walk asks whether all is known and changes nothing; the second one rewrites.
class Splitter {
 public:
  explicit Splitter(Node& made) : made_(made), list_(*made.output()) {}

  bool run() {
    for (const ir::Use& use : list_.uses())
      if (!note(use)) return false;
    const Items items(made_.inputs().begin(), made_.inputs().end());
    const bool whole = made_.parent() != &made_.graph().block() && returned_;
    if (!is_changed_ || whole || !walk(*made_.parent(), items, false)) return false;
    const auto last = walk(*made_.parent(), items, true);
    if (returned_) {
      Block& block = *made_.parent();
      Value* result = Inserter(&block, made_.location()).list(list_.type(), *last);
      for (std::size_t i = 0; i < block.outputs().size(); ++i)
        if (block.outputs()[i] == &list_) block.return_node()->set_input(i, result);
    }
    for (Node* node : gone_) node->erase();
    return true;
  }

 private:
  // Whether the walk will know what to do with a reader; notes where readers are.
  bool note(const ir::Use& use) {
    Node& reader = *use.node;
    if (&reader == made_.graph().block().return_node()) return returned_ = true;
    if (!reader.parent() || !readers_.insert(&reader).second) return false;
    const bool changes = writes_argument(reader, 0) && use.index == 0;
    const Container form = aten::traits_of(reader).container;
    const bool hands_on = changes && form != Container::Pop && reader.output_count() > 0 && !reader.output()->is_unused();
    if (hands_on || (!changes && !only_asks(use))) return false;
    is_changed_ = is_changed_ || changes;
    for (Block* block = reader.parent(); block != made_.parent(); block = block->owner()->parent()) {
      if (!block->owner()) return false;
      around_.insert(block->owner());
      if (changes) writers_.insert(block->owner());
    }
    return true;
  }

  std::optional<Items> walk(const Block& block, Items items, bool rewrite) {
    for (Node* node : block.nodes()) {
      std::optional<Items> after;
      if (readers_.contains(node)) {
        after = meet(*node, items, rewrite);
      } else if (!around_.contains(node)) {
        continue;
      } else {
        after = node->is("prim::If") ? branch(*node, items, rewrite) : loop(*node, items, rewrite);
      }
      if (!after || after->size() > kMostItems) return std::nullopt;
      items = std::move(*after);
    }
    return items;
  }

  std::optional<Items> meet(Node& node, const Items& items, bool rewrite) {
    if (!writes_argument(node, 0) || node.input() != &list_) {
      if (rewrite) ask(node, items);
      return items;
    }
    const Container form = aten::traits_of(node).container;
    std::optional<Items> more;
    if (form == Container::Extend) {
      const Node& other = *node.input(1)->node();
      if (!aten::acts_as(other, Container::List) || node.input(1)->uses().size() != 1) return std::nullopt;
      more.emplace(other.inputs().begin(), other.inputs().end());
    }
    auto after = changed_items(node, form, items, more ? &*more : nullptr);
    if (!after || !rewrite) return after;
    gone_.push_back(&node);
    if (form == Container::Pop && !node.output()->is_unused()) node.output()->replace_uses(items[*popped(node, items)]);
    return after;
  }

  static std::optional<std::size_t> popped(const Node& node, const Items& items) {
    return node.input_count() > 1 ? constant_index(node.input(1), items.size()) : std::optional(items.size() - 1);
  }

  // Lets the reader have a list of its own.
  void ask(Node& node, const Items& items) {
    Value* list = Inserter(&node).list(list_.type(), items);
    for (std::size_t i = 0; i < node.input_count(); ++i)
      if (node.input(i) == &list_) node.set_input(i, list);
  }

  std::optional<Items> branch(Node& node, const Items& items, bool rewrite) {
    const auto first = walk(*node.block(0), items, rewrite), second = walk(*node.block(1), items, rewrite);
    if (!first || !second || first->size() != second->size()) return std::nullopt;
    if (!rewrite) return first;
    Items after;
    for (std::size_t i = 0; i < first->size(); ++i) {
      Value *a = (*first)[i], *b = (*second)[i];
      after.push_back(a == b ? a : carry(node));
      if (a == b) continue;
      node.block(0)->add_output(a);
      node.block(1)->add_output(b);
    }
    return after;
  }

  std::optional<Items> loop(Node& node, const Items& items, bool rewrite) {
    Block& body = *node.block(0);
    if (!writers_.contains(&node)) return walk(body, items, rewrite);
    if (!rewrite) {
      const auto after = walk(body, items, false);
      return after && after->size() == items.size() ? std::optional(items) : std::nullopt;
    }
    Items inside, outside;
    for (Value* item : items) {
      node.add_input(item);
      inside.push_back(body.add_input());
      inside.back()->set_type(item_type());
      outside.push_back(carry(node));
    }
    const Items after = *walk(body, inside, true);
    for (Value* item : after) body.add_output(item);
    return outside;
  }

  const Type& item_type() const { return list_.type().elements.at(0); }
  Value* carry(Node& node) const {
    Value* out = node.add_output();
    out->set_type(item_type());
    return out;
  }

  Node& made_;
  Value& list_;
  bool returned_ = false;
  bool is_changed_ = false;
  std::unordered_set<const Node*> readers_;
  std::unordered_set<const Node*> around_;   // branches and loops that readers are in
  std::unordered_set<const Node*> writers_;  // those of them in which the list changes
  std::vector<Node*> gone_;
};

// Whether anything but a list is written to.
bool writes_items(ir::Graph& graph) {
  bool any = false;
  for_each_node(graph.block(), [&](const Node* node) {
    for (std::size_t i = 0; i < node->input_count() && !any; ++i)
      any = writes_argument(*node, i) && !node->input(i)->type().is(Type::Kind::List);
  });
  return any;
}

}  // namespace

bool split_changed_lists(ir::Graph& graph) {
  if (!writes_items(graph)) return false;
  std::vector<Node*> lists;
  for_each_node(graph.block(), [&](Node* node) {
    if (aten::acts_as(*node, Container::List) && node->output_count() == 1 && node->output()->type().is(Type::Kind::List) &&
        may_be_written(node->output()->type().elements.at(0)))
      lists.push_back(node);
  });
  bool changed = false;
  for (Node* list : lists) changed = Splitter(*list).run() || changed;
  return changed;
}

}  // namespace tonnx::program
