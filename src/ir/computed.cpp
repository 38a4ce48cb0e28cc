#include "ir/computed.h"

namespace tonnx::ir {

const std::byte* Computed::data() const {
  std::call_once(once_, [&] {
    std::vector<std::byte> bytes(size());
    compute(0, count_, bytes.data(), {});
    bytes_ = std::move(bytes);
  });
  return bytes_.data();
}

const std::string& Computed::path() const {
  static const std::string none;
  return none;
}

const Computed* computed_of(const Tensor& tensor) { return dynamic_cast<const Computed*>(tensor.storage.get()); }

}  // namespace tonnx::ir
