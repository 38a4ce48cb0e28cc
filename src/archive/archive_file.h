#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "archive/zip_directory.h"
#include "ir/descriptor.h"
#include "ir/tensor.h"

namespace tonnx::archive {

// The bytes of an archive: a file, or memory that it owns. Threads may share it.
class ArchiveFile {
 public:
  // Opens the file and reads its directory. Throws Error(Code::File) if it is missing, empty, truncated, damaged, not a
  // zip file, or has two entries of the same name.
  static std::shared_ptr<const ArchiveFile> open(const std::string& path);
  static std::shared_ptr<const ArchiveFile> from_bytes(std::vector<std::byte> bytes);
  ArchiveFile(const ArchiveFile&) = delete;
  ArchiveFile& operator=(const ArchiveFile&) = delete;

  const std::string& path() const { return path_; }  // empty for memory
  // The name for messages: the path in quotes, or "the archive".
  const std::string& what() const { return what_; }
  std::uint64_t size() const { return size_; }
  const std::vector<ZipEntry>& entries() const { return entries_; }
  // Finds an entry by its name without the archive's top folder; null if there is none.
  const ZipEntry* find(const std::string& record) const;
  // Returns "data/0" for "model/data/0".
  static std::string record_name(const std::string& entry_name);

  bool read(std::uint64_t offset, void* out, std::size_t size) const;
  // Reads the content of an entry. Throws Error(Code::File) if it cannot be read, is compressed, or has a wrong
  // checksum.
  std::string text(const ZipEntry& entry) const;
  // Returns a range of the archive as a storage; reads nothing.
  std::shared_ptr<const ir::Storage> storage(std::uint64_t offset, std::size_t size) const;
  // Maps the whole archive into memory that may be written without changing the archive; lives as long as the result.
  std::shared_ptr<std::byte> writable_copy() const;
  // Checks the checksum of every entry except large tensors. Throws Error(Code::File) with the first wrong entry.
  void check() const;
  // Same, for one entry of any size.
  void check(const ZipEntry& entry) const;

 private:
  ArchiveFile() = default;
  void read_directory();
  void compare(const ZipEntry& entry, const void* bytes) const;

  std::string path_;
  std::string what_;
  ir::Descriptor file_;
  std::uint64_t size_ = 0;
  std::shared_ptr<const std::vector<std::byte>> bytes_;
  std::vector<ZipEntry> entries_;
};

// Records in data/ or constants/ of this size or larger are tensors that stay in the file.
constexpr std::uint64_t kSkippedSize = 64 * 1024;

// True if an entry is the storage of a tensor.
bool is_tensor_record(const ZipEntry& entry);
// True if it is the storage of a constant in the program.
bool is_constant_record(const ZipEntry& entry);

}  // namespace tonnx::archive
