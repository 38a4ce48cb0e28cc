#include "torch/device_storage.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>

#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/util/Exception.h>

#include "torch/tensor_bytes.h"

namespace tonnx::torch {
namespace {

// Bytes that are copied at once, and so the page-locked memory that is needed.
constexpr std::size_t kPiece = std::size_t{16} << 20;

class DeviceStorage final : public ir::Storage {
 public:
  explicit DeviceStorage(c10::Storage original) : original_(std::move(original)), size_(original_.nbytes()) {}

  std::size_t size() const override { return size_; }
  const std::string& path() const override { return no_path_; }
  std::uint64_t offset() const override { return 0; }

  bool is_on_device() const override {
    const std::lock_guard lock(mutex_);
    return static_cast<bool>(original_);
  }

  const std::byte* data() const override {
    const std::lock_guard lock(mutex_);
    if (original_) {
      copy_ = host_copy_of(*original_.unsafeGetStorageImpl());
      original_ = c10::Storage();
    }
    return static_cast<const std::byte*>(copy_.data());
  }

  void read(std::uint64_t begin, std::size_t size, std::byte* out) const override {
    c10::Storage original;
    {
      const std::lock_guard lock(mutex_);
      original = original_;
    }
    if (!original) return ir::Storage::read(begin, size, out);
    for (std::size_t done = 0; done < size; done += kPiece) {
      const std::size_t length = std::min(kPiece, size - done);
      const HostBytes piece(*original.unsafeGetStorageImpl(), {begin + done, begin + done + length},
                            HostMemory::PageLocked);
      std::memcpy(out + done, piece.bytes().data(), length);
    }
  }

 private:
  mutable std::mutex mutex_;
  mutable c10::Storage original_, copy_;  // `original_` is set until the copy exists
  const std::size_t size_;
  const std::string no_path_;
};

}  // namespace

std::shared_ptr<const ir::Storage> device_storage(c10::Storage storage) {
  try {
    const c10::impl::VirtualGuardImpl device(storage.device_type());
    device.synchronizeStream(device.getStream(storage.device()));
  } catch (const c10::Error&) {
    return nullptr;
  }
  return std::make_shared<const DeviceStorage>(std::move(storage));
}

}  // namespace tonnx::torch
