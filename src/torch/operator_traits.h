#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include <ATen/core/operator_name.h>

// Internal: includes LibTorch.
namespace tonnx::torch {

// What a recorded call does to memory.
struct OperatorTraits {
  std::vector<std::size_t> written;     // arguments
  std::vector<std::size_t> statistics;  // arguments that a normalisation writes to without saying so
  std::size_t training = 0;             // the argument that says whether it does
  // Makes a tensor whose elements depend on no tensor's: empty, zeros_like, new_full, arange.
  bool creates = false;
  // Draws random numbers.
  bool random = false;
  // Leaves the elements as they came from the allocator.
  bool uninitialised = false;
  // Gives the tensor other sizes: resize_.
  bool resizes = false;
  // Gives the tensor the memory of another, or of none: set_.
  bool replaces_memory = false;
  // May have results whose sizes depend on elements: nonzero, unique, index with a mask.
  bool sized_by_data = false;
};

// For one thread.
class OperatorTraitsTable {
 public:
  // Of an operator that LibTorch knows; else all are unset.
  const OperatorTraits& of(const c10::OperatorName& name);

 private:
  std::unordered_map<c10::OperatorName, OperatorTraits> traits_;
};

}  // namespace tonnx::torch
