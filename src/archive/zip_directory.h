#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tonnx::archive {

// An entry of the central directory of a zip file.
struct ZipEntry {
  std::string name;
  std::uint64_t offset = 0;  // of its bytes in the file
  std::uint64_t size = 0;    // uncompressed
  std::uint64_t compressed_size = 0;
  std::uint32_t crc = 0;  // 0 if the writer omitted it
  bool stored = false;    // neither compressed nor encrypted
};

// Reads `size` bytes at `offset`; returns false if they do not exist.
using ReadAt = std::function<bool(std::uint64_t offset, void* out, std::size_t size)>;

// Reads the directory of a zip or zip64 file of `file_size` bytes. Throws Error(Code::File), with `what`, if it is not
// a zip file, is truncated, or has an entry outside of the file.
std::vector<ZipEntry> read_zip_directory(const ReadAt& read, std::uint64_t file_size, const std::string& what);

// CRC-32 of ISO 3309, as in zip files; `crc` continues an earlier call.
std::uint32_t crc32_of(const void* bytes, std::size_t size, std::uint32_t crc = 0);

}  // namespace tonnx::archive
