#include <algorithm>
#include <numeric>

#include "ir/constant_facts.h"
#include "lower/elementwise.h"
#include "lower/families.h"
#include "lower/known.h"
#include "lower/missing.h"
#include "lower/open_windows.h"
#include "lower/size_numbers.h"
#include "lower/sizes.h"
#include "lower/spatial.h"

namespace tonnx::lower {
namespace {

struct Window {
  std::size_t axes = 0;
  // axes of a batched input, of any size, that one window covers completely; they are reduced first, then have size 1
  Dims covered;
  Dims kernel, stride, dilation;
  Dims begin, end;  // padding; `end` includes what ceil_mode adds
  Dims padding;     // LibTorch's padding, the same at both ends
  bool ceil_mode = false;

  std::int64_t reach(std::size_t i) const { return dilation[i] * (kernel[i] - 1) + 1; }
  bool is_dilated() const {
    return std::any_of(dilation.begin(), dilation.end(), [](auto d) { return d != 1; });
  }
  bool has_pads() const {
    const auto pads = [](const Dims& side) {
      return std::any_of(side.begin(), side.end(), [](auto p) { return p != 0; });
    };
    return pads(begin) || pads(end);
  }
  Dims pads() const {
    Dims all = begin;
    all.insert(all.end(), end.begin(), end.end());
    return all;
  }
};

// Like per_axis(), but 1 for axes that a window covers; their numbers may be dynamic.
Dims per_open_axis(const Op& op, std::string_view argument, const std::vector<bool>& covered, const Dims& fallback) {
  const std::size_t axes = covered.size();
  const auto items = op.is_constant(argument) ? std::vector<SizeNumber>{} : numbers_of(op, argument, axes);
  Dims numbers = items.empty() ? per_axis(op, argument, static_cast<std::int64_t>(axes), fallback) : Dims(axes, 1);
  for (std::size_t i = 0; i < axes; ++i) {
    if (covered[i]) {
      numbers[i] = 1;
    } else if (!items.empty()) {
      const auto known = items[i].value ? ir::constant_integer(items[i].value) : std::nullopt;
      numbers[i] = known ? *known : op.integers(argument).at(i);
    }
  }
  return numbers;
}

// The spatial axes that one window covers in every run: the kernel size is their size.
std::vector<bool> covered_axes(const Op& op, const Dims& padding, const Dims& dilation) {
  const std::size_t axes = padding.size();
  std::vector<bool> covered(axes, false);
  const ir::Value* x = op.source("self");
  if (op.is_constant("kernel_size") || !x->facts().has_rank() || static_cast<std::size_t>(x->facts().rank()) < axes)
    return covered;
  const auto items = numbers_of(op, "kernel_size", axes);
  const auto& dims = *x->facts().dims;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const bool is_size = items[i].of && items[i].of->facts().dims->at(items[i].axis).same(dims[dims.size() - axes + i]);
    covered[i] = is_size && padding[i] == 0 && dilation[i] == 1;
  }
  return covered;
}

// LibTorch's ceil_mode counts a window that begins inside the input or its begin padding. The window at i * stride
// counts if i * stride <= size + padding - 1 and its last element is at most stride - 1 after the end padding. So
// rounding down with an end padding of min(padding + stride - 1, reach - 1) yields exactly these windows.
Window window_of(const Op& op, std::int64_t axes) {
  Window w;
  w.axes = static_cast<std::size_t>(axes);
  w.padding = per_axis(op, "padding", axes);
  w.dilation = op.has("dilation") ? per_axis(op, "dilation", axes) : Dims(w.axes, 1);
  const std::vector<bool> covered = covered_axes(op, w.padding, w.dilation);
  w.kernel = per_open_axis(op, "kernel_size", covered, {});
  w.stride = per_open_axis(op, "stride", covered, w.kernel);
  for (std::size_t i = 0; i < w.axes; ++i)
    if (covered[i]) w.covered.push_back(static_cast<std::int64_t>(i) + 2);
  w.ceil_mode = op.flag("ceil_mode");
  w.begin = w.end = w.padding;
  for (std::size_t i = 0; w.ceil_mode && i < w.axes; ++i)
    w.end[i] = std::min(w.padding[i] + w.stride[i] - 1, w.reach(i) - 1);
  return w;
}

// Pads the spatial axes of a batched input.
Value* pad_spatial(Builder& b, Value* x, const Dims& begin, const Dims& end, Value* fill) {
  Dims pads{0, 0};
  pads.insert(pads.end(), begin.begin(), begin.end());
  pads.insert(pads.end(), {0, 0});
  pads.insert(pads.end(), end.begin(), end.end());
  return b.pad(x, pads, "constant", fill);
}

// Index in a plane of `padded` sizes to the index in the plane without the begin padding, of `sizes`. Rank-1 int64
// sizes.
Value* unpadded_index(Builder& b, Value* index, const Values& padded, const Values& sizes, const Dims& begin) {
  Value* result = nullptr;
  Value* rest = index;
  Value* weight = b.int64s({1});
  for (std::size_t i = sizes.size(); i-- > 0;) {
    Value* upper = i == 0 ? nullptr : b.div(rest, padded[i]);
    Value* coordinate = i == 0 ? rest : b.sub(rest, b.mul(upper, padded[i]));
    if (begin[i] != 0) coordinate = b.sub(coordinate, b.int64(begin[i]));
    Value* term = b.mul(coordinate, weight);
    result = result ? b.add(result, term) : term;
    weight = b.mul(weight, sizes[i]);
    rest = upper;
  }
  return result;
}

// True if the target would fuse a preceding Pad into a pool, even with a Cast in between (Defect::PadFusion).
bool follows_pad(const Builder& b, const Value* x) {
  if (!b.avoids(ir::Defect::PadFusion)) return false;
  const ir::Node* node = x->node();
  while (node && (node->is("onnx::Identity") || node->is("onnx::Cast"))) node = node->input(0)->node();
  return node && node->is("onnx::Pad");
}

// Windows over an input without padding, in a form into which no preceding Pad is fused.
Attributes unpadded(const Dims& kernel, const Dims& stride) {
  return {{"kernel_shape", kernel}, {"strides", stride}, {"auto_pad", std::string("VALID")}};
}

Attributes attributes_of(const Window& w, bool padded_before) {
  if (padded_before && !w.has_pads()) return unpadded(w.kernel, w.stride);
  return {{"kernel_shape", w.kernel}, {"strides", w.stride}, {"pads", w.pads()}};
}

// Every stride-th element of x[first:end] along an axis.
Value* every(Builder& b, Value* x, std::int64_t axis, std::int64_t first, std::int64_t end, std::int64_t stride) {
  if (b.opset() >= 10) return b.slice(x, axis, first, end, stride);
  x = b.slice(x, axis, first, end);
  if (stride == 1) return x;
  Value* size = b.size_scalar(x, axis);
  const auto known = known_integer(size);
  Value* count =
      known ? b.int64((*known + stride - 1) / stride) : b.div(b.add(size, b.int64(stride - 1)), b.int64(stride));
  return b.take(x, b.mul(b.range(count), b.int64(stride)), axis);
}

// The maximum of shifted slices, then every stride-th element: for dilation where MaxPool lacks it, and for int64,
// which MaxPool does not accept.
Value* dilated_max_pool(Builder& b, Value* x, const Window& w) {
  for (std::size_t i = 0; i < w.axes; ++i) {
    const std::int64_t axis = static_cast<std::int64_t>(i) + 2;
    Value* best = nullptr;
    for (std::int64_t k = 0; k < w.kernel[i]; ++k) {
      const std::int64_t after = (w.kernel[i] - 1 - k) * w.dilation[i];
      Value* shifted = b.slice(x, axis, k * w.dilation[i], after == 0 ? INT64_MAX : -after);
      best = best ? maximum(b, best, shifted) : shifted;
    }
    x = best;
  }
  if (x->facts().dtype == DType::Int64) {
    for (std::size_t i = 0; i < w.axes; ++i)
      x = every(b, x, static_cast<std::int64_t>(i) + 2, 0, INT64_MAX, w.stride[i]);
    return x;
  }
  return b.op("MaxPool", {x}, {{"kernel_shape", Dims(w.axes, 1)}, {"strides", w.stride}});
}

// The windows of one axis: the index of each element (out, window) is first[out] + step * position.
struct Elements {
  Value* index;
  Value* first;
  std::int64_t step;
  Value* size;  // of the axis, one element: the stride of this axis in the result's indices
};

// The largest element of every window of a batched input, and its index in the plane.
Values gathered_max(Op& op, Value* x, const std::vector<Elements>& axes, bool with_indices) {
  Builder& b = op.builder();
  const std::size_t n = axes.size();
  for (std::size_t i = 0; i < n; ++i) x = b.take(x, axes[i].index, static_cast<std::int64_t>(2 + 2 * i));
  // (batch, channels, out, window, out, window, ...) to (batch, channels, outs..., windows...)
  Dims perm{0, 1};
  for (std::size_t i = 0; i < n; ++i) perm.push_back(static_cast<std::int64_t>(2 + 2 * i));
  for (std::size_t i = 0; i < n; ++i) perm.push_back(static_cast<std::int64_t>(3 + 2 * i));
  const std::int64_t last = static_cast<std::int64_t>(n) + 2;
  x = merge_axes(op, b.transpose(x, perm), last, static_cast<std::int64_t>(n));
  Value* y = b.reduce("ReduceMax", x, Dims{last}, false);
  if (!with_indices) return {y, nullptr};

  Value* rest = b.op("ArgMax", {x}, {{"axis", last}, {"keepdims", std::int64_t{0}}});
  Value* index = nullptr;
  Value* weight = b.int64s({1});
  for (std::size_t i = n; i-- > 0;) {
    Value* width = b.size(axes[i].index, 1);
    Value* upper = i == 0 ? nullptr : b.div(rest, width);
    Value* offset = i == 0 ? rest : b.sub(rest, b.mul(upper, width));
    if (axes[i].step != 1) offset = b.mul(offset, b.int64(axes[i].step));
    Dims trailing;
    for (std::size_t k = 1; k < n - i; ++k) trailing.push_back(static_cast<std::int64_t>(k));
    Value* coordinate = b.add(offset, b.unsqueeze(axes[i].first, trailing));
    Value* term = b.mul(coordinate, weight);
    index = index ? b.add(index, term) : term;
    weight = b.mul(weight, axes[i].size);
    rest = upper;
  }
  return {y, index};
}

// Dilated windows of an input that is already padded; the indices refer to the input before padding.
Values dilated_max_pool_with_indices(Op& op, Value* padded, Value* original, const Window& w, const Dims& begin) {
  Builder& b = op.builder();
  std::vector<Elements> elements;
  for (std::size_t i = 0; i < w.axes; ++i) {
    const std::int64_t axis = static_cast<std::int64_t>(i) + 2;
    Value* room = b.sub(b.size_scalar(padded, axis), b.int64(w.reach(i) - w.stride[i]));
    if (const auto size = padded->facts().dims->at(static_cast<std::size_t>(axis)); size.is_fixed())
      room = b.int64(size.size() - w.reach(i) + w.stride[i]);
    Value* count = b.div(room, b.int64(w.stride[i]));
    if (const auto known = known_number(room)) count = b.int64(static_cast<std::int64_t>(*known) / w.stride[i]);
    Value* first = b.mul(b.range(count), b.int64(w.stride[i]));
    Dims offsets;
    for (std::int64_t k = 0; k < w.kernel[i]; ++k) offsets.push_back(k * w.dilation[i]);
    Value* index = b.add(b.unsqueeze(first, {1}), b.unsqueeze(b.int64s(offsets), {0}));
    elements.push_back({index, b.sub(first, b.int64(begin[i])), w.dilation[i], b.size(original, axis)});
  }
  return gathered_max(op, padded, elements, true);
}

// The largest element of every window of a batched input and, if requested, its index in the plane. Assumes that no
// element is NaN.
Values largest_numbers(Op& op, Value* original, Window w, bool with_indices) {
  Builder& b = op.builder();
  Value* x = original;
  if (!w.covered.empty()) x = b.reduce("ReduceMax", x, w.covered, true);
  if (w.covered.size() == w.axes) return {x, nullptr};
  const std::int64_t axes = static_cast<std::int64_t>(w.axes);
  bool is_wide = false;
  for (std::size_t i = 0; i < w.axes; ++i) is_wide = is_wide || w.end[i] >= w.kernel[i] || w.begin[i] >= w.kernel[i];
  const bool is_long = op.dtype_of(x) == DType::Int64;
  const bool emulate = is_long || (w.is_dilated() && op.opset() < 10);
  const Dims begin = w.begin;
  const bool padded_before = follows_pad(b, x);
  const bool pads_first = is_wide || emulate || (padded_before && w.has_pads());
  if (pads_first) {
    const bool is_float = ir::is_floating(x->facts().dtype);
    // Emulated comparisons multiply by 0 below opset 8, which takes no infinity. No index may be that of the padding.
    Value* finite = emulate && is_float ? b.scalar_like(x, -largest(x->facts().dtype)) : nullptr;
    if (finite && with_indices) x = maximum(b, x, finite);
    Value* fill = finite && !with_indices ? finite : lowest(b, x->facts().dtype);
    x = pad_spatial(b, x, w.begin, w.end, fill);
    w.begin = w.end = Dims(w.axes, 0);
  }
  if (emulate) {
    if (with_indices) return dilated_max_pool_with_indices(op, x, original, w, begin);
    return {dilated_max_pool(b, x, w), nullptr};
  }
  Attributes attributes = attributes_of(w, padded_before);
  if (w.is_dilated()) attributes.push_back({"dilations", w.dilation});
  if (!with_indices) return {b.op("MaxPool", {x}, std::move(attributes)), nullptr};
  if (op.opset() < 8) op.needs_opset(8, "max pooling with indices");

  const Values results = b.op("MaxPool", {x}, std::move(attributes), 2);
  // ONNX's indices count over the whole tensor, LibTorch's over one plane.
  Values sizes, padded;
  for (std::int64_t i = 0; i < axes; ++i) {
    sizes.push_back(b.size(original, i + 2));
    padded.push_back(pads_first ? b.size(x, i + 2) : sizes.back());
  }
  Value* plane = padded[0];
  for (std::size_t i = 1; i < padded.size(); ++i) plane = b.mul(plane, padded[i]);
  Value* index = remainder(b, results[1], plane);
  if (pads_first) index = unpadded_index(b, index, padded, sizes, begin);
  return {results[0], index};
}

// True if a window of a batched x may be empty: it begins in the padding and skips all of x.
bool may_be_empty(const Window& w, const Value* x) {
  for (std::size_t i = 0; i < w.axes; ++i) {
    const ir::Dim& size = x->facts().dims->at(i + 2);
    if (w.begin[i] > 0 && (size.is_fixed() ? size.size() < w.dilation[i] : w.dilation[i] > 1)) return true;
  }
  return false;
}

bool has_fixed_axes(const Value* x, std::int64_t axes) {
  const auto& dims = *x->facts().dims;
  return std::all_of(dims.end() - axes, dims.end(), [](const ir::Dim& d) { return d.is_fixed(); });
}

// The tensor that x is a padding of, if every window contains one of its elements; else x.
const Value* beside_padding(const Value* x, const Window& w) {
  const ir::Node* node = x->node();
  if (!node || !node->is("onnx::Pad") || node->input_count() < 2) return x;
  const auto pads = known_integers(node->input(1));
  const std::int64_t least = *std::min_element(w.kernel.begin(), w.kernel.end());
  return pads && std::all_of(pads->begin(), pads->end(), [&](std::int64_t n) { return n < least; }) ? node->input(0)
                                                                                                    : x;
}

// x, a float, with -inf where the condition is true.
Value* lowest_where(Builder& b, Value* condition, Value* x) {
  if (b.opset() >= 9) return b.where(condition, lowest(b, x->facts().dtype), x);
  return b.add(x, b.op("Log", {b.cast(b.op("Not", {condition}), x->facts().dtype)}));
}

// Returns the result of `pool` for a batched x, but NaN where a window contains one, and the index of its last NaN; and
// -inf where a window contains nothing else, if the target has Defect::LowestMaxPool. `pool` takes a
// tensor and whether indices are requested.
template <typename Pool>
Values with_missing(Op& op, Value* x, std::int64_t axes, bool with_indices, bool may_be_low, Pool pool) {
  Builder& b = op.builder();
  Values numbers = pool(x, with_indices);
  may_be_low = may_be_low && b.avoids(ir::Defect::LowestMaxPool);
  const bool may_be_nan = may_hold_nan(b, x);
  if (!may_be_nan && !may_be_low) return numbers;
  Value* nothing = b.scalar(DType::Float32, -1.0);
  Value* place = b.scalar(DType::Float32, 0.0);
  if (with_indices && may_be_nan) {
    const DType exact = b.has_kernel("MaxPool", DType::Float64) ? DType::Float64 : DType::Float32;
    Values sizes;
    for (std::int64_t i = 0; i < axes; ++i) sizes.push_back(b.size(x, i + 2));
    Value* count = sizes[0];
    for (std::size_t i = 1; i < sizes.size(); ++i) count = multiply_sizes(b, count, sizes[i]);
    place = b.reshape(b.cast(b.range(count), exact), b.join_sizes(sizes));
    nothing = b.cast(nothing, exact);
  }
  Value* kind = nothing;
  if (may_be_low) {
    Value* is_low = less(b, x, b.scalar_like(x, -largest(op.dtype_of(x))));
    kind = b.sub(nothing, b.cast(is_low, op.dtype_of(nothing)));
  }
  if (may_be_nan) kind = b.where(is_nan(b, x), place, kind);
  Value* last = pool(kind, false)[0];
  Values results = numbers;
  if (may_be_low) results[0] = lowest_where(b, less(b, last, nothing), results[0]);
  if (!may_be_nan) return results;
  Value* found = greater(b, last, nothing);
  results[0] = b.where(found, b.scalar_like(results[0], kNan), results[0]);
  if (with_indices) results[1] = b.where(found, b.cast(last, DType::Int64), results[1]);
  return results;
}

Values max_of_open_windows(Op& op, const Dims& padding, const Dims& dilation) {
  Builder& b = op.builder();
  const auto axes = static_cast<std::int64_t>(padding.size());
  Value* source = op.tensor("self");
  const BatchAxis batch(op, source, axes + 2);
  Value* x = batch.add(source);
  const Values windows = open_windows(op, x, padding, dilation);
  const auto pool = [&](Value* v, bool) { return Values{reduce_windows(b, "ReduceMax", v, windows), nullptr}; };
  return {batch.remove(with_missing(op, x, axes, false, may_hold_nan_or_lowest(b, x), pool)[0]), nullptr};
}

Values max_pool_values(Op& op, std::int64_t axes, bool with_indices) {
  const Dims padding = per_axis(op, "padding", axes), dilation = per_axis(op, "dilation", axes);
  const bool is_float = ir::is_floating(op.dtype_of(op.tensor("self")));
  if (is_float && !with_indices && has_open_windows(op, padding, dilation))
    return max_of_open_windows(op, padding, dilation);
  const Window w = window_of(op, axes);
  Value* source = op.tensor("self");
  const BatchAxis batch(op, source, axes + 2);
  Value* x = batch.add(source);
  if (with_indices && has_fixed_axes(x, axes) && may_be_empty(w, x))
    op.refuse("an empty window has no index in the input; pool without indices, or use less padding");
  if (with_indices && !w.covered.empty()) op.integers("kernel_size");  // refuses: an index depends on the dynamic sizes
  const bool may_be_low =
      is_float && (may_be_empty(w, x) || may_hold_nan_or_lowest(op.builder(), beside_padding(x, w)));
  const Values results = with_missing(op, x, axes, with_indices, may_be_low,
                                      [&](Value* v, bool indices) { return largest_numbers(op, v, w, indices); });
  return {batch.remove(results[0]), with_indices ? batch.remove(results[1]) : nullptr};
}

template <int Axes>
Outputs max_pool(Op& op) {
  return max_pool_values(op, Axes, false)[0];
}

template <int Axes>
Outputs max_pool_with_indices(Op& op) {
  return Outputs::many(max_pool_values(op, Axes, !op.node().output(1)->is_unused()));
}

Value* average_pool(Builder& b, Value* x, const Window& w, bool counts_padding) {
  Attributes attributes = attributes_of(w, follows_pad(b, x));
  if (counts_padding) attributes.push_back({"count_include_pad", std::int64_t{1}});
  return b.op("AveragePool", {x}, std::move(attributes));
}

// The sum over every window of an input that is already padded.
Value* sum_pool(Builder& b, Value* x, const Window& w) {
  for (std::size_t i = 0; i < w.axes; ++i) {
    const std::int64_t axis = static_cast<std::int64_t>(i) + 2;
    Value* sum = nullptr;
    for (std::int64_t k = 0; k < w.kernel[i]; ++k) {
      const std::int64_t after = w.kernel[i] - 1 - k;
      Value* shifted = every(b, x, axis, k, after == 0 ? INT64_MAX : -after, w.stride[i]);
      sum = sum ? b.add(sum, shifted) : shifted;
    }
    x = sum;
  }
  return x;
}

// The mean of int64, rounded towards 0, and of float64 if the target lacks it; AveragePool does not accept int64.
Value* mean_of_sums(Op& op, Value* x, const Window& w) {
  Builder& b = op.builder();
  const DType dtype = op.dtype_of(x);
  Value* sum = sum_pool(b, pad_spatial(b, x, w.begin, w.end, b.scalar_like(x, 0)), w);
  if (op.has("divisor_override") && !op.is_none("divisor_override")) {
    if (op.integer("divisor_override") == 0) op.refuse_argument("divisor_override", "must not be 0");
    return b.div(sum, op.scalar("divisor_override", dtype));
  }
  Values sizes{b.int64s({1, 1})};
  for (std::size_t i = 0; i < w.axes; ++i) sizes.push_back(b.size(x, static_cast<std::int64_t>(i) + 2));
  Value* counted = b.constant_of_shape(b.join_sizes(sizes), DType::Float32, 1);
  counted =
      pad_spatial(b, counted, w.padding, w.padding, b.scalar(DType::Float32, op.flag("count_include_pad") ? 1.0 : 0.0));
  Dims ceil_padding(w.end);
  for (std::size_t i = 0; i < w.axes; ++i) ceil_padding[i] -= w.padding[i];
  counted = pad_spatial(b, counted, Dims(w.axes, 0), ceil_padding, nullptr);
  return b.div(sum, b.cast(sum_pool(b, counted, w), dtype));
}

// count_include_pad counts the padding as elements, but never what ceil_mode adds after it.
template <int Axes>
Outputs avg_pool(Op& op) {
  Builder& b = op.builder();
  Value* source = op.tensor("self");
  const BatchAxis batch(op, source, Axes + 2);
  Value* x = batch.add(source);
  const DType dtype = op.dtype_of(x);
  const bool overrides = op.has("divisor_override") && !op.is_none("divisor_override");
  const Dims padding = per_axis(op, "padding", Axes), dilation(Axes, 1);
  if (ir::is_floating(dtype) && !overrides && has_open_windows(op, padding, dilation))
    return batch.remove(reduce_windows(b, "ReduceMean", x, open_windows(op, x, padding, dilation)));
  Window w = window_of(op, Axes);
  if (!w.covered.empty()) {
    if (!ir::is_floating(dtype) || overrides)
      op.integers("kernel_size");  // refuses: the divisor depends on the dynamic sizes
    x = b.reduce("ReduceMean", x, w.covered, true);
    if (w.covered.size() == w.axes) return batch.remove(x);
  }
  if (dtype == DType::Int64 || !b.serves("AveragePool", x)) return batch.remove(mean_of_sums(op, x, w));
  const Dims none(w.axes, 0);
  const bool has_padding = std::any_of(w.padding.begin(), w.padding.end(), [](auto p) { return p != 0; });

  if (overrides) {
    if (op.integer("divisor_override") == 0) op.refuse_argument("divisor_override", "must not be 0");
    x = pad_spatial(b, x, w.begin, w.end, nullptr);
    w.begin = w.end = none;
    double count = 1;
    for (const std::int64_t k : w.kernel) count *= static_cast<double>(k);
    Value* mean = average_pool(b, x, w, false);
    return batch.remove(b.mul(mean, b.scalar_like(mean, count / op.number("divisor_override"))));
  }
  const bool counts_padding = op.flag("count_include_pad") && has_padding;
  if (counts_padding && w.end != w.padding) {
    x = pad_spatial(b, x, w.padding, w.padding, nullptr);
    for (std::size_t i = 0; i < w.axes; ++i) w.end[i] -= w.padding[i];
    w.begin = none;
    return batch.remove(average_pool(b, x, w, false));
  }
  return batch.remove(average_pool(b, x, w, counts_padding));
}

// One axis of adaptive pooling: cell i of `out` covers [floor(i * in / out), ceil((i + 1) * in / out)).
struct Cells {
  enum class Kind { Same, One, Regular, Irregular };
  Kind kind = Kind::Irregular;
  std::int64_t step = 0;  // Regular: the window
  std::int64_t axis = 0;
  Value* in = nullptr;   // rank 0
  Value* out = nullptr;  // rank 0
};

std::vector<Cells> adaptive_cells(Op& op, Value* x, std::int64_t axes) {
  Builder& b = op.builder();
  std::vector<Cells> cells;
  Value* sizes = nullptr;
  const ir::Constant* known = op.constant("output_size");
  const Lowered* list = op.lowered(op.source("output_size"));
  for (std::int64_t i = 0; i < axes; ++i) {
    Cells c;
    c.axis = op.rank_of(x) - axes + i;
    const std::size_t at = static_cast<std::size_t>(i);
    std::optional<std::int64_t> out;
    if (known) {
      out = per_axis(op, "output_size", axes).at(at);
    } else if (list && list->kind == Lowered::Kind::List && list->list.size() == static_cast<std::size_t>(axes)) {
      if (const auto number = known_number(list->list[at])) out = static_cast<std::int64_t>(*number);
    }
    const auto in = op.fixed_size(x, c.axis);
    const ir::Facts& result = op.result();
    const bool same_symbol =
        result.has_rank() && result.rank() == op.rank_of(x) &&
        (*result.dims)[static_cast<std::size_t>(c.axis)].same((*x->facts().dims)[static_cast<std::size_t>(c.axis)]);
    if ((in && out && *in == *out) || (!out && same_symbol)) {
      c.kind = Cells::Kind::Same;
    } else if (out == 1) {
      c.kind = Cells::Kind::One;
    } else if (in && out && *out > 0 && *in % *out == 0) {
      c.kind = Cells::Kind::Regular;
      c.step = *in / *out;
    } else {
      c.in = b.size_scalar(x, c.axis);
      if (out) {
        c.out = b.int64(*out);
      } else {
        if (!sizes) sizes = op.int_vector("output_size");
        c.out = b.gather(sizes, b.int64(i), 0);
      }
    }
    cells.push_back(c);
  }
  return cells;
}

bool all(const std::vector<Cells>& cells, std::initializer_list<Cells::Kind> kinds) {
  return std::all_of(cells.begin(), cells.end(),
                     [&](const Cells& c) { return std::find(kinds.begin(), kinds.end(), c.kind) != kinds.end(); });
}

// The number of cells as a divisor, at least 1.
Value* cells_to_divide_by(Builder& b, const Cells& c) {
  const auto known = known_number(c.out);
  if (!known) return maximum(b, c.out, b.int64(1));
  return *known > 0 ? c.out : b.int64(1);
}

// The first element of each cell and the one after the last, as int64 vectors.
std::pair<Value*, Value*> bounds(Builder& b, const Cells& c) {
  Value* i = b.range(c.out);
  Value* count = cells_to_divide_by(b, c);
  Value* first = b.div(b.mul(i, c.in), count);
  Value* after = b.mul(b.add(i, b.int64(1)), c.in);
  Value* last = b.div(b.add(after, b.sub(count, b.int64(1))), count);
  return {first, last};
}

// The mean over each cell as a product with a weight matrix (in, out).
Value* mean_by_matrix(Builder& b, Value* x, const Cells& c) {
  const auto [first, last] = bounds(b, c);
  Value* position = b.unsqueeze(b.range(c.in), {1});
  Value* inside =
      b.op("And", {greater_equal(b, position, b.unsqueeze(first, {0})), less(b, position, b.unsqueeze(last, {0}))});
  const DType dtype = x->facts().dtype;
  Value* weights = b.div(b.cast(inside, dtype), b.cast(b.unsqueeze(b.sub(last, first), {0}), dtype));
  const std::int64_t rank = x->facts().rank();
  return b.swap_axes(b.matmul(b.swap_axes(x, c.axis, rank - 1), weights), c.axis, rank - 1);
}

Dims repeat(const std::vector<Cells>& cells) {
  Dims steps;
  for (const Cells& c : cells) steps.push_back(c.kind == Cells::Kind::Same ? 1 : c.step);
  return steps;
}

// LibTorch's adaptive pools fail if one of these is empty, but for the mean of all elements, which is NaN.
ReducedAxes spatial_axes(std::int64_t rank, int count) {
  Dims axes(static_cast<std::size_t>(count));
  std::iota(axes.begin(), axes.end(), rank - count);
  return {axes, false, false};
}

template <int Axes>
Outputs adaptive_avg_pool(Op& op) {
  using Kind = Cells::Kind;
  Builder& b = op.builder();
  Value* x = op.tensor("self");
  const BatchAxis batch(op, x, Axes + 2);
  const std::vector<Cells> cells = adaptive_cells(op, x, Axes);
  const bool is_mean = all(cells, {Kind::One});
  if (!is_mean) x = require_elements(op, x, spatial_axes(op.rank_of(x), Axes));
  if (all(cells, {Kind::Same})) return b.op("Identity", {x});
  if (is_mean && b.serves("GlobalAveragePool", x) && op.rank_of(x) == Axes + 2) return b.op("GlobalAveragePool", {x});
  if (all(cells, {Kind::Same, Kind::Regular}) && b.serves("AveragePool", x)) {
    Value* y = b.op("AveragePool", {batch.add(x)}, {{"kernel_shape", repeat(cells)}, {"strides", repeat(cells)}});
    return batch.remove(y);
  }
  Dims whole;
  for (const Cells& c : cells)
    if (c.kind == Kind::One) whole.push_back(c.axis);
  if (!whole.empty()) x = mean_over(op, x, {whole, false, true});
  for (Cells c : cells) {
    if (c.kind == Kind::Regular) {
      c.in = b.size_scalar(x, c.axis);
      c.out = b.int64(*op.fixed_size(x, c.axis) / c.step);
    }
    if (c.kind == Kind::Regular || c.kind == Kind::Irregular) x = mean_by_matrix(b, x, c);
  }
  return x;
}

// The index of each element of each cell, (out, longest cell); shorter cells repeat their last element.
Value* cell_elements(Builder& b, const Cells& c, Value* first, Value* last) {
  // A cell has at most ceil(in / out) + 1 elements.
  Value* count = cells_to_divide_by(b, c);
  Value* longest = b.add(b.div(b.add(c.in, b.sub(count, b.int64(1))), count), b.int64(1));
  if (const auto in = known_number(c.in), out = known_number(c.out); in && out) {
    std::int64_t most = 1;
    const std::int64_t n = static_cast<std::int64_t>(*in), m = static_cast<std::int64_t>(*out);
    for (std::int64_t i = 0; i < m; ++i) most = std::max(most, ((i + 1) * n + m - 1) / m - i * n / m);
    longest = b.int64(most);
  }
  Value* offset = b.unsqueeze(b.range(longest), {0});
  Value* index = b.add(b.unsqueeze(first, {1}), offset);
  return minimum(b, index, b.unsqueeze(b.sub(last, b.int64(1)), {1}));
}

template <int Axes>
Outputs adaptive_max_pool(Op& op) {
  using Kind = Cells::Kind;
  Builder& b = op.builder();
  Value* source = op.tensor("self");
  const BatchAxis batch(op, source, Axes + 2);
  const bool with_indices = !op.node().output(1)->is_unused();
  const auto pool = [&](Value* x, bool indices) -> Values {
    std::vector<Cells> cells = adaptive_cells(op, x, Axes);
    if (all(cells, {Kind::Same, Kind::Regular}) && !indices)
      return {b.op("MaxPool", {x}, unpadded(repeat(cells), repeat(cells))), nullptr};
    Dims spatial;
    for (std::int64_t i = 0; i < Axes; ++i) spatial.push_back(i + 2);
    if (all(cells, {Kind::One}) && !indices) return {b.reduce("ReduceMax", x, spatial, true), nullptr};

    std::vector<Elements> elements;
    for (Cells& c : cells) {
      if (!c.in) c.in = b.size_scalar(x, c.axis);
      if (!c.out)
        c.out = c.kind == Kind::One       ? b.int64(1)
                : c.kind == Kind::Regular ? b.int64(*op.fixed_size(x, c.axis) / c.step)
                                          : c.in;
      const auto [first, last] = bounds(b, c);
      elements.push_back({cell_elements(b, c, first, last), first, 1, b.reshape(c.in, {1})});
    }
    return gathered_max(op, x, elements, indices);
  };
  Value* whole = batch.add(require_elements(op, source, spatial_axes(op.rank_of(source), Axes)));
  const Values results = with_missing(op, whole, Axes, with_indices, may_hold_nan_or_lowest(op.builder(), whole), pool);
  return {batch.remove(results[0]), with_indices ? batch.remove(results[1]) : nullptr};
}

constexpr Row kPoolingRows[] = {
    {"aten::max_pool1d", 7, max_pool<1>},
    {"aten::max_pool2d", 7, max_pool<2>},
    {"aten::max_pool3d", 7, max_pool<3>},
    {"aten::mkldnn_max_pool2d", 7, max_pool<2>},
    {"aten::mkldnn_max_pool3d", 7, max_pool<3>},
    {"aten::max_pool1d_with_indices", 8, max_pool_with_indices<1>},
    {"aten::max_pool2d_with_indices", 8, max_pool_with_indices<2>},
    {"aten::max_pool3d_with_indices", 8, max_pool_with_indices<3>},
    {"aten::avg_pool1d", 7, avg_pool<1>},
    {"aten::avg_pool2d", 7, avg_pool<2>},
    {"aten::avg_pool3d", 7, avg_pool<3>},
    {"aten::adaptive_avg_pool1d", 7, adaptive_avg_pool<1>},
    {"aten::adaptive_avg_pool2d", 7, adaptive_avg_pool<2>},
    {"aten::adaptive_avg_pool3d", 7, adaptive_avg_pool<3>},
    {"aten::_adaptive_avg_pool2d", 7, adaptive_avg_pool<2>},
    {"aten::_adaptive_avg_pool3d", 7, adaptive_avg_pool<3>},
    {"aten::adaptive_max_pool1d", 7, adaptive_max_pool<1>},
    {"aten::adaptive_max_pool2d", 7, adaptive_max_pool<2>},
    {"aten::adaptive_max_pool3d", 7, adaptive_max_pool<3>},
};

}  // namespace

std::span<const Row> pooling_rows() { return kPoolingRows; }

}  // namespace tonnx::lower
