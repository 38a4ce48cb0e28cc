#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace tonnx::program {

// The texts that a value may be, whatever a run decides, in the order in which they are found; nothing where they are
// not known, or are more than `most`.
std::optional<std::vector<std::string>> possible_strings(const ir::Value& value, std::size_t most);

}  // namespace tonnx::program
