#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "ir/gather.h"
#include "ir/tensor.h"

namespace tonnx::ir {

// A storage whose elements, all of one dtype, are computed from other tensors at each read, so that a derived weight
// uses no memory. data() computes all elements and stores them; Tensor::read() of a contiguous tensor stores nothing.
class Computed : public Storage {
 public:
  // Computes elements [begin, end) into `out`. Calls `done` for the spans of mapped files that were read, like
  // gather(). Throws what reading the other tensors throws.
  virtual void compute(std::int64_t begin, std::int64_t end, std::byte* out, const Done& done) const = 0;

  std::size_t size() const override { return static_cast<std::size_t>(count_) * size_of(dtype_); }
  const std::byte* data() const override;
  const std::string& path() const override;
  std::uint64_t offset() const override { return 0; }

 protected:
  Computed(DType dtype, std::int64_t count) : dtype_(dtype), count_(count) {}

 private:
  DType dtype_;
  std::int64_t count_;
  mutable std::once_flag once_;
  mutable std::vector<std::byte> bytes_;
};

// Null if the tensor's bytes are not computed.
const Computed* computed_of(const Tensor& tensor);

}  // namespace tonnx::ir
