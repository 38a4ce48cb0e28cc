#pragma once

#include <string_view>

namespace tonnx::aten {

// How an operator's integer division traps in LibTorch: without a valid quotient the processor ends the process.
// Arguments of other types are safe.
enum class Divides {
  Nothing,
  Numbers,     // (a, b, ...): traps for INT_MIN / -1
  Remainders,  // the same, and for a divisor of 0
  Both,        // each divided by the other
  Truncated,   // (self, other, *, rounding_mode): the same for int32 and int64 tensors if the mode is "trunc"
  Steps,       // (start, end, step, *, dtype, ...): divides by the step, cast to an integer dtype
  Slices,      // (v, g, dim): divides by the size of `dim`, which may be 0
  Attention,   // (query, key, ...): divides by the numbers of heads, queries and keys, which may be 0
};

// For an operator's overload, by name ("aten::remainder", "int").
Divides divides(std::string_view name, std::string_view overload);

}  // namespace tonnx::aten
