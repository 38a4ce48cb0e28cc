#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tonnx::archive {

// One entry of a zip file's central directory.
struct ZipEntry {
  std::string name;
  std::uint64_t offset = 0;  // of its bytes in the file
  std::uint64_t size = 0;    // uncompressed
  std::uint64_t compressed_size = 0;
  std::uint32_t crc = 0;  // 0 where the writer left it out
  bool stored = false;    // neither compressed nor encrypted: the bytes lie in the file as they are
};

// Reads `size` bytes at `offset`; false if they are not there.
using ReadAt = std::function<bool(std::uint64_t offset, void* out, std::size_t size)>;

// The directory of a zip or zip64 file of `file_size` bytes. Throws Error(Code::File) naming `what` where the file is
// no zip, ends early, or has an entry that lies outside it.
std::vector<ZipEntry> read_zip_directory(const ReadAt& read, std::uint64_t file_size, const std::string& what);

// CRC-32 of ISO 3309, as zip files hold it; `crc` continues an earlier call.
std::uint32_t crc32_of(const void* bytes, std::size_t size, std::uint32_t crc = 0);

}  // namespace tonnx::archive
