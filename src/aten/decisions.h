#pragma once

#include "ir/graph.h"

namespace tonnx::aten {

// How numbers decide on what an operator gives.
enum class Decision {
  None,
  Condition,  // which of two numbers is the larger one
  Truth,      // several conditions
  Least,      // the least or the largest of numbers
  Range,      // how many numbers lie between two, in steps of a third
  Quotient,   // how often one goes into the other, or what is left over
  Rounding,   // the whole number next to one
  Bits,       // the bits of whole numbers
  Windows,    // how many windows fit into the last axes, by the argument "stride", which may be that of "kernel_size"
  Unfolding,  // the same for one axis, by "step"
};

Decision decision_of(const ir::Node& node);

}  // namespace tonnx::aten
