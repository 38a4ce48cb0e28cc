#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include <ATen/core/operator_name.h>

// Internal: includes LibTorch.
namespace tonnx::torch {

// Effects of a recorded call on memory.
struct OperatorTraits {
  std::vector<std::size_t> written;     // indices of arguments
  std::vector<std::size_t> statistics;  // arguments that a normalisation writes to although the schema does not say so
  std::size_t training = 0;             // index of the argument that enables this
  // Creates a tensor whose elements do not depend on other tensors: empty, zeros_like, new_full, arange.
  bool creates = false;
  // Draws random numbers.
  bool random = false;
  // Returns uninitialised elements.
  bool uninitialised = false;
  // Changes the sizes of a tensor: resize_.
  bool resizes = false;
  // Replaces the memory of a tensor: set_.
  bool replaces_memory = false;
  // May have results whose sizes depend on elements: nonzero, unique, index with a mask.
  bool sized_by_data = false;
  // Returns the scale or the zero point of a quantised tensor to the host.
  bool reads_scale = false;
};

// For one thread.
class OperatorTraitsTable {
 public:
  // Traits of an operator that LibTorch knows; for others all are unset.
  const OperatorTraits& of(const c10::OperatorName& name);

 private:
  std::unordered_map<c10::OperatorName, OperatorTraits> traits_;
};

}  // namespace tonnx::torch
