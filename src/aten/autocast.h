#pragma once

#include <string_view>

namespace tonnx::aten {

// True of an operator of aten that autocast runs in the region's dtype, on every device, where its operands are
// float32.
bool is_narrowed_by_autocast(std::string_view kind);

}  // namespace tonnx::aten
