#pragma once

#include <string_view>

namespace tonnx::torch {

// True if an expression of TorchScript code may be nested more than 300 levels deep, or a statement more than 1000
// blocks: LibTorch parses and compiles code recursively, without a bound.
bool is_nested_too_deeply(std::string_view source);

}  // namespace tonnx::torch
