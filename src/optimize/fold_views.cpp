#include <algorithm>
#include <numeric>

#include "ir/checked.h"
#include "optimize/fold_kernels.h"
#include "optimize/reads.h"

namespace tonnx::optimize {
namespace {

using ir::Node;
using ir::Tensor;
using Dims = std::vector<std::int64_t>;
using Inputs = std::span<const Tensor* const>;

const Tensor* at(Inputs inputs, std::size_t i) { return i < inputs.size() ? inputs[i] : nullptr; }

// A list that is an attribute at older opsets and an input at newer ones.
std::optional<Dims> list_of(const Node& node, Inputs inputs, std::string_view attribute, std::size_t input) {
  if (const Dims* list = node.attribute_as<Dims>(attribute)) return *list;
  if (const Tensor* t = at(inputs, input)) return t->to_int64s();
  return std::nullopt;
}

std::optional<Tensor> transpose(const Node& node, const Tensor& x) {
  Dims perm(x.dims.size());
  if (const Dims* given = node.attribute_as<Dims>("perm")) {
    perm = *given;
  } else {
    std::iota(perm.rbegin(), perm.rend(), 0);
  }
  if (perm.size() != x.dims.size()) return std::nullopt;
  Tensor y = x;
  for (std::size_t i = 0; i < perm.size(); ++i) {
    y.dims[i] = x.dims.at(static_cast<std::size_t>(perm[i]));
    y.strides[i] = x.strides.at(static_cast<std::size_t>(perm[i]));
  }
  return y;
}

std::optional<Tensor> with_dims(const Tensor& x, Dims dims) {
  if (!x.is_contiguous() || ir::checked_count(dims) != x.numel()) return std::nullopt;
  Tensor y = x;
  y.dims = std::move(dims);
  y.strides = ir::contiguous_strides(y.dims);
  return y;
}

std::optional<Tensor> reshape(const Node& node, const Tensor& x, const Tensor* shape) {
  if (!shape) return std::nullopt;
  Dims dims = shape->to_int64s();
  const bool keep_zero = integer_of(node, "allowzero", 0) != 0;
  std::int64_t unknown = -1;
  Dims known;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 0 && !keep_zero) {
      if (i >= x.dims.size()) return std::nullopt;
      dims[i] = x.dims[i];
    }
    if (dims[i] == -1) {
      unknown = static_cast<std::int64_t>(i);
    } else {
      known.push_back(dims[i]);
    }
  }
  if (unknown >= 0) {
    const auto size = ir::checked_divide(x.numel(), ir::checked_count(known).value_or(0));
    if (!size) return std::nullopt;
    dims[static_cast<std::size_t>(unknown)] = *size;
  }
  return with_dims(x, std::move(dims));
}

std::optional<Tensor> flatten(const Node& node, const Tensor& x) {
  const std::size_t axis = wrap(integer_of(node, "axis", 1), x.dims.size());
  const auto middle = x.dims.begin() + static_cast<std::ptrdiff_t>(std::min(axis, x.dims.size()));
  return with_dims(x, {std::accumulate(x.dims.begin(), middle, std::int64_t{1}, std::multiplies<>()),
                       std::accumulate(middle, x.dims.end(), std::int64_t{1}, std::multiplies<>())});
}

std::optional<Tensor> unsqueeze(const Tensor& x, const std::optional<Dims>& axes) {
  if (!axes) return std::nullopt;
  const std::size_t rank = x.dims.size() + axes->size();
  std::vector<bool> fresh(rank, false);
  for (const std::int64_t a : *axes) fresh.at(wrap(a, rank)) = true;
  Tensor y = x;
  y.dims.clear();
  y.strides.clear();
  for (std::size_t i = 0, k = 0; i < rank; ++i) {
    if (fresh[i]) {
      y.dims.push_back(1);
      y.strides.push_back(k < x.dims.size() ? x.dims[k] * x.strides[k] : 1);
    } else {
      y.dims.push_back(x.dims.at(k));
      y.strides.push_back(x.strides.at(k));
      ++k;
    }
  }
  return y;
}

std::optional<Tensor> squeeze(const Tensor& x, const std::optional<Dims>& axes) {
  std::vector<bool> gone(x.dims.size(), false);
  for (std::size_t i = 0; i < x.dims.size(); ++i) gone[i] = !axes && x.dims[i] == 1;
  if (axes)
    for (const std::int64_t a : *axes) gone.at(wrap(a, x.dims.size())) = true;
  Tensor y = x;
  y.dims.clear();
  y.strides.clear();
  for (std::size_t i = 0; i < x.dims.size(); ++i) {
    if (gone[i] && x.dims[i] != 1) return std::nullopt;
    if (gone[i]) continue;
    y.dims.push_back(x.dims[i]);
    y.strides.push_back(x.strides[i]);
  }
  return y;
}

std::optional<Tensor> slice(const Node& node, const Tensor& x, Inputs inputs) {
  const auto starts = list_of(node, inputs, "starts", 1), ends = list_of(node, inputs, "ends", 2);
  if (!starts || !ends) return std::nullopt;
  Dims axes(starts->size());
  std::iota(axes.begin(), axes.end(), 0);
  if (const auto given = list_of(node, inputs, "axes", 3)) axes = *given;
  const Dims steps = list_of(node, inputs, "steps", 4).value_or(Dims(starts->size(), 1));
  Tensor y = x;
  for (std::size_t i = 0; i < starts->size(); ++i) {
    if (steps[i] < 1) return std::nullopt;  // strides of a weight are never negative
    const std::size_t axis = wrap(axes[i], x.dims.size());
    const std::int64_t size = x.dims.at(axis);
    const auto clamp = [&](std::int64_t v) { return std::clamp<std::int64_t>(v < 0 ? v + size : v, 0, size); };
    const std::int64_t begin = clamp((*starts)[i]), end = std::max(begin, clamp((*ends)[i]));
    y.offset += begin * x.strides[axis];
    y.dims[axis] = *ir::checked_ceil_divide(end - begin, steps[i]);
    y.strides[axis] = y.dims[axis] > 1 ? x.strides[axis] * steps[i] : x.strides[axis];
  }
  return y;
}

std::optional<std::vector<Tensor>> split(const Node& node, const Tensor& x, Inputs inputs) {
  const std::size_t axis = wrap(integer_of(node, "axis", 0), x.dims.size());
  const std::size_t count = node.output_count();
  Dims sizes;
  if (const auto given = list_of(node, inputs, "split", 1)) {
    sizes = *given;
  } else {
    const auto parts = static_cast<std::int64_t>(count);
    const std::int64_t chunk = (x.dims.at(axis) + parts - 1) / parts;
    for (std::int64_t left = x.dims.at(axis); left > 0; left -= chunk) sizes.push_back(std::min(chunk, left));
  }
  if (sizes.size() != count) return std::nullopt;
  std::vector<Tensor> parts;
  std::int64_t begin = 0;
  for (const std::int64_t size : sizes) {
    Tensor part = x;
    part.offset += begin * x.strides.at(axis);
    part.dims[axis] = size;
    parts.push_back(std::move(part));
    begin += size;
  }
  return parts;
}

std::optional<Tensor> expand(const Tensor& x, const Tensor* shape) {
  if (!shape) return std::nullopt;
  Dims dims = shape->to_int64s();
  if (dims.size() < x.dims.size()) dims.insert(dims.begin(), x.dims.size() - dims.size(), 1);
  const std::size_t lead = dims.size() - x.dims.size();
  Tensor y = x;
  y.dims = dims;
  y.strides.assign(dims.size(), 0);
  for (std::size_t i = 0; i < x.dims.size(); ++i) {
    std::int64_t& want = y.dims[lead + i];
    if (want == 1) want = x.dims[i];
    if (x.dims[i] != 1 && x.dims[i] != want) return std::nullopt;
    if (x.dims[i] != 1) y.strides[lead + i] = x.strides[i];
  }
  // An expanded weight would be written many times; real repetition stays an operator.
  const auto count = ir::checked_count(y.dims);
  return count && *count <= std::max<std::int64_t>(x.numel(), 4096) ? std::optional(y) : std::nullopt;
}

std::optional<Tensor> select(const Node& node, const Tensor& x, const Tensor* index) {
  if (!index || index->numel() != 1 || index->rank() > 1) return std::nullopt;
  const std::size_t axis = wrap(integer_of(node, "axis", 0), x.dims.size());
  std::int64_t i = index->as_int64(0);
  if (i < 0) i += x.dims.at(axis);
  if (i < 0 || i >= x.dims[axis]) return std::nullopt;
  Tensor y = x;
  y.offset += i * x.strides[axis];
  if (index->rank() == 1) {
    y.dims[axis] = 1;
  } else {
    y.dims.erase(y.dims.begin() + static_cast<std::ptrdiff_t>(axis));
    y.strides.erase(y.strides.begin() + static_cast<std::ptrdiff_t>(axis));
  }
  return y;
}

}  // namespace

std::optional<std::vector<Tensor>> fold_view(const Node& node, Inputs inputs) {
  const Tensor* x = at(inputs, 0);
  if (!x || node.domain() != "onnx") return std::nullopt;
  const std::string_view op = node.op();
  std::optional<Tensor> one;
  if (op == "Split") return split(node, *x, inputs);
  if (op == "Identity") one = *x;
  if (op == "Transpose") one = transpose(node, *x);
  if (op == "Reshape") one = reshape(node, *x, at(inputs, 1));
  if (op == "Flatten") one = flatten(node, *x);
  if (op == "Unsqueeze") one = unsqueeze(*x, list_of(node, inputs, "axes", 1));
  if (op == "Squeeze") one = squeeze(*x, list_of(node, inputs, "axes", 1));
  if (op == "Slice") one = slice(node, *x, inputs);
  if (op == "Expand") one = expand(*x, at(inputs, 1));
  if (op == "Gather") one = select(node, *x, at(inputs, 1));
  if (!one) return std::nullopt;
  return std::vector<Tensor>{std::move(*one)};
}

}  // namespace tonnx::optimize
