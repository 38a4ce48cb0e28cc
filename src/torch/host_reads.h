#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ATen/core/Tensor.h>

#include "backend/recording.h"

// Internal: includes LibTorch.
namespace tonnx::torch {

// Elements of a tensor that are others as long as this lives.
class ReplacedElements {
 public:
  // `bytes` of the tensor's storage, from its first element on.
  ReplacedElements(const at::Tensor& tensor, const std::vector<std::byte>& bytes);
  ~ReplacedElements();
  ReplacedElements(const ReplacedElements&) = delete;
  ReplacedElements& operator=(const ReplacedElements&) = delete;

 private:
  at::Tensor tensor_;
  std::vector<std::byte> before_;
};

// The reads by which recorded code gets numbers of its tensors: item(), equal() and what is made of them.
class HostReads {
 public:
  // Whether the operator gives the host a number that its tensors' elements decide.
  static bool is_read(std::string_view op);

  // See backend::Recording::replace_reads().
  void replace(backend::Reads reads, std::size_t count) { replacing_ = {reads, count}; }
  // The next read, of a recorded tensor that is alone or compared with another. As long as the result lives, the
  // operator gives another number; null: the true one.
  std::unique_ptr<ReplacedElements> next(const std::string& description, const at::Tensor& tensor, bool compared);

  std::size_t count() const { return count_; }
  const std::vector<std::string>& descriptions() const { return descriptions_; }  // each once

 private:
  struct Replacing {
    backend::Reads reads;
    std::size_t count;
  };

  backend::Reads now() const;

  std::optional<Replacing> replacing_;
  std::size_t count_ = 0;
  std::vector<std::string> descriptions_;
};

}  // namespace tonnx::torch
