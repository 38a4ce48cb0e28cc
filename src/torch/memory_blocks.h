#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <c10/core/StorageImpl.h>
#include <torch/csrc/jit/ir/ir.h>

#include "torch/tensor_bytes.h"

// Internal: includes LibTorch.
namespace tonnx::torch {

// A storage that occurs in a recording.
struct MemoryBlock {
  // A range of bytes that is compared as a whole, and its content when the recording last knew it.
  struct Span {
    ByteRange range;
    std::uint64_t checksum = 0;
    at::Tensor root;    // through which the host may write; undefined: it may not
    c10::Storage copy;  // copy of a tensor from outside
  };
  struct Seen {
    Layout layout;
    ::torch::jit::Value* value;
  };

  explicit MemoryBlock(c10::weak_intrusive_ptr<c10::StorageImpl> of) : storage(std::move(of)) {}

  c10::weak_intrusive_ptr<c10::StorageImpl> storage;
  const ::torch::jit::Value* made = nullptr;  // the first value in it; null for a storage from outside
  bool recorded = false;                      // its content is that of recorded values: inputs, results, writes
  bool depends_on_input = false;
  bool drawn = false;     // the content depends on random numbers
  bool declared = false;  // contains declared weights
  std::string untraced;   // operator that created it while nothing was recorded
  std::string touched;    // unrecorded operator that may have written values that depend on an input
  bool written = false;   // by an operator
  const ::torch::jit::Node* writer = nullptr;  // the last one
  std::vector<std::size_t> returned;           // outputs of functions in it since the last write, by TraceMemory
  const ::torch::jit::Value* written_root =
      nullptr;  // if several tensors from outside use it, the one that was written to
  std::vector<Span> spans;
  std::vector<Seen> seen;

  // Replaces all spans by one with the current content of the whole storage, which must be alive.
  void add_whole_span();
  // The latest value with this layout in the storage; null if there is none.
  ::torch::jit::Value* value_of(const Layout& layout) const;
};

// The storages of a recording, during their lifetime.
class MemoryBlocks {
 public:
  MemoryBlock* find(const at::Tensor& tensor);
  MemoryBlock& find_or_add(const at::Tensor& tensor);
  // Finds a block of recorded memory that overlaps the tensor's but is of another storage; null if there is none.
  MemoryBlock* find_overlap(const at::Tensor& tensor);

 private:
  std::unordered_map<const c10::StorageImpl*, MemoryBlock> blocks_;
};

}  // namespace tonnx::torch
