#include "ir/complex.h"
#include "lower/complex.h"
#include "lower/families.h"
#include "lower/fourier_transform.h"
#include "lower/known.h"

// The transforms of torch.fft over one or several axes, and the operators that torch.export decomposes them into.
namespace tonnx::lower {
namespace {

// An axis, and the size to which the signal is cut or zero-padded, rank 0; null: unchanged.
struct Along {
  std::int64_t axis;
  Value* size;
};
using Alongs = std::vector<Along>;

enum class Scale { None, Root, Whole };

Parts argument(Op& op) {
  Builder& b = op.builder();
  const Parts x = op.parts_of(op.source("self"));
  DType dtype = ir::part_dtype(op.result_dtype());
  if (dtype == DType::Float16 || dtype == DType::BFloat16) dtype = DType::Float32;
  return {b.cast(x.real, dtype), x.imaginary ? b.cast(x.imaginary, dtype) : nullptr};
}

// The axes of fft_fft (n, dim), or of fft_fft2 and fft_fftn (s, dim).
Alongs axes_of(Op& op, const Parts& x) {
  Builder& b = op.builder();
  if (op.has("n")) return {{op.axis("dim", x.real), op.is_none("n") ? nullptr : op.scalar("n", DType::Int64)}};
  const std::int64_t rank = op.rank_of(x.real);
  Value* sizes = op.is_none("s") ? nullptr : op.int_vector("s");
  const std::int64_t named = sizes ? op.fixed_size(sizes, 0).value_or(-1) : rank;
  if (named < 0) op.refuse_argument("s", "must have a known length");
  Dims dims = op.axes("dim", x.real);
  for (std::int64_t axis = rank - named; op.is_none("dim") && axis < rank; ++axis)
    dims.push_back(op.wrap_axis(axis, rank));
  Alongs all;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    Value* size = sizes ? b.gather(sizes, b.int64(static_cast<std::int64_t>(i)), 0) : nullptr;
    if (sizes && op.is_constant("s")) {
      const std::int64_t known = op.integers("s").at(i);
      size = known < 0 ? nullptr : b.int64(known);
    }
    all.push_back({dims[i], size});
  }
  return all;
}

// The scale that the argument norm specifies. Default: 1 / n for an inverse transform, else none.
Scale scale_of(Op& op, bool inverse) {
  const std::string norm = op.is_none("norm") ? "backward" : op.text("norm");
  if (norm == "ortho") return Scale::Root;
  return (norm == "forward") != inverse ? Scale::Whole : Scale::None;
}

// Multiplies by 1 / n or its square root, where n is the product of the sizes.
Parts scaled(Op& op, const Parts& x, const Values& sizes, Scale scale) {
  Builder& b = op.builder();
  if (scale == Scale::None || sizes.empty()) return x;
  Value* count = sizes.front();
  for (std::size_t i = 1; i < sizes.size(); ++i) count = multiply_sizes(b, count, sizes[i]);
  Value* factor = nullptr;
  const DType dtype = Op::dtype_of(x.real);
  if (const auto n = known_number(count)) {
    factor = b.scalar(dtype, scale == Scale::Root ? 1 / std::sqrt(*n) : 1 / *n);
  } else {
    const Term size = Term{b, count}.cast(DType::Float64);
    factor = (1 / (scale == Scale::Root ? sqrt(size) : size)).cast(dtype).value();
  }
  return {b.mul(x.real, factor), x.imaginary ? b.mul(x.imaginary, factor) : nullptr};
}

Value* size_along(Op& op, const Parts& x, std::int64_t axis) { return op->size_scalar(x.real, axis); }

Parts complex_to_complex(Op& op, Parts x, const Alongs& axes, bool inverse, Scale scale) {
  Values sizes;
  for (const Along& along : axes) {
    if (along.size) x = resized(op, x, along.axis, along.size);
    sizes.push_back(size_along(op, x, along.axis));
    x = fourier(op, x, along.axis, inverse);
  }
  if (!x.imaginary) x.imaginary = op->constant_of_shape(op->shape(x.real), Op::dtype_of(x.real), 0);
  return scaled(op, x, sizes, scale);
}

// Transforms the last axis first: only the first half of its results is needed.
Parts real_to_complex(Op& op, Parts x, Alongs axes, bool inverse, Scale scale) {
  if (axes.empty()) op.refuse_argument("dim", "must name at least one axis");
  if (x.imaginary) op.refuse("its input must be real, not complex");
  for (const Along& along : axes)
    if (along.size) x = resized(op, x, along.axis, along.size);
  Values sizes;
  for (const Along& along : axes) sizes.push_back(size_along(op, x, along.axis));
  x = half_fourier(op, x.real, axes.back().axis, inverse);
  axes.pop_back();
  for (const Along& along : axes) x = fourier(op, x, along.axis, inverse);
  return scaled(op, x, sizes, scale);
}

// The size of the last axis is that of the result; default: twice that of the argument, minus two.
Parts complex_to_real(Op& op, Parts x, Alongs axes, bool inverse, Scale scale) {
  if (axes.empty()) op.refuse_argument("dim", "must name at least one axis");
  Builder& b = op.builder();
  Along last = axes.back();
  axes.pop_back();
  if (!last.size) {
    const auto known = op.fixed_size(x.real, last.axis);
    last.size = known ? b.int64(2 * (*known - 1)) : b.mul(b.sub(size_along(op, x, last.axis), b.int64(1)), b.int64(2));
  }
  Values sizes{last.size};
  for (const Along& along : axes) {
    if (along.size) x = resized(op, x, along.axis, along.size);
    sizes.push_back(size_along(op, x, along.axis));
    x = fourier(op, x, along.axis, inverse);
  }
  return scaled(op, {real_fourier(op, x, last.axis, last.size, inverse), nullptr}, sizes, scale);
}

// fft_fft, fft_ifft and their forms over several axes
template <bool Inverse>
Outputs to_complex(Op& op) {
  const Parts x = argument(op);
  return complex_to_complex(op, x, axes_of(op, x), Inverse, scale_of(op, Inverse));
}
// fft_rfft; fft_ihfft is its inverse
template <bool Inverse>
Outputs from_real(Op& op) {
  const Parts x = argument(op);
  return real_to_complex(op, x, axes_of(op, x), Inverse, scale_of(op, Inverse));
}
// fft_irfft; fft_hfft is its inverse
template <bool Inverse>
Outputs to_real(Op& op) {
  const Parts x = argument(op);
  return complex_to_real(op, x, axes_of(op, x), Inverse, scale_of(op, Inverse)).real;
}

Alongs plain_axes(Op& op, const Parts& x) {
  Alongs axes;
  for (const std::int64_t axis : op.axes("dim", x.real)) axes.push_back({axis, nullptr});
  return axes;
}

Scale plain_scale(Op& op) { return static_cast<Scale>(op.integer("normalization")); }

Outputs c2c(Op& op) {
  const Parts x = argument(op);
  return complex_to_complex(op, x, plain_axes(op, x), !op.flag("forward"), plain_scale(op));
}
Outputs r2c(Op& op) {
  const Parts x = argument(op);
  if (op.flag("onesided")) return real_to_complex(op, x, plain_axes(op, x), false, plain_scale(op));
  return complex_to_complex(op, x, plain_axes(op, x), false, plain_scale(op));
}
Outputs c2r(Op& op) {
  const Parts x = argument(op);
  Alongs axes = plain_axes(op, x);
  if (!axes.empty()) axes.back().size = op.scalar("last_dim_size", DType::Int64);
  return complex_to_real(op, x, axes, true, plain_scale(op)).real;
}

// fft_fftfreq, fft_rfftfreq: 0, 1, ... divided by n d; fft_fftfreq subtracts n from the second half
template <bool Half>
Outputs frequencies(Op& op) {
  Builder& b = op.builder();
  const DType dtype = op.result_dtype();
  const Term n{b, op.scalar("n", DType::Int64)};
  const Term count = Half ? n / 2 + 1 : n;
  Term place{b, b.range(count.value())};
  if (!Half) place = where(place * 2 >= n, place - n, place);
  const Term width = n.cast(DType::Float64) * n.with(op.scalar("d", DType::Float64));
  return b.cast((place.cast(DType::Float64) / width).value(), dtype);
}

constexpr Row kFourierRows[] = {
    {"aten::fft_fft", 7, rounded<to_complex<false>>},
    {"aten::fft_fft2", 7, rounded<to_complex<false>>},
    {"aten::fft_fftn", 7, rounded<to_complex<false>>},
    {"aten::fft_ifft", 7, rounded<to_complex<true>>},
    {"aten::fft_ifft2", 7, rounded<to_complex<true>>},
    {"aten::fft_ifftn", 7, rounded<to_complex<true>>},
    {"aten::fft_rfft", 7, rounded<from_real<false>>},
    {"aten::fft_rfft2", 7, rounded<from_real<false>>},
    {"aten::fft_rfftn", 7, rounded<from_real<false>>},
    {"aten::fft_ihfft", 7, rounded<from_real<true>>},
    {"aten::fft_ihfft2", 7, rounded<from_real<true>>},
    {"aten::fft_ihfftn", 7, rounded<from_real<true>>},
    {"aten::fft_irfft", 7, rounded<to_real<true>>},
    {"aten::fft_irfft2", 7, rounded<to_real<true>>},
    {"aten::fft_irfftn", 7, rounded<to_real<true>>},
    {"aten::fft_hfft", 7, rounded<to_real<false>>},
    {"aten::fft_hfft2", 7, rounded<to_real<false>>},
    {"aten::fft_hfftn", 7, rounded<to_real<false>>},
    {"aten::_fft_c2c", 7, rounded<c2c>},
    {"aten::_fft_r2c", 7, rounded<r2c>},
    {"aten::_fft_c2r", 7, rounded<c2r>},
    {"aten::fft_fftfreq", 7, frequencies<false>},
    {"aten::fft_rfftfreq", 7, frequencies<true>},
};

}  // namespace

std::span<const Row> fourier_rows() { return kFourierRows; }

}  // namespace tonnx::lower
