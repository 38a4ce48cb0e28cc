#include "ir/quantised_tensor.h"

#include <utility>

#include "ir/error.h"

namespace tonnx::ir {

// Not in an unnamed namespace, because each library would then have its own class.
class QuantisedBytes final : public Storage {
 public:
  QuantisedBytes(double scale, std::int64_t zero_point, std::shared_ptr<const Storage> bytes)
      : scale_(scale), zero_point_(zero_point), bytes_(std::move(bytes)) {}

  std::size_t size() const override { return bytes_->size(); }
  const std::byte* data() const override { return bytes_->data(); }
  const std::string& path() const override { return bytes_->path(); }
  std::uint64_t offset() const override { return bytes_->offset(); }
  int descriptor() const override { return bytes_->descriptor(); }
  double scale() const { return scale_; }
  std::int64_t zero_point() const { return zero_point_; }

 private:
  double scale_;
  std::int64_t zero_point_;
  std::shared_ptr<const Storage> bytes_;
};

namespace {

constexpr std::pair<DType, DType> kDTypes[] = {
    {DType::QUInt8, DType::UInt8}, {DType::QInt8, DType::Int8}, {DType::QInt32, DType::Int32}};

const QuantisedBytes& bytes_of(const Tensor& tensor) {
  if (const auto* bytes = dynamic_cast<const QuantisedBytes*>(tensor.storage.get())) return *bytes;
  throw Error(Code::Internal, "a quantised tensor has lost its scale");
}

}  // namespace

Tensor quantised(Tensor integers, double scale, std::int64_t zero_point) {
  for (const auto& [dtype, of_integers] : kDTypes) {
    if (integers.dtype != of_integers) continue;
    integers.dtype = dtype;
    integers.storage = std::make_shared<const QuantisedBytes>(scale, zero_point, std::move(integers.storage));
    return integers;
  }
  throw Error(Code::Unsupported, "quantised tensors of fewer than 8 bits are not supported");
}

bool is_quantised(const Tensor& tensor) {
  for (const auto& [dtype, integers] : kDTypes)
    if (tensor.dtype == dtype) return true;
  return false;
}

double scale_of(const Tensor& tensor) { return bytes_of(tensor).scale(); }
std::int64_t zero_point_of(const Tensor& tensor) { return bytes_of(tensor).zero_point(); }

Tensor integers_of(const Tensor& tensor) {
  Tensor result = tensor;
  for (const auto& [dtype, integers] : kDTypes)
    if (tensor.dtype == dtype) result.dtype = integers;
  return result;
}

std::array<Tensor, 3> parts_of(const Tensor& tensor) {
  Tensor integers = integers_of(tensor);
  const DType dtype = integers.dtype;
  return {std::move(integers), Tensor::scalar(DType::Float32, scale_of(tensor)),
          Tensor::scalar(dtype, zero_point_of(tensor))};
}

Tensor quantised_like(const Tensor& like, Tensor integers) {
  if (!is_quantised(like)) return integers;
  return quantised(integers_of(integers), scale_of(like), zero_point_of(like));
}

}  // namespace tonnx::ir
