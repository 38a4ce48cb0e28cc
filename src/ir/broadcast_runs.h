#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "ir/tensor.h"

namespace tonnx::ir {

// The strides in elements of a contiguous operand that is broadcast to `dims`: 0 for broadcast axes.
inline std::vector<std::int64_t> broadcast_strides(std::span<const std::int64_t> operand,
                                                   std::span<const std::int64_t> dims) {
  std::vector<std::int64_t> strides(dims.size(), 0);
  const std::vector<std::int64_t> own = contiguous_strides(operand);
  const std::size_t lead = dims.size() - operand.size();
  for (std::size_t i = 0; i < operand.size(); ++i)
    if (operand[i] != 1) strides[lead + i] = own[i];
  return strides;
}

// The elements of an operand that is broadcast to larger sizes, in row-major order of these sizes. Axes that the
// operand steps through evenly count as one, so that runs are long.
class BroadcastRuns {
 public:
  // `strides` of the operand in elements, for each axis of `dims`; 0 where it is broadcast.
  BroadcastRuns(std::span<const std::int64_t> dims, std::span<const std::int64_t> strides) {
    for (std::size_t i = 0; i < dims.size(); ++i) {
      if (dims[i] == 1) continue;
      if (!dims_.empty() && strides_.back() == strides[i] * dims[i]) {
        dims_.back() *= dims[i];
        strides_.back() = strides[i];
      } else {
        dims_.push_back(dims[i]);
        strides_.push_back(strides[i]);
      }
    }
    if (!dims_.empty()) return;
    dims_.push_back(1);
    strides_.push_back(0);
  }

  // Calls visit(at, count, first, stride) for each run in [begin, end): the elements at, at + 1, ..., at + count - 1
  // are the operand's elements first, first + stride, ...
  template <class Visit>
  void each(std::int64_t begin, std::int64_t end, const Visit& visit) const {
    const std::int64_t size = dims_.back(), stride = strides_.back();
    for (std::int64_t at = begin; at < end;) {
      const std::int64_t inside = at % size, count = std::min(end - at, size - inside);
      std::int64_t first = inside * stride, rest = at / size;
      for (std::size_t k = dims_.size() - 1; k-- > 0; rest /= dims_[k]) first += rest % dims_[k] * strides_[k];
      visit(at, count, first, stride);
      at += count;
    }
  }

 private:
  std::vector<std::int64_t> dims_, strides_;
};

}  // namespace tonnx::ir
