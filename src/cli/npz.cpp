#include "cli/npz.h"

#include <array>
#include <cstdint>
#include <fstream>
#include <limits>

namespace tonnx::cli {
namespace {

constexpr std::uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50;
constexpr std::uint16_t kVersion = 20, kUtf8Names = 0x800, kFirstOfJanuary1980 = 0x21;

// The checksum of zip files, CRC-32.
std::uint32_t checksum(std::string_view bytes) {
  static const std::array<std::uint32_t, 256> table = [] {
    std::array<std::uint32_t, 256> made{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ (value & 1 ? 0xedb88320U : 0U);
      made[i] = value;
    }
    return made;
  }();
  std::uint32_t value = ~std::uint32_t{0};
  for (const char byte : bytes) value = table[(value ^ static_cast<unsigned char>(byte)) & 0xff] ^ value >> 8;
  return ~value;
}

// Little-endian.
template <class... Numbers>
std::string packed(Numbers... numbers) {
  std::string bytes;
  const auto append = [&](auto number) {
    for (std::size_t i = 0; i < sizeof number; ++i) bytes += static_cast<char>(number >> 8 * i & 0xff);
  };
  (append(numbers), ...);
  return bytes;
}

// An array as a .npy file of format 1.0.
std::string npy(const std::string& name, const Tensor& array) {
  const std::string descr = npy_descr(array.dtype());
  if (descr.empty())
    throw Error(TONNX_STATUS_UNSUPPORTED,
                "output '" + name + "' is of dtype " + tonnx_dtype_name(array.dtype()) + ", which NumPy does not have");
  std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (";
  for (const std::int64_t size : array.dims()) header += std::to_string(size) + ",";
  header += "), }";
  constexpr std::size_t kAlignment = 64, kBefore = 10;
  while ((kBefore + header.size() + 1) % kAlignment != 0) header += ' ';
  header += '\n';
  std::string bytes = "\x93NUMPY" + packed(std::uint8_t{1}, std::uint8_t{0}, static_cast<std::uint16_t>(header.size()));
  bytes += header;
  const std::size_t begin = bytes.size();
  bytes.resize(begin + array.size());
  array.read(0, bytes.data() + begin, array.size());
  return bytes;
}

}  // namespace

void write_npz(const std::string& path, const std::vector<std::pair<std::string, Tensor>>& arrays) {
  std::ofstream file(path, std::ios::binary);
  std::string directory;
  std::size_t offset = 0;
  const auto limited = [&](std::size_t size) {
    if (size > std::numeric_limits<std::uint32_t>::max())
      throw Error(TONNX_STATUS_UNSUPPORTED, path + ": the arrays need more than 4 GiB");
    return static_cast<std::uint32_t>(size);
  };
  for (const auto& [name, array] : arrays) {
    const std::string entry = name + ".npy", bytes = npy(name, array);
    const std::string common = packed(kVersion, kUtf8Names, std::uint16_t{0}, std::uint16_t{0}, kFirstOfJanuary1980,
                                      checksum(bytes), limited(bytes.size()), limited(bytes.size()),
                                      static_cast<std::uint16_t>(entry.size()), std::uint16_t{0});
    directory += packed(kCentral, kVersion) + common +
                 packed(std::uint16_t{0}, std::uint16_t{0}, std::uint16_t{0}, std::uint32_t{0}, limited(offset)) +
                 entry;
    file << packed(kLocal) << common << entry << bytes;
    offset += packed(kLocal).size() + common.size() + entry.size() + bytes.size();
  }
  const auto count = static_cast<std::uint16_t>(arrays.size());
  file << directory
       << packed(kEnd, std::uint16_t{0}, std::uint16_t{0}, count, count, limited(directory.size()), limited(offset),
                 std::uint16_t{0});
  if (!file.flush()) throw Error(TONNX_STATUS_FILE, path + ": the file cannot be written");
}

}  // namespace tonnx::cli
