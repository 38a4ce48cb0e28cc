#pragma once

#include <string_view>

namespace tonnx::torch {

// True if an expression or a statement of TorchScript code may be nested more than 300 levels deep: LibTorch parses
// and compiles code recursively, without a bound. Code of an archive that LibTorch writes has some thirty levels.
bool is_nested_too_deeply(std::string_view source);

}  // namespace tonnx::torch
