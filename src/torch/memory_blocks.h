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

// A storage that a recording has met.
struct MemoryBlock {
  // Bytes that are looked at together, and what they were when the recording last knew them.
  struct Span {
    ByteRange range;
    std::uint64_t checksum = 0;
    at::Tensor root;    // through which the host may write; undefined: it may not
    c10::Storage copy;  // of a tensor from outside
  };
  struct Seen {
    Layout layout;
    ::torch::jit::Value* value;
  };

  explicit MemoryBlock(c10::weak_intrusive_ptr<c10::StorageImpl> of) : storage(std::move(of)) {}

  c10::weak_intrusive_ptr<c10::StorageImpl> storage;
  const ::torch::jit::Value* made = nullptr;  // the first value in it; null for one from outside
  bool recorded = false;  // its contents are those of recorded values: inputs, results, what was written
  bool depends_on_input = false;
  bool drawn = false;     // random numbers are behind the contents
  bool declared = false;  // holds declared weights
  std::string untraced;   // the operator that made it while nothing was recorded
  std::string touched;    // the operator, not recorded, that may have written what follows from an input to it
  bool written = false;   // by an operator
  const ::torch::jit::Value* written_root = nullptr;  // of several tensors from outside, the one that was written to
  std::vector<Span> spans;
  std::vector<Seen> seen;

  // One span of all that the storage, which lives, holds now; in the place of others.
  void add_whole_span();
  // The latest value that looks at the memory in this way; null if there is none.
  ::torch::jit::Value* value_of(const Layout& layout) const;
};

// The storages a recording has met, as long as they live.
class MemoryBlocks {
 public:
  MemoryBlock* find(const at::Tensor& tensor);
  MemoryBlock& find_or_add(const at::Tensor& tensor);
  // A block of recorded memory that overlaps the tensor's from another storage; null if there is none.
  MemoryBlock* find_overlap(const at::Tensor& tensor);

 private:
  std::unordered_map<const c10::StorageImpl*, MemoryBlock> blocks_;
};

}  // namespace tonnx::torch
