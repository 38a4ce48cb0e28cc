// What lists, tuples and dicts contain at a point of the walk, and which item a node reads.
#include <algorithm>
#include <functional>
#include <span>

#include "aten/containers.h"
#include "ir/constant_facts.h"
#include "ir/writes.h"
#include "program/containers/entries.h"
#include "program/containers/items.h"
#include "program/references/alias.h"

namespace tonnx::program {

using aten::Container;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

// Where an item of a list with `least` items or more is before an item was inserted at `at`. Empty if that depends on
// the length; the ItemLocation without an item is the index before.
std::optional<ItemLocation> before_insertion(std::int64_t index, std::int64_t at, Value* item, std::int64_t least) {
  const ItemLocation unmoved{nullptr, index};
  if (index >= 0) {
    if (at < 0) return least + at > index ? std::optional(unmoved) : std::nullopt;
    if (index < at) return least > index ? std::optional(unmoved) : std::nullopt;
    if (least < at) return std::nullopt;
    return index == at ? ItemLocation{item} : ItemLocation{nullptr, index - 1};
  }
  if (at >= 0) return least + 1 + index > at ? std::optional(unmoved) : std::nullopt;
  if (index >= at) return least >= -index ? std::optional(unmoved) : std::nullopt;
  if (least < -at) return std::nullopt;
  return index == at - 1 ? ItemLocation{item} : ItemLocation{nullptr, index + 1};
}

// Where an item is before the change. The list has `least` items or more before it.
std::optional<ItemLocation> before_change(const Change& change, std::int64_t index, std::int64_t least) {
  const Items& items = change.items;
  const auto count = static_cast<std::int64_t>(items.size());
  if (!change.writer) {
    const auto at = ir::item_at(index, items.size());
    return at ? std::optional(ItemLocation{items[*at]}) : std::nullopt;
  }
  if (change.adds_at_end()) {
    if (index >= 0) return index < least ? std::optional(ItemLocation{nullptr, index}) : std::nullopt;
    return -index <= count ? ItemLocation{items[static_cast<std::size_t>(count + index)]}
                           : ItemLocation{nullptr, index + count};
  }
  const auto at = ir::constant_integer(change.index());
  if (!at) return std::nullopt;
  if (aten::acts_as(*change.writer, Container::Insert)) return before_insertion(index, *at, items.front(), least);
  if (index == *at) return ItemLocation{items.front()};
  const bool is_same_end = (index < 0) == (*at < 0);
  const bool is_other = is_same_end || (index < 0 ? least + index > *at : least + *at > index);
  return is_other ? std::optional(ItemLocation{nullptr, index}) : std::nullopt;
}

// Where an item is before all of the changes.
std::optional<ItemLocation> before_changes(std::span<const Change> changes, std::int64_t index, std::int64_t least) {
  std::vector<std::int64_t> lengths;  // before each change, or less
  for (const Change& change : changes) {
    lengths.push_back(least);
    if (!change.writer) least = 0;
    if (!change.writer || !aten::acts_as(*change.writer, Container::SetItem))
      least += static_cast<std::int64_t>(change.items.size());
  }
  std::optional<ItemLocation> location = ItemLocation{nullptr, index};
  for (std::size_t k = changes.size(); k-- > 0 && location && !location->item;)
    location = before_change(changes[k], location->index, lengths[k]);
  return location;
}

// The change and the index of its item that the list has at `index`, counted from the end, if the last changes only add
// items at the end.
std::optional<std::pair<std::size_t, std::size_t>> added_at(std::span<const Change> changes, std::int64_t index) {
  for (std::size_t k = changes.size(); index < 0 && k-- > 0 && changes[k].adds_at_end();) {
    const auto count = static_cast<std::int64_t>(changes[k].items.size());
    if (-index <= count) return std::pair(k, static_cast<std::size_t>(count + index));
    index += count;
  }
  return std::nullopt;
}

}  // namespace

const Contents::State& Contents::state(const Value* root) const {
  static const State unknown;
  const auto found = states_.find(root);
  return found == states_.end() ? unknown : found->second;
}

std::optional<Choice<Value*>> AliasForest::item_of(const Node& node, std::size_t output, const Content& content) const {
  const Container operation = aten::traits_of(node).container;
  const bool is_dict = node.input()->type().is(Type::Kind::Dict);
  const auto one_of = [&](std::span<Value* const> values, const std::vector<Value*>& keys) {
    Choice<Value*> choice(node, {values.begin(), values.end()});
    choice.keys = keys;
    return simplified(std::move(choice));
  };
  const auto entry_in = [&](const Items& entries) -> std::optional<Choice<Value*>> {
    if (Value* value = entry_value(node, entries)) return value;
    const Type& key = node.input(1)->type();
    const bool is_comparable = key.is(Type::Kind::Int) || key.is(Type::Kind::String);
    if (operation != Container::Item || node.input(1)->constant() || !is_comparable || entries.empty())
      return std::nullopt;
    return one_of(values_of(entries), keys_of(entries));
  };
  const auto item_in = [&](const Items& items) -> std::optional<Choice<Value*>> {
    const bool is_indexed = operation == Container::Item || operation == Container::Pop;
    if (!is_indexed && items.size() != node.output_count()) return std::nullopt;
    const auto index = is_indexed ? constant_index(node.input(1), items.size()) : output;
    if (index && *index < items.size()) return items[*index];
    if (!is_indexed || node.input(1)->constant() || items.empty()) return std::nullopt;
    return one_of(items, {});
  };
  return is_dict ? replace_leaves<Value*>(content, entry_in) : replace_leaves<Value*>(content, item_in);
}

Contents::Known AliasForest::content_of(const Value* root, const Contents& contents) const {
  const Selection* selected = selection(root);
  if (!selected) return contents.of(root);
  if (root->type().is(Type::Kind::Tensor)) return nullptr;
  const auto all = replace_leaves<Items>(selected->choice, [&](Value* one) {
    const Contents::Known content = content_of(this->root(one), contents);
    return content ? std::optional(*content) : std::nullopt;
  });
  return all ? std::make_shared<const Content>(*all) : nullptr;
}

// The items that a container may contain, without duplicates if there are several contents. Of dynamic lists, those
// that delayed changes store.
Items AliasForest::all_items(const Value* root, const Contents& contents) const {
  const Contents::Known content = content_of(root, contents);
  if (content && !content->decider) return content->one;
  Items all;
  const auto add = [&](const Items& items, const Node*) {
    for (Value* item : items)
      if (std::ranges::find(all, item) == all.end()) all.push_back(item);
  };
  if (content) return for_each_leaf(*content, add), all;
  for (const Value* one : roots(const_cast<Value*>(root))) {
    const auto& [known, changes] = contents.state(one);
    if (known) for_each_leaf(*known, add);
    if (!changes) continue;
    for_each_leaf(*changes, [&](const std::vector<Change>& delayed, const Node* by) {
      for (const Change& change : delayed) add(change.items, by);
    });
  }
  return all;
}

// True for lists whose changes can be delayed: items that are scalars do not change.
bool AliasForest::can_delay(const Value* list) const {
  return is_precise_ && list->type().is(Type::Kind::List) && is_memory(list->type().elements.front());
}

// True if the value is the list, or contains it, or an item that it owns.
bool AliasForest::contains(Value* value, const Value* list, const Contents& contents, Seen& seen) const {
  Value* origin = root(value);
  if (!is_memory(value->type()) || !seen.insert(origin).second) return false;
  const auto is_in = [&](Value* item) { return contains(item, list, contents, seen); };
  const std::vector<Value*> all = roots(origin);
  return std::ranges::find(all, list) != all.end() || std::ranges::any_of(all_items(origin, contents), is_in);
}

Changes AliasForest::changes_of(const Contents::State& state) {
  if (!state.content) return state.changes ? *state.changes : Changes();
  const auto build = [](const Items& items) { return std::optional(Changes(std::vector{Change{nullptr, items}})); };
  return *replace_leaves<std::vector<Change>>(*state.content, build);
}

// The delayed changes of a list with the change that the node makes. Empty if it cannot be delayed.
std::optional<Changes> AliasForest::changes_after(const Node& node, const Value* list, const Contents& contents) const {
  Change change{&node, {}};
  switch (aten::traits_of(node).container) {
    case Container::Append: change.items = {node.input(1)}; break;
    case Container::Insert:
    case Container::SetItem: change.items = {node.input(2)}; break;
    case Container::Extend: {
      const Contents::Known more = content_of(root(node.input(1)), contents);
      if (!more || more->decider) return std::nullopt;
      change.items = more->one;
      break;
    }
    case Container::Pop:
    case Container::Delete: break;  // of an item that a delayed change has added
    default: return std::nullopt;
  }
  const bool removes = change.items.empty() && !aten::acts_as(node, Container::Extend);
  if (removes && (node.input_count() != 2 || selection(root(node.input())))) return std::nullopt;
  Seen seen;
  const auto is_of_list = [&](Value* item) { return contains(item, list, contents, seen); };
  if (std::ranges::any_of(change.items, is_of_list)) return std::nullopt;
  auto after = replace_leaves<std::vector<Change>>(
      changes_of(contents.state(list)), [&](std::vector<Change> changes) -> std::optional<Changes> {
        const bool has_index = removes || aten::acts_as(node, Container::SetItem);
        const auto index = has_index ? ir::constant_integer(node.input(1)) : std::nullopt;
        const auto added = index ? added_at(changes, *index) : std::nullopt;
        if (removes && !added) return std::nullopt;
        if (added) {
          Items& items = changes[added->first].items;
          const auto at = items.begin() + static_cast<std::ptrdiff_t>(added->second);
          if (!removes) *at = node.input(2);
          if (removes) items.erase(at);
          if (items.empty()) changes.erase(changes.begin() + static_cast<std::ptrdiff_t>(added->first));
          return changes;
        }
        if (changes.size() >= kMostContents) return std::nullopt;
        changes.push_back(change);
        return changes;
      });
  return after && count_leaves(*after) <= kMostContents ? after : std::nullopt;
}

// Delays the change that the node makes to a list, or to each candidate of a selection where it is selected. False if
// it cannot be delayed.
bool AliasForest::delay(const Node& node, Contents& contents) const {
  Value* r = root(node.input());
  if (!can_delay(r) || object_of(node.input()) != r) return false;
  std::vector<std::pair<const Value*, Changes>> delayed;
  for (const Value* one : roots(r)) {
    const std::function<std::optional<Changes>(Value*)> changes = [&](Value* name) {
      const Value* origin = root(name);
      if (const Selection* selected = selection(origin))
        return replace_leaves<std::vector<Change>>(selected->choice, changes);
      return origin == one ? changes_after(node, one, contents) : changes_of(contents.state(one));
    };
    const std::optional<Changes> after = changes(r);
    if (!after || count_leaves(*after) > kMostContents) return false;
    delayed.emplace_back(one, *after);
  }
  for (auto& [list, changes] : delayed) contents.delay(list, std::move(changes));
  return true;
}

// Returns a lower bound of the list's length at any time; 0 if it may shrink.
std::size_t AliasForest::least_length(const Value* list) const {
  const Node* maker = list->node();
  return maker && aten::acts_as(*maker, Container::List) && !shrunk_.contains(list) ? maker->input_count() : 0;
}

// Where the item that the node reads from a dynamic list is. Empty if the list has no delayed changes, or if these do
// not decide it.
std::optional<Choice<ItemLocation>> AliasForest::locate(const Node& node, const Contents& contents) const {
  const Container operation = aten::traits_of(node).container;
  if (operation != Container::Item && operation != Container::Pop) return std::nullopt;
  Value* list = root(node.input());
  const auto& delayed = contents.state(list).changes;
  const auto index = node.input_count() == 2 ? ir::constant_integer(node.input(1)) : std::nullopt;
  if (!delayed || !index || object_of(node.input()) != list) return std::nullopt;
  const auto least = static_cast<std::int64_t>(least_length(list));
  return replace_leaves<ItemLocation>(
      *delayed, [&](const std::vector<Change>& changes) -> std::optional<Choice<ItemLocation>> {
        const std::optional<ItemLocation> location = before_changes(changes, *index, least);
        return location ? std::optional(Choice<ItemLocation>(*location)) : std::nullopt;
      });
}

std::optional<std::int64_t> AliasForest::base_index(const Node& node, const Contents& contents) const {
  const auto place = locate(node, contents);
  return place && !place->decider && !place->one.item ? std::optional(place->one.index) : std::nullopt;
}

// The item that the node reads from a dynamic list, if a delayed change has stored it.
std::optional<Choice<Value*>> AliasForest::stored_item(const Node& node, const Contents& contents) const {
  const auto place = locate(node, contents);
  if (!place) return std::nullopt;
  return replace_leaves<Value*>(*place, [](const ItemLocation& one) {
    return one.item ? std::optional(Choice<Value*>(one.item)) : std::nullopt;
  });
}

// The content of the new or changed container of the node; `known` is that of its first operand before. Empty if it is
// unknown.
std::optional<Content> AliasForest::content_after(const Node& node, const Content& known,
                                                  const Contents& contents) const {
  const Container operation = aten::traits_of(node).container;
  const bool is_dict = node.input()->type().is(Type::Kind::Dict);
  const bool is_new = aten::gives_new_list(node);
  const bool has_more =
      operation == Container::Concat || operation == Container::Update || operation == Container::Extend;
  const Contents::Known more = has_more ? content_of(root(node.input(1)), contents) : nullptr;
  const auto as_content = [](std::optional<Items> items) {
    return items ? std::optional(Content{std::move(*items)}) : std::nullopt;
  };
  const auto changed = [&](const Items& items, const Items* others) {
    if (operation == Container::Keys) return as_content(keys_of(items));
    if (operation == Container::Values) return as_content(values_of(items));
    if (is_new)
      return as_content(
          items_of_new_list(node, items, others ? std::optional<std::span<Value* const>>(*others) : std::nullopt));
    if (is_dict) return as_content(changed_entries(node, operation, items, others));
    const bool is_at = operation == Container::SetItem || operation == Container::Pop || operation == Container::Delete;
    if (!is_precise_ || !is_at || node.input(1)->constant() || items.size() < 2)
      return as_content(changed_items(node, operation, items, others));
    Content choice(node, {});
    for (std::size_t i = 0; i < items.size(); ++i) {
      Items one = items;
      if (operation == Container::SetItem) {
        one[i] = node.input(2);
      } else {
        one.erase(one.begin() + static_cast<std::ptrdiff_t>(i));
      }
      choice.options.push_back(std::move(one));
    }
    return std::optional(simplified(std::move(choice)));
  };
  auto result = replace_leaves<Items>(known, [&](const Items& items) {
    if (!more) return changed(items, nullptr);
    return replace_leaves<Items>(*more, [&](const Items& others) { return changed(items, &others); });
  });
  return result && count_leaves(*result) <= kMostContents ? result : std::nullopt;
}

bool AliasForest::apply_list(const Node& node, Contents& contents) const {
  const Container operation = aten::traits_of(node).container;
  if (operation == Container::List || operation == Container::Tuple) {
    contents.set(node.output(), Content{{node.inputs().begin(), node.inputs().end()}});
    return true;
  }
  if (operation == Container::Dict || makes_dict_of_pairs(node)) {
    auto entries = operation == Container::Dict ? entries_of(node.inputs()) : entries_of_pairs(node, contents);
    if (entries) contents.set(node.output(), Content{std::move(*entries)});
    return entries.has_value();
  }
  if (node.input_count() == 0) return false;
  const bool is_dict = node.input()->type().is(Type::Kind::Dict);
  if (!is_dict && !node.input()->type().is(Type::Kind::List)) return false;
  Value* r = root(node.input());
  const bool is_new = aten::gives_new_list(node) || operation == Container::Keys || operation == Container::Values;
  const Contents::Known known = content_of(r, contents);
  if (is_new ? node.output_count() != 1 : !writes_argument(node, 0)) return false;
  const std::optional<Content> after = known ? content_after(node, *known, contents) : std::nullopt;
  if (!after && !is_new && delay(node, contents)) return true;
  if (is_new && after) contents.set(node.output(), *after);
  if (is_new) return after.has_value();
  // Each candidate of a selection has the new content where it is selected.
  std::vector<std::pair<Value*, std::optional<Content>>> changed;
  for (Value* one : roots(r)) {
    const std::function<std::optional<Content>(Value*)> content = [&](Value* name) -> std::optional<Content> {
      Value* origin = root(name);
      if (const Selection* selected = selection(origin)) return replace_leaves<Items>(selected->choice, content);
      return origin == one ? *after : *contents.of(one);
    };
    changed.emplace_back(one, after ? content(r) : std::nullopt);
  }
  const auto is_known = [](const auto& one) { return one.second && count_leaves(*one.second) <= kMostContents; };
  const bool all_known = std::ranges::all_of(changed, is_known);
  for (const auto& [one, content] : changed) {
    if (all_known) {
      contents.set(one, *content);
    } else {
      contents.invalidate(one);
    }
  }
  return all_known;
}

// The entries of a dict that is built from a list of pairs; none if they are unknown.
std::optional<Items> AliasForest::entries_of_pairs(const Node& node, const Contents& contents) const {
  Items operands;
  if (node.input_count() == 0) return operands;
  const Contents::Known pairs = content_of(root(node.input()), contents);
  if (!pairs || pairs->decider) return std::nullopt;
  for (Value* pair : pairs->one) {
    const Contents::Known entry = content_of(root(pair), contents);
    if (!entry || entry->decider || entry->one.size() != 2) return std::nullopt;
    operands.insert(operands.end(), entry->one.begin(), entry->one.end());
  }
  return entries_of(operands);
}

}  // namespace tonnx::program
