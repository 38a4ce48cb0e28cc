#include "lower/known.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ir/onnx_traits.h"

namespace tonnx::lower {

using ir::DType;

const ir::Tensor* known_tensor(const ir::Value* value) {
  const ir::Constant* c = value->constant();
  return c ? c->get<ir::Tensor>() : nullptr;
}

const ir::Tensor* known_content(const ir::Value* value, bool weights_change) {
  return value->weight() && !weights_change ? value->weight() : known_tensor(value);
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

// Appends the operands whose numbers a node returns or computes its results from.
void append_operands(const ir::Node& node, std::vector<const ir::Value*>& open) {
  const ir::Integers from = ir::onnx_traits_of(node).integers;
  const bool is_of_first = from == ir::Integers::PickedFromFirst || from == ir::Integers::OfFirst;
  const auto inputs = node.inputs().first(is_of_first ? 1 : node.input_count());
  std::ranges::copy_if(inputs, std::back_inserter(open), [](const ir::Value* input) { return input != nullptr; });
}

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
    append_operands(*node, open);
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

// The search for negative numbers among those that a value is computed from.
class Signs {
 public:
  explicit Signs(bool weights_change) : weights_change_(weights_change) {}

  bool may_be_negative(const ir::Value* numbers) const {
    std::vector<Operand> open{{numbers, kAny}};
    std::set<Operand> seen;
    while (!open.empty()) {
      const Operand operand = open.back();
      open.pop_back();
      const auto& [v, limit] = operand;
      if (!seen.insert(operand).second || (is_never_negative(v) && is_below(v, limit))) continue;
      const ir::Node* node = v->node();
      if (known_tensor(v) || !node || ir::onnx_traits_of(*node).sign == ir::Sign::Other || is_cast_to_short(*node))
        return true;
      if (limit < 2) return true;
      std::vector<const ir::Value*> operands;
      append_operands(*node, operands);
      for (const ir::Value* of : operands) open.emplace_back(of, limit_of_operands(*node, limit));
    }
    return false;
  }

  // Of a constant or a small weight: true if it is real and no element is negative.
  bool holds_no_negative(const ir::Value* v) const {
    return holds_only(v, [](double number) { return number >= 0; });
  }

 private:
  // A value, and the limit of its integers below which arithmetic with them does not wrap around.
  using Operand = std::pair<const ir::Value*, double>;
  static constexpr double kAny = std::numeric_limits<double>::infinity();

  template <class Accepts>
  bool holds_only(const ir::Value* v, Accepts accepts) const {
    constexpr std::int64_t kMost = std::int64_t{1} << 16;
    const ir::Tensor* t = known_content(v, weights_change_);
    return t && ir::has_number_form(t->dtype) && t->numel() <= kMost && std::ranges::all_of(t->to_doubles(), accepts);
  }

  // True for a maximum that is a selection, x > y ? x : y, if y is not negative (maximum() in lower/elementwise.h).
  bool is_bounded_below(const ir::Node& node) const {
    if (!node.is("onnx::Where") || !node.input()->node()) return false;
    const ir::Node& condition = *node.input()->node();
    return condition.is("onnx::Greater") && condition.input(0) == node.input(1) &&
           condition.input(1) == node.input(2) && holds_no_negative(node.input(2));
  }

  // True if the value is not negative whatever its operands are, or because of one that is constant.
  bool is_never_negative(const ir::Value* v) const {
    const ir::Node* node = v->node();
    const DType dtype = v->facts().dtype;
    if (dtype == DType::Bool || ir::is_unsigned(dtype) || holds_no_negative(v) || is_size(v) || is_place(v))
      return true;
    if (!node) return false;
    const auto operand = [&](std::size_t i) { return i < node->input_count() ? node->input(i) : nullptr; };
    if (node->is("onnx::Clip")) {
      const ir::Value *low = operand(1), *high = operand(2);
      return low && holds_no_negative(low) && (!high || holds_no_negative(high));
    }
    if (node->is("onnx::Mod")) return !is_fmod(*node) && !may_be_negative(node->input(1));
    if (node->is("onnx::Range")) return holds_no_negative(operand(0)) && holds_no_negative(operand(2));
    const ir::Sign sign = ir::onnx_traits_of(*node).sign;
    return sign == ir::Sign::None || is_bounded_below(*node) ||
           (sign == ir::Sign::OfAny &&
            std::ranges::any_of(node->inputs(), [&](const ir::Value* input) { return holds_no_negative(input); }));
  }

  // Of numbers that are not negative: true if the integers are below the limit, or are sizes or indices, whose sums and
  // products do not wrap around in practice.
  bool is_below(const ir::Value* v, double limit) const {
    const DType dtype = v->facts().dtype;
    const auto holds_small = [&](const ir::Value* bound) {
      return bound && holds_only(bound, [&](double number) { return number < limit; });
    };
    if (limit == kAny || ir::size_of(dtype) == 1) return true;
    if (holds_small(v) || is_size(v) || is_place(v)) return true;
    const ir::Node* node = v->node();
    if (!node) return false;
    if (node->is("onnx::Clip")) return node->input_count() > 2 && holds_small(node->input(2));
    return node->is("onnx::Mod") && (is_size(node->input(1)) || holds_small(node->input(1)));
  }

  static bool is_fmod(const ir::Node& node) {
    const auto* fmod = node.attribute_as<std::int64_t>("fmod");
    return fmod && *fmod != 0;
  }

  // A narrower integer may be negative where the wider one was not.
  static bool is_cast_to_short(const ir::Node& node) {
    const DType to = node.output()->facts().dtype;
    return node.is("onnx::Cast") && ir::is_integral(to) && ir::size_of(to) < 4;
  }

  // The limit below which its operands must be if the node's integers are not to wrap around and to be below `limit`.
  static double limit_of_operands(const ir::Node& node, double limit) {
    const DType to = node.output()->facts().dtype, from = node.input()->facts().dtype;
    if (!ir::is_integral(to) || !ir::is_integral(from)) return limit;
    const auto bits = [](DType dtype) {
      return static_cast<int>(ir::size_of(dtype)) * 8 - (ir::is_unsigned(dtype) ? 0 : 1);
    };
    const double most = std::min(limit, std::ldexp(1, bits(to)));
    if (node.is("onnx::Cast")) return bits(to) < bits(from) ? most : limit;
    // A quotient wraps around only for the least integer divided by -1.
    if (node.is("onnx::Range") || node.is("onnx::Div")) return limit;
    const auto* reduction = node.attribute_as<std::string>("reduction");
    const ir::Integers integers = ir::onnx_traits_of(node).integers;
    const bool computes = integers == ir::Integers::OfFirst || integers == ir::Integers::OfAll;
    if (!computes && (!reduction || *reduction == "none")) return limit;
    return node.is("onnx::Add") || node.is("onnx::Sub") ? most / 2 : std::sqrt(most);
  }

  const bool weights_change_;
};

}  // namespace

bool may_be_negative(const ir::Value* numbers, bool weights_change) {
  return Signs(weights_change).may_be_negative(numbers);
}

bool are_elements_of_inputs(const ir::Graph& graph, const ir::Value* integers, bool weights_change) {
  const Signs signs(weights_change);
  const auto follows = [](const ir::Value* v) {
    const ir::Integers from = ir::onnx_traits_of(*v->node()).integers;
    return ir::is_integral(v->facts().dtype) && (is_pick(from) || from == ir::Integers::Converted);
  };
  const auto fits = [&](const ir::Value* v) {
    const bool is_scalar = v->facts().has_rank() && v->facts().rank() == 0;
    const bool is_input = v->node() == graph.block().params() && ir::is_integral(v->facts().dtype) && !is_scalar;
    return is_input || signs.holds_no_negative(v) || (weights_change && v->weight());
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
