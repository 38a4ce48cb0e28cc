#pragma once

#include <string_view>

namespace tonnx::ir {

// True for a file of LibTorch's own Python, which is not the user's code.
bool is_torch_package(std::string_view file);

}  // namespace tonnx::ir
