#include "torch/pickled_values.h"

#include <algorithm>

namespace tonnx::torch::pickled {

namespace {

// LibTorch reads and frees values recursively.
constexpr std::uint32_t kDeepest = 500;

}  // namespace

std::int64_t number(const Item& item) {
  if (item.kind != Kind::Number) broken();
  return item.number;
}

const Part* Values::part_of(const Item& item) const {
  const bool has_part = item.kind >= Kind::Tuple && item.number >= 0;
  return has_part ? &parts_[static_cast<std::size_t>(item.number)] : nullptr;
}

Part& Values::part(const Item& item, Kind kind) {
  if (item.kind != kind || !part_of(item)) broken();
  return parts_[static_cast<std::size_t>(item.number)];
}

std::span<const Item> Values::items(const Item& item, std::size_t at_least, Kind kind) const {
  const Part* part = item.kind == kind ? part_of(item) : nullptr;
  if (!part || part->size < at_least) broken();
  return std::span<const Item>(items_).subspan(part->first, part->size);
}

std::vector<std::int64_t> Values::numbers(const Item& tuple) const {
  std::vector<std::int64_t> out;
  for (const Item& item : items(tuple, 0)) out.push_back(number(item));
  return out;
}

void Values::hold(Kind kind, Part& part, std::span<const Item> contents) {
  if (part.is_held) broken();
  for (const Item& item : contents) {
    const Part* held = part_of(item);
    if (held == &part) broken();
    part.count += held ? held->count : 1;
    if (kind == Kind::List && item.kind >= Kind::Number && item.kind <= Kind::Function) {
      least_listed_ = std::min(least_listed_, item.number);
      largest_listed_ = std::max(largest_listed_, item.number);
    }
    if (!held) continue;
    parts_[static_cast<std::size_t>(item.number)].is_held = true;
    part.depth = std::max(part.depth, held->depth + 1);
  }
  if (part.depth > kDeepest) throw Fault{"a value has more than 500 levels"};
  if (part.count > largest_) throw Fault{"a value uses its parts too often"};
}

Item Values::make(Kind kind, std::span<const Item> contents, Part part) {
  hold(kind, part, contents);
  parts_.push_back(part);
  return {kind, static_cast<std::int64_t>(parts_.size() - 1)};
}

Item Values::make_tuple(std::span<const Item> contents) {
  const std::size_t first = items_.size();
  items_.insert(items_.end(), contents.begin(), contents.end());
  return make(Kind::Tuple, contents, {.first = first, .size = contents.size()});
}

void Values::add(const Item& container, std::span<const Item> contents) {
  hold(container.kind, part(container, container.kind), contents);
}

}  // namespace tonnx::torch::pickled
