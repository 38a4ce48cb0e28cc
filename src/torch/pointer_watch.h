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

  // Watches a storage from the next call of resume() on. Keeps it alive until taken() looks at it. `value`: the first
  // recorded value in it.
  void add(const c10::Storage& storage, const JitValue* value);
  // Makes a storage ordinary, for an operator on this thread.
  void suspend(const c10::Storage& storage);
  // Makes all storages ordinary, for an operator that may use any of them.
  void suspend_all();
  // The same, for good: another thread uses it.
  void exclude(const c10::Storage& storage);
  // After an operator: makes the watched storages copy-on-write again.
  void resume();
  // The values of storages to which the host has taken a pointer between resume() and suspend(), each once. Drops
  // storages without other owners. Looks at the newest kWindow storages and at as many others in turn, so that a trace
  // with many live tensors takes linear time, or at all of them.
  std::vector<const JitValue*> taken(bool look_at_all);
  // Makes all storages ordinary and drops them.
  void stop();

 private:
  struct Watched {
    c10::Storage storage;
    const JitValue* value;
    bool is_marked = false;    // was made copy-on-write
    bool is_excluded = false;  // stays ordinary
  };

  static constexpr std::size_t kWindow = 128;

  Watched& entry(const c10::Storage& storage, const JitValue* value);
  void look_at(std::size_t begin, std::size_t end);
  void unmark(std::size_t place);
  void drop(std::size_t place);

  std::vector<Watched> watched_;
  std::unordered_map<const c10::StorageImpl*, std::size_t> places_;  // in watched_
  std::vector<const c10::StorageImpl*> ordinary_;                    // to be marked by resume(); some may be dropped
  std::vector<const JitValue*> taken_;                               // not returned by taken() yet
  std::size_t next_ = 0;                                             // where the next turn of taken() begins
};

}  // namespace tonnx::torch
