#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "lower/builder.h"
#include "lower/op.h"

// Sizes, bounds and indices for the families of shapes, slices and scatters. A size is a constant if it is fixed in
// every run, else a computed value. A size of the example alone is never written into a model.
namespace tonnx::lower {

using DimFacts = std::optional<std::vector<ir::Dim>>;

// Reshapes x to these dims. Copies sizes that x has on the same axis, and leaves one dynamic size to ONNX (-1). If that
// is not enough, `at_run_time` computes the whole shape (rank 1, int64).
Value* reshape_known(Op& op, Value* x, const DimFacts& dims, const std::function<Value*()>& at_run_time);
// Reshapes x to the dims of the result's facts.
Value* reshape_to_result(Op& op, Value* x, const std::function<Value*()>& at_run_time);
// Reshapes axes [first, first + count) of x to one axis.
Value* merge_axes(Op& op, Value* x, std::int64_t first, std::int64_t count);

// The shape of result `i` if it is fixed, else null.
Value* fixed_result_shape(Op& op, std::size_t i = 0);
// Sizes [first, last) of x as a rank-1 value.
Value* sizes_between(Op& op, Value* x, std::int64_t first, std::int64_t last);
// The sum of rank-0 int64 values; constant ones are added at export time.
Value* add_sizes(Builder& b, Value* x, Value* y);
Value* subtract_sizes(Builder& b, Value* x, Value* y);
Value* multiply_sizes(Builder& b, Value* x, Value* y);

// x[start:end:step] along an axis, with LibTorch's bounds: negative ones count from the end, and all are clamped.
// Bounds (rank 0, int64) may be dynamic; null start: 0, null end: the size.
Value* slice_between(Op& op, Value* x, std::int64_t axis, Value* start, Value* end, std::int64_t step = 1);
// An argument of the operator that is such a bound; null for None.
Value* slice_bound(Op& op, std::string_view argument);
// A LibTorch slice bound, counted from the front and clamped to [0, size].
std::int64_t clamped_bound(std::int64_t bound, std::int64_t size);
// Pads the last axes by scalars (rank 0, int64), one for each end of each axis, in order of the axes; null fill: zeros.
// Needs opset 11.
Value* pad_by_numbers(Op& op, Value* x, const Values& begins, const Values& ends, std::string_view mode, Value* fill);
// Counts a bound from the front: adds the size to a negative one. Rank 0.
Value* bound_from_front(Op& op, Value* x, std::int64_t axis, Value* bound);

// True if both are known to have the same shape, ignoring axis `but`.
bool same_sizes(const Value* x, const Value* y, std::int64_t but = -1);

// int64 constants of rank 0.
Values scalars(Builder& b, const Dims& numbers);
// The integers of a list argument of known length, each rank 0 and int64, constant or computed; nullopt if the length
// is dynamic.
std::optional<Values> listed_numbers(Op& op, std::string_view argument);

// x, with one axis of size 1 if its rank is 0.
Value* at_least_vector(Op& op, Value* x);

// The number of items of a list result that its uses read; nullopt if unknown. `exact` is set if it must equal the
// length.
std::optional<std::int64_t> items_read(const Op& op, bool* exact = nullptr);

// The axes in order, with those of `front` moved before, or those of `back` after, the others.
Dims order_with_front(std::int64_t rank, const Dims& front);
Dims order_with_back(std::int64_t rank, const Dims& back);
Dims inverse_order(const Dims& order);

}  // namespace tonnx::lower
