#include "torch/skipping_reader.h"

namespace tonnx::torch {

namespace {

// A mark is not NaN in any floating-point type.
constexpr std::uint16_t kLastMark = 0x7bff;
constexpr std::uint64_t kMarkSize = 16;

}  // namespace

SkippingReader::SkippingReader(std::shared_ptr<const ArchiveFile> file, Skip skip, const std::set<std::uint64_t>& marks)
    : file_(std::move(file)), skip_(skip) {
  for (const ZipEntry& entry : file_->entries())
    if (entry.stored && entry.size > 0 && is_tensor_record(entry)) records_[entry.offset] = &entry;
  std::uint16_t next = 0;
  for (const std::uint64_t offset : marks) marks_[offset] = static_cast<std::uint16_t>(1 + next++ % kLastMark);
}

bool SkippingReader::skips(const ZipEntry& entry) const {
  if (skip_ == Skip::Nothing || entry.size < kSkippedSize) return false;
  return skip_ == Skip::DataAndConstants || !is_constant_record(entry);
}

void SkippingReader::mark(const ZipEntry& entry, std::byte* buffer) const {
  const std::uint64_t end = entry.offset + entry.size;
  for (auto it = marks_.lower_bound(entry.offset); it != marks_.end() && it->first < end; ++it)
    for (std::uint64_t at = it->first, i = 0; i < kMarkSize && at < end; ++at, ++i)
      buffer[at - entry.offset] = static_cast<std::byte>(it->second >> (8 * (i % 2)));
}

std::size_t SkippingReader::read(std::uint64_t pos, void* buf, std::size_t n, const char*) const {
  if (const auto it = records_.find(pos); it != records_.end() && it->second->size == n) {
    const bool skipped = skips(*it->second);
    {
      const std::lock_guard lock(mutex_);
      const auto [note, fresh] = notes_.insert_or_assign(buf, Note{it->second, skipped});
      if (!fresh) lost_ = true;
    }
    if (skipped) {
      mark(*it->second, static_cast<std::byte*>(buf));
      return n;
    }
  }
  return file_->read(pos, buf, n) ? n : 0;
}

}  // namespace tonnx::torch
