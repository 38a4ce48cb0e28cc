#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "lower/op.h"

namespace tonnx::lower {

// A scalar of the source program, and the tensor axis whose size it equals in every run. `of` is null if there is none;
// `value` is null if the scalar has no value of its own in the program.
struct SizeNumber {
  const ir::Value* value = nullptr;
  const ir::Value* of = nullptr;
  std::size_t axis = 0;
};

SizeNumber number_of(const ir::Value* value);

// The scalars of an int[] argument, one for each of `axes`; a single one counts for all. Empty if the list is not built
// from its items or sliced from a tensor's shape.
std::vector<SizeNumber> numbers_of(const Op& op, std::string_view argument, std::size_t axes);

}  // namespace tonnx::lower
