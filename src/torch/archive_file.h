#pragma once

#include <caffe2/serialize/read_adapter_interface.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/tensor.h"
#include "torch/zip_directory.h"

// The bytes of an archive and the reader that leaves weights where they lie. Internal: includes LibTorch.
namespace tonnx::torch {

// An archive's bytes: a file, or memory it owns. Threads may share it.
class ArchiveFile {
 public:
  // Opens the file and reads its directory. Throws Error(Code::File): missing, empty, truncated, no zip, damaged.
  static std::shared_ptr<const ArchiveFile> open(const std::string& path);
  static std::shared_ptr<const ArchiveFile> from_bytes(std::vector<std::byte> bytes);
  ~ArchiveFile();
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
  // A place in it as a storage; nothing is read.
  std::shared_ptr<const ir::Storage> storage(std::uint64_t offset, std::size_t size) const;
  // The whole of it in memory that may be written to without changing the archive; lives as long as the result.
  std::shared_ptr<std::byte> writable_copy() const;
  // Compares the checksum of every entry but large tensors. Throws Error(Code::File) naming the first that differs.
  void check() const;

 private:
  ArchiveFile() = default;
  void read_directory();

  std::string path_;
  std::string what_;
  int file_ = -1;
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

// Which tensor records are left in the file.
enum class Skip { Nothing, Data, DataAndConstants };

// Gives LibTorch an archive and notes which buffer each tensor record was to be read into.
class SkippingReader : public caffe2::serialize::ReadAdapterInterface {
 public:
  struct Note {
    const ZipEntry* entry;
    bool skipped;  // the buffer was left as it was
  };

  // Where nothing is skipped, the notes tell places only. At each of `marks`, offsets in the archive, a skipped buffer
  // gets a few bytes that are at no other mark, since LibTorch merges constants that look equal.
  SkippingReader(std::shared_ptr<const ArchiveFile> file, Skip skip, std::set<std::uint64_t> marks = {});

  std::size_t size() const override { return static_cast<std::size_t>(file_->size()); }
  std::size_t read(std::uint64_t pos, void* buf, std::size_t n, const char* what = "") const override;

  // By buffer.
  const std::unordered_map<const void*, Note>& notes() const { return notes_; }
  // True if a buffer was read into twice: its first owner is gone, and with it what should have been in it.
  bool lost() const { return lost_; }

 private:
  bool skips(const ZipEntry& entry) const;
  void mark(const ZipEntry& entry, std::byte* buffer) const;

  std::shared_ptr<const ArchiveFile> file_;
  Skip skip_;
  std::map<std::uint64_t, std::uint16_t> marks_;
  std::unordered_map<std::uint64_t, const ZipEntry*> records_;  // by offset
  mutable std::mutex mutex_;
  mutable std::unordered_map<const void*, Note> notes_;
  mutable bool lost_ = false;
};

}  // namespace tonnx::torch
