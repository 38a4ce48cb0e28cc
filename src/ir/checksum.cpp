#include "ir/checksum.h"

#include <bit>
#include <cstring>

namespace tonnx::ir {

std::uint64_t checksum(std::span<const std::byte> bytes) {
  constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15u;
  const std::byte* at = bytes.data();
  std::uint64_t lanes[4] = {1, 2, 3, bytes.size()};
  std::size_t left = bytes.size();
  const auto mix = [&](std::size_t lane, std::uint64_t word) { lanes[lane] = std::rotl((lanes[lane] ^ word) * kOdd, 29); };
  for (; left >= 32; left -= 32, at += 32) {
    std::uint64_t words[4];
    std::memcpy(words, at, 32);
    for (std::size_t i = 0; i < 4; ++i) mix(i, words[i]);
  }
  if (left > 0) {
    std::uint64_t words[4] = {};
    std::memcpy(words, at, left);
    for (std::size_t i = 0; i < 4; ++i) mix(i, words[i]);
  }
  for (std::size_t i = 1; i < 4; ++i) mix(0, lanes[i]);
  return lanes[0];
}

}  // namespace tonnx::ir
