// Pointers that the host takes to the memory of recorded values.
#include <algorithm>

#include "torch/trace_memory.h"

namespace tonnx::torch {

void TraceMemory::watch(const at::Tensor& tensor) {
  if (!is_plain_tensor(tensor)) return;
  const MemoryBlock* block = blocks_.find(tensor);
  if (block && (block->depends_on_input || block->drawn)) pointer_watch_.add(tensor.storage(), block->made);
}

void TraceMemory::enter_operator(const std::vector<at::Tensor>& arguments, bool uses_objects) {
  const std::lock_guard lock(mutex_);
  note_pointers();
  if (uses_objects) pointer_watch_.suspend_all();
  for (const at::Tensor& tensor : arguments)
    if (is_plain_tensor(tensor)) pointer_watch_.suspend(tensor.storage());
}

void TraceMemory::leave_operator(const std::vector<at::Tensor>& changed) {
  const std::lock_guard lock(mutex_);
  for (const at::Tensor& tensor : changed) watch(tensor);
  pointer_watch_.resume();
}

void TraceMemory::note_pointers() {
  const std::lock_guard lock(mutex_);
  for (const JitValue* value : pointer_watch_.taken()) {
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
