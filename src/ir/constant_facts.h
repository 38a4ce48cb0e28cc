#pragma once

#include "ir/facts.h"

namespace tonnx::ir {

// What is known of a constant: a tensor's dtype and dims, a number's dtype and rank 0, and the constant itself.
Facts facts_of(Constant constant);

// The same kind and content; tensors by dtype, dims and bytes. A NaN is the same as a NaN.
bool same_constant(const Constant& a, const Constant& b);

}  // namespace tonnx::ir
