#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>

#include <caffe2/serialize/read_adapter_interface.h>

#include "archive/archive_file.h"

// A reader that leaves weights in the file. Internal: includes LibTorch.
namespace tonnx::torch {

using archive::ArchiveFile;
using archive::is_constant_record;
using archive::is_tensor_record;
using archive::kSkippedSize;
using archive::ZipEntry;

// Which tensor records are left in the file.
enum class Skip { Nothing, Data, DataAndConstants };

// Reads an archive for LibTorch and stores the buffer of each tensor record.
class SkippingReader : public caffe2::serialize::ReadAdapterInterface {
 public:
  struct Note {
    const ZipEntry* entry;
    bool skipped;  // the buffer was not filled
  };

  // If nothing is skipped, the notes only have offsets. At each of `marks`, offsets in the archive, a skipped buffer
  // gets a few unique bytes, since LibTorch merges constants with equal bytes.
  SkippingReader(std::shared_ptr<const ArchiveFile> file, Skip skip, const std::set<std::uint64_t>& marks = {});

  std::size_t size() const override { return static_cast<std::size_t>(file_->size()); }
  std::size_t read(std::uint64_t pos, void* buf, std::size_t n, const char* what = "") const override;

  // By buffer.
  const std::unordered_map<const void*, Note>& notes() const { return notes_; }
  // True if a buffer was used twice: its first owner is gone, with the content that it should have had.
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
