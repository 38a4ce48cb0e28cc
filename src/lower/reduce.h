#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "lower/builder.h"
#include "lower/op.h"

// Reductions over axes as LibTorch names them, which several families need.
namespace tonnx::lower {

struct ReducedAxes {
  Dims axes;          // wrapped, ascending
  bool all = false;   // every axis; `axes` is empty
  bool keep = false;  // reduced axes stay with one element
};

// The axes that `argument` (int, int[] or None) and keepdim name; none of them means all.
ReducedAxes reduced_axes(Op& op, const Value* x, std::string_view argument = "dim");

// How many elements go into one result; nullopt unless fixed for every run.
std::optional<std::int64_t> reduced_count(Op& op, const Value* x, const ReducedAxes& r);

// The ONNX reduction `name` ("ReduceSum"); a rank-0 input reduces to itself.
Value* reduce(Op& op, std::string_view name, Value* x, const ReducedAxes& r);

// Whether all elements of a bool tensor are true, as rank 0.
Value* all_true(Builder& b, Value* x);

// A result of the reduction's shape that holds one number: what LibTorch gives for no elements.
Value* filled_result(Op& op, const ReducedAxes& r, const Value* x, DType dtype, double value);

// log(sum(exp(x))), stable, infinities included.
Value* log_sum_exp(Op& op, Value* x, const ReducedAxes& r);

}  // namespace tonnx::lower
