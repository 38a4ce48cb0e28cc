#include "archive/archive_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <unordered_set>

#include "ir/error.h"

namespace tonnx::archive {

using ir::Code;
using ir::Error;

namespace {

std::string reason_of(int error) { return std::generic_category().message(error); }

}  // namespace

std::shared_ptr<const ArchiveFile> ArchiveFile::open(const std::string& path) {
  std::shared_ptr<ArchiveFile> result(new ArchiveFile);
  result->path_ = path;
  result->what_ = "'" + path + "'";
  result->file_ = ir::Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!result->file_.is_open()) throw Error(Code::File, result->what_ + " cannot be opened: " + reason_of(errno));
  struct stat status{};
  if (::fstat(result->file_.get(), &status) != 0)
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

void ArchiveFile::read_directory() {
  if (size_ == 0) throw Error(Code::File, what_ + " is empty");
  entries_ = read_zip_directory(
      [this](std::uint64_t offset, void* out, std::size_t size) { return read(offset, out, size); }, size_, what_);
  // Readers differ in which of two they take.
  std::unordered_set<std::string_view> names;
  for (const ZipEntry& entry : entries_)
    if (!names.insert(entry.name).second)
      throw Error(Code::File, what_ + " is damaged: it has two entries '" + entry.name + "'");
}

bool ArchiveFile::read(std::uint64_t offset, void* out, std::size_t size) const {
  if (offset > size_ || size > size_ - offset) return false;
  if (bytes_) {
    if (size != 0) std::memcpy(out, bytes_->data() + offset, size);
    return true;
  }
  auto* to = static_cast<char*>(out);
  while (size > 0) {
    const ssize_t n = ::pread(file_.get(), to, size, static_cast<off_t>(offset));
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

std::string ArchiveFile::text(const ZipEntry& entry) const {
  if (!entry.stored) throw Error(Code::File, what_ + ": entry '" + entry.name + "' is compressed");
  std::string text(static_cast<std::size_t>(entry.size), '\0');
  if (!read(entry.offset, text.data(), text.size()))
    throw Error(Code::File, what_ + ": entry '" + entry.name + "' cannot be read");
  compare(entry, text.data());
  return text;
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
  void* mapping = ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE, file_.get(), 0);
  if (mapping == MAP_FAILED) throw Error(Code::File, what_ + " cannot be mapped: " + reason_of(errno));
  return {static_cast<std::byte*>(mapping), [length](std::byte* p) { ::munmap(p, length); }};
}

bool is_tensor_record(const ZipEntry& entry) {
  return is_constant_record(entry) || ArchiveFile::record_name(entry.name).starts_with("data/");
}

bool is_constant_record(const ZipEntry& entry) {
  return ArchiveFile::record_name(entry.name).starts_with("constants/");
}

void ArchiveFile::compare(const ZipEntry& entry, const void* bytes) const {
  if (entry.crc != 0 && crc32_of(bytes, static_cast<std::size_t>(entry.size)) != entry.crc)
    throw Error(Code::File, what_ + " is damaged: the checksum of entry '" + entry.name + "' is wrong");
}

void ArchiveFile::check(const ZipEntry& entry) const {
  if (!entry.stored || entry.crc == 0) return;
  std::vector<std::byte> bytes(static_cast<std::size_t>(entry.size));
  if (!read(entry.offset, bytes.data(), bytes.size()))
    throw Error(Code::File, what_ + ": entry '" + entry.name + "' cannot be read");
  compare(entry, bytes.data());
}

void ArchiveFile::check() const {
  for (const ZipEntry& entry : entries_)
    if (!is_tensor_record(entry) || entry.size < kSkippedSize) check(entry);
}

}  // namespace tonnx::archive
