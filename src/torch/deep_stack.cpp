#include "torch/deep_stack.h"

#include <ATen/ThreadLocalState.h>
#include <pthread.h>
#include <torch/csrc/jit/api/function_impl.h>

#include <cstddef>
#include <exception>

#include "torch/quiet.h"

namespace tonnx::torch {
namespace {

namespace jit = ::torch::jit;

constexpr std::size_t kShallow = 1000;    // operators that every stack has room for
constexpr std::size_t kFrames = 2 << 10;  // bytes of stack for each operator; 700 are seen in use
constexpr std::size_t kBase = 16 << 20;

std::size_t count_nodes(const jit::Block& block) {
  std::size_t count = 0;
  for (const jit::Node* node : block.nodes()) {
    ++count;
    for (const jit::Block* inner : node->blocks()) count += count_nodes(*inner);
  }
  return count;
}

struct Call {
  const std::function<void()>& run;
  at::ThreadLocalState state;
  std::exception_ptr thrown;
};

void* enter(void* data) {
  auto& call = *static_cast<Call*>(data);
  try {
    const at::ThreadLocalStateGuard state(call.state);
    begin_quiet();  // as long as the thread lives
    call.run();
  } catch (...) {
    call.thrown = std::current_exception();
  }
  return nullptr;
}

}  // namespace

void run_deep(jit::Function& function, const std::function<void()>& run) {
  jit::GraphFunction* const graph_function = jit::tryToGraphFunction(function);
  const std::size_t nodes = graph_function ? count_nodes(*graph_function->optimized_graph()->block()) : 0;
  if (nodes <= kShallow) return run();
  Call call{run, {}, nullptr};
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  const bool started = pthread_attr_setstacksize(&attributes, kBase + nodes * kFrames) == 0 &&
                       pthread_create(&thread, &attributes, &enter, &call) == 0;
  pthread_attr_destroy(&attributes);
  if (!started) return run();
  pthread_join(thread, nullptr);
  if (call.thrown) std::rethrow_exception(call.thrown);
}

}  // namespace tonnx::torch
