#include "torch/archive_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "ir/error.h"

namespace tonnx::torch {

using ir::Code;
using ir::Error;

namespace {

// A mark is no NaN in any floating-point type.
constexpr std::uint16_t kLastMark = 0x7bff;
constexpr std::uint64_t kMarkSize = 16;

std::string reason_of(int error) { return std::generic_category().message(error); }

}  // namespace

std::shared_ptr<const ArchiveFile> ArchiveFile::open(const std::string& path) {
  std::shared_ptr<ArchiveFile> result(new ArchiveFile);
  result->path_ = path;
  result->what_ = "'" + path + "'";
  result->file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (result->file_ < 0) throw Error(Code::File, result->what_ + " cannot be opened: " + reason_of(errno));
  struct stat status {};
  if (::fstat(result->file_, &status) != 0)
    throw Error(Code::File, result->what_ + " cannot be read: " + reason_of(errno));
  if (!S_ISREG(status.st_mode)) throw Error(Code::File, result->what_ + " is not a file");
  result->size_ = static_cast<std::uint64_t>(status.st_size);
  result->read_directory();
  return result;
}

std::shared_ptr<const ArchiveFile> ArchiveFile::from_bytes(std::vector<std::byte> bytes) {
  std::shared_ptr<ArchiveFile> result(new ArchiveFile);
  result->what_ = "the archive";
  result->size_ = bytes.size();
  result->bytes_ = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  result->read_directory();
  return result;
}

ArchiveFile::~ArchiveFile() {
  if (file_ >= 0) ::close(file_);
}

void ArchiveFile::read_directory() {
  if (size_ == 0) throw Error(Code::File, what_ + " is empty");
  entries_ = read_zip_directory(
      [this](std::uint64_t offset, void* out, std::size_t size) { return read(offset, out, size); }, size_, what_);
}

bool ArchiveFile::read(std::uint64_t offset, void* out, std::size_t size) const {
  if (offset > size_ || size > size_ - offset) return false;
  if (bytes_) {
    if (size != 0) std::memcpy(out, bytes_->data() + offset, size);
    return true;
  }
  auto* to = static_cast<char*>(out);
  while (size > 0) {
    const ssize_t n = ::pread(file_, to, size, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    to += n;
    offset += static_cast<std::uint64_t>(n);
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

std::string ArchiveFile::record_name(const std::string& entry_name) {
  const std::size_t slash = entry_name.find('/');
  return slash == std::string::npos ? entry_name : entry_name.substr(slash + 1);
}

const ZipEntry* ArchiveFile::find(const std::string& record) const {
  for (const ZipEntry& entry : entries_)
    if (record_name(entry.name) == record) return &entry;
  return nullptr;
}

std::shared_ptr<const ir::Storage> ArchiveFile::storage(std::uint64_t offset, std::size_t size) const {
  if (bytes_) return ir::Storage::borrow(bytes_->data() + offset, size, bytes_);
  return ir::Storage::file(path_, offset, size);
}

std::shared_ptr<std::byte> ArchiveFile::writable_copy() const {
  if (bytes_) {
    const auto copy = std::make_shared<std::vector<std::byte>>(*bytes_);
    return {copy, copy->data()};
  }
  const std::size_t length = static_cast<std::size_t>(size_);
  void* mapping = ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE, file_, 0);
  if (mapping == MAP_FAILED) throw Error(Code::File, what_ + " cannot be mapped: " + reason_of(errno));
  return {static_cast<std::byte*>(mapping), [length](std::byte* p) { ::munmap(p, length); }};
}

bool is_tensor_record(const ZipEntry& entry) {
  return is_constant_record(entry) || ArchiveFile::record_name(entry.name).starts_with("data/");
}

bool is_constant_record(const ZipEntry& entry) {
  return ArchiveFile::record_name(entry.name).starts_with("constants/");
}

void ArchiveFile::check() const {
  std::vector<std::byte> buffer;
  for (const ZipEntry& entry : entries_) {
    if (!entry.stored || entry.crc == 0 || (is_tensor_record(entry) && entry.size >= kSkippedSize)) continue;
    buffer.resize(static_cast<std::size_t>(entry.size));
    if (!read(entry.offset, buffer.data(), buffer.size()) || crc32_of(buffer.data(), buffer.size()) != entry.crc)
      throw Error(Code::File, what_ + " is damaged: the checksum of its entry '" + entry.name + "' is wrong");
  }
}

SkippingReader::SkippingReader(std::shared_ptr<const ArchiveFile> file, Skip skip, std::set<std::uint64_t> marks)
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
