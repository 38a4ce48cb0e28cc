#include "program/writes/overlap.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "aten/traits.h"
#include "ir/constant_facts.h"

namespace tonnx::program {
namespace {

using aten::Container;
using aten::Inverse;
using ir::Node;
using ir::Value;

constexpr std::int64_t kEndOfAxis = std::numeric_limits<std::int64_t>::max();

// A view between the root and a tensor; of a list of views, which of its items.
struct Step {
  const Node* view;
  std::size_t output;

  Inverse inverse() const { return aten::traits_of(*view).inverse; }
};

// From the root to the value.
std::vector<Step> steps_to(const AliasForest& forest, const Value* value) {
  std::vector<Step> steps;
  for (const Alias* alias = &forest.of(value); alias->parent; alias = &forest.of(alias->parent))
    if (alias->view) steps.push_back({alias->view, alias->output});
  std::ranges::reverse(steps);
  return steps;
}

std::optional<std::int64_t> integer_of(const Value* value, std::int64_t if_none = 0) {
  return ir::is_none(value) ? if_none : ir::constant_integer(value);
}

// True if both are the same constant, or computed in the same way from the same values.
bool are_same(const Value* a, const Value* b, int depth = 6) {
  if (a == b) return true;
  if (a->constant() || b->constant()) {
    const auto x = integer_of(a, kEndOfAxis), y = integer_of(b, kEndOfAxis);
    return x && x == y;
  }
  const Node *one = a->node(), *other = b->node();
  if (depth == 0 || !one || !other || one->kind() != other->kind() || a->index() != b->index()) return false;
  if (!a->type().is_scalar() || one->input_count() == 0 || !one->blocks().empty()) return false;
  return std::ranges::equal(one->inputs(), other->inputs(),
                            [&](const Value* x, const Value* y) { return are_same(x, y, depth - 1); });
}

bool are_same(const Step& a, const Step& b) {
  if (a.view == b.view) return a.output == b.output;
  if (a.output != b.output || a.view->kind() != b.view->kind()) return false;
  const auto x = a.view->inputs().subspan(1), y = b.view->inputs().subspan(1);
  return std::ranges::equal(x, y, [](const Value* one, const Value* other) { return are_same(one, other); });
}

// The item of a list of views; nullopt if it is dynamic or the step is not an item.
std::optional<std::int64_t> item_of(const Step& step) {
  const Container container = aten::traits_of(*step.view).container;
  if (container == Container::ListUnpack) return static_cast<std::int64_t>(step.output);
  return container == Container::Item ? integer_of(step.view->input(1)) : std::nullopt;
}

// The elements of an axis that a step keeps. A bound is null if it is not a value of the program.
struct Range {
  const Value* axis = nullptr;
  const Value *start = nullptr, *end = nullptr;
  std::optional<std::int64_t> first = std::nullopt, last = std::nullopt, step = 1;  // last: after the last element
  bool is_one = false;
};

std::optional<Range> range_of(const Node& view) {
  Range range;
  if (view.input_count() > 1) range.axis = view.input(1);
  switch (aten::traits_of(view).inverse) {
    case Inverse::Select:
      range.first = integer_of(view.input(2));
      if (range.first && *range.first != -1) range.last = *range.first + 1;
      if (range.first == -1) range.last = kEndOfAxis;
      range.is_one = true;
      return range;
    case Inverse::Slice:
      range.start = view.input(2), range.end = view.input(3);
      range.first = integer_of(range.start, 0), range.last = integer_of(range.end, kEndOfAxis);
      range.step = integer_of(view.input(4), 1);
      return range;
    case Inverse::Narrow: {
      range.start = view.input(2);
      const auto length = integer_of(view.input(3));
      range.first = integer_of(range.start);
      if (range.first && length) range.last = *range.first + *length;
      if (range.first && *range.first < 0) range.last = std::nullopt;
      return range;
    }
    default: return std::nullopt;
  }
}

// True if a ends where b begins or before.
bool ends_before(const Range& a, const Range& b) {
  if (a.end && b.start && a.step == 1 && !ir::is_none(a.end) && are_same(a.end, b.start)) return true;
  if (!a.last || !b.first) return false;
  const bool have_one_sign = (*a.last < 0) == (*b.first < 0);
  return have_one_sign && *a.last <= *b.first;
}

// True if two distinct steps of one tensor have no element in common.
bool are_disjoint(const Step& a, const Step& b) {
  const auto one = item_of(a), other = item_of(b);
  if (one && other) return *one != *other && (*one < 0) == (*other < 0);
  const auto x = range_of(*a.view), y = range_of(*b.view);
  if (!x || !y || !x->axis || !y->axis || !are_same(x->axis, y->axis)) return false;
  if (x->is_one && y->is_one && x->first && y->first)
    return *x->first != *y->first && (*x->first < 0) == (*y->first < 0);
  const bool are_interleaved = x->step == y->step && x->step && *x->step > 1 && x->first && y->first &&
                               *x->first >= 0 && *y->first >= 0 && (*x->first - *y->first) % *x->step != 0;
  return are_interleaved || ends_before(*x, *y) || ends_before(*y, *x);
}

// True if each step takes one item of a list, or one index of the same axis.
bool are_single(const Step& a, const Step& b) {
  const auto is_item = [](const Step& step) {
    const Container container = aten::traits_of(*step.view).container;
    return container == Container::ListUnpack || container == Container::Item;
  };
  if (is_item(a) && is_item(b)) return true;
  const auto x = range_of(*a.view), y = range_of(*b.view);
  return x && y && x->is_one && y->is_one && x->axis && y->axis && are_same(x->axis, y->axis);
}

bool keeps_all_in_order(const Step& step) {
  return step.inverse() == Inverse::Reshape || step.inverse() == Inverse::Unsqueeze;
}

}  // namespace

bool may_overlap_partly(const AliasForest& forest, const Value* written, const Value* read) {
  const std::vector<Step> to = steps_to(forest, written), from = steps_to(forest, read);
  const auto [a, b] = std::ranges::mismatch(to, from, [](const Step& x, const Step& y) { return are_same(x, y); });
  if (a != to.end() && b != from.end()) {
    if (are_disjoint(*a, *b)) return false;
    // Two items or indices have no element in common, or the same ones.
    const auto same = [](const Step& x, const Step& y) { return are_same(x, y); };
    if (are_single(*a, *b) && std::equal(a + 1, to.end(), b + 1, from.end(), same)) return false;
  }
  return !std::all_of(a, to.end(), keeps_all_in_order) || !std::all_of(b, from.end(), keeps_all_in_order);
}

}  // namespace tonnx::program
