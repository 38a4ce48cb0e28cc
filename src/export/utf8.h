#pragma once

#include <string>
#include <string_view>

namespace tonnx::exporting {

bool is_utf8(std::string_view text);

// The text, where it is UTF-8; else with its bytes beyond ASCII as \xff.
std::string as_utf8(std::string_view text);

}  // namespace tonnx::exporting
