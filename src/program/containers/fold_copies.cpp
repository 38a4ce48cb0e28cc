#include "program/containers/fold_copies.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_set>
#include <vector>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/constant_facts.h"
#include "ir/control_flow.h"
#include "ir/writes.h"
#include "program/containers/items.h"
#include "program/edit.h"
#include "program/nodes_where.h"
#include "program/writes/views.h"

namespace tonnx::program {

using aten::Container;
using ir::Node;
using ir::Use;
using ir::Value;

namespace {

// A loop that only appends item i of a list or tensor to a list in iteration i.
struct Gathering {
  const Node* item = nullptr;
  const Node* append = nullptr;
  Value* source = nullptr;  // the list or tensor that `item` reads
};

// True if the tensor or a view of it is written to.
bool is_written(const Value& tensor) {
  return std::ranges::any_of(tensor.uses(), [](const Use& use) {
    if (ir::writes_argument(*use.node, use.index)) return true;
    if (!use.node->schema() || !use.node->blocks().empty()) return false;
    for (std::size_t i = 0; i < use.node->output_count(); ++i) {
      const Relation relation = relation_of(*use.node, i);
      const bool is_view = relation.kind == Relation::Kind::View || relation.kind == Relation::Kind::Same;
      if (is_view && relation.input == use.index && is_written(*use.node->output(i))) return true;
    }
    return false;
  });
}

// True if an item of the list, or of a copy of it, is written to.
bool has_written_items(const Value& container) {
  return std::ranges::any_of(container.uses(), [](const Use& read) {
    const Container operation = aten::traits_of(*read.node).container;
    if (operation == Container::Copy) return has_written_items(*read.node->output());
    if (operation != Container::Item && operation != Container::ListUnpack) return false;
    return std::ranges::any_of(read.node->outputs(), [](const Value* item) { return is_written(*item); });
  });
}

bool takes_all(const Node& slice) {
  const auto is_none_or = [&](std::size_t input, std::int64_t number) {
    const ir::Constant* constant = slice.input(input)->constant();
    return constant && (constant->get<ir::Constant::None>() || ir::constant_integer(slice.input(input)) == number);
  };
  return aten::traits_of(slice).inverse == aten::Inverse::Slice && slice.input_count() == 5 && is_none_or(2, 0) &&
         is_none_or(3, std::numeric_limits<std::int64_t>::max()) && ir::constant_integer(slice.input(4)) == 1;
}

std::optional<Gathering> gathering_of(const Node& loop) {
  const bool carries = loop.input_count() != 2 || loop.output_count() != 0;
  if (!loop.is("prim::Loop") || carries || ir::constant_truth(loop.input(1)) != true) return std::nullopt;
  const ir::Block& body = *loop.block(0);
  if (body.outputs().size() != 1 || ir::constant_truth(body.outputs()[0]) != true) return std::nullopt;
  Gathering found;
  for (const Node* node : body.nodes()) {
    if (node->is("prim::Constant")) continue;
    const aten::Traits& traits = aten::traits_of(*node);
    const bool takes_item = traits.container == Container::Item || traits.inverse == aten::Inverse::Select;
    if (takes_all(*node) && !found.item)
      continue;
    else if (takes_item && !found.item)
      found.item = node;
    else if (traits.container == Container::Append && found.item && !found.append)
      found.append = node;
    else
      return std::nullopt;
  }
  if (!found.append || found.append->input(1) != found.item->output()) return std::nullopt;
  if (!found.append->output()->is_unused()) return std::nullopt;
  found.source = found.item->input(0);
  while (found.source->node() && found.source->node()->parent() == &body && takes_all(*found.source->node()))
    found.source = found.source->node()->input(0);
  return found.item->input(found.item->input_count() - 1) == body.inputs()[0] ? std::optional(found) : std::nullopt;
}

// True if the loop has one iteration for each item, and no node between the count and the loop can change their number.
bool counts_items(const Node& loop, const Gathering& found) {
  const Node& item = *found.item;
  const Node* count = loop.input(0)->node();
  if (!count || count->parent() != loop.parent() || count->input_count() == 0 || count->input(0) != found.source)
    return false;
  const bool is_list = aten::acts_as(item, Container::Item);
  if (is_list && !found.source->type().is(ir::Type::Kind::List)) return false;
  const auto axis = is_list ? 0 : ir::constant_integer(item.input(1));
  const bool counts = (aten::acts_as(*count, Container::Length) && axis == 0) ||
                      (!is_list && aten::traits_of(*count).gives_sizes && count->input_count() == 2 && axis &&
                       ir::constant_integer(count->input(1)) == axis);
  if (!counts) return false;
  for (const Node* node = count->next(); node && node != &loop; node = node->next())
    if (!node->blocks().empty() || ir::writes(*node)) return false;
  return true;
}

class CopyFolder {
 public:
  explicit CopyFolder(ir::Graph& graph) : graph_(graph) {}

  bool run() {
    const std::vector<Node*> nodes = nodes_where(
        graph_, [&](const Node* node) { return node->is("prim::Loop") || aten::acts_as(*node, Container::Copy); });
    for (Node* node : nodes) {
      if (node->is("prim::Loop"))
        gather(*node);
      else
        share(*node);
    }
    return changed_;
  }

 private:
  bool is_output(const Use& use) const { return use.node == graph_.block().return_node(); }

  // True if the new list is first read after the loop, and only the loop changes it.
  bool fills(const Node& loop, const Gathering& found) const {
    const Value* list = found.append->input(0);
    const Node* producer = list->node();
    const bool is_empty = producer && aten::acts_as(*producer, Container::List) && producer->input_count() == 0;
    if (!is_empty || producer->parent() != loop.parent()) return false;
    std::unordered_set<const Node*> before;
    const Node* node = producer;
    for (; node && node != &loop; node = node->next()) before.insert(node);
    if (!node) return false;
    return std::ranges::all_of(list->uses(), [&](const Use& use) {
      if (use.node == found.append) return use.index == 0;
      if (is_output(use)) return true;
      if (!only_asks(use)) return false;
      const Node* reader = ir::holder_in(*producer->parent(), *use.node);
      return reader != &loop && !before.contains(reader);
    });
  }

  void gather(Node& loop) {
    const std::optional<Gathering> found = gathering_of(loop);
    if (!found || !counts_items(loop, *found) || !fills(loop, *found)) return;
    Value* list = found->append->input(0);
    if (!has_written_items(*list)) return;
    Inserter insert(&loop);
    const bool is_list = aten::acts_as(*found->item, Container::Item);
    Value* axis = is_list ? nullptr : insert.integer(*ir::constant_integer(found->item->input(1)));
    Value* source = found->source;
    Value* gathered = is_list ? insert.call("aten::list.t", {source}) : insert.call("aten::unbind.int", {source, axis});
    loop.erase();
    list->replace_uses(gathered);
    changed_ = true;
  }

  void share(Node& copy) {
    Value* list = copy.input(0);
    const Node* producer = list->node();
    const bool is_list_of_views =
        producer && producer->schema() && producer->input_count() > 0 && list->type().is(ir::Type::Kind::List) &&
        producer->input(0)->type().is(ir::Type::Kind::Tensor) && aten::acts_as(*producer, Container::None);
    if (!is_list_of_views || copy.output()->is_unused()) return;
    const auto asks = [&](const Use& use) { return only_asks(use) || is_output(use); };
    if (!std::ranges::all_of(list->uses(), asks) || !std::ranges::all_of(copy.output()->uses(), asks)) return;
    copy.output()->replace_uses(list);
    changed_ = true;
  }

  ir::Graph& graph_;
  bool changed_ = false;
};

}  // namespace

bool fold_copies(ir::Graph& graph) { return ir::has_writes(graph) && CopyFolder(graph).run(); }

}  // namespace tonnx::program
