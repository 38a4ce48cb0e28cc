#include "lower/families.h"
#include "lower/formula.h"
#include "lower/promotion.h"

// Shifts to and from a centre, and sums to a broadcast operand's size.
namespace tonnx::lower {
namespace {

// Each axis turned so that element `first` of it comes first.
template <bool kToCentre>
Outputs shift(Op& op) {
  Builder& b = op.builder();
  Value* x = op.tensor("self");
  Dims axes = op.is_none("dim") ? order_with_front(op.rank_of(x), {}) : op.axes("dim", x);
  for (const std::int64_t axis : axes) {
    const Term size{b, b.size_scalar(x, axis)};
    const auto fixed = op.fixed_size(x, axis);
    Value* first = fixed ? b.int64((*fixed + kToCentre) / 2) : ((size + (kToCentre ? 1 : 0)) / 2).value();
    x = b.concat({slice_between(op, x, axis, first, nullptr), slice_between(op, x, axis, nullptr, first)}, axis);
  }
  return x;
}

// sum_to_size: leading axes go, axes of size 1 stay with their sum
Outputs sum_to_size(Op& op) {
  Value* x = op->cast(op.tensor("self"), op.result_dtype());  // sums of integers are of 64 bits
  const Dims sizes = op.integers("size");
  const std::int64_t leading = op.rank_of(x) - static_cast<std::int64_t>(sizes.size());
  if (leading < 0) op.refuse_argument("size", "has more axes than the tensor");
  Dims gone, kept;
  for (std::int64_t i = 0; i < leading; ++i) gone.push_back(i);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::int64_t axis = leading + static_cast<std::int64_t>(i);
    if (sizes[i] == 1 && op.fixed_size(x, axis) != 1) kept.push_back(axis);
  }
  if (!kept.empty()) x = op->reduce("ReduceSum", x, kept, true);
  return gone.empty() ? x : op->reduce("ReduceSum", x, gone, false);
}

Outputs isreal(Op& op) {
  Value* x = op.tensor("self");
  return op->constant_of_shape(op->shape(x), DType::Bool, 1);
}

constexpr Row kRows[] = {
    {"aten::fft_fftshift", 7, shift<true>},
    {"aten::fft_ifftshift", 7, shift<false>},
    {"aten::sum_to_size", 7, sum_to_size},
    {"aten::isreal", 9, isreal},
};

}  // namespace

std::span<const Row> rearrangement_rows() { return kRows; }

}  // namespace tonnx::lower
