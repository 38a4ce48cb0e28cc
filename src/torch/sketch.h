#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "torch/stand_in.h"

// Internal: includes LibTorch.
namespace tonnx::torch {

// While it lives, matrix products and convolutions of this thread are not computed: they give numbers from -8 to 8,
// which rise or fall from element to element, with the dtype, sizes and strides of their results. Of no effect where
// LibTorch does not let tonnx stand in for them. Freed by another thread, it leaves the first one computing again.
class Sketch {
 public:
  explicit Sketch(bool rising);
  ~Sketch();
  Sketch(const Sketch&) = delete;
  Sketch& operator=(const Sketch&) = delete;

 private:
  std::shared_ptr<std::atomic<bool>> goes_on_;
  std::optional<StandIn> stands_;
};

}  // namespace tonnx::torch
