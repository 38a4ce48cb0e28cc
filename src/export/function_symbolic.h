#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "lower/registry.h"

namespace tonnx::exporting {

// Adds the ONNX functions in these bytes (onnx::read_functions) to the registry. If `op` is not empty, this operator
// becomes a call of the last of them for targets from opset `since` on; 0: for every target, so that an export at an
// opset that the function does not fit is refused. Throws Error(Code::Argument), and adds nothing, for bytes that are
// not functions, for a function that differs from a registered one of its name or calls itself, and if the function
// does not fit `since`.
//
// Arguments whose names are inputs or attributes of the function are passed as these; other tensors are passed as the
// other inputs, in order. An argument that the function does not have must have its default. A call that does not fit
// is refused.
void add_functions(lower::Registry& registry, std::span<const std::byte> bytes, const std::string& op,
                   std::int32_t since);

}  // namespace tonnx::exporting
