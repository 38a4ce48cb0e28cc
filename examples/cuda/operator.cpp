// The operator my_kernels::gated_softmax as its author would ship it: a library that registers it with LibTorch for the
// host, and for tensors without data. operator_cuda.cpp registers it for CUDA.
#include <ATen/ATen.h>
#include <torch/library.h>

#include "kernel.h"

namespace {

at::Tensor on_host(const at::Tensor& x, double alpha) {
  const at::Tensor rows = x.contiguous();
  TORCH_CHECK(rows.dim() > 0 && rows.scalar_type() == at::kFloat, "gated_softmax takes float32 tensors with an axis");
  at::Tensor y = at::empty_like(rows);
  const std::int64_t columns = rows.size(-1);
  gated_softmax_on_host(rows.const_data_ptr<float>(), y.mutable_data_ptr<float>(),
                        columns > 0 ? rows.numel() / columns : 0, columns, static_cast<float>(alpha));
  return y;
}

at::Tensor shape_only(const at::Tensor& x, double) { return at::empty_like(x, at::MemoryFormat::Contiguous); }

}  // namespace

TORCH_LIBRARY(my_kernels, library) { library.def("gated_softmax(Tensor x, float alpha) -> Tensor"); }
TORCH_LIBRARY_IMPL(my_kernels, CPU, library) { library.impl("gated_softmax", &on_host); }
TORCH_LIBRARY_IMPL(my_kernels, Meta, library) { library.impl("gated_softmax", &shape_only); }
