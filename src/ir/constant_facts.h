#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "ir/facts.h"

namespace tonnx::ir {

class Value;

// The facts of a constant: dtype and dims of a tensor, dtype and rank 0 of a scalar, and the constant itself.
Facts facts_of(Constant constant);

// True if both have the same kind and content; tensors are compared by dtype, dims and bytes. NaN equals NaN, and -0.0
// differs from 0.0.
bool same_constant(const Constant& a, const Constant& b);

// True if LibTorch takes both constants for the same key of a dict: 0.0 and -0.0 are, and NaN is never found again.
bool same_key(const Constant& a, const Constant& b);

// The integer that a value is in every run; nullopt if it is not an integer or unknown. `value` may be null.
std::optional<std::int64_t> constant_integer(const Value* value);

// The string that a value is in every run; null if it is not a string or unknown. `value` may be null.
const std::string* constant_text(const Value* value);

// The truth value that a value has in every run; nullopt if it has none or it is unknown. `value` may be null.
std::optional<bool> constant_truth(const Value* value);

// True if the value is always None, by its type or its constant. Also true for null, an omitted argument.
bool is_none(const Value* value);

// The non-negative index of item `index` of `count`; a negative one counts from the end. Nullopt if out of range.
std::optional<std::size_t> item_at(std::int64_t index, std::size_t count);

}  // namespace tonnx::ir
