#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tonnx::ir {

// Differs, but for a chance of 2^-64, where a byte or the number of bytes differs. As fast as memory; for this process
// alone.
std::uint64_t checksum(std::span<const std::byte> bytes);

}  // namespace tonnx::ir
