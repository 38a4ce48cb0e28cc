#include <cmath>

#include "ir/complex.h"
#include "lower/complex.h"
#include "lower/families.h"
#include "lower/fourier_transform.h"
#include "lower/known.h"
#include "lower/spatial.h"

// aten::stft and aten::istft: windowed frames of a signal, their transforms, and the inverse. Frames are gathered and
// added here, because ONNX's STFT is not faster than a product of all frames with one matrix.
namespace tonnx::lower {
namespace {

struct Frames {
  std::int64_t size;  // n_fft
  std::int64_t hop;
  std::int64_t window;  // the number of elements in the middle of a frame that the window covers
};

Frames frames_of(Op& op) {
  const std::int64_t size = op.integer("n_fft");
  const Frames f{size, op.maybe_integer("hop_length").value_or(size / 4),
                 op.maybe_integer("win_length").value_or(size)};
  if (f.size < 1 || f.hop < 1 || f.window < 1 || f.window > f.size)
    op.refuse("it needs n_fft, hop_length and win_length of at least 1, and win_length <= n_fft");
  return f;
}

// The window, zero-padded at both ends to (n_fft).
Parts window_of(Op& op, const Frames& f, DType dtype) {
  Builder& b = op.builder();
  if (op.is_none("window") && f.window == f.size) return {b.constant_of_shape(b.int64s({f.size}), dtype, 1), nullptr};
  Parts window{b.constant_of_shape(b.int64s({f.window}), dtype, 1), nullptr};
  if (!op.is_none("window")) window = parts_operand(op, op.source("window"), dtype);
  const std::int64_t left = (f.size - f.window) / 2;
  for (Value** part : {&window.real, &window.imaginary})
    if (*part && f.window < f.size) *part = b.pad(*part, Dims{left, f.size - f.window - left});
  return window;
}

Parts product(Builder& b, const Parts& x, const Parts& y) {
  if (!x.imaginary && y.imaginary) return product(b, y, x);
  if (!y.imaginary) return {b.mul(x.real, y.real), x.imaginary ? b.mul(x.imaginary, y.real) : nullptr};
  const Complex z = Complex{{b, x.real}, {b, x.imaginary}} * Complex{{b, y.real}, {b, y.imaginary}};
  return {z.re.value(), z.im.value()};
}

Parts quotient(Builder& b, const Parts& x, const Parts& y) {
  if (!y.imaginary) return {b.div(x.real, y.real), x.imaginary ? b.div(x.imaginary, y.real) : nullptr};
  const Complex z = Complex{{b, x.real}, {b, x.imaginary}} / Complex{{b, y.real}, {b, y.imaginary}};
  return {z.re.value(), z.im.value()};
}

template <class F>
Parts each(const Parts& x, F&& f) {
  return {f(x.real), x.imaginary ? f(x.imaginary) : nullptr};
}

Value* scaled(Builder& b, Value* x, double factor) { return x && factor != 1 ? b.mul(x, b.scalar_like(x, factor)) : x; }

// The dtype to which the signal and the window promote.
DType dtype_of_parts(Op& op) {
  DType dtype = Op::dtype_of(op.parts_of(op.source("self")).real);
  if (!op.is_none("window")) dtype = ir::promote(dtype, Op::dtype_of(op.parts_of(op.source("window")).real));
  return dtype == DType::Float16 || dtype == DType::BFloat16 ? DType::Float32 : dtype;
}

// (batch, frames, n_fft) of the signal (batch, length)
Value* cut(Op& op, Value* x, const Frames& f) {
  Builder& b = op.builder();
  const Term length{b, b.size_scalar(x, 1)};
  const auto known = known_number(length.value());
  Value* count = known ? b.int64((static_cast<std::int64_t>(*known) - f.size) / f.hop + 1)
                       : ((length - static_cast<double>(f.size)) / static_cast<double>(f.hop) + 1).value();
  Value* starts = b.mul(b.unsqueeze(b.range(count), {1}), b.int64(f.hop));
  return b.gather(x, b.add(starts, b.range(b.int64(f.size))), 1);
}

Value* centred(Op& op, Value* x, const Frames& f) {
  const std::string mode = op.text("pad_mode");
  const std::string_view name = mode == "replicate" ? "edge" : mode == "circular" ? "wrap" : std::string_view(mode);
  if (name != "constant" && name != "reflect" && name != "edge")
    op.refuse_argument("pad_mode", "'" + mode + "' is not supported here");
  return op->pad(x, Dims{0, f.size / 2, 0, f.size / 2}, name);
}

Outputs stft(Op& op) {
  Builder& b = op.builder();
  const Frames f = frames_of(op);
  if (op.has("align_to_window") && !op.is_none("align_to_window") && op.flag("align_to_window"))
    op.refuse_argument("align_to_window", "must be False");
  const DType dtype = dtype_of_parts(op);
  const Parts given = op.parts_of(op.source("self"));
  const bool single = op.rank_of(given.real) == 1;
  Parts frames = each(given, [&](Value* x) {
    x = b.cast(x, dtype);
    if (single) x = b.unsqueeze(x, {0});
    return cut(op, op.has("center") && op.flag("center") ? centred(op, x, f) : x, f);
  });
  if (!op.is_none("window") || f.window < f.size) frames = product(b, frames, window_of(op, f, dtype));
  const bool half = op.is_none("onesided") ? !frames.imaginary : op.flag("onesided");
  if (half && frames.imaginary) op.refuse_argument("onesided", "must be False for a complex signal or window");
  Parts y = half ? half_fourier(op, frames.real, 2, false) : fourier(op, frames, 2, false);
  const double factor = op.flag("normalized") ? 1 / std::sqrt(static_cast<double>(f.size)) : 1;
  for (Value** part : {&y.real, &y.imaginary}) {
    *part = b.transpose(scaled(b, *part, factor), {0, 2, 1});
    if (single) *part = b.squeeze(*part, {0});
  }
  return ir::is_complex(op.result_dtype()) ? Outputs(y) : Outputs(op.joined(y));
}

// Adds overlapping frames (batch, frames, n_fft), each `hop` elements after the previous one, to (batch, length). Each
// frame is cut into pieces of a hop. Row q contains piece q of every frame. Zero-padding the rows and reading them as
// rows that are one piece shorter shifts row q by q pieces.
Value* add_overlapping(Op& op, Value* x, const Frames& f) {
  Builder& b = op.builder();
  const std::int64_t pieces = (f.size + f.hop - 1) / f.hop;
  x = b.pad(x, Dims{0, 0, 0, 0, 0, pieces * f.hop - f.size});
  Value* batch = b.size(x, 0);
  const auto sized = [&](std::initializer_list<std::int64_t> rest) {
    return b.reshape(x, b.join_sizes({batch, b.int64s(rest)}));
  };
  Value* count = b.size_scalar(x, 1);
  x = b.reshape(x, b.join_sizes({batch, b.reshape(count, {1}), b.int64s({pieces, f.hop})}));
  x = b.pad(b.transpose(x, {0, 2, 1, 3}), Dims{0, 0, 0, 0, 0, 0, pieces, 0});
  x = sized({-1, f.hop});
  x = b.slice(x, 1, 0, -pieces);
  Value* row = add_sizes(b, count, b.int64(pieces - 1));
  x = b.reshape(x, b.join_sizes({batch, b.int64s({pieces}), b.reshape(row, {1}), b.int64s({f.hop})}));
  x = b.reduce("ReduceSum", x, Dims{1}, false);
  x = sized({-1});
  return b.slice(x, 1, 0, f.size == pieces * f.hop ? INT64_MAX : f.size - pieces * f.hop);
}

Outputs istft(Op& op) {
  Builder& b = op.builder();
  const Frames f = frames_of(op);
  const DType dtype = dtype_of_parts(op);
  Parts x = op.parts_of(op.source("self"));
  if (!x.imaginary) op.refuse("its input must be complex");
  const bool single = op.rank_of(x.real) == 2;
  const auto turned = [&](Value* part) {
    part = b.cast(part, dtype);
    return b.transpose(single ? b.unsqueeze(part, {0}) : part, {0, 2, 1});
  };
  x = {turned(x.real), turned(x.imaginary)};
  // A real result uses only the first half of the frequencies, even if there are more.
  const bool complex = op.flag("return_complex");
  const Parts frames =
      complex ? fourier(op, x, 2, true) : Parts{real_fourier(op, x, 2, b.int64(f.size), true), nullptr};
  const double factor =
      1 / (op.flag("normalized") ? std::sqrt(static_cast<double>(f.size)) : static_cast<double>(f.size));

  const Parts window = window_of(op, f, dtype);
  if (window.imaginary && !complex) op.refuse_argument("window", "must be real for a real result");
  Value* const shape = b.join_sizes({b.int64s({1}), b.size(x.real, 1), b.int64s({f.size})});
  const bool centre = op.flag("center");
  const std::int64_t start = centre ? f.size / 2 : 0;
  Value* const length = op.is_none("length") ? nullptr : op.scalar("length", DType::Int64);
  const auto cropped = [&](Value* y) {
    Value* end = length                 ? add_sizes(b, length, b.int64(start))
                 : centre && f.size > 1 ? b.int64(-(f.size / 2))
                                        : nullptr;
    return slice_between(op, y, 1, b.int64(start), end);
  };
  const auto added = [&](Value* part) { return cropped(add_overlapping(op, part, f)); };
  const Parts weights = each(product(b, window, window), [&](Value* part) { return added(op->expand(part, shape)); });
  const Parts sums = each(product(b, frames, window), [&](Value* part) { return added(scaled(b, part, factor)); });
  const Parts signal = each(quotient(b, sums, weights), [&](Value* part) {
    if (length) part = resized(op, part, 1, length);
    return single ? b.squeeze(part, {0}) : part;
  });
  return complex ? Outputs(signal) : Outputs(signal.real);
}

constexpr Row kShortTimeFourierRows[] = {
    {"aten::stft", 7, rounded<stft>},
    {"aten::istft", 7, rounded<istft>},
};

}  // namespace

std::span<const Row> short_time_fourier_rows() { return kShortTimeFourierRows; }

}  // namespace tonnx::lower
