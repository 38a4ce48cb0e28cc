// A list of tensors, lists or dicts that the program changes becomes its items, in programs that write to such items.
//
// Needs a list that has no other name, changes at constant places, and as many items after both branches and after
// every turn:
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
#include "program/containers/container_walk.h"
#include "program/containers/items.h"
#include "program/containers/passes.h"
#include "program/edit.h"
#include "program/nodes_where.h"

namespace tonnx::program {

using aten::Container;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

constexpr std::size_t kMostChangedItems = 64;

bool may_be_written(const Type& item) {
  return item.is(Type::Kind::Tensor) || item.is(Type::Kind::List) || item.is(Type::Kind::Dict);
}

// One list.
class ItemSplitter : private ContainerWalk {
 public:
  explicit ItemSplitter(Node& made) : ContainerWalk(made) {}

  bool run() {
    for (const ir::Use& use : container_.uses())
      if (!note_return(use) && !note(use)) return false;
    return is_changed_ && rewrite_all(Content(made_.inputs().begin(), made_.inputs().end()));
  }

 private:
  // Whether the walk will know what to do with a reader; notes where readers are.
  bool note(const ir::Use& use) {
    Node& reader = *use.node;
    if (!reader.parent() || !met_.insert(&reader).second) return false;
    const bool changes = writes_argument(reader, 0) && use.index == 0;
    const Container form = aten::traits_of(reader).container;
    const bool hands_on =
        changes && form != Container::Pop && reader.output_count() > 0 && !reader.output()->is_unused();
    if (hands_on || (!changes && !only_asks(use))) return false;
    is_changed_ = is_changed_ || changes;
    return note_reader(reader, changes);
  }

  std::optional<Content> join(const Content& a, const Content& b) const override {
    return a.size() == b.size() ? std::optional(a) : std::nullopt;
  }
  const Type* carried_type(const Content&, std::size_t) const override { return &container_.type().elements.at(0); }

  std::optional<Content> meet(Node& node, const Content& items, bool rewrite) override {
    if (!writes_argument(node, 0) || node.input() != &container_) {
      if (items.size() > kMostChangedItems) return std::nullopt;
      if (rewrite) ask(node, items);
      return items;
    }
    const Container form = aten::traits_of(node).container;
    std::optional<Content> more;
    if (form == Container::Extend) {
      const Node& other = *node.input(1)->node();
      if (!aten::acts_as(other, Container::List) || node.input(1)->uses().size() != 1) return std::nullopt;
      more.emplace(other.inputs().begin(), other.inputs().end());
    }
    auto after = changed_items(node, form, items, more ? &*more : nullptr);
    if (after && after->size() > kMostChangedItems) return std::nullopt;
    if (!after || !rewrite) return after;
    gone_.push_back(&node);
    if (form == Container::Pop && !node.output()->is_unused()) node.output()->replace_uses(items[*popped(node, items)]);
    return after;
  }

  static std::optional<std::size_t> popped(const Node& node, const Content& items) {
    return node.input_count() > 1 ? constant_index(node.input(1), items.size()) : std::optional(items.size() - 1);
  }

  // Lets the reader have a list of its own.
  void ask(Node& node, const Content& items) {
    Value* list = Inserter(&node).list(container_.type(), items);
    for (std::size_t i = 0; i < node.input_count(); ++i)
      if (node.input(i) == &container_) node.set_input(i, list);
  }

  Value* made_of(const Content& items) override {
    return Inserter(made_.parent(), made_.location()).list(container_.type(), items);
  }

  bool is_changed_ = false;
  std::unordered_set<const Node*> met_;
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
  const std::vector<Node*> lists = nodes_where(graph, [&](const Node* node) {
    return aten::acts_as(*node, Container::List) && node->output_count() == 1 &&
           node->output()->type().is(Type::Kind::List) && may_be_written(node->output()->type().elements.at(0));
  });
  bool changed = false;
  for (Node* list : lists) changed = ItemSplitter(*list).run() || changed;
  return changed;
}

}  // namespace tonnx::program
