#include "aten/ranks.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "aten/containers.h"
#include "ir/schema.h"

namespace tonnx::aten {

namespace {

using Names = std::unordered_set<std::string_view>;

// All overloads.
const Names& by_name() {
  static const Names names = {
      // Of one tensor, element by element.
      "aten::abs", "aten::acos", "aten::acosh", "aten::asin", "aten::asinh", "aten::atan", "aten::atanh", "aten::bitwise_not",
      "aten::ceil", "aten::celu", "aten::clamp", "aten::clamp_max", "aten::clamp_min", "aten::clip", "aten::cos", "aten::cosh",
      "aten::deg2rad", "aten::digamma", "aten::dropout", "aten::elu", "aten::erf", "aten::erfc", "aten::erfinv", "aten::exp",
      "aten::exp2", "aten::expm1", "aten::floor", "aten::frac", "aten::gelu", "aten::hardshrink", "aten::hardsigmoid",
      "aten::hardswish", "aten::hardtanh", "aten::isfinite", "aten::isinf", "aten::isnan", "aten::leaky_relu", "aten::lgamma",
      "aten::log", "aten::log10", "aten::log1p", "aten::log2", "aten::log_sigmoid", "aten::logical_not", "aten::logit",
      "aten::mish", "aten::nan_to_num", "aten::neg", "aten::positive", "aten::rad2deg", "aten::reciprocal", "aten::relu",
      "aten::relu6", "aten::round", "aten::rsqrt", "aten::selu", "aten::sgn", "aten::sigmoid", "aten::sign", "aten::signbit",
      "aten::silu", "aten::sin", "aten::sinc", "aten::sinh", "aten::softplus", "aten::softshrink", "aten::sqrt", "aten::square",
      "aten::tan", "aten::tanh", "aten::threshold", "aten::trunc",
      // Of several, which are broadcast.
      "aten::__and__", "aten::__or__", "aten::__xor__", "aten::add", "aten::addcdiv", "aten::addcmul", "aten::atan2",
      "aten::bitwise_and", "aten::bitwise_or", "aten::bitwise_xor", "aten::copysign", "aten::div", "aten::eq", "aten::float_power",
      "aten::floor_divide", "aten::fmax", "aten::fmin", "aten::fmod", "aten::ge", "aten::gt", "aten::hypot", "aten::le",
      "aten::lerp", "aten::logical_and", "aten::logical_or", "aten::logical_xor", "aten::lt", "aten::masked_fill", "aten::maximum",
      "aten::minimum", "aten::mul", "aten::ne", "aten::pow", "aten::remainder", "aten::rsub", "aten::sub", "aten::true_divide",
      "aten::xlogy",
      // The same elements, or as many others.
      "aten::alias", "aten::clone", "aten::contiguous", "aten::detach", "aten::full_like", "aten::ones_like", "aten::reshape",
      "aten::squeeze", "aten::to", "aten::type_as", "aten::unsqueeze", "aten::view", "aten::view_as", "aten::reshape_as",
      "aten::zeros_like",
      // Sizes, and products with a matrix or a vector.
      "aten::dim", "aten::len", "aten::linear", "aten::matmul", "aten::numel", "aten::size", "prim::device", "prim::dtype"};
  return names;
}

// Of all elements.
const Names& by_overload() {
  static const Names names = {"aten::all", "aten::any", "aten::max", "aten::max.other", "aten::mean", "aten::min",
                              "aten::min.other", "aten::norm.Scalar", "aten::prod", "aten::sum", "aten::item",
                              "aten::where.self", "aten::where.ScalarSelf", "aten::where.ScalarOther", "aten::where.Scalar"};
  return names;
}

// Whose "dim", or "dim0" and "dim1", are axes of the first tensor.
const Names& by_axes() {
  static const Names names = {
      "aten::all", "aten::amax", "aten::amin", "aten::any", "aten::argmax", "aten::argmin", "aten::argsort", "aten::chunk",
      "aten::cumprod", "aten::cumsum", "aten::flip", "aten::gather", "aten::index_select", "aten::log_softmax", "aten::logsumexp",
      "aten::max", "aten::mean", "aten::min", "aten::narrow", "aten::norm", "aten::prod", "aten::scatter", "aten::scatter_add",
      "aten::select", "aten::size", "aten::slice", "aten::softmax", "aten::sort", "aten::split", "aten::split_with_sizes",
      "aten::squeeze", "aten::std", "aten::sum", "aten::topk", "aten::transpose", "aten::unbind", "aten::var"};
  return names;
}

// Whether the node takes a part of a tensor along an axis, which a number has not.
bool cuts(const ir::Node& node) {
  switch (traits_of(node).inverse) {
    case Inverse::Select: case Inverse::Slice: case Inverse::Narrow: case Inverse::Unbind: case Inverse::Split: case Inverse::Chunk:
      return true;
    default:
      return false;
  }
}

// How many axes windows run along, for operators that take them behind channels, with or without a batch.
std::optional<std::int64_t> window_axes(const ir::Node& node) {
  static const std::unordered_map<std::string_view, std::int64_t> axes = {
      {"aten::conv1d", 1}, {"aten::conv2d", 2}, {"aten::conv3d", 3},
      {"aten::conv_transpose1d", 1}, {"aten::conv_transpose2d", 2}, {"aten::conv_transpose3d", 3}};
  const auto found = axes.find(node.kind());
  return found == axes.end() ? std::nullopt : std::optional(found->second);
}

// The whole numbers that an argument is, one or a list; none where the node has no such argument, or a run decides it.
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
  return by_name().contains(node.kind()) || (node.schema() && by_overload().contains(node.schema()->full_name()));
}

bool refuses_rank(const ir::Node& node) {
  if (!node.schema() || node.input_count() == 0 || !node.input()->facts().dims) return false;
  if (!node.input()->type().is(ir::Type::Kind::Tensor)) return false;
  const auto rank = static_cast<std::int64_t>(node.input()->facts().dims->size());
  if (const auto windows = window_axes(node)) return rank != *windows + 1 && rank != *windows + 2;
  if (node.is("aten::t")) return rank > 2;
  if (node.is("aten::permute")) {
    const ir::Constant* dims = node.input(1)->constant();
    const auto* list = dims ? dims->get<ir::Constant::List>() : nullptr;
    return list && static_cast<std::int64_t>(list->items.size()) != rank;
  }
  if (!by_axes().contains(node.kind())) return false;
  if (rank == 0 && cuts(node)) return true;
  const std::int64_t axes = std::max<std::int64_t>(rank, 1);
  for (const std::string_view argument : {"dim", "dim0", "dim1"})
    for (const std::int64_t axis : known_integers(node, argument))
      if (axis < -axes || axis >= axes) return true;
  return false;
}

}  // namespace tonnx::aten
