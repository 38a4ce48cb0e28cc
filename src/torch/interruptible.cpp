#include "torch/interruptible.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/library.h>

#include "torch/checkpoint.h"

namespace tonnx::torch {

namespace {

constexpr c10::DispatchKey kCheckpointKey = c10::DispatchKey::DeferredInit;

void check_and_run(const c10::OperatorHandle& op, c10::DispatchKeySet keys, c10::Stack* stack) {
  checkpoint();
  // An operator that writes to several `out` tensors returns references to its operands, which a boxed call releases
  // before it reads them.
  const auto count = static_cast<std::ptrdiff_t>(op.schema().arguments().size());
  const c10::Stack operands(stack->end() - count, stack->end());
  op.redispatchBoxed(keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, kCheckpointKey), stack);
}

// Once per process, for its whole life: a change of the dispatch table would need all threads to be idle.
bool has_fallback() {
  static const bool made = [] {
    try {
      auto* library = new ::torch::Library(::torch::Library::IMPL, "_", kCheckpointKey, __FILE__, __LINE__);
      library->fallback(::torch::CppFunction::makeFromBoxedFunction<&check_and_run>());
      return true;
    } catch (const c10::Error&) {  // another library uses the key
      return false;
    }
  }();
  return made;
}

}  // namespace

Interruptible::Interruptible() {
  if (is_observed() && has_fallback()) included_.emplace(kCheckpointKey);
}

}  // namespace tonnx::torch
