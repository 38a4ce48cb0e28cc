#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "archive/zip_directory.h"

// Zip files for tests, field by field as the format's specification has them (PKWARE's APPNOTE).
namespace tonnx::archive {

struct ZipFile {
  struct Entry {
    std::string name, content;
    std::uint16_t method = 0;  // stored
    std::uint16_t flags = 0;
  };

  std::vector<Entry> entries;
  bool zip64 = false;
  std::string comment = {};

  std::vector<std::byte> bytes() const {
    std::string out, directory;
    for (const Entry& e : entries) {
      const std::uint64_t local = out.size(), size = e.content.size();
      const std::uint32_t crc = crc32_of(e.content.data(), e.content.size());
      const std::string extra =
          zip64 ? number(1, 2) + number(24, 2) + number(size, 8) + number(size, 8) + number(local, 8) : std::string();
      const auto short_size = [&](std::uint64_t n) { return number(zip64 ? 0xffffffff : n, 4); };
      const std::string common = number(e.flags, 2) + number(e.method, 2) + number(0, 4) + number(crc, 4);
      out += "PK\3\4" + number(20, 2) + common + number(size, 4) + number(size, 4) + number(e.name.size(), 2) +
             number(0, 2) + e.name + e.content;
      directory += "PK\1\2" + number(20, 2) + number(20, 2) + common + short_size(size) + short_size(size) +
                   number(e.name.size(), 2) + number(extra.size(), 2) + number(0, 2) + number(0, 2) + number(0, 2) +
                   number(0, 4) + short_size(local) + e.name + extra;
    }
    const std::uint64_t begin = out.size(), size = directory.size(), count = entries.size();
    out += directory;
    if (zip64) {
      const std::uint64_t record = out.size();
      out += "PK\6\6" + number(44, 8) + number(45, 2) + number(45, 2) + number(0, 4) + number(0, 4) + number(count, 8) +
             number(count, 8) + number(size, 8) + number(begin, 8);
      out += "PK\6\7" + number(0, 4) + number(record, 8) + number(1, 4);
    }
    out += "PK\5\6" + number(0, 2) + number(0, 2);
    for (int i = 0; i < 2; ++i) out += number(zip64 ? 0xffff : count, 2);
    out += number(zip64 ? 0xffffffff : size, 4) + number(zip64 ? 0xffffffff : begin, 4) + number(comment.size(), 2) +
           comment;
    const auto* first = reinterpret_cast<const std::byte*>(out.data());
    return {first, first + out.size()};
  }

  static std::string number(std::uint64_t value, int bytes) {
    std::string out;
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
    return out;
  }
};

// Where the n-th of these bytes begin.
inline std::size_t place_of(const std::vector<std::byte>& bytes, const std::string& wanted, int n = 0) {
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::size_t at = text.find(wanted);
  while (n-- > 0) at = text.find(wanted, at + 1);
  return at;
}

inline void put(std::vector<std::byte>& bytes, std::size_t at, std::uint64_t value, int count) {
  const std::string number = ZipFile::number(value, count);
  std::memcpy(bytes.data() + at, number.data(), number.size());
}

}  // namespace tonnx::archive
