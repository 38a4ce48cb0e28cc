// Times tracing and exporting resnet18 from C++ beside its forward pass in LibTorch: trace_bench RUNS [SIDE]
// Prints one line a run, in seconds of processor time, of the forward pass on one image, of the trace with default
// options, of the trace with a dynamic batch, and of the export, then how often the two traces run the network, and on
// how many images in all: `FORWARD TRACE TRACE_AT_SIZES EXPORT CALLS IMAGES CALLS_AT_SIZES IMAGES_AT_SIZES`.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>

#include <torch/torch.h>

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

struct Runs {
  std::int64_t calls, images;
};
Runs operator-(const Runs& a, const Runs& b) { return {a.calls - b.calls, a.images - b.images}; }

struct ResNet18Impl : nn::Module {
  ResNet18Impl()
      : conv1(register_module("conv1", conv(3, 64, 7, 2, 3))),
        bn1(register_module("bn1", nn::BatchNorm2d(64))),
        layers(register_module(
            "layers", nn::Sequential(Block(64, 64, 1), Block(64, 64, 1), Block(64, 128, 2), Block(128, 128, 1),
                                     Block(128, 256, 2), Block(256, 256, 1), Block(256, 512, 2), Block(512, 512, 1)))),
        fc(register_module("fc", nn::Linear(512, 1000))) {}
  at::Tensor forward(const at::Tensor& x) {
    ++runs.calls;
    runs.images += x.size(0);
    const at::Tensor y = layers->forward(torch::max_pool2d(bn1(conv1(x)).relu(), 3, 2, 1));
    return fc(torch::adaptive_avg_pool2d(y, {1, 1}).flatten(1));
  }
  nn::Conv2d conv1;
  nn::BatchNorm2d bn1;
  nn::Sequential layers;
  nn::Linear fc;
  Runs runs = {0, 0};
};
TORCH_MODULE(ResNet18);

template <class Call>
double seconds(Call&& call) {
  const std::clock_t start = std::clock();
  call();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
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
      const Runs before = network->runs;
      const double trace = seconds([&] { program.emplace(tonnx::trace(network, examples)); });
      const Runs traced = network->runs - before;
      const double at_sizes = seconds([&] { tonnx::trace(network, examples, sizes); });
      const Runs traced_at_sizes = network->runs - before - traced;
      const double exporting = seconds([&] { tonnx::export_program(*program, tonnx::arguments(examples)); });
      std::printf("%.6f %.6f %.6f %.6f %ld %ld %ld %ld\n", forward, trace, at_sizes, exporting, traced.calls,
                  traced.images, traced_at_sizes.calls, traced_at_sizes.images);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
