#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ir/tensor.h"

namespace tonnx::ir {

// Reads elements [begin, end) of a floating-point tensor in row-major order. Throws what Tensor::read() throws.
inline std::vector<double> read_doubles(const Tensor& tensor, std::int64_t begin, std::int64_t end) {
  const std::size_t step = size_of(tensor.dtype);
  std::vector<double> values(static_cast<std::size_t>(end - begin));
  std::vector<std::byte> bytes(values.size() * step);
  tensor.read(begin, end, bytes.data());
  if (tensor.dtype == DType::Float32) {
    std::copy_n(reinterpret_cast<const float*>(bytes.data()), values.size(), values.begin());
  } else {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = load_double(tensor.dtype, bytes.data() + i * step);
  }
  return values;
}

}  // namespace tonnx::ir
