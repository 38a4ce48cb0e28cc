#include "cli/npz.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <unistd.h>

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

// A .npy file of format 1.0 up to the elements of the array.
std::string npy_header(const std::string& name, const Tensor& array) {
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
  return "\x93NUMPY" + packed(std::uint8_t{1}, std::uint8_t{0}, static_cast<std::uint16_t>(header.size())) + header;
}

struct Entry {
  std::string name;
  std::string header;
  const Tensor& array;
};

// All entries, if they fit into a zip file, whose counts and sizes have 16 and 32 bits.
std::vector<Entry> entries_of(const std::string& path, const std::vector<std::pair<std::string, Tensor>>& arrays) {
  const auto require = [&](bool fits, const std::string& fault) {
    if (!fits) throw Error(TONNX_STATUS_UNSUPPORTED, path + ": " + fault);
  };
  constexpr std::size_t kHeaders = 30 + 46;  // of an entry and of its line in the directory
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  std::vector<Entry> entries;
  std::uint64_t size = 0;
  require(arrays.size() <= std::numeric_limits<std::uint16_t>::max(), "an .npz file has at most 65535 arrays");
  for (const auto& [name, array] : arrays) {
    entries.push_back({name + ".npy", npy_header(name, array), array});
    const Entry& entry = entries.back();
    require(entry.name.size() <= std::numeric_limits<std::uint16_t>::max(), "the name of an output is too long");
    size += kHeaders + 2 * entry.name.size() + entry.header.size() + array.size();
    require(array.size() <= kMost && size <= kMost, "the arrays need more than 4 GiB");
  }
  return entries;
}

void write_entries(std::ostream& file, const std::vector<Entry>& entries) {
  std::string directory;
  std::size_t offset = 0;
  const auto narrow = [](std::size_t size) { return static_cast<std::uint32_t>(size); };
  for (const Entry& entry : entries) {
    std::string bytes = entry.header;
    bytes.resize(bytes.size() + entry.array.size());
    entry.array.read(0, bytes.data() + entry.header.size(), entry.array.size());
    const std::string common = packed(kVersion, kUtf8Names, std::uint16_t{0}, std::uint16_t{0}, kFirstOfJanuary1980,
                                      checksum(bytes), narrow(bytes.size()), narrow(bytes.size()),
                                      static_cast<std::uint16_t>(entry.name.size()), std::uint16_t{0});
    directory += packed(kCentral, kVersion) + common +
                 packed(std::uint16_t{0}, std::uint16_t{0}, std::uint16_t{0}, std::uint32_t{0}, narrow(offset)) +
                 entry.name;
    file << packed(kLocal) << common << entry.name << bytes;
    offset += packed(kLocal).size() + common.size() + entry.name.size() + bytes.size();
  }
  const auto count = static_cast<std::uint16_t>(entries.size());
  file << directory
       << packed(kEnd, std::uint16_t{0}, std::uint16_t{0}, count, count, narrow(directory.size()), narrow(offset),
                 std::uint16_t{0});
}

}  // namespace

void write_npz(const std::string& path, const std::vector<std::pair<std::string, Tensor>>& arrays) {
  namespace fs = std::filesystem;
  const std::vector<Entry> entries = entries_of(path, arrays);
  std::error_code failed;
  const fs::path target = fs::weakly_canonical(path, failed);
  const fs::path temporary = target.parent_path() / (".tonnx-" + std::to_string(::getpid()) + "-npz.tmp");
  std::ofstream file(temporary, std::ios::binary);
  write_entries(file, entries);
  file.close();
  if (file) {
    fs::rename(temporary, target, failed);
    if (!failed) return;
  }
  std::error_code ignored;
  fs::remove(temporary, ignored);
  throw Error(TONNX_STATUS_FILE, path + ": the file cannot be written");
}

}  // namespace tonnx::cli
