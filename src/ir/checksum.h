#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tonnx::ir {

// 64-bit hash of bytes and length. Not stable between processes; fast.
std::uint64_t checksum(std::span<const std::byte> bytes);

}  // namespace tonnx::ir
