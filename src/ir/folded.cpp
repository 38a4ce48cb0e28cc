#include "ir/folded.h"

#include <algorithm>
#include <utility>

#include "ir/broadcast_runs.h"
#include "ir/checked.h"
#include "ir/read_doubles.h"

namespace tonnx::ir {
namespace {

constexpr std::int64_t kBlock = std::int64_t{1} << 14;  // elements that are computed at once

}  // namespace

Folded::Folded(Operator op, DType dtype, std::vector<std::int64_t> dims)
    : Computed(dtype, checked_count(dims).value_or(0)), op_(std::move(op)), dtype_(dtype), dims_(std::move(dims)) {}

FoldedElementwise::FoldedElementwise(Operator op, DType dtype, std::vector<std::int64_t> dims, ElementFunction function)
    : Folded(std::move(op), dtype, std::move(dims)), function_(function) {}

std::vector<double> FoldedElementwise::values_of(const Tensor& operand, std::int64_t begin, std::int64_t end) const {
  if (operand.numel() == checked_count(dims())) return read_doubles(operand, begin, end);
  std::vector<double> values(static_cast<std::size_t>(end - begin));
  const std::byte* data = operand.data();
  const std::size_t step = size_of(operand.dtype);
  BroadcastRuns(dims(), broadcast_strides(operand.dims, dims()))
      .each(begin, end, [&](std::int64_t at, std::int64_t run, std::int64_t first, std::int64_t stride) {
        const auto start = values.begin() + (at - begin);
        const auto value_at = [&](std::int64_t i) {
          return load_double(operand.dtype, data + static_cast<std::size_t>(i) * step);
        };
        if (stride == 0) return void(std::fill_n(start, run, value_at(first)));
        for (std::int64_t i = 0; i < run; ++i) start[i] = value_at(first + i * stride);
      });
  return values;
}

void FoldedElementwise::compute(std::int64_t begin, std::int64_t end, std::byte* out, const Done&) const {
  const std::vector<Operand>& operands = op().operands;
  for (std::int64_t at = begin; at < end; at += kBlock) {
    const std::int64_t stop = std::min(end, at + kBlock);
    std::vector<double> values = values_of(operands[0].tensor, at, stop);
    if (function_.of_two) {
      std::ranges::transform(values, values_of(operands[1].tensor, at, stop), values.begin(), function_.of_two);
    } else {
      std::ranges::transform(values, values.begin(), function_.of_one);
    }
    if (dtype() == DType::Float32) {
      std::ranges::transform(values, reinterpret_cast<float*>(out), [](double a) { return static_cast<float>(a); });
      out += values.size() * sizeof(float);
    } else {
      for (const double value : values) store(dtype(), value, std::exchange(out, out + size_of(dtype())));
    }
  }
}

FoldedConcat::FoldedConcat(Operator op, DType dtype, std::vector<std::int64_t> dims)
    : Folded(std::move(op), dtype, std::move(dims)) {}

void FoldedConcat::compute(std::int64_t begin, std::int64_t end, std::byte* out, const Done&) const {
  std::int64_t first = 0;  // element of the operand
  for (const Operand& operand : op().operands) {
    const std::int64_t from = std::max(begin, first), to = std::min(end, first + operand.tensor.numel());
    if (from < to)
      operand.tensor.read(from - first, to - first, out + static_cast<std::size_t>(from - begin) * size_of(dtype()));
    first += operand.tensor.numel();
  }
}

}  // namespace tonnx::ir
