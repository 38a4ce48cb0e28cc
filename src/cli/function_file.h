#pragma once

#include <string>
#include <vector>

#include "tonnx.hpp"

namespace tonnx::cli {

// The values of the flag --function: FILE, or FILE:DOMAIN::OP for an operator that becomes a call of the file's last
// function. Throws Error with the file's name.
Registry registry_of(const std::vector<std::string>& functions);

}  // namespace tonnx::cli
