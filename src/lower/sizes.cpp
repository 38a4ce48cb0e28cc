#include "lower/sizes.h"

#include <algorithm>
#include <limits>

#include "aten/containers.h"
#include "ir/merge.h"
#include "lower/elementwise.h"
#include "lower/known.h"

namespace tonnx::lower {

namespace {

Value* empty_tensor(Op& op, DType dtype, const Dims& dims) {
  return op->constant(ir::Tensor::from_bytes(dtype, dims, nullptr, 0));
}

// Uses Flatten, which supports dims of size 0; Reshape with -1 does not.
Value* flattened(Op& op, Value* x, const std::vector<ir::Dim>& dims) {
  const std::vector<ir::Dim>& from = *x->facts().dims;
  if (op.opset() < 9 || dims.size() != 2 || from.size() < 2) return nullptr;
  if (!dims[0].is_fixed() && dims[0].same(from[0]) && from.size() > 2)
    return op->op("Flatten", {x}, {{"axis", std::int64_t{1}}});
  return nullptr;
}

}  // namespace

Value* reshape_known(Op& op, Value* x, const DimFacts& dims, const std::function<Value*()>& at_run_time) {
  const auto run_time = [&] {
    Value* shape = at_run_time();
    return known_integers(shape) ? op->reshape(x, shape) : op->reshape_exactly(x, shape);
  };
  if (!dims) return run_time();
  const DimFacts& from = x->facts().dims;
  if (from && ir::same_dims(*from, *dims)) return x;
  Dims shape;
  std::int64_t open = 0, copied = 0, zeros = 0;
  for (std::size_t i = 0; i < dims->size(); ++i) {
    const ir::Dim& dim = (*dims)[i];
    if (dim.is_fixed()) {
      zeros += dim.size() == 0;
      shape.push_back(dim.size());
    } else if (from && i < from->size() && dim.same((*from)[i])) {
      ++copied;
      shape.push_back(0);
    } else {
      ++open;
      shape.push_back(-1);
    }
  }
  if (zeros > 0) {
    if (open + copied > 0) return run_time();
    if (op.opset() >= 14) return op->reshape(x, shape);
    return empty_tensor(op, x->facts().dtype, shape);
  }
  if (open > 1) return run_time();
  if (open == 1 && copied > 0 && from)
    if (Value* y = flattened(op, x, *dims)) return y;
  return op->reshape_keeping(x, shape);
}

Value* reshape_to_result(Op& op, Value* x, const std::function<Value*()>& at_run_time) {
  return reshape_known(op, x, op.result().dims, at_run_time);
}

Value* merge_axes(Op& op, Value* x, std::int64_t first, std::int64_t count) {
  if (count == 1) return x;
  const std::vector<ir::Dim>& from = *x->facts().dims;
  const auto rank = static_cast<std::int64_t>(from.size());
  const auto size_at = [&](std::int64_t i) { return from[static_cast<std::size_t>(i)]; };
  Dims shape;
  bool zero = false, open_tail = false, copies = false;
  for (std::int64_t i = 0; i < rank; ++i) zero = zero || size_at(i).size() == 0;
  for (std::int64_t i = 0; i < first; ++i) {
    shape.push_back(size_at(i).is_fixed() ? size_at(i).size() : 0);
    copies = copies || !size_at(i).is_fixed();
  }
  std::int64_t merged = 1;
  for (std::int64_t i = first; i < first + count; ++i)
    merged = merged < 0 || !size_at(i).is_fixed() ? -1 : merged * size_at(i).size();
  shape.push_back(merged);
  for (std::int64_t i = first + count; i < rank; ++i) {
    open_tail = open_tail || !size_at(i).is_fixed();
    shape.push_back(size_at(i).size());
  }
  if (!zero && !open_tail) return op->reshape_keeping(x, shape);
  if (zero && !open_tail && !copies && merged >= 0)
    return op.opset() >= 14 ? op->reshape(x, shape) : empty_tensor(op, x->facts().dtype, shape);
  Value* one = op->int64(1);
  for (std::int64_t i = first; i < first + count; ++i) one = multiply_sizes(op.builder(), one, op->size_scalar(x, i));
  Values parts;
  if (first > 0) parts.push_back(sizes_between(op, x, 0, first));
  parts.push_back(op->reshape(one, {1}));
  if (first + count < rank) parts.push_back(sizes_between(op, x, first + count, rank));
  Value* made = op->reshape_exactly(x, op->concat(parts, 0));
  if (made->facts().has_rank() && op.opset() >= 14) return made;
  std::vector<ir::Dim> dims(from.begin(), from.begin() + first);
  dims.emplace_back(merged);
  dims.insert(dims.end(), from.begin() + first + count, from.end());
  made->facts().dims = std::move(dims);
  return made;
}

Value* fixed_result_shape(Op& op, std::size_t i) {
  const auto fixed = op.result(i).fixed_dims();
  return fixed ? op->int64s(*fixed) : nullptr;
}

Value* sizes_between(Op& op, Value* x, std::int64_t first, std::int64_t last) {
  if (first >= last) return op->int64s({});
  if (x->facts().has_rank()) {
    Dims known;
    for (std::int64_t i = first; i < last; ++i)
      if (const auto n = op.fixed_size(x, i)) known.push_back(*n);
    if (static_cast<std::int64_t>(known.size()) == last - first) return op->int64s(known);
    if (first == 0 && last == x->facts().rank()) return op->op("Shape", {x});
  }
  return op->slice(op->op("Shape", {x}), 0, first, last);
}

Value* add_sizes(Builder& b, Value* x, Value* y) {
  const auto p = known_integer(x), q = known_integer(y);
  if (p && q) return b.int64(*p + *q);
  if (p && *p == 0) return y;
  if (q && *q == 0) return x;
  return b.add(x, y);
}

Value* subtract_sizes(Builder& b, Value* x, Value* y) {
  const auto p = known_integer(x), q = known_integer(y);
  if (p && q) return b.int64(*p - *q);
  if (q && *q == 0) return x;
  return b.sub(x, y);
}

Value* multiply_sizes(Builder& b, Value* x, Value* y) {
  const auto p = known_integer(x), q = known_integer(y);
  if (p && q) return b.int64(*p * *q);
  if (p && *p == 1) return y;
  if (q && *q == 1) return x;
  return b.mul(x, y);
}

Value* bound_from_front(Op& op, Value* x, std::int64_t axis, Value* bound) {
  if (const auto known = known_integer(bound)) {
    if (*known >= 0) return bound;
    return add_sizes(op.builder(), op->size_scalar(x, axis), bound);
  }
  return op->from_front(bound, x, axis);
}

namespace {

// Gathers the indices of a slice, for opsets whose Slice accepts constant bounds only.
Value* slice_by_gather(Op& op, Value* x, std::int64_t axis, Value* start, Value* end, std::int64_t step) {
  Builder& b = op.builder();
  if (op.opset() < 9) op.needs_opset(9, "a slice with bounds computed at run time");
  Value* size = b.size_scalar(x, axis);
  Value* zero = b.int64(0);
  const auto bounded = [&](Value* bound) {
    Value* front = bound_from_front(op, x, axis, bound);
    Value* low = b.where(less(b, front, zero), zero, front);
    return b.where(greater(b, low, size), size, low);
  };
  Value* first = start ? bounded(start) : zero;
  Value* last = end ? bounded(end) : size;
  Value* length = b.sub(last, first);
  length = b.where(less(b, length, zero), zero, length);
  if (step != 1) length = b.div(b.add(length, b.int64(step - 1)), b.int64(step));
  Value* indices = b.add(b.mul(b.range(length), b.int64(step)), first);
  return b.take(x, indices, axis);
}

}  // namespace

std::int64_t clamped_bound(std::int64_t bound, std::int64_t size) {
  return std::clamp<std::int64_t>(bound < 0 ? bound + size : bound, 0, size);
}

Value* slice_bound(Op& op, std::string_view argument) {
  return op.is_none(argument) ? nullptr : op.scalar(argument, DType::Int64);
}

Value* slice_between(Op& op, Value* x, std::int64_t axis, Value* start, Value* end, std::int64_t step) {
  if (op.rank_of(x) == 0) op.refuse("a tensor of rank 0 cannot be sliced");
  axis = op.wrap_axis(axis, op.rank_of(x));
  const auto first = start ? known_integer(start) : std::optional<std::int64_t>(0);
  const auto last = end ? known_integer(end) : std::optional<std::int64_t>(INT64_MAX);
  const auto size = op.fixed_size(x, axis);
  if (first && last && size && step >= 1) {
    const std::int64_t from = clamped_bound(*first, *size), to = clamped_bound(*last, *size);
    if (from == 0 && to == *size && step == 1) return x;
    if (step != 1 && op.opset() < 10) {
      Dims indices;
      for (std::int64_t i = from; i < to; i += step) indices.push_back(i);
      return op->gather(x, op->int64s(indices), axis);
    }
  }
  if (first && last && (step == 1 || op.opset() >= 10)) return op->slice(x, axis, *first, *last, step);
  if (op.opset() < 10) return slice_by_gather(op, x, axis, start, end, step);
  const auto vector = [&](Value* bound, std::int64_t otherwise) {
    return bound ? op->reshape(bound, {1}) : op->int64s({otherwise});
  };
  return op->slice(x, vector(start, 0), vector(end, INT64_MAX), op->int64s({axis}),
                   step == 1 ? nullptr : op->int64s({step}));
}

bool same_sizes(const Value* x, const Value* y, std::int64_t but) {
  const DimFacts &a = x->facts().dims, &b = y->facts().dims;
  if (!a || !b || a->size() != b->size()) return false;
  for (std::size_t i = 0; i < a->size(); ++i)
    if (static_cast<std::int64_t>(i) != but && !(*a)[i].same((*b)[i])) return false;
  return true;
}

Values scalars(Builder& b, const Dims& numbers) {
  Values values;
  for (const std::int64_t number : numbers) values.push_back(b.int64(number));
  return values;
}

Value* pad_by_numbers(Op& op, Value* x, const Values& begins, const Values& ends, std::string_view mode, Value* fill) {
  if (op.opset() < 11) op.needs_opset(11, "padding with a size computed at run time");
  Builder& b = op.builder();
  const std::size_t others = static_cast<std::size_t>(op.rank_of(x)) - begins.size();
  Values pads;
  for (const Values* side : {&begins, &ends}) {
    if (others > 0) pads.push_back(b.int64s(Dims(others, 0)));
    for (Value* number : *side) pads.push_back(b.reshape(number, {1}));
  }
  Value* padded = b.op("Pad", {x, b.concat(pads, 0), fill}, {{"mode", std::string(mode)}});
  std::vector<ir::Dim> dims = *x->facts().dims;  // inference of ONNX returns no rank
  std::fill(dims.begin() + static_cast<std::ptrdiff_t>(others), dims.end(), ir::Dim());
  padded->set_facts({x->facts().dtype, std::move(dims), nullptr});
  return padded;
}

std::optional<Values> listed_numbers(Op& op, std::string_view argument) {
  if (op.is_constant(argument)) return scalars(op.builder(), op.integers(argument));
  Values values;
  const Lowered* known = op.lowered(op.source(argument));
  if (known && known->kind == Lowered::Kind::List) {
    for (Value* item : known->list) values.push_back(op->reshape(op->cast(item, DType::Int64), Dims{}));
    return values;
  }
  Value* vector = op.int_vector(argument);
  const auto length = op.fixed_size(vector, 0);
  if (!length) return std::nullopt;
  for (std::int64_t i = 0; i < *length; ++i) values.push_back(op->gather(vector, op->int64(i), 0));
  return values;
}

Value* at_least_vector(Op& op, Value* x) { return op.rank_of(x) == 0 ? op->reshape(x, {1}) : x; }

std::optional<std::int64_t> items_read(const Op& op, bool* exact) {
  std::int64_t furthest = -1;
  if (exact) *exact = false;
  for (const ir::Use& use : op.node().output()->uses()) {
    if (aten::acts_as(*use.node, aten::Container::ListUnpack)) {
      if (exact) *exact = true;
      return static_cast<std::int64_t>(use.node->output_count());
    }
    const bool is_item = aten::acts_as(*use.node, aten::Container::Item) && use.index == 0;
    const ir::Constant* position = is_item ? use.node->input(1)->constant() : nullptr;
    if (!position || position->as_int64() < 0) return std::nullopt;
    furthest = std::max(furthest, position->as_int64());
  }
  return furthest < 0 ? std::nullopt : std::optional(furthest + 1);
}

Dims order_with_front(std::int64_t rank, const Dims& front) {
  Dims order = front;
  for (std::int64_t i = 0; i < rank; ++i)
    if (std::find(front.begin(), front.end(), i) == front.end()) order.push_back(i);
  return order;
}

Dims order_with_back(std::int64_t rank, const Dims& back) {
  Dims order;
  for (std::int64_t i = 0; i < rank; ++i)
    if (std::find(back.begin(), back.end(), i) == back.end()) order.push_back(i);
  order.insert(order.end(), back.begin(), back.end());
  return order;
}

Dims inverse_order(const Dims& order) {
  Dims inverse(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    inverse[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
  return inverse;
}

}  // namespace tonnx::lower
