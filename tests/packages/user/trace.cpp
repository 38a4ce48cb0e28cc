// Traces LibTorch code with a dynamic batch, and verifies the model.
#include <iostream>
#include <tonnx.hpp>
#include <tonnx/torch.hpp>

int main() {
  const at::Tensor weight = at::randn({3, 4});
  const auto code = [&](tonnx::Trace& trace, const std::vector<at::Tensor>& inputs) {
    trace.weight("weight", &weight);
    return at::relu(at::matmul(inputs[0], weight));
  };
  const at::Tensor x = at::randn({2, 3});
  const tonnx::Program program = tonnx::trace(code, {x}, tonnx::TraceOptions().dynamic_axis(0, 0, "batch"));
  const tonnx::Model model = tonnx::export_program(program, tonnx::arguments({x}));
  model.verify(program);
  model.save("traced.onnx");
  std::cout << "the trace agrees\n";
}
