#pragma once

#include <cstdint>

namespace tonnx::exporting {

// The opsets of the default domain that can be written.
std::int32_t oldest_opset();
std::int32_t newest_opset();
// Throws Error(Code::Argument) outside that range.
void check_opset(std::int32_t opset);

}  // namespace tonnx::exporting
