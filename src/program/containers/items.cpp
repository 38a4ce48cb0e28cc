#include "program/containers/items.h"

#include <algorithm>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/constant_facts.h"
#include "ir/writes.h"
#include "program/writes/views.h"

namespace tonnx::program {

using aten::Container;
using ir::Node;
using ir::Value;

bool only_asks(const ir::Use& use) {
  const Node& node = *use.node;
  if (writes_argument(node, use.index)) return false;
  switch (aten::traits_of(node).container) {
    case Container::Item:
    case Container::Length:
    case Container::Contains:
    case Container::ListUnpack:
    case Container::Get:
    case Container::Keys:
    case Container::Values:
    case Container::Items: return use.index == 0;
    case Container::Concat:
    case Container::Part:
    case Container::Copy:
    case Container::Sorted: return true;  // return a new list
    case Container::None: break;
    default: return false;
  }
  if (!node.schema() || !node.blocks().empty()) return false;
  for (std::size_t i = 0; i < node.output_count(); ++i)
    if (relation_of(node, i).kind != Relation::Kind::Fresh) return false;
  return true;
}

bool is_put_away(const ir::Use& use) {
  switch (aten::traits_of(*use.node).container) {
    case Container::List:
    case Container::Tuple:
    case Container::Dict: return true;
    case Container::Append:
    case Container::Insert:
    case Container::SetItem: return use.index > 0;
    default: return false;
  }
}

bool is_put_in_list(const ir::Node& node, std::size_t operand) {
  switch (aten::traits_of(node).container) {
    case Container::List: return true;
    case Container::Append:
    case Container::Insert:
    case Container::SetItem: return operand + 1 == node.input_count() && node.input(0)->type().is(ir::Type::Kind::List);
    default: return false;
  }
}

std::optional<std::size_t> constant_index(const Value* index, std::size_t count) {
  const auto value = constant_integer(index);
  return value ? ir::item_at(*value, count) : std::nullopt;
}

namespace {

using ir::Constant;

bool is_ordered(const Constant* constant) {
  if (!constant) return false;
  const auto* number = constant->get<double>();
  return number ? *number == *number : constant->is_number() || constant->get<std::string>();
}

bool less(const Constant& a, const Constant& b) {
  const auto* string = a.get<std::string>();
  const auto* other = b.get<std::string>();
  return string && other ? *string < *other : a.as_double() < b.as_double();
}

bool have_same_kind(const Constant& a, const Constant& b) { return a.value.index() == b.value.index(); }

}  // namespace

std::optional<std::vector<Value*>> sorted_items(std::vector<Value*> items, bool reverse) {
  for (const Value* item : items)
    if (!is_ordered(item->constant()) || !have_same_kind(*item->constant(), *items.front()->constant()))
      return std::nullopt;
  std::stable_sort(items.begin(), items.end(), [&](const Value* a, const Value* b) {
    return reverse ? less(*b->constant(), *a->constant()) : less(*a->constant(), *b->constant());
  });
  return items;
}

std::optional<std::size_t> find_item(std::span<Value* const> items, const Value* value) {
  if (!is_ordered(value->constant())) return std::nullopt;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Constant* item = items[i]->constant();
    if (!is_ordered(item) || !have_same_kind(*item, *value->constant())) return std::nullopt;
    if (!less(*item, *value->constant()) && !less(*value->constant(), *item)) return i;
  }
  return std::nullopt;
}

std::optional<std::vector<Value*>> items_of_new_list(const Node& node, std::span<Value* const> items,
                                                     std::optional<std::span<Value* const>> more) {
  std::vector<Value*> result;
  switch (aten::traits_of(node).container) {
    case Container::Copy: return std::vector<Value*>(items.begin(), items.end());
    case Container::Sorted: return sorted_items({items.begin(), items.end()}, false);
    case Container::Concat:
      if (!more) return std::nullopt;
      result.assign(items.begin(), items.end());
      result.insert(result.end(), more->begin(), more->end());
      return result;
    case Container::Part: break;
    default: return std::nullopt;
  }
  const auto size = static_cast<std::int64_t>(items.size());
  std::optional<std::int64_t> bounds[3];  // begin, end, step
  for (std::size_t i = 1; i < node.input_count() && i < 4; ++i) {
    const ir::Constant* bound = node.input(i)->constant();
    if (bound && bound->is_none()) continue;
    bounds[i - 1] = constant_integer(node.input(i));
    if (!bounds[i - 1]) return std::nullopt;
  }
  const std::int64_t step = bounds[2].value_or(1);
  if (step == 0) return std::nullopt;
  const std::int64_t least = step < 0 ? -1 : 0;
  const std::int64_t most = step < 0 ? size - 1 : size;
  const auto clamp = [&](std::int64_t v) { return v < 0 ? std::max(v + size, least) : std::min(v, most); };
  const std::int64_t begin = bounds[0] ? clamp(*bounds[0]) : step < 0 ? most : 0;
  const std::int64_t end = bounds[1] ? clamp(*bounds[1]) : step < 0 ? least : most;
  for (std::int64_t i = begin; step < 0 ? i > end : i < end; i += step)
    result.push_back(items[static_cast<std::size_t>(i)]);
  return result;
}

std::optional<std::vector<Value*>> changed_items(const Node& node, Container operation, std::vector<Value*> items,
                                                 const std::vector<Value*>* more) {
  const auto at = [&] { return node.input_count() > 1 ? constant_index(node.input(1), items.size()) : std::nullopt; };
  switch (operation) {
    case Container::Append: items.push_back(node.input(1)); return items;
    case Container::Extend: {
      if (!more) return std::nullopt;
      const std::vector<Value*> added = *more;
      items.insert(items.end(), added.begin(), added.end());
      return items;
    }
    case Container::Clear: return std::vector<Value*>();
    case Container::Reverse: std::reverse(items.begin(), items.end()); return items;
    case Container::Insert: {
      const auto index = node.input_count() == 3 ? ir::constant_integer(node.input(1)) : std::nullopt;
      if (!index) return std::nullopt;
      const auto size = static_cast<std::int64_t>(items.size());
      const std::int64_t position = at() ? static_cast<std::int64_t>(*at()) : (*index < 0 ? 0 : size);
      items.insert(items.begin() + position, node.input(2));
      return items;
    }
    case Container::Remove: {
      const auto found = find_item(items, node.input(1));
      if (!found) return std::nullopt;
      items.erase(items.begin() + static_cast<std::ptrdiff_t>(*found));
      return items;
    }
    case Container::Sort: {
      const ir::Constant* reverse = node.input_count() > 1 ? node.input(1)->constant() : nullptr;
      if (node.input_count() > 1 && (!reverse || !reverse->get<bool>())) return std::nullopt;
      return sorted_items(std::move(items), reverse && *reverse->get<bool>());
    }
    case Container::SetItem:
      if (!at()) return std::nullopt;
      items[*at()] = node.input(2);
      return items;
    case Container::Pop:
    case Container::Delete:
      if (!at()) return std::nullopt;
      items.erase(items.begin() + static_cast<std::ptrdiff_t>(*at()));
      return items;
    default: return std::nullopt;
  }
}

bool may_change(const Node& node, const ir::Type& container) {
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    const ir::Type& type = node.input(i)->type();
    const bool may_be = type == container || type.is(ir::Type::Kind::Any) || type.is(ir::Type::Kind::Other);
    if (may_be && writes_argument(node, i)) return true;
  }
  bool any = false;
  for (const ir::Block* block : node.blocks())
    for (const Node* inner : block->nodes()) any = any || may_change(*inner, container);
  return any;
}

}  // namespace tonnx::program
