#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "ir/broadcast_runs.h"
#include "ir/checked.h"
#include "ir/observer.h"
#include "ir/read_doubles.h"
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

constexpr std::array<Function, 21> kFunctions{{
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
    {"Relu", [](double a) { return a < 0 ? 0.0 : a; }},
    {"Sign", [](double a) { return a > 0   ? 1.0
                                   : a < 0 ? -1.0
                                           : a; }},
    {"Softplus", [](double a) { return std::max(a, 0.0) + std::log1p(std::exp(-std::fabs(a))); }},
    {"Softsign", [](double a) { return a / (1.0 + std::fabs(a)); }},
}};

// A function with attributes, and their default values; null: it has no second one.
struct Shaped {
  std::string_view op;
  const char* first;
  double of_first;
  const char* second;
  double of_second;
  double (*of)(double a, double first, double second);
};

constexpr std::array<Shaped, 3> kShaped{{
    {"LeakyRelu", "alpha", 0.01, nullptr, 0, [](double a, double alpha, double) { return a < 0 ? alpha * a : a; }},
    {"Elu", "alpha", 1, nullptr, 0, [](double a, double alpha, double) { return a < 0 ? alpha * std::expm1(a) : a; }},
    {"HardSigmoid", "alpha", 0.2, "beta", 0.5,
     [](double a, double alpha, double beta) { return std::min(std::max(alpha * a + beta, 0.0), 1.0); }},
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

double number_of(const Node& node, const char* attribute, double otherwise) {
  const double* value = attribute ? node.attribute_as<double>(attribute) : nullptr;
  return value ? *value : otherwise;
}

Tensor shaped(const Shaped& function, const Node& node, const Tensor& x) {
  const double first = number_of(node, function.first, function.of_first);
  const double second = number_of(node, function.second, function.of_second);
  std::vector<double> values = x.to_doubles();
  for (double& a : values) a = function.of(a, first, second);
  return filled(x, x.dims, values);
}

// The elements of a tensor along an axis: element k of run (outer, inner) is at (outer * size + k) * inner_count +
// inner.
struct Runs {
  std::size_t outer_count = 1, size = 1, inner_count = 1;

  Runs(const Dims& dims, std::size_t axis) {
    for (std::size_t i = 0; i < dims.size(); ++i)
      (i < axis ? outer_count : i == axis ? size : inner_count) *= static_cast<std::size_t>(dims[i]);
  }
  template <class Visit>
  void each(const Visit& visit) const {
    for (std::size_t outer = 0; outer < outer_count; ++outer)
      for (std::size_t inner = 0; inner < inner_count; ++inner) visit(outer * size * inner_count + inner);
  }
};

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

std::optional<Tensor> reduced(const Reduction& kernel, const Node& node, Inputs inputs, std::size_t limit) {
  const Tensor& x = *inputs[0];
  const auto axes = reduced_axes(node, inputs, x.dims.size());
  if (!axes || x.numel() == 0) return std::nullopt;  // runtimes differ for no elements
  Dims wide = x.dims, dims;
  const bool keeps = integer_of(node, "keepdims", 1) != 0;
  double count = 1;
  for (std::size_t i = 0; i < wide.size(); ++i) {
    if ((*axes)[i]) count *= static_cast<double>(wide[i]), wide[i] = 1;
    if (!(*axes)[i] || keeps) dims.push_back(wide[i]);
  }
  const auto results_count = static_cast<std::size_t>(ir::checked_count(wide).value_or(0));
  if (results_count > limit / ir::size_of(x.dtype)) return std::nullopt;
  Dims strides = ir::contiguous_strides(wide);
  for (std::size_t i = 0; i < strides.size(); ++i)
    if ((*axes)[i]) strides[i] = 0;
  const ir::BroadcastRuns runs(x.dims, strides);
  std::vector<double> results(results_count, kernel.first);
  bool is_defined = true;  // ONNX does not define the extreme of NaN
  constexpr std::int64_t kPiece = std::int64_t{1} << 18;
  for (std::int64_t begin = 0; begin < x.numel(); begin += kPiece) {
    ir::checkpoint();
    const std::int64_t end = std::min(begin + kPiece, x.numel());
    const std::vector<double> values = ir::read_doubles(x, begin, end);
    is_defined = is_defined && std::ranges::none_of(values, [](double a) { return std::isnan(a); });
    runs.each(begin, end, [&](std::int64_t at, std::int64_t count, std::int64_t first, std::int64_t stride) {
      const double* from = values.data() + (at - begin);
      for (std::int64_t i = 0; i < count; ++i) {
        double& result = results[static_cast<std::size_t>(first + i * stride)];
        result = kernel.add(result, from[i]);
      }
    });
  }
  if (!is_defined) return std::nullopt;
  for (double& result : results) result = kernel.end(result, count);
  return filled(x, dims, results);
}

// Before opset 13 the sum is over all axes from `axis` on.
std::optional<Tensor> softmax(const Node& node, const Tensor& x, bool logarithm, std::int32_t opset) {
  constexpr std::int32_t kOneAxis = 13;
  const std::size_t rank = x.dims.size();
  const std::int64_t given = integer_of(node, "axis", opset < kOneAxis ? 1 : -1);
  if (given < -static_cast<std::int64_t>(rank) || given >= static_cast<std::int64_t>(rank)) return std::nullopt;
  const std::size_t axis = wrap(given, rank);
  Runs runs(x.dims, axis);
  if (opset < kOneAxis) runs.size *= std::exchange(runs.inner_count, 1);
  std::vector<double> values = x.to_doubles();
  if (values.empty() || std::ranges::any_of(values, [](double a) { return !std::isfinite(a); })) return std::nullopt;
  runs.each([&](std::size_t begin) {
    const auto at = [&](std::size_t k) -> double& { return values[begin + k * runs.inner_count]; };
    double most = at(0), sum = 0;
    for (std::size_t k = 1; k < runs.size; ++k) most = std::max(most, at(k));
    for (std::size_t k = 0; k < runs.size; ++k) sum += std::exp(at(k) - most);
    for (std::size_t k = 0; k < runs.size; ++k)
      at(k) = logarithm ? at(k) - most - std::log(sum) : std::exp(at(k) - most) / sum;
  });
  return filled(x, x.dims, values);
}

std::optional<Tensor> cumulative_sum(const Node& node, Inputs inputs) {
  const Tensor& x = *inputs[0];
  const std::int64_t rank = x.rank();
  if (inputs.size() != 2 || inputs[1]->numel() != 1) return std::nullopt;
  const std::int64_t axis = inputs[1]->as_int64(0);
  if (axis < -rank || axis >= rank) return std::nullopt;
  const Runs runs(x.dims, wrap(axis, x.dims.size()));
  const bool is_exclusive = integer_of(node, "exclusive", 0) != 0, is_reverse = integer_of(node, "reverse", 0) != 0;
  std::vector<double> values = x.to_doubles();
  runs.each([&](std::size_t begin) {
    double sum = 0;
    for (std::size_t k = 0; k < runs.size; ++k) {
      double& value = values[begin + (is_reverse ? runs.size - 1 - k : k) * runs.inner_count];
      const double before = sum;
      sum += value;
      value = is_exclusive ? before : sum;
    }
  });
  return filled(x, x.dims, values);
}

// The bounds are attributes before opset 11.
std::optional<Tensor> clipped(const Node& node, Inputs inputs) {
  const Tensor& x = *inputs[0];
  const auto bound = [&](std::size_t input, const char* attribute, double otherwise) {
    return input < inputs.size() && inputs[input] ? inputs[input]->as_double(0) : number_of(node, attribute, otherwise);
  };
  const double least = bound(1, "min", -HUGE_VAL), most = bound(2, "max", HUGE_VAL);
  std::vector<double> values = x.to_doubles();
  // Runtimes differ for NaN.
  if (!(least <= most) || std::ranges::any_of(values, [](double a) { return std::isnan(a); })) return std::nullopt;
  for (double& a : values) a = std::min(std::max(a, least), most);
  return filled(x, x.dims, values);
}

std::vector<double> row_of(const Tensor& tensor, std::size_t row, std::size_t size) {
  return ir::read_doubles(tensor, static_cast<std::int64_t>(row * size), static_cast<std::int64_t>((row + 1) * size));
}

// Of matrices or vectors, unless the product is larger than both.
std::optional<Tensor> matrix_product(const Tensor& a, const Tensor& b, std::size_t limit) {
  constexpr std::int64_t kMostProducts = std::int64_t{1} << 24;  // 20 ms
  if (a.rank() < 1 || a.rank() > 2 || b.rank() < 1 || b.rank() > 2 || a.dtype != b.dtype) return std::nullopt;
  const Dims left_dims = a.rank() == 1 ? Dims{1, a.dims[0]} : a.dims;
  const Dims right_dims = b.rank() == 1 ? Dims{b.dims[0], 1} : b.dims;
  if (left_dims[1] != right_dims[0]) return std::nullopt;
  Dims dims;
  if (a.rank() == 2) dims.push_back(a.dims[0]);
  if (b.rank() == 2) dims.push_back(b.dims[1]);
  const auto rows = static_cast<std::size_t>(left_dims[0]), inner = static_cast<std::size_t>(left_dims[1]);
  const auto columns = static_cast<std::size_t>(right_dims[1]);
  const auto count = ir::checked_count(dims);
  const auto products = ir::checked_count(Dims{left_dims[0], left_dims[1], right_dims[1]});
  const std::size_t most = std::min(limit, a.bytes() + b.bytes()) / ir::size_of(a.dtype);
  if (!count || static_cast<std::size_t>(*count) > most || !products || *products > kMostProducts) return std::nullopt;
  const bool reads_left = a.bytes() > b.bytes();  // in rows; the other one is loaded
  if (std::min(a.bytes(), b.bytes()) > limit) return std::nullopt;
  const std::vector<double> loaded = (reads_left ? b : a).to_doubles();
  std::vector<double> sums(rows * columns);
  if (reads_left) {
    for (std::size_t i = 0; i < rows; ++i) {
      const std::vector<double> row = row_of(a, i, inner);
      for (std::size_t k = 0; k < inner; ++k)
        for (std::size_t j = 0; j < columns; ++j) sums[i * columns + j] += row[k] * loaded[k * columns + j];
    }
  } else {
    for (std::size_t k = 0; k < inner; ++k) {
      const std::vector<double> row = row_of(b, k, columns);
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) sums[i * columns + j] += loaded[i * inner + k] * row[j];
    }
  }
  return filled(a, dims, sums);
}

}  // namespace

ir::ElementFunction function_of(std::string_view op) {
  const auto* found = std::ranges::find(kFunctions, op, &Function::op);
  return {found == kFunctions.end() ? nullptr : found->of, nullptr};
}

std::optional<std::vector<Tensor>> fold_function(const Node& node, Inputs inputs, std::size_t limit,
                                                 std::int32_t opset) {
  if (node.domain() != "onnx" || node.output_count() != 1 || inputs.empty() || !inputs[0]) return std::nullopt;
  const std::string_view op = node.op();
  const Tensor& x = *inputs[0];
  if (!ir::is_floating(x.dtype)) return std::nullopt;
  std::optional<Tensor> one;
  for (const Reduction& kernel : kReductions)
    if (kernel.op == op && (x.bytes() <= limit || x.is_contiguous())) one = reduced(kernel, node, inputs, limit);
  if (op == "MatMul" && inputs.size() == 2 && inputs[1]) one = matrix_product(x, *inputs[1], limit);
  if (one) return std::vector<Tensor>{std::move(*one)};
  for (const Tensor* t : inputs)
    if (t ? t->bytes() > limit : op != "Clip") return std::nullopt;
  for (const Function& function : kFunctions)
    if (function.op == op && inputs.size() == 1) one = mapped(x, function.of);
  for (const Shaped& function : kShaped)
    if (function.op == op && inputs.size() == 1) one = shaped(function, node, x);
  if (op == "Softmax" || op == "LogSoftmax") one = softmax(node, x, op == "LogSoftmax", opset);
  if (op == "CumSum") one = cumulative_sum(node, inputs);
  if (op == "Clip") one = clipped(node, inputs);
  if (!one) return std::nullopt;
  return std::vector<Tensor>{std::move(*one)};
}

}  // namespace tonnx::optimize
