#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "ir/function.h"

namespace tonnx::onnx {

// The first IR version with functions belongs to this opset.
inline constexpr int kFirstWithFunctions = 15;

// Reads ONNX functions: one serialized FunctionProto, or one or more in ONNX text format. Throws Error(Code::Argument)
// if they are neither, if ONNX's checker refuses a body, and for a domain or name that a host's function cannot have.
std::vector<ir::Function> read_functions(std::span<const std::byte> bytes);

// Why the function cannot be called in a model of this opset, and what to do; empty if it can.
std::string misfit(const ir::Function& function, int opset);

}  // namespace tonnx::onnx
