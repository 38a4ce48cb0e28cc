#pragma once

#include <string>

namespace tonnx::torch {

// Registers missing schemas of the well-known library that defines `op` ("torchvision::nms"). Returns false if no such
// library is known or all its operators are registered.
bool register_known_operators(const std::string& op);

}  // namespace tonnx::torch
