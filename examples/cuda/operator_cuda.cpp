// my_kernels::gated_softmax for CUDA, a library of its own because it needs LibTorch's CUDA libraries.
#include <ATen/ATen.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

#include "kernel.h"

namespace {

at::Tensor on_device(const at::Tensor& x, double alpha) {
  const c10::cuda::CUDAGuard guard(x.device());
  const at::Tensor rows = x.contiguous();
  TORCH_CHECK(rows.dim() > 0 && rows.scalar_type() == at::kFloat, "gated_softmax takes float32 tensors with an axis");
  at::Tensor y = at::empty_like(rows);
  const std::int64_t columns = rows.size(-1);
  const int error = gated_softmax_on_device(rows.const_data_ptr<float>(), y.mutable_data_ptr<float>(),
                                            columns > 0 ? rows.numel() / columns : 0, columns,
                                            static_cast<float>(alpha), c10::cuda::getCurrentCUDAStream().stream());
  TORCH_CHECK(error == 0, "gated_softmax: CUDA error ", error);
  return y;
}

}  // namespace

TORCH_LIBRARY_IMPL(my_kernels, CUDA, library) { library.impl("gated_softmax", &on_device); }
