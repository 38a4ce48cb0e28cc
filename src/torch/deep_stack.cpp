#include "torch/deep_stack.h"

#include <atomic>
#include <cstddef>
#include <ctime>
#include <exception>
#include <pthread.h>

#include <ATen/ThreadLocalState.h>
#include <torch/csrc/jit/api/function_impl.h>

#include "torch/checkpoint.h"
#include "torch/quiet.h"

namespace tonnx::torch {
namespace {

namespace jit = ::torch::jit;

constexpr std::size_t kShallow = 1000;    // operators that fit on every stack
constexpr std::size_t kFrames = 2 << 10;  // bytes of stack for each operator; 700 were measured
// While operators are recorded: of a megabyte, 2,500 were measured to fit and 2,600 not; 20,000 fit in eight.
constexpr std::size_t kRecordedFrames = 410;
constexpr std::size_t kCallers = 32 << 10;
constexpr std::size_t kBase = 16 << 20;

std::size_t count_nodes(const jit::Block& block) {
  std::size_t count = 0;
  for (const jit::Node* node : block.nodes()) {
    ++count;
    for (const jit::Block* inner : node->blocks()) count += count_nodes(*inner);
  }
  return count;
}

std::size_t nodes_of(jit::Function& function) {
  jit::GraphFunction* const graph_function = jit::tryToGraphFunction(function);
  return graph_function ? count_nodes(*graph_function->optimized_graph()->block()) : 0;
}

struct Call {
  const std::function<void()>& run;
  at::ThreadLocalState state;
  std::exception_ptr thrown;
  std::atomic<bool> stop = false;
};

void* enter(void* data) {
  auto& call = *static_cast<Call*>(data);
  try {
    const at::ThreadLocalStateGuard state(call.state);
    begin_quiet();  // for the life of the thread
    const RunsElsewhere elsewhere(call.stop);
    call.run();
  } catch (...) {
    call.thrown = std::current_exception();
  }
  return nullptr;
}

// Waits for the thread. If the observer of this thread cancels meanwhile, stops the other one and returns the
// exception.
std::exception_ptr join(pthread_t thread, std::atomic<bool>& stop) {
  constexpr long kInterval = 20'000'000;  // nanoseconds
  constexpr long kSecond = 1'000'000'000;
  std::exception_ptr cancelled;
  while (is_observed() && !cancelled) {
    timespec until{};
    ::clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += kInterval;
    until.tv_sec += until.tv_nsec / kSecond;
    until.tv_nsec %= kSecond;
    if (::pthread_timedjoin_np(thread, nullptr, &until) == 0) return nullptr;
    try {
      checkpoint_while_waiting();
    } catch (...) {
      cancelled = std::current_exception();
      stop = true;
    }
  }
  ::pthread_join(thread, nullptr);
  return cancelled;
}

}  // namespace

bool has_stack_for(jit::Function& function) {
  const std::size_t nodes = nodes_of(function);
  pthread_attr_t attributes;
  if (nodes <= kShallow || pthread_getattr_np(pthread_self(), &attributes) != 0) return true;
  std::size_t size = 0;
  const bool known = pthread_attr_getstacksize(&attributes, &size) == 0;
  pthread_attr_destroy(&attributes);
  return !known || nodes * kRecordedFrames + kCallers < size;
}

void run_deep(jit::Function& function, const std::function<void()>& run) {
  const std::size_t nodes = nodes_of(function);
  if (nodes <= kShallow) return run();
  Call call{.run = run, .state = {}, .thrown = nullptr};
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  const bool started = pthread_attr_setstacksize(&attributes, kBase + nodes * kFrames) == 0 &&
                       pthread_create(&thread, &attributes, &enter, &call) == 0;
  pthread_attr_destroy(&attributes);
  if (!started) return run();
  const std::exception_ptr cancelled = join(thread, call.stop);
  if (cancelled) std::rethrow_exception(cancelled);
  if (call.thrown) std::rethrow_exception(call.thrown);
}

}  // namespace tonnx::torch
