#include <atomic>
#include <cstdlib>
#include <string_view>

#include <ATen/ATen.h>

#include "exit_host.h"
#include "tonnx/torch.hpp"

// Returns from main() while threads trace: exit_trace_host KIND MILLISECONDS.
namespace {

using std::chrono::milliseconds;

at::Tensor repeat_operators(at::Tensor x) {
  for (int k = 0; k < 20; ++k) x = at::relu(at::matmul(x, x.t()) + k);
  return x;
}

std::atomic<bool> pauses = false;

// Each operator is the first of its name, which LibTorch looks up. main() returns in one of the pauses.
at::Tensor pause_between_operators(at::Tensor x) {
  for (const auto step : {at::tanh, at::sigmoid, at::erf, at::atan, at::expm1, at::log1p, at::ceil, at::trunc}) {
    pauses = true;
    std::this_thread::sleep_for(milliseconds(5));
    x = step(x);
  }
  return x;
}

// Runs after all static objects have been destroyed: a thread that still runs calls LibTorch without them.
[[gnu::destructor]] void end_slowly() {
  if (pauses) std::this_thread::sleep_for(milliseconds(50));
}

}  // namespace

int main(int, char** arguments) {
  const bool pausing = arguments[1] == std::string_view("paused_trace");
  // Threads use LibTorch in calls of tonnx only: others are not held back at the exit.
  const at::Tensor example = at::ones({3, 3});
  tonnx::Args& args = *new tonnx::Args;  // not destroyed at the exit
  args.add(tonnx::Tensor::from_torch(&example));
  const auto work = [&args, code = pausing ? pause_between_operators : repeat_operators] {
    const auto run = [code](tonnx::Trace& trace) {
      at::Tensor x = code(*static_cast<at::Tensor*>(trace.input(0)));
      trace.output(&x);
    };
    tonnx::export_program(tonnx::Program::trace(run, args), args);
  };
  host::start_threads(work, pausing ? 0 : std::atoi(arguments[2]));
  while (pausing && !pauses) std::this_thread::yield();
  return 0;
}
