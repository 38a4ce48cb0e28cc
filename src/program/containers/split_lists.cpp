// Lists of a known number of items that branches and loops carry become one value an item.
//
// Needs a program without writes. Lists of numbers stay, as do lists whose length the turns of a loop change:
//
//   %l = prim::ListConstruct(%a, %b)         %x, %y = prim::Loop(%n, %c, %a, %b)
//   %m = prim::Loop(%n, %c, %l)                block0(%i, %u, %v): ... -> (%c, %v, %w)
//     block0(%i, %k): ... -> (%c, %k2)       %m = prim::ListConstruct(%x, %y)
#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/constant_facts.h"
#include "ir/control_flow.h"
#include "ir/writes.h"
#include "program/containers/items.h"
#include "program/containers/passes.h"
#include "program/edit.h"
#include "program/nodes_where.h"

namespace tonnx::program {

using aten::Container;
using ir::Block;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

constexpr std::size_t kMostItems = 64;
constexpr std::int64_t kMostTimes = 16;    // that a list of open length is joined to itself
constexpr std::size_t kMostSettings = 16;  // each of so many items is a branch

// Whether an item can be a result of a branch, as such or in parts.
bool may_be_value(const Type& item) {
  return item.is(Type::Kind::Tensor) || item.is(Type::Kind::List) || item.is(Type::Kind::Tuple) ||
         item.is(Type::Kind::Optional);
}

bool is_list(const Value* value) {
  const Type& type = value->type();
  return type.is(Type::Kind::List) && may_be_value(type.elements.at(0));
}

bool is_list_made(const Node& node) { return node.output_count() == 1 && is_list(node.output()); }

// A list with another item at a place that a run decides, as functionalise() leaves it: what stands before, the item,
// what stands behind.
struct Setting {
  Value* list;
  Value* at;
  Value* item;
};

std::optional<Setting> setting_of(const Node& joined) {
  const auto made_as = [](const Node& node, std::size_t i, Container form) -> const Node* {
    const Node* maker = i < node.input_count() ? node.input(i)->node() : nullptr;
    return maker && aten::acts_as(*maker, form) ? maker : nullptr;
  };
  if (!aten::acts_as(joined, Container::Concat)) return std::nullopt;
  const Node* front = made_as(joined, 0, Container::Concat);
  const Node* behind = made_as(joined, 1, Container::Part);
  const Node* before = front ? made_as(*front, 0, Container::Part) : nullptr;
  const Node* item = front ? made_as(*front, 1, Container::List) : nullptr;
  if (!behind || !before || !item || item->input_count() != 1 || before->input() != behind->input())
    return std::nullopt;
  const Value* at = before->input(2);
  const Node* after = behind->input(1)->node();
  const bool is_whole = ir::is_none(before->input(1)) && ir::is_none(behind->input(2)) &&
                        ir::constant_integer(before->input(3)) == 1 && ir::constant_integer(behind->input(3)) == 1;
  const bool follows =
      after && after->is("aten::add") && after->input(0) == at && ir::constant_integer(after->input(1)) == 1;
  if (!is_whole || !follows) return std::nullopt;
  return Setting{before->input(), before->input(2), item->input()};
}

// How many items lists have, as the nodes that make them tell.
class Counter {
 public:
  std::optional<std::size_t> count(const Value* list) {
    if (const auto found = assumed_.find(list); found != assumed_.end()) return found->second;
    if (const auto found = known_.find(list); found != known_.end()) return found->second;
    const auto count = list->node() ? of_result(*list->node(), list->index()) : std::nullopt;
    known_.emplace(list, count);
    return count;
  }

 private:
  std::optional<std::size_t> of_result(const Node& node, std::size_t index) {
    if (node.is("prim::If")) return of_branch(node, index);
    if (node.is("prim::Loop")) return of_loop(node, index);
    switch (aten::traits_of(node).container) {
      case Container::List: return node.input_count();
      case Container::Concat:
      case Container::Copy:
      case Container::Part: return of_new_list(node);
      default: return std::nullopt;
    }
  }

  std::optional<std::size_t> of_branch(const Node& node, std::size_t index) {
    const auto first = count(node.block(0)->outputs()[index]);
    return first && count(node.block(1)->outputs()[index]) == first ? first : std::nullopt;
  }

  // As many as before the first turn, if that many in a turn stay as many.
  std::optional<std::size_t> of_loop(const Node& node, std::size_t index) {
    const auto before = count(node.input(index + 2));
    if (!before) return std::nullopt;
    const Block* body = node.block(0);
    const Value* inner = body->inputs()[index + 1];
    assumed_[inner] = *before;
    const auto after = count(body->outputs()[index + 1]);
    assumed_.erase(inner);
    // Only what stands in the body can follow from what was assumed.
    std::erase_if(known_, [body](const auto& entry) { return is_inside(*entry.first->node(), *body); });
    return after == before ? before : std::nullopt;
  }

  std::optional<std::size_t> of_new_list(const Node& node) {
    if (const auto setting = setting_of(node)) return count(setting->list);
    const auto size = count(node.input());
    if (!size) return std::nullopt;
    const std::vector<Value*> items(*size);
    std::vector<Value*> others;
    std::optional<std::span<Value* const>> more;
    if (node.input_count() > 1 && is_list(node.input(1))) {
      const auto size_of_more = count(node.input(1));
      if (!size_of_more) return std::nullopt;
      others.resize(*size_of_more);
      more = others;
    }
    const auto made = items_of_new_list(node, items, more);
    return made ? std::optional(made->size()) : std::nullopt;
  }

  std::unordered_map<const Value*, std::size_t> assumed_;
  std::unordered_map<const Value*, std::optional<std::size_t>> known_;  // lists are read more than once
};

bool split_lists_in(Block& block) {
  bool changed = false;
  for (Node* node : block.nodes()) {
    for (Block* inner : node->blocks()) changed = split_lists_in(*inner) || changed;
    if (!node->is("prim::If") && !node->is("prim::Loop")) continue;
    for (std::size_t i = 0; i < node->output_count(); ++i) {
      const auto count = is_list(node->output(i)) ? Counter().count(node->output(i)) : std::nullopt;
      if (!count || *count == 0 || *count > kMostItems) continue;
      const std::vector<Type> types(*count, node->output(i)->type().elements.at(0));
      split_carried(*node, i, types);
      changed = true;
    }
  }
  return changed;
}

// The item at each place of a list that is known is the new one, or what was there.
bool set_items(ir::Graph& graph) {
  const std::vector<Node*> joined = nodes_where(graph, [&](const Node* node) {
    const auto setting = is_list_made(*node) ? setting_of(*node) : std::nullopt;
    return setting && setting->list->node() && aten::acts_as(*setting->list->node(), Container::List);
  });
  bool changed = false;
  for (Node* node : joined) {
    const Setting setting = setting_of(*node).value();
    const std::vector<Value*> old(setting.list->node()->inputs().begin(), setting.list->node()->inputs().end());
    if (old.empty() || old.size() > kMostSettings) continue;
    Inserter insert(node);
    std::vector<Value*> now;
    for (std::size_t i = 0; i < old.size(); ++i) {
      Value* condition = insert.call("aten::eq.int", {setting.at, insert.integer(static_cast<std::int64_t>(i))});
      now.push_back(insert.either(condition, old[i]->type(), setting.item, old[i]));
    }
    node->output()->replace_uses(insert.list(node->output()->type(), now));
    changed = true;
  }
  return changed;
}

Value* joined_to_itself(Inserter insert, Value* list, std::int64_t times) {
  Value* repeated = times > 0 ? list : insert.list(list->type(), {});
  for (std::int64_t i = 1; i < times; ++i) {
    repeated = insert.call("aten::add.t", {repeated, list});
    repeated->set_type(list->type());
  }
  return repeated;
}

// A loop of so many turns as the number, each of which puts the items at the end.
Value* joined_by_turns(Inserter insert, const Value& list, Value* times, const ir::Location& location) {
  Value* operands[] = {times, insert.boolean(true), insert.list(list.type(), {})};
  Node* loop = times->node()->graph().create("prim::Loop", operands, 1);
  loop->set_location(location);
  Block* body = loop->add_block();
  body->add_input()->set_type(Type::of(Type::Kind::Int));
  Value* before = body->add_input();
  before->set_type(list.type());
  Inserter inside(body, location);
  Value* items =
      inside.list(list.type(), std::vector<Value*>(list.node()->inputs().begin(), list.node()->inputs().end()));
  Value* after = inside.call("aten::add.t", {before, items});
  after->set_type(list.type());
  body->add_output(inside.boolean(true));
  body->add_output(after);
  loop->output()->set_type(list.type());
  insert.insert(loop);
  return loop->output();
}

}  // namespace

bool split_lists(ir::Graph& graph) { return !has_writes(graph) && (set_items(graph) | split_lists_in(graph.block())); }

bool repeat_lists(ir::Graph& graph) {
  std::vector<Node*> repeats;
  for_each_node(graph.block(), [&](Node* node) {
    if (!node->is("aten::mul")) return;
    const std::size_t at = node->input(0)->type().is(Type::Kind::List) ? 0 : 1;
    const Value* list = node->input(at);
    const bool is_known = list->node() && aten::acts_as(*list->node(), Container::List);
    const auto times = ir::constant_integer(node->input(1 - at));
    if (is_list(list) && (is_known ? !times : times && *times <= kMostTimes)) repeats.push_back(node);
  });
  for (Node* node : repeats) {
    const std::size_t at = node->input(0)->type().is(Type::Kind::List) ? 0 : 1;
    Value* list = node->input(at);
    Value* times = node->input(1 - at);
    const auto known = ir::constant_integer(times);
    Value* repeated = known ? joined_to_itself(Inserter(node), list, *known)
                            : joined_by_turns(Inserter(node), *list, times, node->location());
    node->output()->replace_uses(repeated);
    node->erase();
  }
  return !repeats.empty();
}

}  // namespace tonnx::program
