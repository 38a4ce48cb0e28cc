#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "ir/checked.h"
#include "optimize/fold_kernels.h"
#include "optimize/reads.h"

namespace tonnx::optimize {
namespace {

using ir::Node;
using ir::Tensor;
using Dims = std::vector<std::int64_t>;
using Inputs = std::span<const Tensor* const>;

struct Function {
  std::string_view op;
  double (*of)(double);
};

constexpr std::array<Function, 17> kFunctions{{
    {"Exp", [](double a) { return std::exp(a); }},
    {"Log", [](double a) { return std::log(a); }},
    {"Sigmoid", [](double a) { return 1.0 / (1.0 + std::exp(-a)); }},
    {"Tanh", [](double a) { return std::tanh(a); }},
    {"Erf", [](double a) { return std::erf(a); }},
    {"Sin", [](double a) { return std::sin(a); }},
    {"Cos", [](double a) { return std::cos(a); }},
    {"Tan", [](double a) { return std::tan(a); }},
    {"Asin", [](double a) { return std::asin(a); }},
    {"Acos", [](double a) { return std::acos(a); }},
    {"Atan", [](double a) { return std::atan(a); }},
    {"Sinh", [](double a) { return std::sinh(a); }},
    {"Cosh", [](double a) { return std::cosh(a); }},
    {"Asinh", [](double a) { return std::asinh(a); }},
    {"Acosh", [](double a) { return std::acosh(a); }},
    {"Atanh", [](double a) { return std::atanh(a); }},
    {"Round", [](double a) { return std::nearbyint(a); }},
}};

Tensor filled(const Tensor& like, Dims dims, const std::vector<double>& values) {
  const std::size_t step = ir::size_of(like.dtype);
  std::vector<std::byte> bytes(values.size() * step);
  for (std::size_t i = 0; i < values.size(); ++i) ir::store(like.dtype, values[i], bytes.data() + i * step);
  return Tensor::from_bytes(like.dtype, std::move(dims), bytes.data(), bytes.size());
}

Tensor mapped(const Tensor& x, double (*of)(double)) {
  std::vector<double> values = x.to_doubles();
  std::ranges::transform(values, values.begin(), of);
  return filled(x, x.dims, values);
}

// The axes that the node reduces: an attribute, or a constant input; all if there are none.
std::optional<std::vector<bool>> reduced_axes(const Node& node, Inputs inputs, std::size_t rank) {
  Dims axes;
  if (const auto* given = node.attribute_as<Dims>("axes")) axes = *given;
  if (inputs.size() > 1 && inputs[1]) axes = inputs[1]->to_int64s();
  if (axes.empty() && integer_of(node, "noop_with_empty_axes", 0) != 0) return std::nullopt;
  std::vector<bool> reduced(rank, axes.empty());
  for (const std::int64_t axis : axes) {
    if (axis < -static_cast<std::int64_t>(rank) || axis >= static_cast<std::int64_t>(rank)) return std::nullopt;
    reduced[wrap(axis, rank)] = true;
  }
  return reduced;
}

// One of ReduceSum, ReduceMean, ...: `first` of no element, `add` for each, `end` with the count.
struct Reduction {
  std::string_view op;
  double first;
  double (*add)(double, double);
  double (*end)(double, double);
};

constexpr auto kSame = [](double sum, double) { return sum; };
constexpr std::array<Reduction, 8> kReductions{{
    {"ReduceSum", 0, [](double sum, double a) { return sum + a; }, kSame},
    {"ReduceMean", 0, [](double sum, double a) { return sum + a; },
     [](double sum, double count) { return sum / count; }},
    {"ReduceProd", 1, [](double product, double a) { return product * a; }, kSame},
    {"ReduceL1", 0, [](double sum, double a) { return sum + std::fabs(a); }, kSame},
    {"ReduceL2", 0, [](double sum, double a) { return sum + a * a; },
     [](double sum, double) { return std::sqrt(sum); }},
    {"ReduceSumSquare", 0, [](double sum, double a) { return sum + a * a; }, kSame},
    {"ReduceMax", -HUGE_VAL, [](double most, double a) { return std::max(most, a); }, kSame},
    {"ReduceMin", HUGE_VAL, [](double least, double a) { return std::min(least, a); }, kSame},
}};

std::optional<Tensor> reduced(const Reduction& kernel, const Node& node, Inputs inputs) {
  const Tensor& x = *inputs[0];
  const auto axes = reduced_axes(node, inputs, x.dims.size());
  const std::vector<double> values = x.to_doubles();
  // ONNX does not define the extreme of NaN, and runtimes differ for no elements.
  if (!axes || values.empty() || std::ranges::any_of(values, [](double a) { return std::isnan(a); }))
    return std::nullopt;
  Dims wide = x.dims, dims;
  const bool keeps = integer_of(node, "keepdims", 1) != 0;
  double count = 1;
  for (std::size_t i = 0; i < wide.size(); ++i) {
    if ((*axes)[i]) count *= static_cast<double>(wide[i]), wide[i] = 1;
    if (!(*axes)[i] || keeps) dims.push_back(wide[i]);
  }
  const Dims strides = ir::contiguous_strides(wide);
  std::vector<double> results(static_cast<std::size_t>(ir::checked_count(wide).value_or(0)), kernel.first);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::int64_t rest = static_cast<std::int64_t>(i), at = 0;
    for (std::size_t k = x.dims.size(); k-- > 0; rest /= x.dims[k])
      if (!(*axes)[k]) at += rest % x.dims[k] * strides[k];
    double& result = results[static_cast<std::size_t>(at)];
    result = kernel.add(result, values[i]);
  }
  for (double& result : results) result = kernel.end(result, count);
  return filled(x, dims, results);
}

// Over the last axis, where all opsets agree on the meaning of the axis.
std::optional<Tensor> softmax(const Node& node, const Tensor& x, bool logarithm) {
  const std::size_t rank = x.dims.size();
  if (!node.attribute("axis") || rank == 0 || wrap(integer_of(node, "axis", -1), rank) != rank - 1) return std::nullopt;
  std::vector<double> values = x.to_doubles();
  const auto row = static_cast<std::size_t>(x.dims.back());
  for (std::size_t begin = 0; row > 0 && begin < values.size(); begin += row) {
    const std::span<double> part(values.data() + begin, row);
    const double most = *std::ranges::max_element(part);
    if (!std::isfinite(most)) return std::nullopt;
    double sum = 0;
    for (const double a : part) sum += std::exp(a - most);
    for (double& a : part) a = logarithm ? a - most - std::log(sum) : std::exp(a - most) / sum;
  }
  return filled(x, x.dims, values);
}

}  // namespace

std::optional<std::vector<Tensor>> fold_function(const Node& node, Inputs inputs, std::size_t limit) {
  if (node.domain() != "onnx" || node.output_count() != 1 || inputs.empty()) return std::nullopt;
  for (const Tensor* t : inputs)
    if (!t || t->bytes() > limit) return std::nullopt;
  const Tensor& x = *inputs[0];
  if (!ir::is_floating(x.dtype)) return std::nullopt;
  const std::string_view op = node.op();
  std::optional<Tensor> one;
  for (const Function& function : kFunctions)
    if (function.op == op && inputs.size() == 1) one = mapped(x, function.of);
  for (const Reduction& kernel : kReductions)
    if (kernel.op == op) one = reduced(kernel, node, inputs);
  if (op == "Softmax" || op == "LogSoftmax") one = softmax(node, x, op == "LogSoftmax");
  if (!one) return std::nullopt;
  return std::vector<Tensor>{std::move(*one)};
}

}  // namespace tonnx::optimize
