// Traces of a host program, which is compiled for the LibTorch of each line: exported, and compared with LibTorch in
// ONNX Runtime. Prints a line for each, "ok NAME" or "NAME: error".
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <ATen/ATen.h>
#include <torch/version.h>

#include "tonnx/torch.hpp"

namespace {

using at::Tensor;
using Code = Tensor (*)(const Tensor& x);

const std::vector<std::pair<const char*, Code>> kTraces = {
    {"product", [](const Tensor& x) { return at::matmul(x, x.transpose(0, 1)) * 2; }},
    {"softmax", [](const Tensor& x) { return at::softmax(x, 1); }},
    {"normalised", [](const Tensor& x) { return at::layer_norm(x, {4}); }},
    {"convolution", [](const Tensor& x) { return at::conv1d(x.unsqueeze(0), at::ones({2, 3, 2})); }},
    {"pooled", [](const Tensor& x) { return at::max_pool1d(x.unsqueeze(0), 2); }},
    {"sum", [](const Tensor& x) { return x.sum({1}, true); }},
    {"mean", [](const Tensor& x) { return x.mean({0}); }},
    {"views", [](const Tensor& x) { return x.reshape({2, 6}).t().contiguous().view({-1}); }},
    {"slices", [](const Tensor& x) { return x.slice(1, 1, 3) - x.select(0, 0).slice(0, 0, 2); }},
    {"write", [](const Tensor& x) { return x.clone().select(0, 1).fill_(7) + x.sum(); }},
    {"addition in place", [](const Tensor& x) { return x.clone().add_(x, 3).mul_(2); }},
    {"joined", [](const Tensor& x) { return at::cat({x, x * 2}, 1); }},
    {"stacked", [](const Tensor& x) { return at::stack({x, -x}).permute({2, 0, 1}); }},
    {"chosen", [](const Tensor& x) { return at::where(x > 5, x, at::zeros_like(x)); }},
    {"gathered", [](const Tensor& x) { return x.gather(1, at::zeros({3, 2}, at::kLong)); }},
    {"selected", [](const Tensor& x) { return x.index_select(0, at::tensor({2, 0}, at::kLong)); }},
    {"integers", [](const Tensor& x) { return x.to(at::kLong).remainder(5).to(at::kFloat); }},
    {"largest", [](const Tensor& x) { return std::get<0>(x.topk(2)); }},
    {"activations", [](const Tensor& x) { return at::gelu(x) + at::silu(x) + at::hardtanh(x, 0, 3); }},
    {"attention",
     [](const Tensor& x) {
       return at::scaled_dot_product_attention(x[0].view({1, 1, 2, 2}), x[1].view({1, 1, 2, 2}),
                                               x[2].view({1, 1, 2, 2}));
     }},
};

}  // namespace

int main() {
  const Tensor x = at::arange(12, at::kFloat).view({3, 4});
  int failures = 0;
  for (const auto& [name, code] : kTraces) {
    try {
      const auto traced = [code = code](tonnx::Trace&, const std::vector<Tensor>& inputs) { return code(inputs[0]); };
      const tonnx::Program program = tonnx::trace(traced, {x});
      const tonnx::Args args = tonnx::arguments({x});
      tonnx::export_program(program, args).verify(program, args);
      std::printf("ok %s\n", name);
    } catch (const std::exception& error) {
      ++failures;
      std::printf("%s: %s\n", name, error.what());
    }
  }
  const unsigned version = tonnx::libtorch_version();
  if (version >> 8 != (TORCH_VERSION_MAJOR << 8 | TORCH_VERSION_MINOR)) {
    std::printf("the version is %x\n", version);
    ++failures;
  }
  return failures == 0 ? 0 : 1;
}
