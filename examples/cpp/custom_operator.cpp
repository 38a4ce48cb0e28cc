// An archive with a custom operator becomes an ONNX model through a symbolic of our own.
//   custom_operator LIBRARY ARCHIVE OUTPUT.onnx
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tonnx.hpp"

using Results = std::optional<std::vector<tonnx::Value>>;

// The first version knows what it cannot do yet.
Results refuse(tonnx::Graph&, const tonnx::Node&, const std::vector<tonnx::Value>& inputs) {
  std::string alpha = std::to_string(inputs[1].to_float());
  alpha.resize(alpha.find_last_not_of('0') + 1);
  throw std::runtime_error("alpha " + alpha + " is not supported yet");
}

// gated_softmax(x, alpha): ONNX Runtime's QuickGelu is x * sigmoid(alpha * x).
Results gated_softmax(tonnx::Graph& graph, const tonnx::Node&, const std::vector<tonnx::Value>& inputs) {
  const tonnx::Value& x = inputs[0];
  if (x.dtype() != TONNX_DTYPE_FLOAT32) return std::nullopt;
  tonnx::Value gated =
      graph.op("com.microsoft::QuickGelu", {x}, tonnx::Attributes().set_float("alpha", inputs[1].to_float()));
  gated.copy_type(x);
  const auto last = static_cast<std::int64_t>(x.rank()) - 1;
  return {{graph.op("Softmax", {gated}, tonnx::Attributes().set_int("axis", last))}};
}

int main(int argc, char** argv) try {
  if (argc != 4) {
    std::cerr << "custom_operator LIBRARY ARCHIVE OUTPUT.onnx\n";
    return 1;
  }
  tonnx::load_operators(argv[1]);
  const auto program = tonnx::Program::load(argv[2]);

  std::vector<float> values(8);
  for (int i = 0; i < 8; ++i) values[i] = 0.25f * i - 1;
  tonnx::Args args;
  args.add(tonnx::Tensor(TONNX_DTYPE_FLOAT32, {2, 4}, values.data(), values.size() * sizeof(float)));

  tonnx::Options options;
  options.opset(15).input_name("tokens").output_name("weights").dynamic_axis("tokens", 0, "batch");
  options.custom_opset("com.microsoft", 1);

  tonnx::Registry registry;
  registry.add("my_ops::gated_softmax", 9, refuse);
  try {
    tonnx::export_program(program, args, options, registry);
    throw std::logic_error("the first version did not fail");
  } catch (const tonnx::Error& e) {
    const tonnx::Reason& reason = e.reasons().at(0);
    std::cout << "refused: " << reason.op << " at " << reason.module << ": " << reason.text << "\n";
  }

  registry.add("my_ops::gated_softmax", 9, gated_softmax);
  const tonnx::Model model = tonnx::export_program(program, args, options, registry);
  model.save(argv[3]);
  std::ifstream file(argv[3], std::ios::binary);
  if (std::string(std::istreambuf_iterator<char>(file), {}) != model.bytes())
    throw std::logic_error("the file and the memory differ");
  model.verify(program, args);
  std::cout << "verified\n" << model.text() << "\n";
  return 0;
} catch (const std::exception& e) {
  std::cerr << "custom_operator: " << e.what() << "\n";
  return 1;
}
