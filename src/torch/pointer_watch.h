#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include <c10/core/Storage.h>
#include <torch/csrc/jit/ir/ir.h>

// Internal: includes LibTorch.
namespace tonnx::torch {

// Detects pointers that the host takes to the memory of recorded tensors: data_ptr(), an accessor, DLPack. Between
// operators, watched storages are copy-on-write with one owner. LibTorch makes such a storage ordinary, without a copy,
// when a mutable pointer to it is requested. While an operator runs, its tensors are ordinary, so that kernels may
// request pointers from several threads. Not detected: const_data_ptr(), and memory that does not come from LibTorch's
// allocator for the host. Not thread-safe.
class PointerWatch {
 public:
  using JitValue = ::torch::jit::Value;

  ~PointerWatch() { stop(); }

  // Watches a storage from the next call of resume() on. Keeps it alive until the next call of taken(). `value`: the
  // first recorded value in it.
  void add(const c10::Storage& storage, const JitValue* value);
  // Makes a storage ordinary, for an operator on this thread.
  void suspend(const c10::Storage& storage);
  // Makes all storages ordinary, for an operator that may use any of them.
  void suspend_all();
  // The same, for good: another thread uses it.
  void exclude(const c10::Storage& storage);
  // After an operator: makes the watched storages copy-on-write again.
  void resume();
  // Before an operator: the values of storages to which the host has taken a pointer since resume(). Drops storages
  // without other owners.
  std::vector<const JitValue*> taken();
  // Makes all storages ordinary and drops them.
  void stop();

 private:
  struct Watched {
    c10::Storage storage;
    const JitValue* value;
    bool is_marked = false;    // was made copy-on-write
    bool is_excluded = false;  // stays ordinary
  };

  Watched& entry(const c10::Storage& storage, const JitValue* value);
  void unmark(std::size_t place);
  void drop(std::size_t place);

  std::vector<Watched> watched_;
  std::unordered_map<const c10::StorageImpl*, std::size_t> places_;  // in watched_
  std::vector<const c10::StorageImpl*> ordinary_;                    // to be marked by resume(); some may be dropped
};

}  // namespace tonnx::torch
