#pragma once

#include <string>
#include <string_view>

namespace tonnx::exporting {

bool is_utf8(std::string_view text);

// Returns the text if it is valid UTF-8; else replaces its non-ASCII bytes by \xff escapes.
std::string as_utf8(std::string_view text);

}  // namespace tonnx::exporting
