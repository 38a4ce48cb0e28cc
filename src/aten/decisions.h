#pragma once

#include "ir/graph.h"

namespace tonnx::aten {

// How an operator's numeric arguments affect its result.
enum class Decision {
  None,
  Condition,  // comparison of two numbers
  Truth,      // and, or, not of conditions
  Least,      // the minimum or maximum of numbers
  Range,      // the length of a range: start, end, step
  Quotient,   // a quotient or remainder
  Rounding,   // rounding to an integer
  Bits,       // bits of integers
  Windows,    // the number of windows in the last axes, by the argument "stride", which defaults to "kernel_size"
  Unfolding,  // the same for one axis, by "step"
};

Decision decision_of(const ir::Node& node);

}  // namespace tonnx::aten
