#pragma once

#include <cstddef>
#include <vector>

namespace tonnx::program {

// A subset: true for each item that it contains.
using Subset = std::vector<bool>;

// Returns every subset of `count` items except the empty one, the smallest first.
std::vector<Subset> every_choice(std::size_t count);

// Returns every subset except the empty and the full one. For more than four items only those that contain one item,
// and those that lack one.
std::vector<Subset> choices_of_some(std::size_t count);

}  // namespace tonnx::program
