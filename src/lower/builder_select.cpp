#include <algorithm>
#include <numeric>

#include "lower/builder.h"
#include "lower/known.h"
#include "lower/op.h"

// Helpers of Builder that broadcast, select and enumerate elements.
namespace tonnx::lower {
namespace {

// True if all of these are indices of elements along the axis.
bool lie_inside(const std::optional<Dims>& indices, const ir::Facts& facts, std::int64_t axis) {
  if (!indices || !facts.dims || !(*facts.dims)[static_cast<std::size_t>(axis)].is_fixed()) return false;
  const std::int64_t size = (*facts.dims)[static_cast<std::size_t>(axis)].size();
  return std::ranges::all_of(*indices, [&](std::int64_t i) { return i < size; });
}

// True for a Range that may go beyond the end of the axis. For Defect::RangeFusion it must not be read by Gather
// itself.
bool may_end_beyond(const Builder& b, const Value* positions, const Value* x, std::int64_t axis) {
  const ir::Node* range = positions->node();
  if (!range || !range->is("onnx::Range") || !b.avoids(ir::Defect::RangeFusion) || b.may_be_negative(positions))
    return false;
  const auto end = known_number(range->input(1));
  const auto dims = x->facts().fixed_dims();
  const auto place = axis < 0 && dims ? axis + static_cast<std::int64_t>(dims->size()) : axis;
  return !end || !dims || *end > static_cast<double>(dims->at(static_cast<std::size_t>(place)));
}

constexpr std::int64_t kNoElement = std::int64_t{1} << 32;

// Expand by Tile: repeats axes of size 1; at other axes the repeat count is 1.
Value* tile(Builder& b, Value* x, Value* shape) {
  const auto known = known_integers(shape);
  const ir::Facts& wanted = shape->facts();
  if (!x->facts().has_rank()) throw Refusal("an expansion below opset 8 needs a known rank");
  if (!wanted.has_rank() || !wanted.dims->at(0).is_fixed())
    throw Refusal("an expansion to a rank known at run time only needs opset 8 or newer");
  const std::int64_t rank = x->facts().rank(), length = wanted.dims->at(0).size();
  Dims added(static_cast<std::size_t>(std::max<std::int64_t>(length - rank, 0)));
  std::iota(added.begin(), added.end(), 0);
  Value* y = b.unsqueeze(x, added);
  const auto first = static_cast<std::int64_t>(added.size());
  Values repeats(static_cast<std::size_t>(std::max<std::int64_t>(rank - length, 0)), b.int64s({1}));
  for (std::int64_t i = 0; i < length; ++i) {
    const std::int64_t axis = i + rank - length;
    const ir::Dim size = axis < 0 ? ir::Dim(1) : (*x->facts().dims)[static_cast<std::size_t>(axis)];
    const bool keep = size.is_fixed() ? size.size() != 1 : known && (*known)[static_cast<std::size_t>(i)] == 1;
    if (keep) {
      repeats.push_back(b.int64s({1}));
      continue;
    }
    Value* want = known ? b.int64s({(*known)[static_cast<std::size_t>(i)]}) : b.slice(shape, 0, i, i + 1);
    if (!size.is_fixed()) {
      // The quotient, rounded up, is 1 if the size already matches or is preserved.
      Value* have = b.size(y, axis + first);
      Value* divisor = b.add(have, b.cast(b.op("Equal", {have, b.int64s({0})}), DType::Int64));
      want = b.div(b.add(want, b.sub(divisor, b.int64s({1}))), divisor);
    }
    repeats.push_back(want);
  }
  return repeats.empty() ? y : b.op("Tile", {y, b.concat(repeats, 0)});
}

// Makes the axes of x empty that are empty in the shape it broadcasts to.
Value* without_elements(Builder& b, Value* x, const Dims& shape) {
  const std::int64_t missing = static_cast<std::int64_t>(shape.size()) - x->facts().rank();
  Dims added(static_cast<std::size_t>(std::max<std::int64_t>(missing, 0)));
  std::iota(added.begin(), added.end(), 0);
  x = b.unsqueeze(x, added);
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (shape[i] == 0) x = b.slice(x, static_cast<std::int64_t>(i) - std::min<std::int64_t>(missing, 0), 0, 0);
  return x;
}

}  // namespace

Value* Builder::expand(Value* x, Value* shape) {
  auto known = known_integers(shape);
  if (known && x->facts().fixed_dims() == known) return x;
  const bool is_avoided = opset() < 8 || avoids(ir::Defect::EmptyExpand);
  if (is_avoided && known && x->facts().has_rank() && std::ranges::count(*known, 0) > 0) {
    x = without_elements(*this, x, *known);
    std::ranges::replace(*known, 0, 1);
    shape = int64s(*known);
  }
  if (known && x->facts().has_rank() && x->facts().rank() >= static_cast<std::int64_t>(known->size()) &&
      std::all_of(known->begin(), known->end(), [](std::int64_t n) { return n == 1; }))
    return x;
  return opset() < 8 ? tile(*this, x, shape) : op("Expand", {x, shape});
}

Value* Builder::broadcast_shape(const Values& tensors) {
  std::int64_t rank = 0;
  for (const Value* t : tensors) {
    if (!t->facts().has_rank()) throw Refusal("the rank of an input must be known");
    rank = std::max(rank, t->facts().rank());
  }
  Values parts;
  for (std::int64_t i = 0; i < rank; ++i) {
    Value* open = nullptr;
    std::optional<std::int64_t> fixed;
    std::vector<std::pair<Value*, std::int64_t>> several;  // tensors and their axes
    for (Value* t : tensors) {
      const std::int64_t axis = i - (rank - t->facts().rank());
      if (axis < 0) continue;
      const ir::Dim& dim = (*t->facts().dims)[static_cast<std::size_t>(axis)];
      if (dim.is_fixed()) {
        if (dim.size() != 1) fixed = dim.size();
        continue;
      }
      const bool known =
          open && dim.same((*open->facts().dims)[static_cast<std::size_t>(i - (rank - open->facts().rank()))]);
      if (known) continue;
      open = t;
      several.emplace_back(t, axis);
    }
    if (fixed) {
      parts.push_back(int64s({*fixed}));
    } else if (several.empty()) {
      parts.push_back(int64s({1}));
    } else {
      // Sizes that broadcast are equal to the result or 1, so any n > 1 or n == 0 is the result.
      Values sizes;
      for (const auto& [tensor, axis] : several) sizes.push_back(size(tensor, axis));
      Value* widest = sizes.front();
      for (std::size_t k = 1; k < sizes.size(); ++k)
        widest = where(op("Equal", {widest, int64s({1})}), sizes[k], widest);
      parts.push_back(widest);
    }
  }
  return join_sizes(parts);
}

void Builder::broadcast(Value*& x, Value*& y) {
  Value* shape = broadcast_shape({x, y});
  x = expand(x, shape);
  y = expand(y, shape);
}

Value* Builder::take(Value* x, Value* positions, std::int64_t axis) {
  if (axis < 0 && opset() < 11) {
    if (!x->facts().has_rank()) throw Refusal("a negative axis of Gather needs a known rank below opset 11");
    axis += x->facts().rank();
  }
  if (may_end_beyond(*this, positions, x, axis)) positions = op("Abs", {positions});
  return op("Gather", {x, positions}, {{"axis", axis}});
}

Value* Builder::from_front(Value* indices, Value* x, std::int64_t axis) {
  if (!may_be_negative(indices)) return cast(indices, DType::Int64);
  Value* size = size_scalar(x, axis);
  indices = cast(indices, DType::Int64);
  Value* is_negative = cast(op("Less", {indices, int64(0)}), DType::Int64);
  return add(indices, mul(is_negative, size));
}

Value* Builder::element_from_front(Value* indices, Value* x, std::int64_t axis, bool checks_end) {
  const auto known = known_integers(indices);
  // -1 is below -size only if the axis is empty; then Gather fails anyway.
  const bool has_element =
      known ? std::ranges::all_of(*known, [](std::int64_t i) { return i >= -1; }) : !may_be_negative(indices);
  Value* position = from_front(indices, x, axis);
  Value* outside = has_element ? nullptr : op("Less", {position, int64(0)});
  if (checks_end && !lie_inside(known, x->facts(), axis)) {
    Value* beyond = op("Not", {op("Less", {position, size_scalar(x, axis)})});
    outside = outside ? op("Or", {outside, beyond}) : beyond;
  }
  return outside ? where(outside, int64(kNoElement), position) : position;
}

Value* Builder::element_index(Value* indices) {
  if (!may_be_negative(indices)) return indices;
  const DType dtype = indices->facts().dtype;
  const std::int64_t none = dtype == DType::Int32 ? INT32_MAX : kNoElement;
  return where(op("Less", {indices, scalar(dtype, std::int64_t{0})}), scalar(dtype, none), indices);
}

Value* Builder::element_index(Value* indices, Value* count) {
  return take(range(count), element_index(cast(indices, DType::Int64)), 0);
}

Value* Builder::gather(Value* x, Value* indices, std::int64_t axis) {
  if (axis < 0 && x->facts().has_rank()) axis += x->facts().rank();
  return take(x, opset() < 11 ? element_from_front(indices, x, axis) : indices, axis);
}

Value* Builder::gather_elements(Value* x, Value* indices, std::int64_t axis) {
  if (opset() >= 11) return op("GatherElements", {x, indices}, {{"axis", axis}});
  if (!x->facts().has_rank()) throw Refusal("reading single elements along an axis needs a known rank below opset 11");
  const std::int64_t rank = x->facts().rank();
  if (axis < 0) axis += rank;
  Values positions;
  for (std::int64_t i = 0; i < rank; ++i) {
    if (i == axis) {
      positions.push_back(element_from_front(indices, x, axis, true));
      continue;
    }
    Dims others(static_cast<std::size_t>(rank));
    std::iota(others.begin(), others.end(), 0);
    others.erase(others.begin() + i);
    positions.push_back(unsqueeze(range(size_scalar(indices, i)), others));
  }
  return take(flatten_to_vector(x), flat_position(x, 0, positions), 0);
}

Value* Builder::flat_position(Value* x, std::int64_t first, const Values& positions) {
  Value* flat = positions.front();
  for (std::size_t i = 1; i < positions.size(); ++i)
    flat = add(mul(flat, size_scalar(x, first + static_cast<std::int64_t>(i))), positions[i]);
  return flat;
}

Value* Builder::range(Value* count) {
  if (const auto known = known_integer(count)) {
    Dims indices(static_cast<std::size_t>(*known));
    std::iota(indices.begin(), indices.end(), 0);
    if (indices.size() <= 1024 || opset() < 9) return int64s(indices);
  }
  if (opset() >= 11) return op("Range", {int64(0), count, int64(1)});
  if (opset() < 9) return count_in_loop(count);
  Value* ones = constant_of_shape(reshape(count, {1}), DType::Float32, 1);
  return reshape(op("NonZero", {ones}), {-1});
}

// The iteration indices of a Loop. At these opsets a Loop must have a loop-carried value.
Value* Builder::count_in_loop(Value* count) {
  ir::Node* node = open("Loop", {count, nullptr, count}, 1);
  ir::Block* body = node->block(0);
  const auto input = [&](DType dtype) {
    Value* v = body->add_input();
    v->set_facts({dtype, std::vector<ir::Dim>{}, nullptr});
    return v;
  };
  Value* const inputs[] = {input(DType::Int64), input(DType::Bool), input(DType::Int64)};
  ir::Block* const outside = enter(body);
  for (const std::size_t i : {1, 2, 0}) body->add_output(op("Identity", {inputs[i]}));
  enter(outside);
  return close(node, 2)[1];
}

Value* Builder::where(Value* condition, Value* x, Value* y) {
  if (opset() >= 9) return op("Where", {condition, x, y});
  const DType dtype = x->facts().dtype;
  if (dtype == DType::Bool) return op("Or", {op("And", {condition, x}), op("And", {op("Not", {condition}), y})});
  if (ir::is_floating(dtype)) return pick(condition, x, y);
  Value* const yes = mul(cast(condition, dtype), x);
  Value* const no = mul(cast(op("Not", {condition}), dtype), y);
  return add(yes, no);
}

// Selection by arithmetic would propagate NaN of the other operand. Instead, the elements of both are concatenated and
// gathered by index.
Value* Builder::pick(Value* condition, Value* x, Value* y) {
  Value* shape = broadcast_shape({condition, x, y});
  Value* const no = expand(y, shape);
  Value* const yes = expand(x, shape);
  const std::int64_t rank = shape->facts().dims->at(0).size();
  Value* pairs = concat({unsqueeze(no, {rank}), unsqueeze(yes, {rank})}, rank);
  const auto known = known_integers(shape);
  Value* position = int64(0);
  for (std::int64_t axis = 0; axis < rank; ++axis) {
    Value* size = known ? int64((*known)[static_cast<std::size_t>(axis)]) : take(shape, int64(axis), 0);
    Value* along = range(size);
    position = axis == 0 ? along : add(mul(unsqueeze(position, {axis}), size), along);
  }
  Value* chosen = cast(condition, DType::Int64);
  return take(flatten_to_vector(pairs), add(mul(position, int64(2)), chosen), 0);
}

}  // namespace tonnx::lower
