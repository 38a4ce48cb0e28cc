#pragma once

#include <cstddef>
#include <vector>

namespace tonnx::program {

// Which of some things are chosen.
using Subset = std::vector<bool>;

// Every choice among so many things but that of none, the fewest first.
std::vector<Subset> every_choice(std::size_t count);

// Those of some and not of all; of more than a few things, each alone and all but each.
std::vector<Subset> choices_of_some(std::size_t count);

}  // namespace tonnx::program
