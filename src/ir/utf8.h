#pragma once

#include <string>
#include <string_view>

namespace tonnx::ir {

// Bytes of the first character of a text that is not empty; 0 if it is not valid UTF-8.
std::size_t character_size(std::string_view text);

bool is_utf8(std::string_view text);

// Returns the text if it is valid UTF-8; else replaces its non-ASCII bytes by \xff escapes.
std::string as_utf8(std::string_view text);

}  // namespace tonnx::ir
