// Writes the archive that the custom_operator examples export.
//   archive LIBRARY OUTPUT.pt
#include <exception>
#include <iostream>
#include <memory>
#include <string>

#include <ATen/DynamicLibrary.h>
#include <torch/csrc/jit/frontend/sugared_value.h>
#include <torch/script.h>

// Lets a module's source name the operators of my_ops.
struct Names : torch::jit::Resolver {
  std::shared_ptr<torch::jit::SugaredValue> resolveValue(const std::string& name, torch::jit::GraphFunction&,
                                                         const torch::jit::SourceRange&) override {
    return name == "my_ops" ? std::make_shared<torch::jit::BuiltinModule>("my_ops") : nullptr;
  }
};

int main(int argc, char** argv) try {
  if (argc != 3) {
    std::cerr << "archive LIBRARY OUTPUT.pt\n";
    return 2;
  }
  at::DynamicLibrary operators(argv[1]);

  torch::jit::Module body("Body");
  body.register_parameter("weight", torch::arange(16, torch::kFloat).reshape({4, 4}) / 16 - 0.5, false);
  body.register_parameter("bias", torch::arange(4, torch::kFloat) / 4, false);
  body.define("def forward(self, x):\n    return torch.linear(x, self.weight, self.bias)\n");

  torch::jit::Module head("Head");
  head.define("def forward(self, x):\n    return my_ops.gated_softmax(x, 1.5)\n", std::make_shared<Names>());

  torch::jit::Module network("Network");
  network.register_module("body", body);
  network.register_module("head", head);
  network.define("def forward(self, x):\n    return self.head.forward(self.body.forward(x))\n");
  network.save(argv[2]);
  return 0;
} catch (const std::exception& e) {
  std::cerr << "archive: " << e.what() << "\n";
  return 1;
}
