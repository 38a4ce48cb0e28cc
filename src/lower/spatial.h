#pragma once

#include <string>
#include <string_view>

#include "lower/op.h"
#include "lower/sizes.h"

// Shared by convolution, pooling and resizing: lists with one number for each axis, and inputs without a batch axis.
namespace tonnx::lower {

// The list argument with `count` entries; a single number counts for every axis, and an empty list yields `fallback`.
inline Dims per_axis(const Op& op, std::string_view argument, std::int64_t count, const Dims& fallback = {}) {
  Dims list = op.integers(argument);
  if (list.empty()) list = fallback;
  if (list.size() == 1) list.assign(static_cast<std::size_t>(count), list.front());
  if (static_cast<std::int64_t>(list.size()) != count)
    op.refuse_argument(argument,
                       "has " + std::to_string(list.size()) + " numbers for " + std::to_string(count) + " axes");
  return list;
}

// Pads both ends of each of the last `count` axes by a dynamic size: one scalar for each axis, or one for all.
inline Value* pad_evenly(Op& op, Value* x, Values padding, std::int64_t count, Value* fill) {
  if (padding.size() == 1) padding.assign(static_cast<std::size_t>(count), padding.front());
  if (static_cast<std::int64_t>(padding.size()) != count)
    op.refuse_argument("padding",
                       "has " + std::to_string(padding.size()) + " numbers for " + std::to_string(count) + " axes");
  return pad_by_numbers(op, x, padding, padding, "constant", fill);
}

// LibTorch's spatial operators accept an input with or without a batch axis, ONNX's only with one.
class BatchAxis {
 public:
  // `rank` is the rank with a batch axis.
  BatchAxis(const Op& op, Value* x, std::int64_t rank) : op_(op), added_(op.rank_of(x) == rank - 1) {
    if (!added_ && op.rank_of(x) != rank)
      op.refuse("the input has rank " + std::to_string(op.rank_of(x)) + ", not " + std::to_string(rank) + " or " +
                std::to_string(rank - 1));
  }
  Value* add(Value* x) const { return added_ ? op_->unsqueeze(x, {0}) : x; }
  Value* remove(Value* x) const { return added_ && x ? op_->squeeze(x, {0}) : x; }

 private:
  const Op& op_;
  bool added_;
};

}  // namespace tonnx::lower
