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

// An archive's bytes: a file, or memory it owns. Threads may share it.
class ArchiveFile {
 public:
  // Opens the file and reads its directory. Throws Error(Code::File): missing, empty, truncated, no zip, damaged.
  static std::shared_ptr<const ArchiveFile> open(const std::string& path);
  static std::shared_ptr<const ArchiveFile> from_bytes(std::vector<std::byte> bytes);
  ArchiveFile(const ArchiveFile&) = delete;
  ArchiveFile& operator=(const ArchiveFile&) = delete;

  const std::string& path() const { return path_; }  // empty for memory
  // The name for messages: the path in quotes, or "the archive".
  const std::string& what() const { return what_; }
  std::uint64_t size() const { return size_; }
  const std::vector<ZipEntry>& entries() const { return entries_; }
  // The entry of this name without the archive's top folder; null if there is none.
  const ZipEntry* find(const std::string& record) const;
  // "data/0" of "model/data/0".
  static std::string record_name(const std::string& entry_name);

  bool read(std::uint64_t offset, void* out, std::size_t size) const;
  // The content of an entry. Throws Error(Code::File) where it cannot be read, is compressed, or has another checksum.
  std::string text(const ZipEntry& entry) const;
  // A place in it as a storage; nothing is read.
  std::shared_ptr<const ir::Storage> storage(std::uint64_t offset, std::size_t size) const;
  // The whole of it in memory that may be written to without changing the archive; lives as long as the result.
  std::shared_ptr<std::byte> writable_copy() const;
  // Compares the checksum of every entry but large tensors. Throws Error(Code::File) naming the first that differs.
  void check() const;
  // The same for one entry, whatever its size.
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

// Records of this size or more, in data/ or constants/, are tensors that stay in the file.
constexpr std::uint64_t kSkippedSize = 64 * 1024;

// Whether an entry is a tensor's storage.
bool is_tensor_record(const ZipEntry& entry);
// Whether it is that of a constant in the program.
bool is_constant_record(const ZipEntry& entry);

}  // namespace tonnx::archive
