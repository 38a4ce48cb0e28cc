#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "ir/descriptor.h"
#include "ir/error.h"
#include "ir/tensor.h"

namespace tonnx::ir {
namespace {

const std::string kNoPath;

class OwnedBytes final : public Storage {
 public:
  explicit OwnedBytes(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}
  std::size_t size() const override { return bytes_.size(); }
  const std::byte* data() const override { return bytes_.data(); }
  const std::string& path() const override { return kNoPath; }
  std::uint64_t offset() const override { return 0; }

 private:
  std::vector<std::byte> bytes_;
};

class Borrowed final : public Storage {
 public:
  Borrowed(const void* data, std::size_t size, std::shared_ptr<const void> owner)
      : data_(static_cast<const std::byte*>(data)), size_(size), owner_(std::move(owner)) {}
  std::size_t size() const override { return size_; }
  const std::byte* data() const override { return data_; }
  const std::string& path() const override { return kNoPath; }
  std::uint64_t offset() const override { return 0; }

 private:
  const std::byte* data_;
  std::size_t size_;
  std::shared_ptr<const void> owner_;
};

struct OpenedFile {
  explicit OpenedFile(const std::string& path)
      : file(::open(path.c_str(), O_RDONLY | O_CLOEXEC)), error(file.is_open() ? 0 : errno) {}

  Descriptor file;
  int error;  // errno of the failed open
};

// Opens the file at `path` once for all its regions that exist at the same time.
std::shared_ptr<const OpenedFile> open_shared(const std::string& path) {
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<const OpenedFile>> opened;
  const std::lock_guard lock(mutex);
  std::weak_ptr<const OpenedFile>& entry = opened[path];
  if (auto known = entry.lock()) {
    struct stat now{}, then{};
    const bool same = ::stat(path.c_str(), &now) == 0 && ::fstat(known->file.get(), &then) == 0 &&
                      now.st_dev == then.st_dev && now.st_ino == then.st_ino;
    if (same) return known;
  }
  auto fresh = std::make_shared<const OpenedFile>(path);
  std::erase_if(opened, [&](const auto& e) { return &e.second != &entry && e.second.expired(); });
  if (fresh->file.is_open()) entry = fresh;
  return fresh;
}

class FileRegion final : public Storage {
 public:
  FileRegion(std::string path, std::uint64_t offset, std::size_t size)
      : path_(std::move(path)), offset_(offset), size_(size), file_(open_shared(path_)) {}
  ~FileRegion() override {
    if (base_) ::munmap(base_, length_);
  }
  std::size_t size() const override { return size_; }
  const std::string& path() const override { return path_; }
  std::uint64_t offset() const override { return offset_; }
  int descriptor() const override { return file_->file.get(); }

  const std::byte* data() const override {
    if (const std::byte* known = data_.load(std::memory_order_acquire)) return known;
    const std::lock_guard lock(mutex_);
    if (!data_.load(std::memory_order_relaxed)) data_.store(map(), std::memory_order_release);
    return data_.load(std::memory_order_relaxed);
  }

  void read(std::uint64_t begin, std::size_t size, std::byte* out) const override {
    require_open();
    for (std::uint64_t at = offset_ + begin; size > 0;) {
      const ssize_t got = ::pread(file_->file.get(), out, std::min(size, kMostRead), static_cast<off_t>(at));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail_errno();
      if (got == 0) {
        require_whole();
        fail("was truncated while it was read");
      }
      out += got;
      at += static_cast<std::uint64_t>(got);
      size -= static_cast<std::size_t>(got);
    }
  }

 private:
  static constexpr std::size_t kMostRead = std::size_t{1} << 30;

  [[noreturn]] void fail(const std::string& reason) const { throw Error(Code::File, path_ + ": " + reason); }
  [[noreturn]] void fail_errno() const { fail(std::generic_category().message(errno)); }

  void require_open() const {
    if (!file_->file.is_open()) fail(std::generic_category().message(file_->error));
  }

  void require_whole() const {
    struct stat status{};
    if (::fstat(file_->file.get(), &status) != 0) fail_errno();
    const auto length = static_cast<std::uint64_t>(status.st_size);
    if (offset_ > length || size_ > length - offset_) {
      fail("ends at byte " + std::to_string(length) + ", before the " + std::to_string(size_) + " bytes at offset " +
           std::to_string(offset_));
    }
  }

  const std::byte* map() const {
    require_open();
    const Descriptor& file = file_->file;
    // A read beyond the end of a mapped file raises a signal instead of an error, so it is refused here.
    require_whole();
    static constexpr std::byte kEmpty{};
    if (size_ == 0) return &kEmpty;
    const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    const std::uint64_t begin = offset_ / page * page;
    length_ = static_cast<std::size_t>(offset_ - begin) + size_;
    void* base = ::mmap(nullptr, length_, PROT_READ, MAP_PRIVATE, file.get(), static_cast<off_t>(begin));
    if (base == MAP_FAILED) fail_errno();
    base_ = base;
    return static_cast<const std::byte*>(base) + (offset_ - begin);
  }

  std::string path_;
  std::uint64_t offset_;
  std::size_t size_;
  std::shared_ptr<const OpenedFile> file_;
  mutable std::mutex mutex_;
  mutable std::atomic<const std::byte*> data_{nullptr};
  mutable void* base_ = nullptr;
  mutable std::size_t length_ = 0;
};

}  // namespace

void Storage::read(std::uint64_t begin, std::size_t size, std::byte* out) const {
  std::memcpy(out, data() + begin, size);
}

std::shared_ptr<const Storage> Storage::copy(const void* bytes, std::size_t size) {
  const auto* begin = static_cast<const std::byte*>(bytes);
  return size ? own(std::vector<std::byte>(begin, begin + size)) : own({});
}

std::shared_ptr<const Storage> Storage::own(std::vector<std::byte> bytes) {
  return std::make_shared<OwnedBytes>(std::move(bytes));
}

std::shared_ptr<const Storage> Storage::borrow(const void* data, std::size_t size, std::shared_ptr<const void> owner) {
  return std::make_shared<Borrowed>(data, size, std::move(owner));
}

std::shared_ptr<const Storage> Storage::file(std::string path, std::uint64_t offset, std::size_t size) {
  return std::make_shared<FileRegion>(std::move(path), offset, size);
}

}  // namespace tonnx::ir
