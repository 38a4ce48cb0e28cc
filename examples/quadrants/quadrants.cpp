// Defines and trains a network in LibTorch, traces it with a dynamic batch, exports and verifies it, and prints the
// report.
//   quadrants [OUTPUT.onnx]
#include "quadrants.h"

#include <iostream>

#include "tonnx/torch.hpp"

int main(int argc, char** argv) try {
  const std::string path = argc > 1 ? argv[1] : "quadrants.onnx";
  torch::manual_seed(0);
  Quadrants network;
  std::cout << "trained: " << 100 * train(network, 150) << " % of new images are correct\n";

  const torch::NoGradGuard no_grad;
  const torch::Tensor images = random_images(2).first;
  const tonnx::Program program = tonnx::trace(network, {images}, tonnx::TraceOptions().dynamic_axis(0, 0, "batch"));
  tonnx::Options options;
  options.input_name("images").output_name("scores");
  const tonnx::Model model = tonnx::export_program(program, tonnx::arguments({images}), options);
  model.verify(program);
  model.save(path);
  std::cout << model.report() << "\n" << path << ": ONNX Runtime agrees with LibTorch\n";
  return 0;
} catch (const std::exception& e) {
  std::cerr << "quadrants: " << e.what() << "\n";
  return 1;
}
