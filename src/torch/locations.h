#pragma once

#include <torch/csrc/jit/frontend/source_range.h>

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "ir/location.h"

// Where nodes come from, in the user's terms. Internal: includes LibTorch.
namespace tonnx::torch {

using SourceText = std::shared_ptr<const std::string>;

// Turns source ranges into "model.py:12", sharing equal texts. For one import.
class SourceLines {
 public:
  // The line of the user's own code: of a recorded Python stack the innermost frame outside the torch package, and
  // null for a range inside of it (the caller's own line says more).
  SourceText of(const ::torch::jit::SourceRange& range);

 private:
  SourceText intern(const std::string& file, std::size_t line);

  std::map<std::pair<std::string, std::size_t>, SourceText> lines_;
};

}  // namespace tonnx::torch
