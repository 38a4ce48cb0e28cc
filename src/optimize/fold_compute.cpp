#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "ir/broadcast_runs.h"
#include "ir/checked.h"
#include "optimize/fold_kernels.h"
#include "optimize/reads.h"

namespace tonnx::optimize {
namespace {

using ir::DType;
using ir::Node;
using ir::Tensor;
using Dims = std::vector<std::int64_t>;
using Inputs = std::span<const Tensor* const>;

std::int64_t numel_of(const Dims& dims) { return ir::checked_count(dims).value_or(0); }

// True if a tensor of these sizes is valid and has at most `limit` bytes.
bool fits(const Dims& dims, DType dtype, std::size_t limit) {
  const auto count = ir::checked_count(dims);
  return count && static_cast<std::size_t>(*count) <= limit / std::max<std::size_t>(ir::size_of(dtype), 1);
}

bool is_whole(DType t) { return ir::is_integral(t) || t == DType::Bool; }
bool is_plain(DType t) { return is_whole(t) || ir::is_floating(t); }

// A contiguous result that is filled element by element.
class Filler {
 public:
  Filler(DType dtype, Dims dims)
      : dtype_(dtype),
        dims_(std::move(dims)),
        step_(ir::size_of(dtype)),
        bytes_(static_cast<std::size_t>(numel_of(dims_)) * step_) {}
  template <class T>
  void set(std::int64_t i, T value) {
    ir::store(dtype_, value, bytes_.data() + static_cast<std::size_t>(i) * step_);
  }
  void set_bytes(std::int64_t i, const std::byte* from, std::int64_t count = 1) {
    std::copy_n(from, static_cast<std::size_t>(count) * step_, bytes_.data() + static_cast<std::size_t>(i) * step_);
  }
  Tensor take() { return Tensor::from_bytes(dtype_, dims_, bytes_.data(), bytes_.size()); }

 private:
  DType dtype_;
  Dims dims_;
  std::size_t step_;
  std::vector<std::byte> bytes_;
};

std::optional<Dims> broadcast(const Dims& a, const Dims& b) {
  Dims out(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const std::int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) return std::nullopt;
    out[out.size() - 1 - i] = x == 1 ? y : x;
  }
  return out;
}

// Row-major offset of output element i in an operand that was broadcast to `dims`.
class Broadcast {
 public:
  Broadcast(const Dims& operand, const Dims& dims) : dims_(dims), strides_(ir::broadcast_strides(operand, dims)) {}
  std::int64_t operator()(std::int64_t i) const {
    std::int64_t at = 0;
    for (std::size_t k = dims_.size(); k-- > 0;) {
      at += i % dims_[k] * strides_[k];
      i /= dims_[k];
    }
    return at;
  }

 private:
  Dims dims_;
  Dims strides_;
};

struct Binary {
  std::string_view op;
  std::int64_t (*whole)(std::int64_t, std::int64_t);  // null: not supported for integers
  double (*real)(double, double);                     // null: not supported for floating types
  bool to_bool = false;
  bool divides = false;  // integer divisions without a quotient are not folded; the processor would trap
};

constexpr std::array<Binary, 15> kBinary{{
    {"Add", ir::wrapping_add, [](double a, double b) { return a + b; }},
    {"Sub", ir::wrapping_subtract, [](double a, double b) { return a - b; }},
    {"Mul", ir::wrapping_multiply, [](double a, double b) { return a * b; }},
    {"Div", [](std::int64_t a, std::int64_t b) { return *ir::checked_divide(a, b); },
     [](double a, double b) { return a / b; }, false, true},
    {"Max", [](std::int64_t a, std::int64_t b) { return std::max(a, b); }, nullptr},
    {"Min", [](std::int64_t a, std::int64_t b) { return std::min(a, b); }, nullptr},
    {"Equal", [](std::int64_t a, std::int64_t b) -> std::int64_t { return a == b; },
     [](double a, double b) -> double { return a == b; }, true},
    {"Less", [](std::int64_t a, std::int64_t b) -> std::int64_t { return a < b; },
     [](double a, double b) -> double { return a < b; }, true},
    {"Greater", [](std::int64_t a, std::int64_t b) -> std::int64_t { return a > b; },
     [](double a, double b) -> double { return a > b; }, true},
    {"LessOrEqual", [](std::int64_t a, std::int64_t b) -> std::int64_t { return a <= b; },
     [](double a, double b) -> double { return a <= b; }, true},
    {"GreaterOrEqual", [](std::int64_t a, std::int64_t b) -> std::int64_t { return a >= b; },
     [](double a, double b) -> double { return a >= b; }, true},
    {"And", [](std::int64_t a, std::int64_t b) -> std::int64_t { return a && b; }, nullptr, true},
    {"Or", [](std::int64_t a, std::int64_t b) -> std::int64_t { return a || b; }, nullptr, true},
    {"Xor", [](std::int64_t a, std::int64_t b) -> std::int64_t { return !a != !b; }, nullptr, true},
    {"Mod", [](std::int64_t a, std::int64_t b) { return *ir::checked_floor_remainder(a, b); }, nullptr, false, true},
}};

// True if integers of the dtype have a quotient.
bool has_quotient(DType dtype, std::int64_t a, std::int64_t b) {
  if (dtype == DType::Int32 && a == std::numeric_limits<std::int32_t>::min() && b == -1) return false;
  return ir::can_divide(a, b);
}

std::optional<Tensor> binary(const Binary& kernel, const Node& node, const Tensor& a, const Tensor& b,
                             std::size_t limit) {
  if (a.dtype != b.dtype || !is_plain(a.dtype)) return std::nullopt;
  if (is_whole(a.dtype) ? !kernel.whole : !kernel.real) return std::nullopt;
  if (a.dtype == DType::UInt64) return std::nullopt;
  if (kernel.op == "Mod" && node.attribute("fmod")) return std::nullopt;
  const auto dims = broadcast(a.dims, b.dims);
  const DType dtype = kernel.to_bool ? DType::Bool : a.dtype;
  if (!dims || !fits(*dims, dtype, limit)) return std::nullopt;
  Filler out(dtype, *dims);
  const Broadcast left(a.dims, *dims), right(b.dims, *dims);
  const std::int64_t n = numel_of(*dims);
  for (std::int64_t i = 0; i < n; ++i) {
    if (is_whole(a.dtype)) {
      const std::int64_t x = a.as_int64(left(i)), y = b.as_int64(right(i));
      if (kernel.divides && !has_quotient(a.dtype, x, y)) return std::nullopt;
      out.set(i, kernel.whole(x, y));
    } else {
      out.set(i, kernel.real(a.as_double(left(i)), b.as_double(right(i))));
    }
  }
  return out.take();
}

struct Unary {
  std::string_view op;
  std::int64_t (*whole)(std::int64_t);
  double (*real)(double);
};

constexpr std::array<Unary, 7> kUnary{{
    {"Neg", ir::wrapping_negate, [](double a) { return -a; }},
    {"Abs", ir::wrapping_magnitude, [](double a) { return std::fabs(a); }},
    {"Not", [](std::int64_t a) -> std::int64_t { return !a; }, nullptr},
    {"Sqrt", nullptr, [](double a) { return std::sqrt(a); }},
    {"Reciprocal", nullptr, [](double a) { return 1.0 / a; }},
    {"Floor", nullptr, [](double a) { return std::floor(a); }},
    {"Ceil", nullptr, [](double a) { return std::ceil(a); }},
}};

std::optional<Tensor> unary(const Unary& kernel, const Tensor& x) {
  if (!is_plain(x.dtype) || (is_whole(x.dtype) ? !kernel.whole : !kernel.real)) return std::nullopt;
  Filler out(x.dtype, x.dims);
  for (std::int64_t i = 0; i < x.numel(); ++i) {
    if (is_whole(x.dtype)) {
      out.set(i, kernel.whole(x.as_int64(i)));
    } else {
      out.set(i, kernel.real(x.as_double(i)));
    }
  }
  return out.take();
}

std::optional<Tensor> cast(const Node& node, const Tensor& x, std::size_t limit) {
  const DType target = ir::dtype_from_onnx(static_cast<std::int32_t>(integer_of(node, "to", 0)));
  if (!is_plain(x.dtype) || !is_plain(target)) return std::nullopt;
  if (!fits(x.dims, target, limit)) return std::nullopt;
  Filler out(target, x.dims);
  for (std::int64_t i = 0; i < x.numel(); ++i) {
    if (is_whole(x.dtype)) {
      out.set(i, target == DType::Bool ? std::int64_t{x.as_int64(i) != 0} : x.as_int64(i));
    } else {
      const double value = x.as_double(i);
      if (is_whole(target) && !std::isfinite(value) && target != DType::Bool) return std::nullopt;
      if (target == DType::Bool) {
        out.set(i, std::int64_t{value != 0});
      } else if (is_whole(target)) {
        if (std::fabs(value) >= 9.2e18) return std::nullopt;
        out.set(i, static_cast<std::int64_t>(value));
      } else {
        out.set(i, value);
      }
    }
  }
  return out.take();
}

std::optional<Tensor> concat(const Node& node, Inputs inputs, std::size_t limit) {
  const std::size_t axis = wrap(integer_of(node, "axis", 0), inputs[0]->dims.size());
  Dims dims = inputs[0]->dims;
  std::size_t bytes = 0;
  dims.at(axis) = 0;
  for (const Tensor* t : inputs) {
    if (t->dtype != inputs[0]->dtype || t->dims.size() != dims.size()) return std::nullopt;
    dims[axis] += t->dims[axis];
    bytes += t->bytes();
  }
  if (bytes > limit) return std::nullopt;
  Filler out(inputs[0]->dtype, dims);
  const std::int64_t outer = numel_of(Dims(dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(axis)));
  std::vector<Tensor> dense;
  for (const Tensor* t : inputs) dense.push_back(t->contiguous());
  std::int64_t at = 0;
  for (std::int64_t o = 0; o < outer; ++o) {
    for (const Tensor& t : dense) {
      const std::int64_t run = t.numel() / outer;
      out.set_bytes(at, t.data() + static_cast<std::size_t>(o * run) * ir::size_of(t.dtype), run);
      at += run;
    }
  }
  return out.take();
}

std::optional<Tensor> gather(const Node& node, const Tensor& x, const Tensor& index, std::size_t limit) {
  const std::size_t axis = wrap(integer_of(node, "axis", 0), x.dims.size());
  Dims dims(x.dims.begin(), x.dims.begin() + static_cast<std::ptrdiff_t>(axis));
  dims.insert(dims.end(), index.dims.begin(), index.dims.end());
  dims.insert(dims.end(), x.dims.begin() + static_cast<std::ptrdiff_t>(axis) + 1, x.dims.end());
  if (!fits(dims, x.dtype, limit) || x.bytes() > limit) return std::nullopt;
  const Tensor dense = x.contiguous();
  const std::int64_t size = x.dims[axis];
  std::int64_t outer = 1, inner = 1;
  for (std::size_t i = 0; i < axis; ++i) outer *= x.dims[i];
  for (std::size_t i = axis + 1; i < x.dims.size(); ++i) inner *= x.dims[i];
  Filler out(x.dtype, dims);
  std::int64_t at = 0;
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::int64_t k = 0; k < index.numel(); ++k) {
      std::int64_t i = index.as_int64(k);
      if (i < 0) i += size;
      if (i < 0 || i >= size) return std::nullopt;
      out.set_bytes(at, dense.data() + static_cast<std::size_t>((o * size + i) * inner) * ir::size_of(x.dtype), inner);
      at += inner;
    }
  }
  return out.take();
}

std::optional<Tensor> where(const Tensor& condition, const Tensor& a, const Tensor& b, std::size_t limit) {
  if (a.dtype != b.dtype) return std::nullopt;
  const auto pair = broadcast(a.dims, b.dims);
  const auto dims = pair ? broadcast(*pair, condition.dims) : std::nullopt;
  if (!dims || !fits(*dims, a.dtype, limit)) return std::nullopt;
  const Tensor x = a.contiguous(), y = b.contiguous();
  const Broadcast c_at(condition.dims, *dims), x_at(a.dims, *dims), y_at(b.dims, *dims);
  Filler out(a.dtype, *dims);
  const std::size_t step = ir::size_of(a.dtype);
  for (std::int64_t i = 0; i < numel_of(*dims); ++i) {
    const bool yes = condition.as_int64(c_at(i)) != 0;
    out.set_bytes(i, yes ? x.data() + static_cast<std::size_t>(x_at(i)) * step
                         : y.data() + static_cast<std::size_t>(y_at(i)) * step);
  }
  return out.take();
}

std::optional<Tensor> range(const Tensor& start, const Tensor& limit_value, const Tensor& delta, std::size_t limit) {
  if (start.dtype != DType::Int64) return std::nullopt;
  const std::int64_t from = start.as_int64(0), to = limit_value.as_int64(0), step = delta.as_int64(0);
  const auto span = ir::checked_subtract(to, from);
  const auto steps = span ? ir::checked_ceil_divide(*span, step) : std::nullopt;
  if (!steps) return std::nullopt;
  const Dims dims{std::max<std::int64_t>(*steps, 0)};
  if (!fits(dims, DType::Int64, limit)) return std::nullopt;
  Filler out(DType::Int64, dims);
  for (std::int64_t i = 0; i < dims[0]; ++i) out.set(i, from + i * step);
  return out.take();
}

std::optional<Tensor> constant_of_shape(const Node& node, const Tensor& shape) {
  constexpr std::int64_t kElements = 1024;  // a larger one is smaller as the operator
  const Dims dims = shape.to_int64s();
  if (ir::checked_count(dims).value_or(kElements + 1) > kElements) return std::nullopt;
  const Tensor* value = node.attribute_as<Tensor>("value");
  if (value && ir::is_packed(value->dtype)) return std::nullopt;
  Tensor filled = value ? *value : Tensor::scalar(DType::Float32, 0.0);
  filled.dims = dims;
  filled.strides.assign(dims.size(), 0);
  return filled.contiguous();
}

}  // namespace

ir::ElementFunction arithmetic_of(std::string_view op) {
  const auto* one = std::ranges::find(kUnary, op, &Unary::op);
  const auto* two = std::ranges::find(kBinary, op, &Binary::op);
  return {one == kUnary.end() ? nullptr : one->real, two == kBinary.end() || two->to_bool ? nullptr : two->real};
}

std::optional<std::vector<Tensor>> fold_compute(const Node& node, Inputs inputs, std::size_t limit) {
  if (node.domain() != "onnx" || inputs.empty()) return std::nullopt;
  for (const Tensor* t : inputs)
    if (!t || t->bytes() > limit) return std::nullopt;
  const std::string_view op = node.op();
  const Tensor& x = *inputs[0];
  std::optional<Tensor> one;
  for (const Unary& kernel : kUnary)
    if (kernel.op == op) one = unary(kernel, x);
  for (const Binary& kernel : kBinary)
    if (kernel.op == op && inputs.size() == 2) one = binary(kernel, node, x, *inputs[1], limit);
  if (op == "Cast") one = cast(node, x, limit);
  if (op == "Concat") one = concat(node, inputs, limit);
  if (op == "Gather" && inputs.size() == 2) one = gather(node, x, *inputs[1], limit);
  if (op == "Where" && inputs.size() == 3) one = where(x, *inputs[1], *inputs[2], limit);
  if (op == "Range" && inputs.size() == 3) one = range(x, *inputs[1], *inputs[2], limit);
  if (op == "ConstantOfShape") one = constant_of_shape(node, x);
  if (op == "Shape" && !node.attribute("start") && !node.attribute("end")) one = Tensor::of_int64(x.dims);
  if (op == "Size") one = Tensor::scalar(DType::Int64, x.numel());
  if (!one) return std::nullopt;
  return std::vector<Tensor>{std::move(*one)};
}

}  // namespace tonnx::optimize
