#include "torch/trace_watch.h"

#include <algorithm>
#include <mutex>
#include <thread>

#include <ATen/record_function.h>

#include "torch/tensors_in.h"

namespace tonnx::torch {

namespace {

struct Watched {
  std::thread::id thread;
  const TraceMemory* key;
  std::weak_ptr<TraceMemory> memory;
};

struct Registry {
  std::mutex mutex;
  std::vector<Watched> watched;
  at::CallbackHandle handle = 0;
};

Registry& registry() {
  static Registry* const instance = new Registry();  // never destroyed, since other threads may use it at exit
  return *instance;
}

// A call on another thread, for the recordings whose tensors it reads.
struct Call final : at::ObserverContext {
  std::vector<std::shared_ptr<TraceMemory>> readers;
};

std::unique_ptr<at::ObserverContext> before_operator(const at::RecordFunction& function) {
  std::vector<std::shared_ptr<TraceMemory>> others;
  {
    const std::lock_guard lock(registry().mutex);
    for (const Watched& each : registry().watched)
      if (each.thread != std::this_thread::get_id())
        if (auto memory = each.memory.lock()) others.push_back(std::move(memory));
  }
  auto call = std::make_unique<Call>();
  for (auto& memory : others) {
    bool depends = false;
    for (const c10::IValue& input : arguments_of(function))
      for_each_tensor(input, [&](const at::Tensor& tensor) {
        if (!memory->holds_computed(tensor)) return;
        memory->used_elsewhere(tensor);
        depends = true;
      });
    if (depends) call->readers.push_back(std::move(memory));
  }
  if (call->readers.empty()) return nullptr;
  return call;
}

void after_operator(const at::RecordFunction& function, at::ObserverContext* context) {
  if (!context) return;
  for (const auto& memory : static_cast<const Call&>(*context).readers)
    for (const c10::IValue& output : results_of(function))
      for_each_tensor(output, [&](const at::Tensor& tensor) { memory->computed_elsewhere(tensor, function.name()); });
}

}  // namespace

TraceWatch::TraceWatch(const std::shared_ptr<TraceMemory>& memory) : memory_(memory.get()) {
  const std::lock_guard lock(registry().mutex);
  if (registry().watched.empty())
    registry().handle = at::addGlobalCallback(
        at::RecordFunctionCallback(&before_operator, &after_operator).needsInputs(true).needsOutputs(true));
  registry().watched.push_back({std::this_thread::get_id(), memory_, memory});
}

TraceWatch::~TraceWatch() {
  const std::lock_guard lock(registry().mutex);
  std::erase_if(registry().watched, [&](const Watched& each) { return each.key == memory_; });
  if (registry().watched.empty()) at::removeCallback(registry().handle);
}

}  // namespace tonnx::torch
