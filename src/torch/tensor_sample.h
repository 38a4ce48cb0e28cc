#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

// Internal: includes LibTorch.
namespace tonnx::torch {

// A few evenly spaced elements of a plain tensor, read without an operator.
struct TensorSample {
  std::vector<std::int64_t> sizes;
  c10::ScalarType dtype = c10::ScalarType::Undefined;
  std::vector<double> elements;  // a complex element as two; empty for other dtypes
};

TensorSample sample_of(const at::Tensor& tensor);

// True if both may be results of one operator on one machine: integers are equal, floating elements differ by little
// more than rounding.
bool agree(const TensorSample& a, const TensorSample& b);
// Same for all elements.
bool agree(const at::Tensor& a, const at::Tensor& b);

}  // namespace tonnx::torch
