#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "lower/builder.h"
#include "lower/op.h"

// Reductions with LibTorch's axis arguments, for several families.
namespace tonnx::lower {

struct ReducedAxes {
  Dims axes;          // non-negative, ascending
  bool all = false;   // every axis; `axes` is empty
  bool keep = false;  // reduced axes are kept with size 1
};

// The axes that `argument` (int, int[] or None) and keepdim specify. An empty list and None mean all axes.
ReducedAxes reduced_axes(Op& op, const Value* x, std::string_view argument = "dim");

// The number of elements that are reduced to one result; nullopt if it is not fixed.
std::optional<std::int64_t> reduced_count(Op& op, const Value* x, const ReducedAxes& r);

// The ONNX reduction `name` ("ReduceSum"); a rank-0 input is returned unchanged.
Value* reduce(Op& op, std::string_view name, Value* x, const ReducedAxes& r);

// Rank-0 bool: all elements of a bool tensor are true.
Value* all_true(Builder& b, Value* x);

// A tensor of the reduction's result shape, filled with one value: LibTorch's result for no elements.
Value* filled_result(Op& op, const ReducedAxes& r, const Value* x, DType dtype, double value);

// log(sum(exp(x))), stable, also for infinities.
Value* log_sum_exp(Op& op, Value* x, const ReducedAxes& r);

}  // namespace tonnx::lower
