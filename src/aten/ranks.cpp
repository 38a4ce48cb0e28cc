#include "aten/ranks.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "aten/containers.h"
#include "ir/constant_facts.h"
#include "ir/schema.h"

namespace tonnx::aten {

namespace {

using Names = std::unordered_set<std::string_view>;

// Operators that can be lowered for an unknown rank, in all overloads.
const Names& rank_free() {
  static const Names names = {
      // One tensor, elementwise.
      "aten::abs", "aten::acos", "aten::acosh", "aten::asin", "aten::asinh", "aten::atan", "aten::atanh",
      "aten::bitwise_not", "aten::ceil", "aten::celu", "aten::clamp", "aten::clamp_max", "aten::clamp_min",
      "aten::clip", "aten::cos", "aten::cosh", "aten::deg2rad", "aten::digamma", "aten::dropout", "aten::elu",
      "aten::erf", "aten::erfc", "aten::erfinv", "aten::exp", "aten::exp2", "aten::expm1", "aten::floor", "aten::frac",
      "aten::gelu", "aten::hardshrink", "aten::hardsigmoid", "aten::hardswish", "aten::hardtanh", "aten::isfinite",
      "aten::isinf", "aten::isnan", "aten::leaky_relu", "aten::lgamma", "aten::log", "aten::log10", "aten::log1p",
      "aten::log2", "aten::log_sigmoid", "aten::logical_not", "aten::logit", "aten::mish", "aten::nan_to_num",
      "aten::neg", "aten::positive", "aten::rad2deg", "aten::reciprocal", "aten::relu", "aten::relu6", "aten::round",
      "aten::rsqrt", "aten::selu", "aten::sgn", "aten::sigmoid", "aten::sign", "aten::signbit", "aten::silu",
      "aten::sin", "aten::sinc", "aten::sinh", "aten::softplus", "aten::softshrink", "aten::sqrt", "aten::square",
      "aten::tan", "aten::tanh", "aten::threshold", "aten::trunc",
      // Several tensors, which broadcast.
      "aten::__and__", "aten::__or__", "aten::__xor__", "aten::add", "aten::addcdiv", "aten::addcmul", "aten::atan2",
      "aten::bitwise_and", "aten::bitwise_or", "aten::bitwise_xor", "aten::copysign", "aten::div", "aten::eq",
      "aten::float_power", "aten::floor_divide", "aten::fmax", "aten::fmin", "aten::fmod", "aten::ge", "aten::gt",
      "aten::hypot", "aten::le", "aten::lerp", "aten::logical_and", "aten::logical_or", "aten::logical_xor", "aten::lt",
      "aten::masked_fill", "aten::maximum", "aten::minimum", "aten::mul", "aten::ne", "aten::pow", "aten::remainder",
      "aten::rsub", "aten::sub", "aten::true_divide", "aten::xlogy",
      // The same elements, or a tensor of the same shape.
      "aten::alias", "aten::clone", "aten::contiguous", "aten::detach", "aten::full_like", "aten::ones_like",
      "aten::reshape", "aten::squeeze", "aten::to", "aten::type_as", "aten::unsqueeze", "aten::view", "aten::view_as",
      "aten::reshape_as", "aten::zeros_like",
      // Sizes, and products with a matrix or a vector.
      "aten::dim", "aten::len", "aten::linear", "aten::matmul", "aten::numel", "aten::size", "prim::device",
      "prim::dtype"};
  return names;
}

// Reductions of all elements, and elementwise operators on several tensors.
const Names& rank_free_overloads() {
  static const Names names = {"aten::all",
                              "aten::any",
                              "aten::max",
                              "aten::max.other",
                              "aten::min",
                              "aten::min.other",
                              "aten::norm.Scalar",
                              "aten::prod",
                              "aten::sum",
                              "aten::item",
                              "aten::where.self",
                              "aten::where.ScalarSelf",
                              "aten::where.ScalarOther",
                              "aten::where.Scalar"};
  return names;
}

// Operators whose arguments of these names are axes of their first tensor.
const Names& checked_axes() {
  static const Names names = {
      "aten::all",         "aten::amax",         "aten::amin",        "aten::any",           "aten::argmax",
      "aten::argmin",      "aten::argsort",      "aten::chunk",       "aten::count_nonzero", "aten::cummax",
      "aten::cummin",      "aten::cumprod",      "aten::cumsum",      "aten::flatten",       "aten::flip",
      "aten::gather",      "aten::glu",          "aten::index_add",   "aten::index_fill",    "aten::index_select",
      "aten::log_softmax", "aten::logcumsumexp", "aten::logsumexp",   "aten::max",           "aten::mean",
      "aten::median",      "aten::min",          "aten::narrow",      "aten::norm",          "aten::prod",
      "aten::roll",        "aten::scatter",      "aten::scatter_add", "aten::select",        "aten::size",
      "aten::slice",       "aten::softmax",      "aten::sort",        "aten::split",         "aten::split_with_sizes",
      "aten::squeeze",     "aten::std",          "aten::sum",         "aten::topk",          "aten::transpose",
      "aten::unbind",      "aten::unfold",       "aten::var"};
  return names;
}
constexpr std::array<std::string_view, 7> kAxes = {"dim", "dims", "dim0", "dim1", "start_dim", "end_dim", "dimension"};

// The ranks that an argument may have.
struct Ranks {
  std::size_t argument;
  std::size_t least, most;
};
constexpr std::size_t kAny = SIZE_MAX;

const std::unordered_map<std::string_view, std::vector<Ranks>>& taken_ranks() {
  static const std::unordered_map<std::string_view, std::vector<Ranks>> ranks = {
      {"aten::addmm", {{1, 2, 2}, {2, 2, 2}}},
      {"aten::addmv", {{1, 2, 2}, {2, 1, 1}}},
      {"aten::baddbmm", {{1, 3, 3}, {2, 3, 3}}},
      {"aten::batch_norm", {{0, 2, kAny}}},
      {"aten::bmm", {{0, 3, 3}, {1, 3, 3}}},
      {"aten::conv1d", {{0, 2, 3}}},
      {"aten::conv2d", {{0, 3, 4}}},
      {"aten::conv3d", {{0, 4, 5}}},
      {"aten::conv_transpose1d", {{0, 2, 3}}},
      {"aten::conv_transpose2d", {{0, 3, 4}}},
      {"aten::conv_transpose3d", {{0, 4, 5}}},
      {"aten::dot", {{0, 1, 1}, {1, 1, 1}}},
      {"aten::gru_cell", {{0, 2, 2}, {1, 2, 2}}},
      {"aten::lstm_cell", {{0, 2, 2}}},
      {"aten::mm", {{0, 2, 2}, {1, 2, 2}}},
      {"aten::mv", {{0, 2, 2}, {1, 1, 1}}},
      {"aten::t", {{0, 0, 2}}},
      {"aten::tril", {{0, 2, kAny}}},
      {"aten::triu", {{0, 2, kAny}}}};
  return ranks;
}

// True if the rank of an argument is known and not supported by the operator.
bool has_other_rank(const ir::Node& node) {
  const auto found = taken_ranks().find(node.kind());
  return found != taken_ranks().end() && std::ranges::any_of(found->second, [&](const Ranks& ranks) {
           const auto& dims = node.input(ranks.argument)->facts().dims;
           return dims && (dims->size() < ranks.least || dims->size() > ranks.most);
         });
}

// True if `node` concatenates or stacks tensors of ranks that do not match. In a cat, an empty vector matches any rank.
bool joins_other_ranks(const ir::Node& node) {
  const bool stacks = node.is("aten::stack");
  if (!stacks && !node.is("aten::cat") && !node.is("aten::concat") && !node.is("aten::concatenate")) return false;
  if (!node.input()->node() || !acts_as(*node.input()->node(), Container::List)) return false;
  std::optional<std::size_t> rank;
  for (const ir::Value* item : node.input()->node()->inputs()) {
    const auto& dims = item->facts().dims;
    const bool may_be_empty = dims && dims->size() == 1 && !((*dims)[0].is_fixed() && (*dims)[0].size() > 0);
    if (!dims || (!stacks && may_be_empty)) continue;
    if ((!stacks && dims->empty()) || rank.value_or(dims->size()) != dims->size()) return true;
    rank = dims->size();
  }
  const auto axis = ir::constant_integer(node.input(1));
  return rank && axis && !ir::item_at(*axis, stacks ? *rank + 1 : *rank);
}

// True if the node selects or slices along an axis, which a tensor of rank 0 does not have.
bool cuts(const ir::Node& node) {
  switch (traits_of(node).inverse) {
    case Inverse::Select:
    case Inverse::Slice:
    case Inverse::Narrow:
    case Inverse::Unbind:
    case Inverse::Split:
    case Inverse::Chunk: return true;
    default: return false;
  }
}

// The integers of an argument, a scalar or a list; empty if the node has no such argument or it is dynamic.
std::vector<std::int64_t> known_integers(const ir::Node& node, std::string_view argument) {
  const int at = node.schema()->index_of(argument);
  const ir::Constant* known = at < 0 ? nullptr : node.input(static_cast<std::size_t>(at))->constant();
  if (!known) return {};
  if (const auto* one = known->get<std::int64_t>()) return {*one};
  std::vector<std::int64_t> all;
  if (const auto* list = known->get<ir::Constant::List>())
    for (const ir::Constant& item : list->items)
      if (const auto* one = item.get<std::int64_t>()) all.push_back(*one);
  return all;
}

}  // namespace

bool takes_any_rank(const ir::Node& node) {
  if (!node.blocks().empty()) return false;
  if (traits_of(node).container != Container::None) return true;
  return rank_free().contains(node.kind()) ||
         (node.schema() && rank_free_overloads().contains(node.schema()->full_name()));
}

bool refuses_rank(const ir::Node& node) {
  if (!node.schema() || node.input_count() == 0) return false;
  if (has_other_rank(node) || joins_other_ranks(node)) return true;
  if (!node.input()->facts().dims || !node.input()->type().is(ir::Type::Kind::Tensor)) return false;
  const auto rank = static_cast<std::int64_t>(node.input()->facts().dims->size());
  if (node.is("aten::permute")) {
    const ir::Constant* dims = node.input(1)->constant();
    const auto* list = dims ? dims->get<ir::Constant::List>() : nullptr;
    return list && static_cast<std::int64_t>(list->items.size()) != rank;
  }
  if (!checked_axes().contains(node.kind())) return false;
  if (rank == 0 && cuts(node)) return true;
  const auto axes = static_cast<std::size_t>(std::max<std::int64_t>(rank, 1));
  return std::ranges::any_of(kAxes, [&](std::string_view argument) {
    const std::vector<std::int64_t> named = known_integers(node, argument);
    return std::ranges::any_of(named, [&](std::int64_t axis) { return !ir::item_at(axis, axes); });
  });
}

}  // namespace tonnx::aten
