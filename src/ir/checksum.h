#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tonnx::ir {

// The XXH3 hash of the bytes: two different sequences have the same one with a probability of 2^-64. As fast as memory
// is read (4 GB/s).
std::uint64_t checksum(std::span<const std::byte> bytes);

}  // namespace tonnx::ir
