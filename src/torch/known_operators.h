#pragma once

#include <string>

namespace tonnx::torch {

// Registers the schemas of the widely used library that defines `op` ("torchvision::nms"), as far as they are absent.
// False if no such library is known or its operators are all there.
bool register_known_operators(const std::string& op);

}  // namespace tonnx::torch
