#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "lower/builder.h"
#include "lower/dtype_support.h"
#include "lower/known.h"
#include "lower/op.h"

// Helpers of Builder for operators whose form changed between opsets.
namespace tonnx::lower {

using ir::Tensor;

namespace {

// Axes in the form that the opset accepts: most operators accept negative axes only from opset 11 on.
Dims wrap_axes(const Builder& builder, std::string_view op, std::span<const std::int64_t> axes, const Value* x,
               std::int64_t extra = 0) {
  Dims result(axes.begin(), axes.end());
  if (std::none_of(result.begin(), result.end(), [](std::int64_t a) { return a < 0; })) return result;
  if (x->facts().has_rank()) {
    for (std::int64_t& a : result)
      if (a < 0) a += x->facts().rank() + extra;
  } else if (builder.opset() < 11) {
    throw Refusal("a negative axis of " + std::string(op) + " needs a known rank below opset 11");
  }
  return result;
}

Dims wrap_axis(const Builder& builder, std::string_view op, std::int64_t axis, const Value* x) {
  return wrap_axes(builder, op, std::span(&axis, 1), x);
}

// Returns the size if it is fixed. Makes the axis non-negative if the rank is known.
std::optional<std::int64_t> fixed_size(const Value* x, std::int64_t& axis) {
  const ir::Facts& facts = x->facts();
  if (!facts.has_rank()) return std::nullopt;
  if (axis < 0) axis += facts.rank();
  if (axis < 0 || axis >= facts.rank()) return std::nullopt;
  const ir::Dim& dim = (*facts.dims)[static_cast<std::size_t>(axis)];
  return dim.is_fixed() ? std::optional(dim.size()) : std::nullopt;
}

// Below opset 14 ONNX infers no rank from a computed shape.
Value* with_rank_of(Value* reshaped, const Value* shape) {
  const std::optional<Dims> count = shape->facts().fixed_dims();
  if (!reshaped->facts().has_rank() && count && count->size() == 1)
    reshaped->facts().dims = std::vector<ir::Dim>(static_cast<std::size_t>(count->front()));
  return reshaped;
}

}  // namespace

Value* Builder::shape(Value* x) {
  if (const auto fixed = x->facts().fixed_dims()) return int64s(*fixed);
  return op("Shape", {x});
}

Value* Builder::size(Value* x, std::int64_t axis) {
  if (const auto fixed = fixed_size(x, axis)) return int64s({*fixed});
  Value* sizes = op("Shape", {x});
  return gather(sizes, int64s({axis}), 0);
}

Value* Builder::size_scalar(Value* x, std::int64_t axis) {
  if (const auto fixed = fixed_size(x, axis)) return int64(*fixed);
  Value* sizes = op("Shape", {x});
  return gather(sizes, int64(axis), 0);
}

Value* Builder::rank(Value* x) {
  if (x->facts().has_rank()) return int64(x->facts().rank());
  return op("Size", {op("Shape", {x})});
}

Value* Builder::join_sizes(const Values& parts) {
  Dims all;
  for (Value* part : parts) {
    const auto known = known_integers(part);
    if (!known) return concat(parts, 0);
    all.insert(all.end(), known->begin(), known->end());
  }
  return int64s(all);
}

Value* Builder::reshape(Value* x, Value* shape) {
  Attributes attributes;
  const Tensor* known = known_tensor(shape);
  if (!known && opset() >= 14 && !may_be_negative(shape)) return reshape_exactly(x, shape);
  if (known) {
    const Dims wanted = known->to_int64s();
    if (std::find(wanted.begin(), wanted.end(), 0) != wanted.end()) {
      if (opset() >= 14) {
        attributes.push_back({"allowzero", std::int64_t{1}});
      } else {
        // Below opset 14 a dim of 0 copies the input's dim, which is right if that is 0 too. A tensor without elements
        // is recreated.
        const ir::Facts& facts = x->facts();
        for (std::size_t i = 0; i < wanted.size(); ++i) {
          if (wanted[i] != 0) continue;
          const bool same =
              facts.has_rank() && i < facts.dims->size() && (*facts.dims)[i].is_fixed() && (*facts.dims)[i].size() == 0;
          if (same) continue;
          if (std::find(wanted.begin(), wanted.end(), -1) != wanted.end())
            throw Refusal("a reshape with dims 0 and -1 needs opset 14 or newer");
          return constant_of_shape(shape, facts.dtype, 0);
        }
      }
    }
  }
  return with_rank_of(op("Reshape", {x, shape}, std::move(attributes)), shape);
}

Value* Builder::reshape(Value* x, std::span<const std::int64_t> shape) { return reshape(x, int64s(shape)); }

Value* Builder::reshape_keeping(Value* x, std::span<const std::int64_t> shape) {
  return op("Reshape", {x, int64s(shape)});
}

Value* Builder::reshape_exactly(Value* x, Value* shape) {
  if (opset() < 14) return with_rank_of(op("Reshape", {x, shape}), shape);
  return op("Reshape", {x, shape}, {{"allowzero", std::int64_t{1}}});
}

Value* Builder::transpose(Value* x, std::span<const std::int64_t> perm) {
  bool identity = true;
  for (std::size_t i = 0; i < perm.size(); ++i) identity = identity && perm[i] == static_cast<std::int64_t>(i);
  if (identity) return x;
  return op("Transpose", {x}, {{"perm", Dims(perm.begin(), perm.end())}});
}

Value* Builder::swap_axes(Value* x, std::int64_t a, std::int64_t b) {
  if (!x->facts().has_rank()) throw Refusal("a transposition needs a known rank");
  Dims perm(static_cast<std::size_t>(x->facts().rank()));
  std::iota(perm.begin(), perm.end(), 0);
  const auto wrap = [&](std::int64_t i) { return static_cast<std::size_t>(i < 0 ? i + x->facts().rank() : i); };
  if (perm.empty()) return x;
  std::swap(perm.at(wrap(a)), perm.at(wrap(b)));
  return transpose(x, perm);
}

Value* Builder::squeeze(Value* x, std::span<const std::int64_t> axes) {
  if (axes.empty()) return x;
  const Dims wrapped = wrap_axes(*this, "Squeeze", axes, x);
  if (opset() >= 13) return op("Squeeze", {x, int64s(wrapped)});
  return op("Squeeze", {x}, {{"axes", wrapped}});
}

Value* Builder::unsqueeze(Value* x, std::span<const std::int64_t> axes) {
  if (axes.empty()) return x;
  const Dims wrapped = wrap_axes(*this, "Unsqueeze", axes, x, static_cast<std::int64_t>(axes.size()));
  if (opset() >= 13) return op("Unsqueeze", {x, int64s(wrapped)});
  return op("Unsqueeze", {x}, {{"axes", wrapped}});
}

Value* Builder::concat(Values parts, std::int64_t axis) {
  if (parts.size() == 1) return parts.front();
  const auto known = std::find_if(parts.begin(), parts.end(), [](Value* v) { return v->facts().has_rank(); });
  axis = wrap_axis(*this, "Concat", axis, known == parts.end() ? parts.front() : *known).front();
  return op("Concat", std::move(parts), {{"axis", axis}});
}

Value* Builder::slice(Value* x, std::int64_t axis, std::int64_t start, std::int64_t end, std::int64_t step) {
  if (start == 0 && end == INT64_MAX && step == 1) return x;
  if (opset() < 10) {
    axis = wrap_axis(*this, "Slice", axis, x).front();
    if (step != 1) throw Refusal("a slice with a step needs opset 10 or newer");
    return op("Slice", {x}, {{"axes", Dims{axis}}, {"starts", Dims{start}}, {"ends", Dims{end}}});
  }
  axis = wrap_axis(*this, "Slice", axis, x).front();
  return slice(x, int64s({start}), int64s({end}), int64s({axis}), step == 1 ? nullptr : int64s({step}));
}

Value* Builder::slice(Value* x, Value* starts, Value* ends, Value* axes, Value* steps) {
  if (opset() < 10) throw Refusal("a slice with bounds computed at run time needs opset 10 or newer");
  return op("Slice", {x, starts, ends, axes, steps});
}

Values Builder::split(Value* x, std::span<const std::int64_t> sizes, std::int64_t axis) {
  if (sizes.size() == 1) return {x};
  axis = wrap_axis(*this, "Split", axis, x).front();
  const Dims parts(sizes.begin(), sizes.end());
  if (opset() >= 13) return op("Split", {x, int64s(parts)}, {{"axis", axis}}, parts.size());
  return op("Split", {x}, {{"axis", axis}, {"split", parts}}, parts.size());
}

Value* Builder::reduce(std::string_view name, Value* x, std::span<const std::int64_t> axes, bool keep_dims) {
  Attributes attributes{{"keepdims", std::int64_t{keep_dims}}};
  if (axes.empty()) return op(name, {x}, std::move(attributes));
  const Dims wrapped = wrap_axes(*this, name, axes, x);
  const std::int32_t axes_are_input_from = name == "ReduceSum" ? 13 : 18;
  if (opset() >= axes_are_input_from) return op(name, {x, int64s(wrapped)}, std::move(attributes));
  attributes.push_back({"axes", wrapped});
  return op(name, {x}, std::move(attributes));
}

Value* Builder::clip(Value* x, std::optional<double> low, std::optional<double> high) {
  if (!low && !high) return x;
  const bool is_float = ir::is_floating(x->facts().dtype);
  const auto is_exact = [&](std::optional<double> bound) {  // an attribute below opset 11
    return opset() >= 11 || holds_attribute(x->facts().dtype, bound.value_or(0));
  };
  if (!serves("Clip", x) || !is_exact(low) || !is_exact(high)) {
    const auto bounded = [&](std::string_view name, std::string_view beyond, double number) {
      Value* bound = scalar_like(x, number);
      x = opset() >= 8 ? op(name, {x, bound}) : where(op(beyond, {x, bound}), bound, x);
    };
    if (low) bounded("Max", "Less", *low);
    if (high) bounded("Min", "Greater", *high);
    return x;
  }
  if (opset() >= 11) {
    if (is_float && !(low && high)) return op(low ? "Max" : "Min", {x, scalar_like(x, low ? *low : *high)});
    return op("Clip", {x, low ? scalar_like(x, *low) : nullptr, high ? scalar_like(x, *high) : nullptr});
  }
  Attributes attributes;
  if (low || is_float) attributes.push_back({"min", low.value_or(-kInfinity)});
  if (high || is_float) attributes.push_back({"max", high.value_or(kInfinity)});
  return op("Clip", {x}, std::move(attributes));
}

namespace {

// True if Pad below opset 11 is exact here. It accepts floats only, with a float32 fill; int64 has values that float64
// cannot represent.
bool has_exact_pad(const Value* x, const Value* fill) {
  const DType dtype = x->facts().dtype;
  if (dtype == DType::Int64 || dtype == DType::UInt64) return false;
  if (!fill) return true;
  const Tensor* known = known_tensor(fill);
  if (!known) return false;
  const double number = known->as_double(0);
  return std::isnan(number) || static_cast<double>(static_cast<float>(number)) == number;
}

// For each padded element along an axis of n elements, the index of its source element; `before` elements are added at
// the front.
Value* sources(Builder& b, Value* x, std::int64_t axis, std::int64_t before, std::int64_t after, bool reflects) {
  const auto nonnegative = [&](Value* v) { return b.div(b.add(v, b.op("Abs", {v})), b.int64(2)); };
  Value* const size = b.size_scalar(x, axis);
  const auto known = known_integer(size);
  Value* const count = known ? b.int64(*known + before + after) : b.add(size, b.int64(before + after));
  Value* const last = known ? b.int64(*known - 1) : b.sub(size, b.int64(1));
  Value* const at = b.sub(b.range(count), b.int64(before));
  if (reflects) return b.sub(last, b.op("Abs", {b.sub(last, b.op("Abs", {at}))}));
  return b.sub(last, nonnegative(b.sub(last, nonnegative(at))));
}

// Pads axis by axis: with constant blocks, or by gathering elements of x.
Value* pad_by_parts(Builder& b, Value* x, std::span<const std::int64_t> pads, std::string_view mode, Value* fill) {
  const auto rank = static_cast<std::int64_t>(pads.size()) / 2;
  for (std::int64_t axis = 0; axis < rank; ++axis) {
    const std::int64_t first = pads[static_cast<std::size_t>(axis)],
                       second = pads[static_cast<std::size_t>(axis + rank)];
    x = b.slice(x, axis, std::max<std::int64_t>(-first, 0), second < 0 ? second : INT64_MAX);
    const std::int64_t before = std::max<std::int64_t>(first, 0), after = std::max<std::int64_t>(second, 0);
    if (before == 0 && after == 0) continue;
    if (mode != "constant") {
      x = b.take(x, sources(b, x, axis, before, after, mode == "reflect"), axis);
      continue;
    }
    const auto part = [&](std::int64_t count) {
      Values sizes;
      for (std::int64_t i = 0; i < rank; ++i) sizes.push_back(i == axis ? b.int64s({count}) : b.size(x, i));
      return b.expand(fill ? b.cast(fill, x->facts().dtype) : b.scalar(x->facts().dtype, std::int64_t{0}),
                      b.join_sizes(sizes));
    };
    Values parts{x};
    if (before > 0) parts.insert(parts.begin(), part(before));
    if (after > 0) parts.push_back(part(after));
    x = b.concat(parts, axis);
  }
  return x;
}

}  // namespace

Value* Builder::pad(Value* x, std::span<const std::int64_t> pads, std::string_view mode, Value* fill) {
  if (std::all_of(pads.begin(), pads.end(), [](std::int64_t p) { return p == 0; })) return x;
  Attributes attributes{{"mode", std::string(mode)}};
  if (mode == "wrap" && opset() < 19) throw Refusal("padding mode wrap needs opset 19 or newer");
  if (opset() >= 11) return op("Pad", {x, int64s(pads), fill}, std::move(attributes));
  if (!has_exact_pad(x, fill)) return pad_by_parts(*this, x, pads, mode, fill);
  attributes.push_back({"pads", Dims(pads.begin(), pads.end())});
  if (fill) attributes.push_back({"value", known_tensor(fill)->as_double(0)});
  return op("Pad", {x}, std::move(attributes));
}

Value* Builder::constant_of_shape(Value* shape, DType dtype, double value) {
  if (opset() < 9) {
    if (const Tensor* known = known_tensor(shape)) {
      Tensor filled = Tensor::scalar(dtype, value);
      filled.dims = known->to_int64s();
      filled.strides.assign(filled.dims.size(), 0);
      return constant(filled);
    }
    return expand(scalar(dtype, value), shape);
  }
  const bool allowed = definition("ConstantOfShape").outputs[0].allows(dtype);
  Tensor fill = Tensor::scalar(allowed ? dtype : DType::Float32, value);
  fill.dims = {1};
  fill.strides = {1};
  return cast(op("ConstantOfShape", {shape}, {{"value", fill}}), dtype);
}

}  // namespace tonnx::lower
