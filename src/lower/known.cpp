#include "lower/known.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <vector>

#include "ir/onnx_traits.h"

namespace tonnx::lower {

using ir::DType;

const ir::Tensor* known_tensor(const ir::Value* value) {
  const ir::Constant* c = value->constant();
  return c ? c->get<ir::Tensor>() : nullptr;
}

std::optional<std::vector<std::int64_t>> known_integers(const ir::Value* value) {
  const ir::Tensor* t = known_tensor(value);
  if (!t || !ir::is_integral(t->dtype)) return std::nullopt;
  return t->to_int64s();
}

std::optional<std::int64_t> known_integer(const ir::Value* value) {
  const auto all = known_integers(value);
  return all && all->size() == 1 ? std::optional(all->front()) : std::nullopt;
}

std::optional<double> known_number(const ir::Value* value) {
  const ir::Tensor* t = known_tensor(value);
  if (!t || t->numel() != 1 || ir::is_complex(t->dtype)) return std::nullopt;
  return t->as_double(0);
}

std::optional<double> known_number_beside(const ir::Value* x, const ir::Value* value) {
  const ir::Facts &beside = x->facts(), &facts = value->facts();
  const bool adds_no_axis =
      facts.has_rank() && (facts.rank() == 0 || (beside.has_rank() && facts.rank() <= beside.rank()));
  return adds_no_axis ? known_number(value) : std::nullopt;
}

namespace {

bool is_pick(ir::Integers from) { return from == ir::Integers::PickedFromFirst || from == ir::Integers::PickedFromAll; }

// True if numbers are computed, by nodes whose results `follows` accepts, from values that satisfy `fits`.
template <class Follows, class Fits>
bool are_computed_of(const ir::Value* numbers, Follows follows, Fits fits) {
  std::vector<const ir::Value*> open{numbers};
  std::set<const ir::Value*> seen;
  while (!open.empty()) {
    const ir::Value* v = open.back();
    open.pop_back();
    if (!seen.insert(v).second) continue;
    if (fits(v)) continue;
    const ir::Node* node = v->node();
    if (known_tensor(v) || !node || !follows(v)) return false;
    const ir::Integers from = ir::onnx_traits_of(*node).integers;
    const bool is_of_first = from == ir::Integers::PickedFromFirst || from == ir::Integers::OfFirst;
    const auto inputs = node->inputs().first(is_of_first ? 1 : node->input_count());
    std::ranges::copy_if(inputs, std::back_inserter(open), [](const ir::Value* input) { return input != nullptr; });
  }
  return true;
}

bool is_size(const ir::Value* v) { return v->node() && ir::onnx_traits_of(*v->node()).integers == ir::Integers::Sizes; }

// True if the elements are indices of elements.
bool is_place(const ir::Value* v) {
  const std::int64_t first = v->node() ? ir::onnx_traits_of(*v->node()).places_from : -1;
  return first >= 0 && static_cast<std::int64_t>(v->index()) >= first;
}

bool is_short_dtype(DType dtype) {
  return dtype == DType::Bool || (ir::is_integral(dtype) && ir::size_of(dtype) <= 4 && dtype != DType::UInt32);
}

// True for a constant or a small weight that is real and has no negative element.
bool holds_no_negative(const ir::Value* v) {
  constexpr std::int64_t kMost = std::int64_t{1} << 16;
  const ir::Tensor* t = v->weight() ? v->weight() : known_tensor(v);
  if (!t || !ir::has_number_form(t->dtype)) return false;
  return t->numel() <= kMost && std::ranges::all_of(t->to_doubles(), [](double number) { return number >= 0; });
}

// True for a maximum that is a selection, x > y ? x : y, if y is not negative (maximum() in lower/elementwise.h).
bool is_bounded_below(const ir::Node& node) {
  if (!node.is("onnx::Where") || !node.input()->node()) return false;
  const ir::Node& condition = *node.input()->node();
  return condition.is("onnx::Greater") && condition.input(0) == node.input(1) && condition.input(1) == node.input(2) &&
         holds_no_negative(node.input(2));
}

// True if the value is not negative whatever its operands are, or because of one that is constant.
bool is_never_negative(const ir::Value* v) {
  const ir::Node* node = v->node();
  const DType dtype = v->facts().dtype;
  if (dtype == DType::Bool || ir::is_unsigned(dtype) || holds_no_negative(v) || is_size(v) || is_place(v)) return true;
  if (!node) return false;
  const auto operand = [&](std::size_t i) { return i < node->input_count() ? node->input(i) : nullptr; };
  if (node->is("onnx::Clip")) {
    const ir::Value *low = operand(1), *high = operand(2);
    return low && holds_no_negative(low) && (!high || holds_no_negative(high));
  }
  if (node->is("onnx::Mod")) {
    const auto* follows_dividend = node->attribute_as<std::int64_t>("fmod");
    const bool is_fmod = follows_dividend && *follows_dividend != 0;
    return !is_fmod && !may_be_negative(node->input(1));
  }
  const ir::Sign sign = ir::onnx_traits_of(*node).sign;
  return sign == ir::Sign::None || is_bounded_below(*node) ||
         (sign == ir::Sign::OfAny && std::ranges::any_of(node->inputs(), holds_no_negative));
}

// A narrower integer may be negative where the wider one was not.
bool narrows(const ir::Value* v) {
  const DType to = v->facts().dtype;
  return v->node()->is("onnx::Cast") && ir::is_integral(to) && ir::size_of(to) < 4;
}

}  // namespace

bool may_be_negative(const ir::Value* numbers) {
  const auto follows = [](const ir::Value* v) {
    return ir::onnx_traits_of(*v->node()).sign != ir::Sign::Other && !narrows(v);
  };
  return !are_computed_of(numbers, follows, is_never_negative);
}

bool are_elements_of_inputs(const ir::Graph& graph, const ir::Value* integers) {
  const auto follows = [](const ir::Value* v) {
    const ir::Integers from = ir::onnx_traits_of(*v->node()).integers;
    return ir::is_integral(v->facts().dtype) && (is_pick(from) || from == ir::Integers::Converted);
  };
  const auto fits = [&](const ir::Value* v) {
    const bool is_scalar = v->facts().has_rank() && v->facts().rank() == 0;
    const bool is_input = v->node() == graph.block().params() && ir::is_integral(v->facts().dtype) && !is_scalar;
    return is_input || holds_no_negative(v);
  };
  return are_computed_of(integers, follows, fits);
}

bool may_be_long(const ir::Value* numbers) {
  constexpr std::int64_t kSmall = 4096;  // limit for the factors of sizes
  const auto is_of = [&](const ir::Value* v, std::int64_t bound, const auto& has_dtype) {
    const auto is_within = [&](std::int64_t number) { return number > -bound && number < bound; };
    if (const auto known = known_integers(v)) return std::ranges::all_of(*known, is_within);
    const ir::Node* node = v->node();
    if (has_dtype(v->facts().dtype) || is_size(v) || is_place(v)) return true;
    if (node && node->is("onnx::Cast")) return has_dtype(node->input()->facts().dtype);
    const auto* fill = node ? node->attribute_as<ir::Tensor>("value") : nullptr;
    return fill && ir::is_integral(fill->dtype) && std::ranges::all_of(fill->to_int64s(), is_within);
  };
  const auto is_short = [&](const ir::Value* v) { return is_of(v, 1LL << 31, is_short_dtype); };
  const auto is_small = [&](const ir::Value* v) {
    return is_of(v, kSmall, [](DType dtype) { return dtype == DType::Bool; });
  };
  const auto source_of = [](const ir::Value* v) { return ir::onnx_traits_of(*v->node()).integers; };
  const auto picks = [&](const ir::Value* v) { return is_pick(source_of(v)); };
  const auto computes = [&](const ir::Value* v) {
    return picks(v) || source_of(v) == ir::Integers::OfFirst || source_of(v) == ir::Integers::OfAll;
  };
  return !are_computed_of(numbers, picks, is_short) && !are_computed_of(numbers, computes, is_small);
}

bool is_known_empty(const ir::Value* value) {
  const auto& dims = value->facts().dims;
  return dims && std::ranges::any_of(*dims, [](const ir::Dim& dim) { return dim.is_fixed() && dim.size() == 0; });
}

}  // namespace tonnx::lower
