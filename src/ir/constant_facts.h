#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "ir/facts.h"

namespace tonnx::ir {

class Value;

// What is known of a constant: a tensor's dtype and dims, a number's dtype and rank 0, and the constant itself.
Facts facts_of(Constant constant);

// The same kind and content; tensors by dtype, dims and bytes. A NaN is the same as a NaN, and -0.0 is another number
// than 0.0.
bool same_constant(const Constant& a, const Constant& b);

// The integer that a value always is; nothing if it is none or not known. `value` may be null.
std::optional<std::int64_t> constant_integer(const Value* value);

// The text that a value always is; null if it is none or not known. `value` may be null.
const std::string* constant_text(const Value* value);

// The truth value that a value always is; nothing if it is none or not known. `value` may be null.
std::optional<bool> constant_truth(const Value* value);

// Whether the value is always None, by its type or its constant. True of null: an argument that is left out.
bool is_none(const Value* value);

// The place from the front of item `index` of `count`, counted from the end below 0; nothing if there is none.
std::optional<std::size_t> item_at(std::int64_t index, std::size_t count);

}  // namespace tonnx::ir
