// Replaces reads of tuples and lists whose items are known: items, lengths, unpacks, membership tests and new lists.
// The containers are left as dead code.
#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/constant_facts.h"
#include "ir/control_flow.h"
#include "ir/writes.h"
#include "program/containers/items.h"
#include "program/containers/passes.h"
#include "program/edit.h"

namespace tonnx::program {

using aten::Container;
using ir::Block;
using ir::Constant;
using ir::Node;
using ir::Value;

namespace {

class Folder {
 public:
  explicit Folder(ir::Graph& graph) : graph_(graph), has_writes_(has_writes(graph)) {}

  bool run() {
    fold(graph_.block());
    return changed_;
  }

 private:
  void fold(Block& block) {
    for (Node* node : block.nodes()) {
      for (Block* inner : node->blocks()) fold(*inner);
      visit(*node);
    }
  }

  void replace(Node& node, std::size_t output, Value* value) {
    if (node.output(output)->is_unused()) return;
    node.output(output)->replace_uses(value);
    changed_ = true;
  }

  // The node that builds the container; null if another one does or a use may change it.
  const Node* built(const Value* value, Container operation) const {
    const Node* node = value->node();
    if (!node || aten::traits_of(*node).container != operation) return nullptr;
    if (!has_writes_ || operation == Container::Tuple) return node;
    const auto asks = [&](const ir::Use& use) { return only_asks(use) || is_output(use); };
    const bool untouched = std::ranges::all_of(value->uses(), asks);
    return untouched ? node : nullptr;
  }

  bool is_output(const ir::Use& use) const { return use.node == graph_.block().return_node(); }

  void visit(Node& node) {
    if (node.input_count() == 0 || node.output_count() == 0) return;
    switch (aten::traits_of(node).container) {
      case Container::TupleUnpack: return fold_unpack(node, Container::Tuple);
      case Container::ListUnpack: return fold_unpack(node, Container::List);
      case Container::Item: return fold_item(node);
      case Container::Length: return fold_length(node);
      case Container::Contains: return fold_contains(node);
      case Container::Concat:
      case Container::Part:
      case Container::Copy:
      case Container::Sorted: return fold_list(node);
      default: return;
    }
  }

  void fold_unpack(Node& node, Container operation) {
    if (is_never(node.input())) return uninitialise(node);
    const Node* from = built(node.input(), operation);
    if (!from || from->input_count() != node.output_count()) return;
    for (std::size_t i = 0; i < node.output_count(); ++i) replace(node, i, from->input(i));
  }

  // True if an item that is read from the list or dict is written to.
  static bool has_changing_items(const Value& container) {
    return std::ranges::any_of(container.uses(), [](const ir::Use& read) {
      const Container operation = aten::traits_of(*read.node).container;
      if (operation != Container::Item && operation != Container::ListUnpack) return false;
      return std::ranges::any_of(read.node->outputs(), [](const Value* item) {
        const auto writes = [](const ir::Use& use) { return writes_argument(*use.node, use.index); };
        return std::ranges::any_of(item->uses(), writes) || has_changing_items(*item);
      });
    });
  }

  // The known first items of a list to which the program only appends: those it is built from, and those that its own
  // block appends before the reader and before any nested block appends. Empty if the list may change otherwise.
  std::vector<Value*> first_items(const Value* list, const Node& reader) const {
    if (!aten::acts_as(*list->node(), Container::List)) return {};
    // A write to an item of a list that owns its items becomes a write to the list.
    if (!list->type().elements.at(0).is(ir::Type::Kind::Dict) && has_changing_items(*list)) return {};
    std::unordered_set<const Node*> changes;  // nodes of its block that append to it, or contain such nodes
    for (const ir::Use& use : list->uses()) {
      const bool adds =
          use.index == 0 && aten::acts_as(*use.node, Container::Append) && use.node->output()->is_unused();
      if (!adds && !only_asks(use) && !is_output(use)) return {};
      if (adds) changes.insert(ir::holder_in(*list->node()->parent(), *use.node));
    }
    std::vector<Value*> items(list->node()->inputs().begin(), list->node()->inputs().end());
    const Node* end = ir::holder_in(*list->node()->parent(), reader);
    for (const Node* node = list->node(); node && node != end; node = node->next()) {
      if (!changes.contains(node)) continue;
      if (!node->blocks().empty()) break;
      items.push_back(node->input(1));
    }
    return items;
  }

  void fold_item(Node& node) {
    const Node* from = built(node.input(), Container::List);
    if (!from) from = built(node.input(), Container::Tuple);
    if (!from) {
      const std::vector<Value*> items = first_items(node.input(), node);
      const auto i = ir::constant_integer(node.input(1));
      if (i && *i >= 0 && *i < static_cast<std::int64_t>(items.size()))
        replace(node, 0, items[static_cast<std::size_t>(*i)]);
      const Node* last = !has_writes_ && i && *i < 0 ? aten::put_behind(*node.input()->node()) : nullptr;
      if (const auto at = last ? constant_index(node.input(1), last->input_count()) : std::nullopt)
        replace(node, 0, last->input(*at));
      return;
    }
    const auto i = constant_index(node.input(1), from->input_count());
    if (i) replace(node, 0, from->input(*i));
  }

  void fold_length(Node& node) {
    if (node.output()->is_unused()) return;
    const Node* list = built(node.input(), Container::List);
    const Node* producer = node.input()->node();
    Inserter insert(&node);
    if (list) return replace(node, 0, insert.integer(static_cast<std::int64_t>(list->input_count())));
    if (has_writes_ || !producer) return;
    const aten::Inverse inverse = aten::traits_of(*producer).inverse;
    if (inverse == aten::Inverse::Unbind) {
      replace(node, 0, insert.call("aten::size.int", {producer->input(0), producer->input(1)}));
    } else if (inverse == aten::Inverse::Split && producer->input(1)->type().is(ir::Type::Kind::List)) {
      replace(node, 0, insert.call("aten::len.t", {producer->input(1)}));
    }
  }

  // A list contains each value it is built from, except a float, which may be NaN.
  void fold_contains(Node& node) {
    if (has_writes_ || node.output()->is_unused()) return;
    const Node* list = built(node.input(), Container::List);
    const Constant* constant = node.input()->constant();
    const auto* constants = constant ? constant->get<Constant::List>() : nullptr;
    Inserter insert(&node);
    if (constants && constants->items.empty()) return replace(node, 0, insert.boolean(false));
    if (!list) return;
    const Value* item = node.input(1);
    const bool is_in =
        !item->type().is(ir::Type::Kind::Float) &&
        std::any_of(list->inputs().begin(), list->inputs().end(), [&](const Value* other) { return other == item; });
    if (!is_in && list->input_count() > 0) return;
    replace(node, 0, insert.boolean(is_in));
  }

  void uninitialise(Node& node) {
    for (std::size_t i = 0; i < node.output_count(); ++i) {
      if (node.output(i)->is_unused()) continue;
      replace(node, i, Inserter(&node).never(node.output(i)->type()));
    }
  }

  void fold_list(Node& node) {
    if (has_writes_ || node.output()->is_unused()) return;
    const Node* list = built(node.input(), Container::List);
    if (!list) return;
    std::optional<std::span<Value* const>> more;
    if (node.input_count() > 1)
      if (const Node* second = built(node.input(1), Container::List)) more = second->inputs();
    const auto items = items_of_new_list(node, list->inputs(), more);
    if (!items) return;
    Inserter insert(&node);
    replace(node, 0, insert.list(node.output()->type(), *items));
  }

  ir::Graph& graph_;
  const bool has_writes_;
  bool changed_ = false;
};

}  // namespace

bool fold_containers(ir::Graph& graph) { return Folder(graph).run(); }

}  // namespace tonnx::program
