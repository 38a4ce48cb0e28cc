// The operator that the examples' archive uses, as its author would ship it: a shared library that registers it with
// LibTorch.
#include <ATen/ATen.h>
#include <torch/library.h>

namespace {

// Softmax over the last axis of x * sigmoid(alpha * x).
at::Tensor gated_softmax(const at::Tensor& x, double alpha) { return (x * (x * alpha).sigmoid()).softmax(-1); }

}  // namespace

TORCH_LIBRARY(my_ops, library) { library.def("gated_softmax(Tensor x, float alpha) -> Tensor", &gated_softmax); }
