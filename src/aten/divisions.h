#pragma once

#include <string_view>

namespace tonnx::aten {

// How LibTorch divides an operator's integers without asking whether there is a quotient: where there is none, the
// processor ends the process. Arguments of other types are safe.
enum class Divides {
  Nothing,
  Numbers,     // (a, b, ...): ends for the least integer by -1
  Remainders,  // the same, and for a divisor of 0
  Both,        // each by the other
  Truncated,   // (self, other, *, rounding_mode): the same of tensors of int32 and int64 where the mode is "trunc"
  Steps,       // (start, end, step, *, dtype, ...): by the step as an integer of the dtype
};

// Of an operator's overload, by name ("aten::remainder", "int").
Divides divides(std::string_view name, std::string_view overload);

}  // namespace tonnx::aten
