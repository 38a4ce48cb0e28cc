#pragma once

#include <string_view>

namespace tonnx::aten {

// True for an aten operator whose float32 operands autocast casts to the region's dtype on every device.
bool is_narrowed_by_autocast(std::string_view kind);

}  // namespace tonnx::aten
