#include <cstdlib>

#include <ATen/ATen.h>

#include "exit_host.h"
#include "tonnx/torch.hpp"

// Returns from main() while threads trace: exit_trace_host trace MILLISECONDS.
int main(int, char** arguments) {
  // Threads use LibTorch in calls of tonnx only: others are not held back at the exit.
  const at::Tensor example = at::ones({3, 3});
  tonnx::Args& args = *new tonnx::Args;  // not destroyed at the exit
  args.add(tonnx::Tensor::from_torch(&example));
  const auto work = [&args] {
    const auto run = [](tonnx::Trace& trace) {
      at::Tensor x = *static_cast<at::Tensor*>(trace.input(0));
      for (int k = 0; k < 20; ++k) x = at::relu(at::matmul(x, x.t()) + k);
      trace.output(&x);
    };
    tonnx::export_program(tonnx::Program::trace(run, args), args);
  };
  host::start_threads(work, std::atoi(arguments[2]));
  return 0;
}
