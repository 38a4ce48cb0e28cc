// Times tracing and exporting resnet18 from C++ beside its forward pass in LibTorch: trace_bench RUNS [SIDE]
// Prints one line a run, in seconds, of the forward pass on one image, of the trace with default options, of the trace with
// two sizes of its batch more, and of the export: `FORWARD TRACE TRACE_AT_SIZES EXPORT`.
#include <torch/torch.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "tonnx/torch.hpp"

namespace nn = torch::nn;

namespace {

nn::Conv2d conv(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride, std::int64_t padding) {
  return nn::Conv2d(nn::Conv2dOptions(in, out, kernel).stride(stride).padding(padding).bias(false));
}

struct BlockImpl : nn::Module {
  BlockImpl(std::int64_t in, std::int64_t out, std::int64_t stride)
      : conv1(register_module("conv1", conv(in, out, 3, stride, 1))),
        bn1(register_module("bn1", nn::BatchNorm2d(out))),
        conv2(register_module("conv2", conv(out, out, 3, 1, 1))),
        bn2(register_module("bn2", nn::BatchNorm2d(out))) {
    if (stride != 1 || in != out)
      downsample = register_module("downsample", nn::Sequential(conv(in, out, 1, stride, 0), nn::BatchNorm2d(out)));
  }
  at::Tensor forward(const at::Tensor& x) {
    const at::Tensor y = bn2(conv2(bn1(conv1(x)).relu()));
    return (y + (downsample ? downsample->forward(x) : x)).relu();
  }
  nn::Conv2d conv1;
  nn::BatchNorm2d bn1;
  nn::Conv2d conv2;
  nn::BatchNorm2d bn2;
  nn::Sequential downsample{nullptr};
};
TORCH_MODULE(Block);

struct ResNet18Impl : nn::Module {
  ResNet18Impl()
      : conv1(register_module("conv1", conv(3, 64, 7, 2, 3))),
        bn1(register_module("bn1", nn::BatchNorm2d(64))),
        layers(register_module("layers", nn::Sequential(Block(64, 64, 1), Block(64, 64, 1), Block(64, 128, 2),
                                                        Block(128, 128, 1), Block(128, 256, 2), Block(256, 256, 1),
                                                        Block(256, 512, 2), Block(512, 512, 1)))),
        fc(register_module("fc", nn::Linear(512, 1000))) {}
  at::Tensor forward(const at::Tensor& x) {
    const at::Tensor y = layers->forward(torch::max_pool2d(bn1(conv1(x)).relu(), 3, 2, 1));
    return fc(torch::adaptive_avg_pool2d(y, {1, 1}).flatten(1));
  }
  nn::Conv2d conv1;
  nn::BatchNorm2d bn1;
  nn::Sequential layers;
  nn::Linear fc;
};
TORCH_MODULE(ResNet18);

template <class Call>
double seconds(Call&& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: trace_bench RUNS [SIDE]\n");
    return 2;
  }
  const std::int64_t side = argc > 2 ? std::atoi(argv[2]) : 224;
  try {
    const torch::NoGradGuard no_grad;
    ResNet18 network;
    network->eval();
    const std::vector<at::Tensor> examples = {torch::randn({1, 3, side, side})};
    tonnx::TraceOptions sizes;
    sizes.dynamic_axis(0, 0, "batch");
    network(examples[0]);
    for (int i = 0; i < std::atoi(argv[1]); ++i) {
      std::optional<tonnx::Program> program;
      const double forward = seconds([&] { network(examples[0]); });
      const double trace = seconds([&] { program.emplace(tonnx::trace(network, examples)); });
      const double at_sizes = seconds([&] { tonnx::trace(network, examples, sizes); });
      const double exporting = seconds([&] { tonnx::export_program(*program, tonnx::arguments(examples)); });
      std::printf("%.6f %.6f %.6f %.6f\n", forward, trace, at_sizes, exporting);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
