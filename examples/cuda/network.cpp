// Traces a network with a kernel of its own, on a CUDA device if there is one and on the host otherwise. The model
// calls the same kernel in ONNX Runtime.
//   cuda_network OPERATOR.so OPERATOR_CUDA.so|none RUNTIME_OPERATOR.so OUTPUT.onnx [PROVIDER]
// PROVIDER: the execution provider of ONNX Runtime, cpu or cuda; by default that of the device.
#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include <ATen/DynamicLibrary.h>
#include <torch/torch.h>

#include "tonnx/torch.hpp"

namespace {

at::Tensor gated_softmax(const at::Tensor& x, double alpha) {
  static const auto kernel = c10::Dispatcher::singleton()
                                 .findSchemaOrThrow("my_kernels::gated_softmax", "")
                                 .typed<at::Tensor(const at::Tensor&, double)>();
  return kernel.call(x, alpha);
}

struct NetworkImpl : torch::nn::Module {
  NetworkImpl() : body(register_module("body", torch::nn::Linear(16, 8))) {}
  at::Tensor forward(const at::Tensor& x) { return gated_softmax(body(x), 1.5); }
  torch::nn::Linear body;
};
TORCH_MODULE(Network);

// The operator becomes a node of the domain my_kernels, whose kernel RUNTIME_OPERATOR.so has.
std::optional<std::vector<tonnx::Value>> symbolic(tonnx::Graph& graph, const tonnx::Node&,
                                                  const std::vector<tonnx::Value>& inputs) {
  tonnx::Value result =
      graph.op("my_kernels::GatedSoftmax", {inputs[0]}, tonnx::Attributes().set_float("alpha", inputs[1].to_float()));
  result.copy_type(inputs[0]);
  return {{result}};
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 5 && argc != 6) {
    std::cerr << "cuda_network OPERATOR.so OPERATOR_CUDA.so|none RUNTIME_OPERATOR.so OUTPUT.onnx [PROVIDER]\n";
    return 2;
  }
  const at::DynamicLibrary operators(argv[1]);
  std::optional<at::DynamicLibrary> operators_cuda;
  at::Device device = at::kCPU;
  if (torch::cuda::is_available() && std::string(argv[2]) != "none") {
    operators_cuda.emplace(argv[2]);
    device = at::Device(at::kCUDA, 0);
  }

  torch::manual_seed(0);
  Network network;
  network->to(device);
  const torch::NoGradGuard no_grad;
  const at::Tensor example = torch::randn({2, 16}).to(device);

  // The weights stay on the device, and are read in pieces while the model is written.
  const tonnx::Program program = tonnx::trace(
      network, {example}, tonnx::TraceOptions().dynamic_axis(0, 0, "batch").share_weights(true).replay(false));
  tonnx::Options options;
  options.input_name("x").output_name("y").custom_opset("my_kernels", 1);
  tonnx::Registry registry;
  registry.add("my_kernels::gated_softmax", 9, symbolic);
  const tonnx::Model model = tonnx::export_program(program, tonnx::Args(), options, registry);
  model.save(argv[4]);

  tonnx::VerifyOptions verify;
  verify.runtime_library(argv[3]);
  verify.provider(argc == 6 ? argv[5] : device.is_cuda() ? "cuda" : "cpu");
  model.verify(program, tonnx::Args(), verify);
  std::cout << model.text() << "\n" << argv[4] << ": ONNX Runtime agrees with LibTorch on " << device << "\n";
  return 0;
} catch (const std::exception& e) {
  std::cerr << "cuda_network: " << e.what() << "\n";
  return 1;
}
