#include "ir/device_copy.h"

#include <utility>

namespace tonnx::ir {

// Not in an unnamed namespace, because each library would then have its own class.
class DeviceCopy final : public Storage {
 public:
  DeviceCopy(std::string device, std::shared_ptr<const Storage> bytes)
      : device_(std::move(device)), bytes_(std::move(bytes)) {}

  std::size_t size() const override { return bytes_->size(); }
  const std::byte* data() const override { return bytes_->data(); }
  const std::string& path() const override { return bytes_->path(); }
  std::uint64_t offset() const override { return bytes_->offset(); }
  int descriptor() const override { return bytes_->descriptor(); }
  const std::string& device() const { return device_; }

 private:
  std::string device_;
  std::shared_ptr<const Storage> bytes_;
};

Tensor copied_from(const std::string& device, Tensor tensor) {
  if (!device.empty()) tensor.storage = std::make_shared<const DeviceCopy>(device, std::move(tensor.storage));
  return tensor;
}

std::string device_of(const Tensor& tensor) {
  const auto* copy = dynamic_cast<const DeviceCopy*>(tensor.storage.get());
  return copy ? copy->device() : std::string();
}

}  // namespace tonnx::ir
