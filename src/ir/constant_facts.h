#pragma once

#include "ir/facts.h"

namespace tonnx::ir {

// What is known of a constant: a tensor's dtype and dims, a number's dtype and rank 0, and the constant itself.
Facts facts_of(Constant constant);

}  // namespace tonnx::ir
