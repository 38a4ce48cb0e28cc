#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "lower/op.h"

// Interpolation of images and their kin: what is asked, the elements and weights that LibTorch takes, and models of it
// without Resize. Axes are those behind the batch and the channels.
namespace tonnx::lower::interpolation {

enum class Kind { Nearest, NearestExact, Linear, Cubic };

struct Axis {
  std::optional<double> scale;  // as given; else output size / input size
  std::optional<std::int64_t> in, out;
  bool is_multiple = false;     // the output's size is a whole multiple of the input's at every size
  bool is_apart = false;        // the output's size is given, and may not be what the scale makes of the input's
  Value* open_scale = nullptr;  // as given, where a run decides it: float64 of rank 0
};

struct Request {
  Kind kind = Kind::Nearest;
  bool align_corners = false;
  bool antialias = false;
  Value* x = nullptr;
  std::vector<Axis> axes;
  Value* sizes = nullptr;  // rank-1 int64; null if the scales give them

  bool is_nearest() const { return kind == Kind::Nearest || kind == Kind::NearestExact; }
  bool is_fixed() const {
    return std::all_of(axes.begin(), axes.end(), [](const Axis& a) { return a.in && a.out; });
  }
  bool has_scales() const {
    return std::all_of(axes.begin(), axes.end(), [](const Axis& a) { return a.scale.has_value(); });
  }
};

// The arguments of one of LibTorch's upsample operators of `count` axes.
Request request_of(const Op& op, Kind kind, std::int64_t count);
// A list argument; refuses one that depends on the model's inputs.
std::vector<double> constant_numbers(const Op& op, std::string_view argument);

// The size that a scale gives, in LibTorch and in Resize.
std::int64_t scaled_size(double scale, std::int64_t size);
std::int64_t resized_size(double scale, std::int64_t size);
// Whether Resize gives an axis of known sizes LibTorch's size.
bool gives_size(const Axis& a);

// LibTorch's kernels leave an axis alone whose size stays, whatever the scale says, and double one that doubles: the
// scale they take instead.
bool keeps_size(const Request& r);
bool doubles_size(const Request& r);
std::optional<double> scale_by_sizes(const Request& r, std::int64_t in, std::int64_t out);

// The input element behind output i of a nearest interpolation, in float32 as LibTorch has it; the last one may be
// less.
std::int64_t nearest_source(Kind kind, float step, std::int64_t i);
// The same as Resize defines it, from a float32 scale.
std::int64_t resize_source(Kind kind, float scale, std::int64_t i);
// Of all outputs of an axis of known sizes.
Dims nearest_sources(const Request& r, const Axis& a);
Dims resize_sources(const Request& r, const Axis& a);

// Of an axis of known sizes, the weights of the inputs in each output: a matrix (in, out), row by row.
std::vector<double> weights_of(const Request& r, const Axis& a);
Value* matrix_constant(Builder& b, const std::vector<double>& values, std::int64_t rows, std::int64_t columns,
                       DType dtype);

// x with axis `axis` multiplied by such a matrix, of x's dtype.
Value* weighted(Builder& b, Value* x, std::int64_t axis, Value* weights);

// Fixed sizes at any opset: a gather, or a product with the weights, along each axis.
Value* by_axis(Builder& b, const Request& r);

constexpr std::int64_t kSizes = 8192;  // of an open axis, which are tried

// Whether an open axis has sizes at which its scale counts for nothing. Where one element is all, any scale gives it.
bool sizes_override(const Request& r, const Axis& a);
// Of axis i + 2, as an int64 scalar; of all, as a vector.
Value* output_size(Builder& b, const Request& r, std::size_t i);
Value* output_sizes(Builder& b, const Request& r);
// Of axis i + 2, as a float32 scalar; `given` unless the sizes override it.
Value* scale_at_run_time(Builder& b, const Request& r, std::size_t i, double given);

// Nearest with sizes known at run time only: below opset 11, and where Resize would miss elements.
Value* nearest_at_run_time(Builder& b, const Request& r);
// By sizes and scales that a run tells, without Resize.
Value* at_run_time(const Op& op, const Request& r);
// LibTorch's interpolation of bytes between elements: the last axis first, by weights that are whole numbers of 16
// bits, with bytes in between.
Value* bytes_between(const Op& op, const Request& r);

}  // namespace tonnx::lower::interpolation
