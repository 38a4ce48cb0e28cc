#pragma once

#include <cstdint>
#include <optional>

#include "ir/facts.h"

namespace tonnx::ir {

class Value;

// What is known of a constant: a tensor's dtype and dims, a number's dtype and rank 0, and the constant itself.
Facts facts_of(Constant constant);

// The same kind and content; tensors by dtype, dims and bytes. A NaN is the same as a NaN.
bool same_constant(const Constant& a, const Constant& b);

// The integer that a value always is; nothing if it is none or not known. `value` may be null.
std::optional<std::int64_t> constant_integer(const Value* value);

}  // namespace tonnx::ir
