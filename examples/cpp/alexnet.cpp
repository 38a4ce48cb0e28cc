// AlexNet from LibTorch to ONNX: define, trace, export, verify, print.
//   alexnet [OUTPUT.onnx]
#include <iostream>

#include <torch/torch.h>

#include "tonnx/torch.hpp"

namespace nn = torch::nn;

// The network of torchvision.models.alexnet, in eval mode.
class AlexNet : public nn::Module {
 public:
  AlexNet() {
    const auto conv = [](int64_t in, int64_t out, int64_t kernel, int64_t stride, int64_t padding) {
      return nn::Conv2d(nn::Conv2dOptions(in, out, kernel).stride(stride).padding(padding));
    };
    const auto relu = [] { return nn::ReLU(nn::ReLUOptions(true)); };
    const auto pool = [] { return nn::MaxPool2d(nn::MaxPool2dOptions(3).stride(2)); };
    features_ = nn::Sequential(conv(3, 64, 11, 4, 2), relu(), pool(), conv(64, 192, 5, 1, 2), relu(), pool(),
                               conv(192, 384, 3, 1, 1), relu(), conv(384, 256, 3, 1, 1), relu(),
                               conv(256, 256, 3, 1, 1), relu(), pool());
    average_ = nn::AdaptiveAvgPool2d(nn::AdaptiveAvgPool2dOptions(6));
    classifier_ = nn::Sequential(nn::Dropout(0.5), nn::Linear(256 * 6 * 6, 4096), relu(), nn::Dropout(0.5),
                                 nn::Linear(4096, 4096), relu(), nn::Linear(4096, 1000));
    register_module("features", features_);
    register_module("avgpool", average_);
    register_module("classifier", classifier_);
  }

  torch::Tensor forward(torch::Tensor x) {
    x = features_->forward(x);
    x = average_->forward(x);
    return classifier_->forward(torch::flatten(x, 1));
  }

 private:
  nn::Sequential features_, classifier_;
  nn::AdaptiveAvgPool2d average_{nullptr};
};

int main(int argc, char** argv) try {
  const std::string path = argc > 1 ? argv[1] : "alexnet.onnx";
  torch::manual_seed(0);
  torch::NoGradGuard no_grad;
  AlexNet network;
  network.eval();
  const torch::Tensor example = torch::randn({10, 3, 224, 224});

  const tonnx::Program program = tonnx::trace(network, {example});

  tonnx::Options options;
  options.input_name("actual_input_1").output_name("output1");
  for (int i = 0; i < 16; ++i) options.input_name("learned_" + std::to_string(i));

  const tonnx::Model model = tonnx::export_program(program, tonnx::arguments({example}), options);
  model.save(path);
  // Scores of some hundredths are sums of 4096 products, which LibTorch's kernels add up in an order of the
  // processor's.
  model.verify(program, -1, 1e-4);
  std::cout << model.text() << "\n" << path << ": ONNX Runtime agrees with LibTorch\n";
  return 0;
} catch (const std::exception& e) {
  std::cerr << "alexnet: " << e.what() << "\n";
  return 1;
}
