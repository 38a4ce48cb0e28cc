#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <ATen/core/Tensor.h>

#include "backend/recording.h"

// Internal: includes LibTorch.
namespace tonnx::torch {

// Temporarily replaces elements of a tensor; the destructor restores them.
class ReplacedElements {
 public:
  // Replaces `bytes` of the tensor's storage, from its first element on.
  ReplacedElements(const at::Tensor& tensor, const std::vector<std::byte>& bytes);
  ~ReplacedElements();
  ReplacedElements(const ReplacedElements&) = delete;
  ReplacedElements& operator=(const ReplacedElements&) = delete;

 private:
  at::Tensor tensor_;
  std::vector<std::byte> before_;
};

// Reads by which recorded code gets numbers from its tensors: item(), equal() and operators based on them.
class HostReads {
 public:
  // True if the operator returns a number to the host that depends on elements of its tensors.
  static bool is_read(std::string_view op);

  // See backend::Recording::replace_reads().
  void replace(backend::Reads reads, std::size_t count) { replacing_ = {reads, count}; }
  // Begins the next read of a recorded tensor, alone or compared with another. During the lifetime of the result, the
  // operator returns another number; null: the true one.
  std::unique_ptr<ReplacedElements> next(const std::string& description, const at::Tensor& tensor, bool compared);

  // Notes a read of a number that is not an element, so that it cannot be replaced: the scale of a quantised tensor.
  void note_fixed(const std::string& description) { fixed_.insert(description); }

  std::size_t count() const { return count_; }
  const std::vector<std::string>& descriptions() const { return descriptions_; }  // without duplicates
  const std::set<std::string>& fixed() const { return fixed_; }

 private:
  struct Replacing {
    backend::Reads reads;
    std::size_t count;
  };

  backend::Reads now() const;

  std::optional<Replacing> replacing_;
  std::size_t count_ = 0;
  std::vector<std::string> descriptions_;
  std::set<std::string> fixed_;
};

}  // namespace tonnx::torch
