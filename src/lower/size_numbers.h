#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "lower/op.h"

namespace tonnx::lower {

// A number of the source program, and the axis of the tensor whose size it is in every run; `of` is null where it is
// none, and `value` where no value of the program is the number alone.
struct SizeNumber {
  const ir::Value* value = nullptr;
  const ir::Value* of = nullptr;
  std::size_t axis = 0;
};

SizeNumber number_of(const ir::Value* value);

// The numbers of an int[] argument, one for each of `axes`; a single one counts for all. None where the list is made in
// another way than by its items, or as a part of a tensor's shape.
std::vector<SizeNumber> numbers_of(const Op& op, std::string_view argument, std::size_t axes);

}  // namespace tonnx::lower
