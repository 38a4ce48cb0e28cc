#pragma once

#include "lower/op.h"

namespace tonnx::lower {

// Thrown by Builder where inputs that ONNX wants of one dtype have several.
class UnlikeDtypes final : public Refusal {
 public:
  using Refusal::Refusal;
};

}  // namespace tonnx::lower
