#include "onnx/sink.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <system_error>
#include <unistd.h>

#include "ir/error.h"
#include "ir/observer.h"

namespace tonnx::onnx {
namespace {

constexpr std::size_t kBuffer = std::size_t{256} << 10;
// Smaller spans are copied through the buffer, which is cheaper than a system call of their own.
constexpr std::size_t kSmall = std::size_t{64} << 10;
constexpr std::size_t kPiece = std::size_t{4} << 20;
// A call transfers at most 2 GiB minus a page.
constexpr std::size_t kMaxCall = std::size_t{1} << 30;
// Size of one write: for larger ones the page cache needs contiguous memory to be fast.
constexpr std::size_t kWrite = std::size_t{256} << 10;
// Number of bytes after which writing to the disk is started, and that one call copies from file to file.
constexpr std::size_t kSend = std::size_t{8} << 20;

[[noreturn]] void fail_errno(const std::string& name) {
  throw ir::Error(ir::Code::File, name + ": " + std::generic_category().message(errno));
}

void read_all(const Region& region, char* out, std::size_t size) {
  std::uint64_t offset = region.offset;
  while (size > 0) {
    const ssize_t got = ::pread(region.descriptor, out, std::min(size, kMaxCall), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_errno(region.path);
    if (got == 0) throw ir::Error(ir::Code::File, region.path + ": ends at byte " + std::to_string(offset));
    out += got;
    offset += static_cast<std::uint64_t>(got);
    size -= static_cast<std::size_t>(got);
  }
}

// True if the call does not support these two files, as opposed to an error.
bool is_unsupported(int error) {
  return error == EXDEV || error == EINVAL || error == ENOSYS || error == EOPNOTSUPP || error == EBADF ||
         error == EPERM || error == ETXTBSY || error == EOVERFLOW || error == EISDIR;
}

}  // namespace

Region region_of(const ir::Tensor& tensor) {
  const ir::Storage& storage = *tensor.storage;
  const std::uint64_t offset = storage.offset() + static_cast<std::uint64_t>(tensor.offset) * ir::size_of(tensor.dtype);
  Region region{storage.path(), storage.descriptor(), offset, tensor.bytes()};
  if (region.descriptor < 0) storage.data();  // throws with the reason
  struct stat status{};
  if (::fstat(region.descriptor, &status) != 0) fail_errno(region.path);
  const auto end = static_cast<std::uint64_t>(status.st_size);
  if (offset > end || region.size > end - offset) {
    throw ir::Error(ir::Code::File, region.path + ": ends at byte " + std::to_string(end) + ", before the " +
                                        std::to_string(region.size) + " bytes at offset " + std::to_string(offset));
  }
  return region;
}

void Sink::copy(Region region) {
  std::string piece(static_cast<std::size_t>(std::min<std::uint64_t>(region.size, kPiece)), '\0');
  while (region.size > 0) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(region.size, piece.size()));
    read_all(region, piece.data(), count);
    write(piece.data(), count);
    region.offset += count;
    region.size -= count;
  }
}

void DescriptorSink::fail() const { fail_errno(name_); }

void DescriptorSink::put(const void* data, std::size_t size) {
  // Writes the buffer and the new bytes in one call.
  const char* held = buffer_.data();
  std::size_t held_size = buffer_.size();
  const char* bytes = static_cast<const char*>(data);
  while (held_size + size > 0) {
    const std::array<iovec, 2> parts{
        {{const_cast<char*>(held), held_size}, {const_cast<char*>(bytes), std::min(size, kWrite)}}};
    const bool skip = held_size == 0;
    const ssize_t done = ::writev(fd_, parts.data() + (skip ? 1 : 0), skip ? 1 : 2);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail();
    advance(static_cast<std::uint64_t>(done));
    const std::size_t from_held = std::min(held_size, static_cast<std::size_t>(done));
    held += from_held;
    held_size -= from_held;
    bytes += static_cast<std::size_t>(done) - from_held;
    size -= static_cast<std::size_t>(done) - from_held;
  }
  buffer_.clear();
}

void DescriptorSink::write(const void* data, std::size_t size) {
  if (size < kSmall && buffer_.size() + size <= kBuffer) {
    buffer_.append(static_cast<const char*>(data), size);
  } else {
    put(data, size);
  }
}

void DescriptorSink::flush() { put(nullptr, 0); }

// Both calls below only save time: if a file system refuses them, writes and sync report the errors that matter.
void DescriptorSink::reserve(std::uint64_t size) {
  if (to_disk_) ::fallocate(fd_, 0, 0, static_cast<off_t>(size));
}

void DescriptorSink::advance(std::uint64_t size) {
  written_ += size;
  ir::advance(static_cast<std::int64_t>(size));
  if (!to_disk_ || written_ - sent_ < kSend) return;
  ::sync_file_range(fd_, static_cast<off_t>(sent_), static_cast<off_t>(written_ - sent_), SYNC_FILE_RANGE_WRITE);
  sent_ = written_;
}

void DescriptorSink::copy(Region region) {
  if (region.size < kSmall) return Sink::copy(region);
  flush();
  while (region.size > 0) {
    if (way_ == Way::Read) return Sink::copy(region);
    off_t from = static_cast<off_t>(region.offset);
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(region.size, kSend));
    const ssize_t done = way_ == Way::CopyFileRange
                             ? ::copy_file_range(region.descriptor, &from, fd_, nullptr, count, 0)
                             : ::sendfile(fd_, region.descriptor, &from, count);
    if (done < 0 && errno == EINTR) continue;
    if (done > 0) {
      region.offset += static_cast<std::uint64_t>(done);
      region.size -= static_cast<std::uint64_t>(done);
      advance(static_cast<std::uint64_t>(done));
    } else if (done == 0 || is_unsupported(errno)) {
      // Some file systems return 0 instead of an error if they do not support the call; a read distinguishes that from
      // the end of the file.
      way_ = way_ == Way::CopyFileRange ? Way::SendFile : Way::Read;
    } else {
      fail();
    }
  }
}

void CallbackSink::write(const void* data, std::size_t size) {
  if (size < kSmall && buffer_.size() + size <= kBuffer) {
    buffer_.append(static_cast<const char*>(data), size);
    return;
  }
  flush();
  receive_(static_cast<const std::byte*>(data), size);
  ir::advance(static_cast<std::int64_t>(size));
}

void CallbackSink::flush() {
  if (buffer_.empty()) return;
  receive_(reinterpret_cast<const std::byte*>(buffer_.data()), buffer_.size());
  ir::advance(static_cast<std::int64_t>(buffer_.size()));
  buffer_.clear();
}

void MemorySink::write(const void* data, std::size_t size) {
  const auto* bytes = static_cast<const std::byte*>(data);
  bytes_.insert(bytes_.end(), bytes, bytes + size);
  ir::advance(static_cast<std::int64_t>(size));
}

}  // namespace tonnx::onnx
