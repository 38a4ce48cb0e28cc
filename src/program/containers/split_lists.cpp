// A list of known length that Ifs and Loops change, select, exchange or create becomes one value for each item.
//
// Leaves lists of numbers, and lists whose length the iterations of a loop change or that differs between branches:
//
//   %l = prim::ListConstruct(%a, %b)         %x, %y = prim::Loop(%n, %c, %a, %b)
//   %m = prim::Loop(%n, %c, %l)                block0(%i, %u, %v): ... -> (%c, %v, %w)
//     block0(%i, %k): ... -> (%c, %k2)       %m = prim::ListConstruct(%x, %y)
#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/constant_facts.h"
#include "ir/writes.h"
#include "program/containers/container_walk.h"
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

// True if an item can be a result of a branch, as it is or in parts.
bool may_be_value(const Type& item) {
  return item.is(Type::Kind::Tensor) || item.is(Type::Kind::List) || item.is(Type::Kind::Tuple) ||
         item.is(Type::Kind::Optional);
}

bool is_list(const Value* value) {
  const Type& type = value->type();
  return type.is(Type::Kind::List) && may_be_value(type.elements.at(0));
}

bool is_list_made(const Node& node) { return node.output_count() == 1 && is_list(node.output()); }

// A list with a new item at a dynamic index, as functionalise() writes it: the items before, the item, the items after.
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

// The content is the items.
class ListWalk final : public ContainerWalk {
 public:
  using ContainerWalk::ContainerWalk;

 private:
  bool creates(const Node& node) const override {
    switch (aten::traits_of(node).container) {
      case Container::List:
      case Container::Concat:
      case Container::Copy:
      case Container::Part: return node.output_count() == 1 && node.output()->type() == type_;
      default: return false;
    }
  }

  bool can_read(const ir::Use& use) const override { return only_asks(use); }
  bool can_change(const ir::Use& use) const override {
    const Node& node = *use.node;
    const bool hands_on = node.output_count() > 0 && !node.output()->is_unused();
    return use.index == 0 && (!hands_on || aten::acts_as(node, Container::Pop));
  }

  std::size_t size(const Content& content) const override { return content.size(); }
  const Type& value_type(std::size_t) const override { return type_.elements.at(0); }
  bool can_make(const Content&) const override { return true; }
  Value* make(Inserter& insert, const Content& content) override { return insert.list(type_, content); }
  bool is_worth_it(const Content& content) const override { return !content.empty() && content.size() <= kMostItems; }

  std::optional<Content> created(Node& node, const Contents& contents, bool rewrite) override {
    if (aten::acts_as(node, Container::List)) return Content(node.inputs().begin(), node.inputs().end());
    if (const auto setting = setting_of(node)) return items_after(*setting, node, contents, rewrite);
    const Content* items = contents(node.input());
    if (!items) return std::nullopt;
    std::optional<std::span<Value* const>> more;
    const Content* others = node.input_count() > 1 ? contents(node.input(1)) : nullptr;
    if (others) more = *others;
    return items_of_new_list(node, *items, more);
  }

  static std::optional<Content> items_after(const Setting& setting, Node& node, const Contents& contents,
                                            bool rewrite) {
    const Content* items = contents(setting.list);
    if (!items || !rewrite) return items ? std::optional(Content(items->size())) : std::nullopt;
    Node* unpack = make_unpack(node.output(), items->size());
    unpack->set_location(node.location());
    unpack->insert_after(&node);
    return Content(unpack->outputs().begin(), unpack->outputs().end());
  }

  std::optional<Content> changed(Node& node, const Content& items, bool rewrite) override {
    const Container form = aten::traits_of(node).container;
    const bool compares = form == Container::Remove || form == Container::Sort;
    if (compares && std::ranges::find(items, nullptr) != items.end()) return std::nullopt;
    std::optional<Content> more;
    if (form == Container::Extend) {
      const Node& other = *node.input(1)->node();
      if (!aten::acts_as(other, Container::List) || node.input(1)->uses().size() != 1) return std::nullopt;
      more.emplace(other.inputs().begin(), other.inputs().end());
    }
    auto after = changed_items(node, form, items, more ? &*more : nullptr);
    if (!after || after->size() > kMostItems) return std::nullopt;
    if (rewrite && form == Container::Pop && !node.output()->is_unused())
      node.output()->replace_uses(items[*popped(node, items)]);
    return after;
  }

  static std::optional<std::size_t> popped(const Node& node, const Content& items) {
    return node.input_count() > 1 ? constant_index(node.input(1), items.size()) : std::optional(items.size() - 1);
  }

  // Builds a list for the reader.
  bool read(Node& node, std::size_t operand, const Content& items, bool rewrite) override {
    if (items.size() > kMostItems) return false;
    if (rewrite) node.set_input(operand, Inserter(&node).list(type_, items));
    return true;
  }
};

// Replaces a set at a dynamic index of a known list by a list whose items are each the new item or the old one.
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

// Builds a loop that appends the items in each iteration; `times` is its trip count.
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

bool split_lists(ir::Graph& graph) {
  const bool is_set = !has_writes(graph) && set_items(graph);
  const auto is_split = [](const Value& value) {
    const Type& type = value.type();
    return is_list(&value) || (type.is(Type::Kind::List) && type.elements.at(0).is(Type::Kind::Dict));
  };
  return walk_containers<ListWalk>(graph, is_split) || is_set;
}

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
