#include <algorithm>

#include "lower/elementwise.h"
#include "lower/families.h"
#include "lower/require.h"
#include "lower/sequence.h"
#include "lower/sizes.h"

// Splits a tensor into several: split, chunk, tensor_split, unbind. If the number of pieces is dynamic, it is taken
// from the use of the list.
namespace tonnx::lower {
namespace {

void need_sequences(const Op& op) {
  if (op.opset() < 11) op.needs_opset(11, "a split into a number of pieces known at run time only");
}

// If the number of pieces is unknown: a sequence of `count` pieces of one size; the last may be smaller.
Outputs sequence_of_pieces(Op& op, Value* x, std::int64_t axis, Value* size, Value* count) {
  Builder& b = op.builder();
  need_sequences(op);
  Value* places = b.op("Range", {b.int64(0), count, b.int64(1)});
  Value* left = b.sub(b.size_scalar(x, axis), b.mul(places, size));
  Value* sizes = b.where(b.op("Less", {left, size}), left, size);
  return Outputs::sequence(split_to_sequence(b, x, sizes, axis));
}

Value* rounded_up(Builder& b, Value* size, Value* by) { return b.div(b.add(size, b.sub(by, b.int64(1))), by); }

// At least one piece.
Outputs sequence_of_pieces(Op& op, Value* x, std::int64_t axis, Value* size) {
  Builder& b = op.builder();
  const auto larger = [&](Value* v) { return b.where(b.op("Less", {v, b.int64(1)}), b.int64(1), v); };
  Value* count = larger(rounded_up(b, b.size_scalar(x, axis), larger(size)));
  return sequence_of_pieces(op, x, axis, size, count);
}

// The tensor to split. A run fails if it has fewer pieces than are used, or more if `exact` is set. `size` is that of a
// piece.
Value* with_pieces(Op& op, Value* x, std::int64_t axis, Value* size, std::int64_t count, bool exact) {
  Builder& b = op.builder();
  Value* n = b.size_scalar(x, axis);
  if (exact && count > 1) return require(b, x, equal(b, rounded_up(b, n, size), b.int64(count)));
  if (exact) return require(b, x, less_equal(b, n, size));
  return count > 1 ? require(b, x, less(b, b.mul(size, b.int64(count - 1)), n)) : x;
}

// Pieces of one size; the last may be smaller.
Outputs pieces(Op& op, Value* x, std::int64_t axis, std::int64_t size) {
  if (const auto n = op.fixed_size(x, axis)) {
    if (size == 0 || *n == 0) return Outputs::list({x});
    Dims sizes;
    for (std::int64_t at = 0; at < *n; at += size) sizes.push_back(std::min(size, *n - at));
    return Outputs::list(op->split(x, sizes, axis));
  }
  bool exact = false;
  const auto count = items_read(op, &exact);
  if (!count) return sequence_of_pieces(op, x, axis, op->int64(size));
  x = with_pieces(op, x, axis, op->int64(size), *count, exact);
  Values parts;
  for (std::int64_t i = 0; i < *count; ++i) parts.push_back(op->slice(x, axis, i * size, (i + 1) * size));
  return Outputs::list(parts);
}

// The same with a size computed at run time.
Outputs pieces_of(Op& op, Value* x, std::int64_t axis, Value* size, std::int64_t count) {
  Values parts;
  for (std::int64_t i = 0; i < count; ++i) {
    Value* start = i == 0 ? nullptr : i == 1 ? size : op->mul(size, op->int64(i));
    parts.push_back(slice_between(op, x, axis, start, i == 0 ? size : op->mul(size, op->int64(i + 1))));
  }
  return Outputs::list(parts);
}

Outputs pieces_with_sizes(Op& op, Value* x, std::int64_t axis, std::string_view argument) {
  if (op.is_constant(argument)) {
    const Dims sizes = op.integers(argument);
    if (sizes.size() == 1) return Outputs::list({x});
    return Outputs::list(op->split(x, sizes, axis));
  }
  const Lowered* known = op.lowered(op.source(argument));
  const bool is_list = known && known->kind == Lowered::Kind::List;
  bool exact = is_list;
  const auto read = is_list ? std::optional(static_cast<std::int64_t>(known->list.size())) : items_read(op, &exact);
  if (!read) {
    need_sequences(op);
    return Outputs::sequence(split_to_sequence(op.builder(), x, op.int_vector(argument), axis));
  }
  const std::int64_t count = *read;
  if (exact && count == 1) return Outputs::list({x});
  // Split needs the sizes of all pieces; fewer may be used than exist.
  if (exact && op.opset() >= 13) {
    const Values parts =
        op->op("Split", {x, op.int_vector(argument)}, {{"axis", axis}}, static_cast<std::size_t>(count));
    ir::Facts part = x->facts();  // ONNX infers no rank
    part.constant = nullptr;
    (*part.dims)[static_cast<std::size_t>(axis)] = ir::Dim();
    for (Value* made : parts) made->set_facts(part);
    return Outputs::list(parts);
  }
  Value* sizes = op.int_vector(argument);
  Values parts;
  Value* start = op->int64(0);
  for (std::int64_t i = 0; i < count; ++i) {
    Value* size = is_list ? op->reshape(op->cast(known->list[static_cast<std::size_t>(i)], DType::Int64), Dims{})
                          : op->gather(sizes, op->int64(i), 0);
    Value* end = op->add(start, size);
    parts.push_back(slice_between(op, x, axis, start, end));
    start = end;
  }
  return Outputs::list(parts);
}

// split.Tensor, split.sizes, unsafe_split
Outputs split(Op& op) {
  Value* x = op.tensor("self");
  const std::int64_t axis = op.axis("dim", x);
  if (op.has("split_sizes")) return pieces_with_sizes(op, x, axis, "split_sizes");
  if (!op.has("split_size")) return pieces_with_sizes(op, x, axis, "indices");
  if (op.source("split_size")->type().is(ir::Type::Kind::List)) return pieces_with_sizes(op, x, axis, "split_size");
  if (op.is_constant("split_size")) return pieces(op, x, axis, op.integer("split_size"));
  Value* size = op.scalar("split_size", DType::Int64);
  bool exact = false;
  const auto count = items_read(op, &exact);
  if (!count) return sequence_of_pieces(op, x, axis, size);
  return pieces_of(op, with_pieces(op, x, axis, size, *count, exact), axis, size, *count);
}

Outputs split_with_sizes(Op& op) {
  Value* x = op.tensor("self");
  return pieces_with_sizes(op, x, op.axis("dim", x), "split_sizes");
}

Value* count_of_elements(Op& op, Value* x) {
  Value* count = op->int64(1);
  for (std::int64_t axis = 0; axis < op.rank_of(x); ++axis)
    count = multiply_sizes(op.builder(), count, op->size_scalar(x, axis));
  return count;
}

// aten::unflatten_dense_tensors: pieces of a vector with the sizes of other tensors
Outputs unflatten_dense_tensors(Op& op) {
  Builder& b = op.builder();
  Value* flat = op.tensor("flat");
  Values pieces;
  Value* begin = nullptr;
  for (Value* like : op.tensors("tensors")) {
    Value* count = count_of_elements(op, like);
    Value* end = begin ? add_sizes(b, begin, count) : count;
    pieces.push_back(b.reshape(slice_between(op, flat, 0, begin, end), b.shape(like)));
    begin = end;
  }
  return Outputs::list(std::move(pieces));
}

// An empty axis is split into the requested number of pieces.
Outputs chunks_of(Op& op, Value* x, std::int64_t axis, Value* chunks, Value* size) {
  Builder& b = op.builder();
  bool exact = false;
  if (const auto count = items_read(op, &exact)) {
    Value* least = b.op("Max", {size, b.int64(1)});
    Value* n = b.size_scalar(x, axis);
    Value* made = b.where(equal(b, n, b.int64(0)), chunks, rounded_up(b, n, least));
    x = require(b, x, exact ? equal(b, made, b.int64(*count)) : less(b, b.int64(*count - 1), made));
    return pieces_of(op, x, axis, size, *count);
  }
  Value* is_empty = b.cast(b.op("Equal", {size, b.int64(0)}), DType::Int64);
  Value* count = b.add(b.mul(is_empty, chunks), rounded_up(b, b.size_scalar(x, axis), b.add(size, is_empty)));
  return sequence_of_pieces(op, x, axis, size, count);
}

Outputs chunk(Op& op) {
  Value* x = op.tensor("self");
  const std::int64_t axis = op.axis("dim", x);
  if (!op.is_constant("chunks")) {
    Value* open = op.scalar("chunks", DType::Int64);
    return chunks_of(op, x, axis, open, rounded_up(op.builder(), op->size_scalar(x, axis), open));
  }
  const std::int64_t chunks = op.integer("chunks");
  if (const auto n = op.fixed_size(x, axis)) {
    if (*n == 0) return Outputs::list(op->split(x, Dims(static_cast<std::size_t>(chunks), 0), axis));
    return pieces(op, x, axis, (*n + chunks - 1) / chunks);
  }
  if (chunks == 1) return Outputs::list({x});
  Value* size = op->div(op->add(op->size_scalar(x, axis), op->int64(chunks - 1)), op->int64(chunks));
  return chunks_of(op, x, axis, op->int64(chunks), size);
}

// The first size % sections pieces have one more element than the others.
Outputs sections(Op& op, Value* x, std::int64_t axis, std::int64_t count) {
  Builder& b = op.builder();
  if (const auto n = op.fixed_size(x, axis)) {
    Dims sizes;
    for (std::int64_t i = 0; i < count; ++i) sizes.push_back(*n / count + (i < *n % count));
    return Outputs::list(b.split(x, sizes, axis));
  }
  Value* size = b.size_scalar(x, axis);
  Value* least = b.div(size, b.int64(count));
  Value* rest = b.sub(size, b.mul(least, b.int64(count)));
  Values parts;
  const auto bound = [&](std::int64_t i) {
    Value* extra = b.where(less(b, rest, b.int64(i)), rest, b.int64(i));
    return b.add(b.mul(least, b.int64(i)), extra);
  };
  for (std::int64_t i = 0; i < count; ++i)
    parts.push_back(slice_between(op, x, axis, i == 0 ? nullptr : bound(i), i + 1 == count ? nullptr : bound(i + 1)));
  return Outputs::list(parts);
}

// The same for a dynamic number of pieces.
Outputs open_sections(Op& op, Value* x, std::int64_t axis, Value* count) {
  Builder& b = op.builder();
  need_sequences(op);
  Value* size = b.size_scalar(x, axis);
  Value* least = b.div(size, count);
  Value* rest = b.sub(size, b.mul(least, count));
  Value* places = b.range(count);
  return Outputs::sequence(split_to_sequence(b, x, b.add(b.cast(less(b, places, rest), DType::Int64), least), axis));
}

// The slices before, between and after the bounds; a negative bound counts from the end.
Outputs between(Op& op, Value* x, std::int64_t axis, const Values& bounds) {
  Values parts;
  for (std::size_t i = 0; i <= bounds.size(); ++i) {
    Value* start = i == 0 ? nullptr : bounds[i - 1];
    Value* end = i == bounds.size() ? nullptr : bounds[i];
    parts.push_back(slice_between(op, x, axis, start, end));
  }
  return Outputs::list(parts);
}

Outputs split_at(Op& op, Value* x, std::int64_t axis) {
  if (op.has("sections") && !op.is_constant("sections"))
    return open_sections(op, x, axis, op.scalar("sections", DType::Int64));
  if (op.has("sections")) return sections(op, x, axis, op.integer("sections"));
  if (op.has("indices")) {
    const auto bounds = listed_numbers(op, "indices");
    if (!bounds) op.refuse_argument("indices", "must be a list of known length");
    return between(op, x, axis, *bounds);
  }
  constexpr std::string_view kTensor = "tensor_indices_or_sections";
  const ir::Constant* c = op.is_constant(kTensor) ? op.constant(kTensor) : nullptr;
  if (const ir::Tensor* t = c ? c->get<ir::Tensor>() : nullptr)
    return t->rank() == 0 ? sections(op, x, axis, t->as_int64(0))
                          : between(op, x, axis, scalars(op.builder(), t->to_int64s()));
  Value* given = op->cast(op.tensor(kTensor), DType::Int64);
  if (op.rank_of(given) == 0) return open_sections(op, x, axis, given);
  const auto count = op.fixed_size(given, 0);
  if (!count)
    op.refuse_argument(kTensor, "must have a known number of elements, which determines the number of pieces");
  Values bounds;
  for (std::int64_t i = 0; i < *count; ++i) bounds.push_back(op->gather(given, op->int64(i), 0));
  return between(op, x, axis, bounds);
}

Outputs tensor_split(Op& op) {
  Value* x = op.tensor("self");
  return split_at(op, x, op.axis("dim", x));
}

// hsplit splits the only axis of a vector, else the second axis.
template <std::int64_t Axis>
Outputs split_along(Op& op) {
  Value* x = op.tensor("self");
  return split_at(op, x, Axis == 1 && op.rank_of(x) == 1 ? 0 : Axis);
}

Outputs unbind(Op& op) {
  Value* x = op.tensor("self");
  const std::int64_t axis = op.axis("dim", x);
  const auto n = op.fixed_size(x, axis);
  bool exact = false;
  const auto count = n ? n : items_read(op, &exact);
  if (!count) {
    need_sequences(op);
    return Outputs::sequence(unbind_to_sequence(op.builder(), x, axis));
  }
  if (exact) x = require(op.builder(), x, equal(op.builder(), op->size_scalar(x, axis), op->int64(*count)));
  Values parts;
  for (std::int64_t i = 0; i < *count; ++i) parts.push_back(op->gather(x, op->int64(i), axis));
  return Outputs::list(parts);
}

constexpr Row kSplittingRows[] = {
    {"aten::split", 7, split},
    {"aten::split_copy", 7, split},
    {"aten::unsafe_split", 7, split},
    {"aten::split_with_sizes", 7, split_with_sizes},
    {"aten::split_with_sizes_copy", 7, split_with_sizes},
    {"aten::unsafe_split_with_sizes", 7, split_with_sizes},
    {"aten::chunk", 7, chunk},
    {"aten::unsafe_chunk", 7, chunk},
    {"aten::tensor_split", 7, tensor_split},
    {"aten::hsplit", 7, split_along<1>},
    {"aten::vsplit", 7, split_along<0>},
    {"aten::dsplit", 7, split_along<2>},
    {"aten::unbind", 7, unbind},
    {"aten::unflatten_dense_tensors", 7, unflatten_dense_tensors},
    {"aten::unbind_copy", 7, unbind},
};

}  // namespace

std::span<const Row> splitting_rows() { return kSplittingRows; }

}  // namespace tonnx::lower
