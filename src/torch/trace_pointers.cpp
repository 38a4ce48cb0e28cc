// Pointers that the host takes to the memory of recorded values.
#include <algorithm>

#include "torch/trace_memory.h"

namespace tonnx::torch {

void TraceMemory::watch(const at::Tensor& tensor) {
  if (!is_plain_tensor(tensor)) return;
  const MemoryBlock* block = blocks_.find(tensor);
  if (block && (block->depends_on_input || block->drawn)) pointer_watch_.add(tensor.storage(), block->made);
}

void TraceMemory::enter_operator(const std::vector<at::Tensor>& arguments, bool uses_others) {
  const std::lock_guard lock(mutex_);
  note_pointers(false);
  if (uses_others) pointer_watch_.suspend_all();
  for (const at::Tensor& tensor : arguments)
    if (is_plain_tensor(tensor)) pointer_watch_.suspend(tensor.storage());
}

void TraceMemory::leave_operator(const std::vector<at::Tensor>& changed) {
  const std::lock_guard lock(mutex_);
  for (const at::Tensor& tensor : changed) watch(tensor);
  if (pauses_ == 0) pointer_watch_.resume();
}

void TraceMemory::pause_pointers() {
  const std::lock_guard lock(mutex_);
  note_pointers(true);
  pointer_watch_.suspend_all();
  ++pauses_;
}

void TraceMemory::continue_pointers() {
  const std::lock_guard lock(mutex_);
  if (--pauses_ == 0) pointer_watch_.resume();
}

void TraceMemory::note_pointers(bool look_at_all) {
  const std::lock_guard lock(mutex_);
  for (const JitValue* value : pointer_watch_.taken(look_at_all)) {
    std::string description = describe(value);
    if (std::ranges::find(pointers_, description) == pointers_.end()) pointers_.push_back(std::move(description));
  }
}

void TraceMemory::used_elsewhere(const at::Tensor& tensor) {
  const std::lock_guard lock(mutex_);
  if (is_plain_tensor(tensor)) pointer_watch_.exclude(tensor.storage());
}

void TraceMemory::stop_pointers() {
  const std::lock_guard lock(mutex_);
  pointer_watch_.stop();
}

}  // namespace tonnx::torch
