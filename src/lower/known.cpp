#include "lower/known.h"

#include <algorithm>
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

// True if an integer is computed, by operators that `follows` accepts, from values that satisfy `fits`.
template <class Follows, class Fits>
bool are_computed_of(const ir::Value* numbers, Follows follows, Fits fits) {
  std::vector<const ir::Value*> open{numbers};
  std::set<const ir::Value*> seen;
  while (!open.empty()) {
    const ir::Value* v = open.back();
    open.pop_back();
    if (!seen.insert(v).second) continue;
    const ir::Node* node = v->node();
    if (known_integers(v) || !node || fits(v)) {
      if (!fits(v)) return false;
      continue;
    }
    const ir::OnnxTraits& traits = ir::onnx_traits_of(*node);
    if (!follows(traits)) return false;
    const bool is_of_first =
        traits.integers == ir::Integers::PickedFromFirst || traits.integers == ir::Integers::OfFirst;
    const auto inputs = node->inputs().first(is_of_first ? 1 : node->input_count());
    open.insert(open.end(), inputs.begin(), inputs.end());
  }
  return true;
}

bool is_size(const ir::Value* v) { return v->node() && ir::onnx_traits_of(*v->node()).integers == ir::Integers::Sizes; }

bool is_short_dtype(DType dtype) {
  return dtype == DType::Bool || (ir::is_integral(dtype) && ir::size_of(dtype) <= 4 && dtype != DType::UInt32);
}

}  // namespace

bool may_be_negative(const ir::Value* numbers) {
  const auto keeps_sign = [](const ir::OnnxTraits& traits) { return traits.keeps_sign; };
  return !are_computed_of(numbers, keeps_sign, [](const ir::Value* v) {
    const auto known = known_integers(v);
    return known ? std::ranges::all_of(*known, [](std::int64_t n) { return n >= 0; }) : is_size(v);
  });
}

bool may_be_long(const ir::Value* numbers) {
  constexpr std::int64_t kSmall = 4096;  // limit for the factors of sizes
  const auto is_of = [&](const ir::Value* v, std::int64_t bound, const auto& has_dtype) {
    const auto is_within = [&](std::int64_t number) { return number > -bound && number < bound; };
    if (const auto known = known_integers(v)) return std::ranges::all_of(*known, is_within);
    const ir::Node* node = v->node();
    if (has_dtype(v->facts().dtype) || is_size(v) ||
        (node && ir::onnx_traits_of(*node).integers == ir::Integers::Places))
      return true;
    if (node && node->is("onnx::Cast")) return has_dtype(node->input()->facts().dtype);
    const auto* fill = node ? node->attribute_as<ir::Tensor>("value") : nullptr;
    return fill && ir::is_integral(fill->dtype) && std::ranges::all_of(fill->to_int64s(), is_within);
  };
  const auto is_short = [&](const ir::Value* v) { return is_of(v, 1LL << 31, is_short_dtype); };
  const auto is_small = [&](const ir::Value* v) {
    return is_of(v, kSmall, [](DType dtype) { return dtype == DType::Bool; });
  };
  const auto picks = [](const ir::OnnxTraits& traits) {
    return traits.integers == ir::Integers::PickedFromFirst || traits.integers == ir::Integers::PickedFromAll;
  };
  const auto computes = [&](const ir::OnnxTraits& traits) {
    return picks(traits) || traits.integers == ir::Integers::OfFirst || traits.integers == ir::Integers::OfAll;
  };
  return !are_computed_of(numbers, picks, is_short) && !are_computed_of(numbers, computes, is_small);
}

bool is_known_empty(const ir::Value* value) {
  const auto& dims = value->facts().dims;
  return dims && std::ranges::any_of(*dims, [](const ir::Dim& dim) { return dim.is_fixed() && dim.size() == 0; });
}

}  // namespace tonnx::lower
