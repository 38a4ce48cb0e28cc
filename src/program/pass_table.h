#pragma once

#include <span>
#include <string_view>

#include "program/pass.h"

namespace tonnx::program {

// All passes of src/program. pipeline.h has their order.
std::span<const Pass> pass_table();

// Returns the row of a name. Throws Error(Code::Internal) if there is none.
const Pass& find_pass(std::string_view name);

}  // namespace tonnx::program
