#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "ir/gather.h"
#include "ir/tensor.h"

namespace tonnx::ir {

// Elements of one dtype that are computed from other tensors whenever they are read, so that a weight made of others
// takes no memory. data() computes all of them and keeps them; Tensor::read() of a contiguous tensor keeps nothing.
class Computed : public Storage {
 public:
  // Elements [begin, end) into `out`. `done` is told of what was read of mapped files, as by gather(). Throws what
  // reading the other tensors throws.
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

// Null where the tensor's bytes are not computed.
const Computed* computed_of(const Tensor& tensor);

}  // namespace tonnx::ir
