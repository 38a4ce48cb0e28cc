#include "lower/list_slicing.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "lower/elementwise.h"
#include "lower/known.h"
#include "lower/list_facts.h"
#include "lower/sequence.h"
#include "lower/sizes.h"

namespace tonnx::lower {
namespace {

// `forward` for a positive step, else `backward`.
Value* by_direction(Op& op, Value* step, Value* forward, Value* backward) {
  if (const auto known = known_integer(step)) return *known > 0 ? forward : backward;
  return op->where(greater(op.builder(), step, op->int64(0)), forward, backward);
}

// The indices that a slice with constant bounds selects from a list of `size` items.
Dims places(Op& op, std::int64_t size, std::int64_t step) {
  const std::int64_t least = step < 0 ? -1 : 0;
  const std::int64_t most = step < 0 ? size - 1 : size;
  const auto inside = [&](std::optional<std::int64_t> at, std::int64_t otherwise) {
    if (!at) return otherwise;
    return *at < 0 ? std::max(*at + size, least) : std::min(*at, most);
  };
  const std::int64_t end = inside(op.maybe_integer("end"), step < 0 ? least : most);
  Dims result;
  for (std::int64_t i = inside(op.maybe_integer("start"), step < 0 ? most : least); step < 0 ? i > end : i < end;
       i += step)
    result.push_back(i);
  return result;
}

bool has_constant_bounds(Op& op) {
  const auto fixed = [&](std::string_view argument) { return op.is_none(argument) || op.is_constant(argument); };
  return fixed("start") && fixed("end") && fixed("step");
}

// Slices a vector of scalars; ONNX Slice counts and clamps as Python does.
Value* part_of_vector(Op& op, Value* vector, Value* step) {
  Builder& b = op.builder();
  if (const auto size = op.fixed_size(vector, 0); size && has_constant_bounds(op))
    return b.gather(vector, b.int64s(places(op, *size, op.integer("step"))), 0);
  const auto edge = [&](std::string_view argument, std::int64_t forward, std::int64_t backward) {
    Value* at = slice_bound(op, argument);
    return b.reshape(at ? at : by_direction(op, step, b.int64(forward), b.int64(backward)), {1});
  };
  Value* start = edge("start", 0, INT64_MAX);
  Value* end = edge("end", INT64_MAX, INT64_MIN);
  return b.slice(vector, start, end, b.int64s({0}), b.reshape(step, {1}));
}

// Slices a sequence item by item.
Value* part_of_sequence(Op& op, Value* sequence, Value* step) {
  Builder& b = op.builder();
  if (op.opset() < 13)
    op.needs_opset(13, "a slice of a list, or a list in a list, whose length is known only at run time");
  Value* length = sequence_length(b, sequence);
  Value* least = by_direction(op, step, b.int64(0), b.int64(-1));
  Value* most = by_direction(op, step, length, b.sub(length, b.int64(1)));
  const auto bounded = [&](std::string_view argument, Value* otherwise) {
    Value* at = slice_bound(op, argument);
    if (!at) return otherwise;
    at = b.add(at, b.mul(b.cast(less(b, at, b.int64(0)), DType::Int64), length));
    return b.op("Min", {b.op("Max", {at, least}), most});
  };
  Value* begin = bounded("start", by_direction(op, step, least, most));
  Value* end = bounded("end", by_direction(op, step, most, least));
  Value* span = by_direction(op, step, b.sub(end, begin), b.sub(begin, end));
  if (const auto known = known_integer(step); !known || (*known != 1 && *known != -1)) {
    Value* stride = b.op("Abs", {step});
    span = b.div(b.add(span, b.sub(stride, b.int64(1))), stride);
  }
  Value* count = b.op("Max", {span, b.int64(0)});
  Value* empty =
      b.op("SequenceEmpty", {}, {{"dtype", static_cast<std::int64_t>(ir::onnx_type(sequence->facts().dtype))}});
  return append_part(b, empty, sequence, begin, count, step);
}

}  // namespace

Outputs slice_of_list(Op& op) {
  const ir::Value* source = op.source("l");
  if (op.is_constant("step") && op.integer("step") == 0) op.refuse_argument("step", "must not be 0");
  if (is_static(op, source) && has_constant_bounds(op)) {
    const Values all = op.items_of(source);
    Values items;
    for (const std::int64_t i : places(op, static_cast<std::int64_t>(all.size()), op.integer("step")))
      items.push_back(all[static_cast<std::size_t>(i)]);
    return Outputs::list(std::move(items));
  }
  Value* step = op.scalar("step", DType::Int64);
  if (source->type().is_tensor_list()) return Outputs::sequence(part_of_sequence(op, as_sequence(op, source), step));
  return part_of_vector(op, op.vector_of(source, numbers_in(op, source)), step);
}

}  // namespace tonnx::lower
