#include "ir/folded.h"

#include <algorithm>
#include <utility>

#include "ir/broadcast_runs.h"
#include "ir/checked.h"

namespace tonnx::ir {
namespace {

constexpr std::int64_t kBlock = std::int64_t{1} << 14;  // elements that are computed at once

std::vector<std::int64_t> broadcast_strides(const Tensor& operand, std::span<const std::int64_t> dims) {
  std::vector<std::int64_t> strides(dims.size(), 0);
  const std::vector<std::int64_t> own = contiguous_strides(operand.dims);
  const std::size_t lead = dims.size() - own.size();
  for (std::size_t i = 0; i < own.size(); ++i)
    if (operand.dims[i] != 1) strides[lead + i] = own[i];
  return strides;
}

std::vector<double> loaded(DType dtype, const std::byte* bytes, std::size_t count) {
  std::vector<double> values(count);
  if (dtype == DType::Float32) {
    std::copy_n(reinterpret_cast<const float*>(bytes), count, values.begin());
  } else {
    for (std::size_t i = 0; i < count; ++i) values[i] = load_double(dtype, bytes + i * size_of(dtype));
  }
  return values;
}

}  // namespace

Folded::Folded(Operator op, DType dtype, std::vector<std::int64_t> dims)
    : Computed(dtype, checked_count(dims).value_or(0)), op_(std::move(op)), dtype_(dtype), dims_(std::move(dims)) {}

FoldedElementwise::FoldedElementwise(Operator op, DType dtype, std::vector<std::int64_t> dims, ElementFunction function)
    : Folded(std::move(op), dtype, std::move(dims)), function_(function) {}

std::vector<double> FoldedElementwise::values_of(const Tensor& operand, std::int64_t begin, std::int64_t end) const {
  const auto count = static_cast<std::size_t>(end - begin);
  if (operand.numel() == checked_count(dims())) {
    std::vector<std::byte> bytes(count * size_of(operand.dtype));
    operand.read(begin, end, bytes.data());
    return loaded(operand.dtype, bytes.data(), count);
  }
  std::vector<double> values(count);
  const std::byte* data = operand.data();
  const std::size_t step = size_of(operand.dtype);
  BroadcastRuns(dims(), broadcast_strides(operand, dims()))
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
