#include <algorithm>
#include <functional>

#include "lower/elementwise.h"
#include "lower/families.h"
#include "lower/known.h"
#include "lower/loop.h"
#include "lower/require.h"
#include "lower/sizes.h"

// Reshapes and repetitions: view, reshape, flatten, squeeze, expand, repeat.
namespace tonnx::lower {
namespace {

// view, reshape, _unsafe_view
Outputs view(Op& op) {
  Value* x = op.value_of(op.node().input(0));
  if (op.has("dtype")) {
    if (op.result_dtype() != x->facts().dtype)
      op.refuse("a view that reinterprets bytes as another dtype has no ONNX form");
    return x;
  }
  return reshape_to_result(op, x, [&] { return op.int_vector_of(op.node().input(1)); });
}

// view_as, reshape_as
Outputs view_as(Op& op) {
  return reshape_to_result(op, op.tensor("self"), [&] { return op->shape(op.tensor("other")); });
}

// _reshape_from_tensor: the shape is a tensor
Outputs reshape_from_tensor(Op& op) {
  return reshape_to_result(op, op.tensor("self"),
                           [&] { return op->cast(op.value_of(op.node().input(1)), DType::Int64); });
}

Value* flatten_axes(Op& op, Value* x, std::int64_t start, std::int64_t end) {
  const std::int64_t rank = op.rank_of(x);
  if (rank == 0) return op->reshape(x, {1});
  if (start == end) return x;
  if (start == 0 && end == rank - 1) return op->flatten_to_vector(x);
  const bool matrix = op.opset() >= 9 && (start == 1 || start == 0) && (start == 0 ? end == rank - 2 : end == rank - 1);
  if (matrix) return op->op("Flatten", {x}, {{"axis", start == 1 ? std::int64_t{1} : rank - 1}});
  return merge_axes(op, x, start, end - start + 1);
}

Outputs flatten(Op& op) {
  Value* x = op.tensor("self");
  const std::int64_t rank = op.rank_of(x);
  return flatten_axes(op, x, op.axis("start_dim", x), op.wrap_axis(op.integer("end_dim"), rank));
}

Outputs ravel(Op& op) {
  Value* x = op.tensor("self");
  return x->facts().has_rank() && x->facts().rank() == 1 ? x : op->flatten_to_vector(x);
}

Outputs unflatten(Op& op) {
  Value* x = op.tensor("self");
  const std::int64_t rank = op.rank_of(x);
  const std::int64_t axis = op.axis("dim", x);
  return reshape_to_result(op, x, [&] {
    Values parts;
    if (axis > 0) parts.push_back(sizes_between(op, x, 0, axis));
    parts.push_back(op.int_vector("sizes"));
    if (axis + 1 < rank) parts.push_back(sizes_between(op, x, axis + 1, rank));
    return op->concat(parts, 0);
  });
}

// Removes the axis if its size is 1; the rank of the result is dynamic.
Value* squeeze_if_one(Op& op, Value* x, std::int64_t axis) {
  Value* is_one = op->op("Equal", {op->gather(op->op("Shape", {x}), op->int64(axis), 0), op->int64(1)});
  return either(op.builder(), is_one, [&] { return op->squeeze(x, {axis}); }, [&] { return x; });
}

// Removes the axes of `candidates` that have size 1, as known from their facts or from the rank of LibTorch's result.
Outputs squeeze_axes(Op& op, Value* x, const Dims& candidates) {
  const std::int64_t rank = op.rank_of(x);
  if (rank == 0) return x;
  Dims ones, open;
  for (const std::int64_t axis : candidates) {
    const auto size = op.fixed_size(x, axis);
    if (!size) open.push_back(axis);
    if (size && *size == 1) ones.push_back(axis);
  }
  std::sort(ones.begin(), ones.end());
  const std::int64_t kept = rank - static_cast<std::int64_t>(ones.size());
  if (open.empty() || (op.result().has_rank() && op.result().rank() == kept)) return op->squeeze(x, ones);
  Dims all = ones;
  all.insert(all.end(), open.begin(), open.end());
  std::sort(all.begin(), all.end());
  if (op.result().has_rank() && op.result().rank() == kept - static_cast<std::int64_t>(open.size()))
    return op->squeeze(x, all);
  if (op.opset() < 11) op.needs_opset(11, "squeezing an axis of dynamic size");
  // From the last axis on, so that the indices of the remaining ones stay valid.
  std::sort(all.begin(), all.end(), std::greater<>());
  for (const std::int64_t axis : all)
    x = std::find(open.begin(), open.end(), axis) == open.end() ? op->squeeze(x, {axis}) : squeeze_if_one(op, x, axis);
  return x;
}

Outputs squeeze_all(Op& op) {
  Value* x = op.tensor("self");
  if (!x->facts().has_rank() || !op.result().has_rank()) return op->op("Squeeze", {x});
  Dims axes;
  for (std::int64_t i = 0; i < x->facts().rank(); ++i) axes.push_back(i);
  return squeeze_axes(op, x, axes);
}

Outputs squeeze(Op& op) {
  Value* x = op.tensor("self");
  const std::optional<std::int64_t> axis =
      op.node().input(1)->type().is(ir::Type::Kind::Int) ? std::optional(op.integer("dim")) : std::nullopt;
  if (!x->facts().has_rank() && axis && op.opset() >= 11) return squeeze_if_one(op, x, *axis);
  return squeeze_axes(op, x, op.axes("dim", x));
}

Outputs unsqueeze(Op& op) {
  Value* x = op.tensor("self");
  if (x->facts().has_rank()) return op->unsqueeze(x, {op.wrap_axis(op.integer("dim"), x->facts().rank() + 1)});
  return op->unsqueeze(x, {op.integer("dim")});
}

template <std::int64_t Rank>
Value* at_least(Op& op, Value* x) {
  const std::int64_t rank = op.rank_of(x);
  if (rank >= Rank) return x;
  if (rank == 0) return op->reshape(x, Dims(static_cast<std::size_t>(Rank), 1));
  if (rank == 1) return Rank == 2 ? op->unsqueeze(x, {0}) : op->unsqueeze(x, {0, 2});
  return op->unsqueeze(x, {2});
}

template <std::int64_t Rank>
Outputs atleast(Op& op) {
  if (!op.has("tensors")) return at_least<Rank>(op, op.tensor("self"));
  Values items = op.tensors("tensors");
  for (Value*& item : items) item = at_least<Rank>(op, item);
  return Outputs::list(items);
}

// True if the value is known to be a size, so that it cannot be -1.
bool is_size(const Value* v) {
  const ir::Node* node = v->node();
  while (node && (node->is("onnx::Cast") || node->is("onnx::Reshape") || node->is("onnx::Squeeze") ||
                  node->is("onnx::Unsqueeze") || node->is("onnx::Identity")))
    node = node->input(0)->node();
  if (!node || !(node->is("onnx::Gather") || node->is("onnx::Slice"))) return false;
  const ir::Node* from = node->input(0)->node();
  return from && from->is("onnx::Shape");
}

// aten::expand, broadcast_to: -1 preserves a size, as 1 does in ONNX.
Outputs expand(Op& op) {
  Value* x = op.tensor("self");
  if (Value* shape = fixed_result_shape(op)) return op->expand(x, shape);
  const ir::Value* size = op.source("size");
  const auto keep = [](Dims sizes) {
    for (std::int64_t& n : sizes) n = n == -1 ? 1 : n;
    return sizes;
  };
  if (op.is_constant("size")) return op->expand(x, op->int64s(keep(op.integers("size"))));
  const Lowered* known = op.lowered(size);
  if (!known || known->kind != Lowered::Kind::List) return op->expand(x, op->op("Abs", {op.int_vector("size")}));
  Values parts;
  for (std::size_t i = 0; i < known->list.size(); ++i) {
    Value* item = known->list[i];
    if (const auto number = known_integers(item)) {
      parts.push_back(op->int64s(keep(*number)));
      continue;
    }
    Value* one = op->reshape(op->cast(item, DType::Int64), {1});
    // An axis that already has its size.
    const std::int64_t axis = static_cast<std::int64_t>(i) + (x->facts().has_rank() ? x->facts().rank() : 0) -
                              static_cast<std::int64_t>(known->list.size());
    const bool same = x->facts().has_rank() && axis >= 0 && op.result().has_rank() && i < op.result().dims->size() &&
                      (*op.result().dims)[i].same((*x->facts().dims)[static_cast<std::size_t>(axis)]);
    parts.push_back(same ? op->int64s({1}) : is_size(one) ? one : op->op("Abs", {one}));
  }
  if (parts.empty()) return x;
  return op->expand(x, op->join_sizes(parts));
}

Outputs expand_as(Op& op) {
  Value* shape = fixed_result_shape(op);
  return op->expand(op.tensor("self"), shape ? shape : op->shape(op.tensor("other")));
}

Outputs broadcast_tensors(Op& op) {
  const Values tensors = op.tensors("tensors");
  Value* shape = op->broadcast_shape(tensors);
  Values results;
  for (Value* t : tensors) results.push_back(op->expand(t, shape));
  return Outputs::list(results);
}

// aten::_infer_size: the shape to which two shapes broadcast
Outputs infer_size(Op& op) {
  Value* a = op.int_vector("a");
  Value* b = op.int_vector("b");
  const auto length_a = op.fixed_size(a, 0), length_b = op.fixed_size(b, 0);
  if (!length_a || !length_b) op.refuse("the lengths of both shapes must be known");
  const auto filled = [&](Value* shape, std::int64_t missing) {
    return missing > 0 ? op->concat({op->int64s(Dims(static_cast<std::size_t>(missing), 1)), shape}, 0) : shape;
  };
  a = filled(a, *length_b - *length_a);
  b = filled(b, *length_a - *length_b);
  return op->where(equal(op.builder(), a, op->int64(1)), b, a);
}

Value* repeated(Op& op, Value* x, Value* repeats) {
  const std::int64_t rank = op.rank_of(x);
  auto length = op.fixed_size(repeats, 0);
  if (!length && op.result().has_rank()) length = op.result().rank();
  if (!length) op.refuse("the number of repeats must be known");
  Dims added;
  for (std::int64_t i = 0; i < *length - rank; ++i) added.push_back(i);
  Value* y = op->unsqueeze(x, added);
  if (*length < rank) {
    const Dims ones(static_cast<std::size_t>(rank - *length), 1);
    repeats = *length == 0 ? op->int64s(ones) : op->concat({op->int64s(ones), repeats}, 0);
  }
  if (const auto known = known_integers(repeats)) {
    if (std::all_of(known->begin(), known->end(), [](std::int64_t n) { return n == 1; })) return y;
    const auto fixed = op.result().fixed_dims();
    if (fixed && std::find(known->begin(), known->end(), 0) != known->end())
      return op->constant(ir::Tensor::from_bytes(x->facts().dtype, *fixed, nullptr, 0));
  }
  return op->op("Tile", {y, repeats});
}

Outputs repeat(Op& op) { return repeated(op, op.tensor("self"), op.int_vector("repeats")); }
Outputs tile(Op& op) { return repeated(op, op.tensor("self"), op.int_vector("dims")); }

// A count for each element: the source index of a result is that of the first cumulative sum above its position.
Value* interleave_counts(Op& op, Value* x, std::int64_t axis, Value* counts) {
  Builder& b = op.builder();
  if (op.opset() < 11) op.needs_opset(11, "repeat_interleave with a count for each element");
  counts = b.cast(counts, DType::Int64);
  if (b.may_be_negative(counts)) {
    Value* least = b.reduce("ReduceMin", b.concat({counts, b.int64s({0})}, 0), {}, false);
    counts = require(b, counts, equal(b, least, b.int64(0)));
  }
  // A single count applies to all elements, even if the number of counts is dynamic.
  const auto length = op.fixed_size(counts, 0);
  if (!length || length != op.fixed_size(x, axis)) counts = op->expand(counts, b.size(x, axis));
  Value* ends = b.op("CumSum", {counts, b.int64(0)});
  Value* total = b.reduce("ReduceSum", counts, Dims{0}, false);
  Value* position = b.unsqueeze(b.range(total), {1});
  Value* passed = b.cast(less_equal(b, b.unsqueeze(ends, {0}), position), DType::Int64);
  return b.take(x, b.reduce("ReduceSum", passed, Dims{1}, false), axis);
}

// repeat_interleave.Tensor: each index, repeated by its count.
Outputs interleave_positions(Op& op) {
  Value* counts = op.tensor("repeats");
  return op->cast(interleave_counts(op, op->range(op->reshape(op->size(counts, 0), {})), 0, counts), op.result_dtype());
}

// repeat_interleave.self_int, .self_Tensor
Outputs repeat_interleave(Op& op) {
  Builder& b = op.builder();
  Value* x = op.tensor("self");
  const bool flat = op.is_none("dim");
  const std::int64_t axis = flat ? 0 : op.axis("dim", x);
  if (flat) x = op.rank_of(x) == 1 ? x : b.flatten_to_vector(x);
  x = at_least_vector(op, x);
  const std::int64_t rank = op.rank_of(x);
  const ir::Value* source = op.source("repeats");
  Value* counts = source->type().is_scalar() ? op.scalar("repeats", DType::Int64) : op.tensor("repeats");
  const bool one = op.rank_of(counts) == 0 || op.fixed_size(counts, 0) == 1;
  if (!one) return interleave_counts(op, x, axis, counts);
  const auto known = known_integer(counts);
  if (known == 0) return b.take(x, b.int64s({}), axis);
  // Without elements ONNX cannot infer a -1.
  bool may_be_empty = !known;
  for (std::int64_t i = 0; i < rank && !may_be_empty; ++i) {
    const auto size = op.fixed_size(x, i);
    may_be_empty = size == 0 || (!size && i < axis && !op.fixed_size(x, axis));
  }
  if (may_be_empty) {
    Value* count = known ? b.int64(*known) : b.cast(b.reshape(counts, {}), DType::Int64);
    Value* places = b.range(multiply_sizes(b, b.size_scalar(x, axis), count));
    return b.take(x, b.div(places, known ? count : maximum(b, count, b.int64(1))), axis);
  }
  Values repeats(static_cast<std::size_t>(rank + 1), b.int64s({1}));
  repeats[static_cast<std::size_t>(axis + 1)] = b.int64s({*known});
  Value* y = b.op("Tile", {b.unsqueeze(x, {axis + 1}), b.join_sizes(repeats)});
  return merge_axes(op, y, axis, 2);
}

// aten::meshgrid: with "xy" the first two axes of every result are swapped.
Outputs meshgrid(Op& op) {
  Builder& b = op.builder();
  const Values tensors = op.tensors("tensors");
  const bool exchanged = op.has("indexing") && op.text("indexing") == "xy" && tensors.size() >= 2;
  const auto axis_of = [&](std::size_t i) { return exchanged && i < 2 ? 1 - i : i; };
  Values vectors(tensors.size()), sizes(tensors.size()), results;
  bool fixed = true;
  Dims numbers(tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    vectors[i] = at_least_vector(op, tensors[i]);
    sizes[axis_of(i)] = b.size(vectors[i], 0);
    const auto n = op.fixed_size(vectors[i], 0);
    fixed = fixed && n;
    numbers[axis_of(i)] = n.value_or(0);
  }
  Value* shape = fixed ? b.int64s(numbers) : b.concat(sizes, 0);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    Dims axes;
    for (std::size_t k = 0; k < tensors.size(); ++k)
      if (k != axis_of(i)) axes.push_back(static_cast<std::int64_t>(k));
    results.push_back(op->expand(b.unsqueeze(vectors[i], axes), shape));
  }
  return Outputs::list(results);
}

constexpr Row kShapeRows[] = {
    {"aten::view", 7, view},
    {"aten::view_copy", 7, view},
    {"aten::reshape", 7, view},
    {"aten::_unsafe_view", 7, view},
    {"aten::_reshape_copy", 7, view},
    {"aten::view_as", 7, view_as},
    {"aten::reshape_as", 7, view_as},
    {"aten::_reshape_from_tensor", 7, reshape_from_tensor},
    {"aten::reshape_from_tensor_shape", 7, reshape_from_tensor},
    {"aten::flatten", 7, flatten},
    {"aten::ravel", 7, ravel},
    {"aten::unflatten", 7, unflatten},
    {"aten::squeeze", 7, squeeze_all},
    {"aten::squeeze.dim", 7, squeeze},
    {"aten::squeeze.dims", 7, squeeze},
    {"aten::squeeze_copy", 7, squeeze_all},
    {"aten::squeeze_copy.dim", 7, squeeze},
    {"aten::squeeze_copy.dims", 7, squeeze},
    {"aten::unsqueeze", 7, unsqueeze},
    {"aten::unsqueeze_copy", 7, unsqueeze},
    {"aten::atleast_1d", 7, atleast<1>},
    {"aten::atleast_2d", 7, atleast<2>},
    {"aten::atleast_3d", 7, atleast<3>},
    {"aten::expand", 7, expand},
    {"aten::expand_copy", 7, expand},
    {"aten::broadcast_to", 7, expand},
    {"aten::expand_as", 7, expand_as},
    {"aten::broadcast_tensors", 7, broadcast_tensors},
    {"aten::_infer_size", 7, infer_size},
    {"aten::repeat", 7, repeat},
    {"aten::tile", 7, tile},
    {"aten::repeat_interleave.self_int", 7, repeat_interleave},
    {"aten::repeat_interleave.self_Tensor", 11, repeat_interleave},
    {"aten::repeat_interleave.Tensor", 11, interleave_positions},
    {"aten::meshgrid", 7, meshgrid},
};

}  // namespace

std::span<const Row> shape_rows() { return kShapeRows; }

}  // namespace tonnx::lower
