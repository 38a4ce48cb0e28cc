#pragma once

#include <cstdint>
#include <string>

namespace tonnx::onnx::wire {

// Protobuf's wire format; source: protobuf encoding specification.
enum class Kind : std::uint32_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

// Field numbers of onnx.proto.
inline constexpr std::uint32_t kModelGraph = 7, kGraphInitializer = 5, kTensorRawData = 9;

// The largest message protobuf reads.
inline constexpr std::uint64_t kMaxMessage = 0x7fffffff;

inline std::size_t varint_size(std::uint64_t value) {
  std::size_t size = 1;
  for (; value >= 0x80; value >>= 7) ++size;
  return size;
}

inline void put_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

// The tag and length before `size` bytes of a field.
inline void put_header(std::string& out, std::uint32_t field, std::uint64_t size) {
  put_varint(out, field << 3 | static_cast<std::uint32_t>(Kind::Bytes));
  put_varint(out, size);
}

inline std::size_t header_size(std::uint32_t field, std::uint64_t size) {
  return varint_size(field << 3) + varint_size(size);
}

}  // namespace tonnx::onnx::wire
