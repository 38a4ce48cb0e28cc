#pragma once

#include "lower/op.h"

namespace tonnx::lower {

// Thrown by Builder if inputs that ONNX requires to have the same dtype have different ones.
class UnlikeDtypes final : public Refusal {
 public:
  using Refusal::Refusal;
};

}  // namespace tonnx::lower
