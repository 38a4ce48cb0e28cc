#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace tonnx::program {

// Returns all strings that a dynamic value may be, without duplicates; empty if they are not known or more than `most`.
std::optional<std::vector<std::string>> possible_strings(const ir::Value& value, std::size_t most);

}  // namespace tonnx::program
