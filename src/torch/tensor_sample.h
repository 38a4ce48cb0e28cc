#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

// Internal: includes LibTorch.
namespace tonnx::torch {

// A few elements of a plain tensor, evenly spread, read without an operator.
struct TensorSample {
  std::vector<std::int64_t> sizes;
  c10::ScalarType dtype = c10::ScalarType::Undefined;
  std::vector<double> elements;  // a complex one as two; empty for a dtype without such
};

TensorSample sample_of(const at::Tensor& tensor);

// Whether two runs of one operator on one machine may give both: integers are equal, floating elements differ by little
// more than the rounding of their dtype.
bool agree(const TensorSample& a, const TensorSample& b);
// The same for all elements.
bool agree(const at::Tensor& a, const at::Tensor& b);

}  // namespace tonnx::torch
