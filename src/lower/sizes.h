#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "lower/builder.h"
#include "lower/op.h"

// Sizes, bounds and positions that the families of shapes, slices and scatters share. A size is a number where it is
// fixed for every run and a computed value elsewhere; no size of the example alone enters a model.
namespace tonnx::lower {

using DimFacts = std::optional<std::vector<ir::Dim>>;

// x in the given dims. Sizes that x has on the same axis are copied and one open size is left to ONNX; `at_run_time`
// computes the whole shape (rank 1, int64) where that does not do.
Value* reshape_known(Op& op, Value* x, const DimFacts& dims, const std::function<Value*()>& at_run_time);
// x in the dims of the result's facts.
Value* reshape_to_result(Op& op, Value* x, const std::function<Value*()>& at_run_time);
// The reshape from axes [first, first + count) of x to one axis.
Value* merge_axes(Op& op, Value* x, std::int64_t first, std::int64_t count);

// The shape of result `i` if it is fixed, else null.
Value* fixed_result_shape(Op& op, std::size_t i = 0);
// Sizes [first, last) of x as a rank-1 value.
Value* sizes_between(Op& op, Value* x, std::int64_t first, std::int64_t last);
// The sum of rank-0 int64 values of which the constant ones are added up now.
Value* add_sizes(Builder& b, Value* x, Value* y);
Value* subtract_sizes(Builder& b, Value* x, Value* y);
Value* multiply_sizes(Builder& b, Value* x, Value* y);

// x[start:end:step] along an axis with bounds as LibTorch takes them (negative ones count from the end, all are
// clamped) that may be known at run time only (rank 0, int64); null start: 0, null end: the size.
Value* slice_between(Op& op, Value* x, std::int64_t axis, Value* start, Value* end, std::int64_t step = 1);
// An argument of the operator that is such a bound; null for None.
Value* slice_bound(Op& op, std::string_view argument);
// A bound of a slice as LibTorch takes it, counted from the front, in [0, size].
std::int64_t clamped_bound(std::int64_t bound, std::int64_t size);
// More elements at the ends of the last axes, a number (rank 0, int64) for either end of each, in order of the axes;
// null fill: zeros. From opset 11 on.
Value* pad_by_numbers(Op& op, Value* x, const Values& begins, const Values& ends, std::string_view mode, Value* fill);
// A bound counted from the front: a negative one gets the size added. Rank 0.
Value* bound_from_front(Op& op, Value* x, std::int64_t axis, Value* bound);

// True where the two surely have the same sizes, those of axis `but` apart.
bool same_sizes(const Value* x, const Value* y, std::int64_t but = -1);

// int64 constants of rank 0.
Values scalars(Builder& b, const Dims& numbers);
// The integers of a list argument of known length, each of rank 0 and int64, whatever they are; nothing if a run tells
// how many.
std::optional<Values> listed_numbers(Op& op, std::string_view argument);

// x without its scalar form: rank 0 becomes one element.
Value* at_least_vector(Op& op, Value* x);

// How many items the readers of a list result take; nullopt where they do not tell. `exact` is set if that is the
// length.
std::optional<std::int64_t> items_read(const Op& op, bool* exact = nullptr);

// Axes in order with those of `front` moved before or those of `back` moved after the others.
Dims order_with_front(std::int64_t rank, const Dims& front);
Dims order_with_back(std::int64_t rank, const Dims& back);
Dims inverse_order(const Dims& order);

}  // namespace tonnx::lower
