#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "torch/stand_in.h"

// Internal: includes LibTorch.
namespace tonnx::torch {

// During its lifetime, matrix products and convolutions of this thread are not computed: they return numbers from -8 to
// 8, which increase or decrease from element to element, with the dtype, sizes and strides of their results. Has no
// effect if another library uses the dispatch key (stand_in.h). If another thread frees it, the first thread computes
// again.
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
