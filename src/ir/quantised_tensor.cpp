#include "ir/quantised_tensor.h"

#include <utility>

#include "ir/error.h"

namespace tonnx::ir {

// Not in an unnamed namespace, because each library would then have its own class.
class QuantisedBytes final : public Storage {
 public:
  QuantisedBytes(Quantisation quantisation, std::shared_ptr<const Storage> bytes)
      : quantisation_(std::move(quantisation)), bytes_(std::move(bytes)) {}

  std::size_t size() const override { return bytes_->size(); }
  const std::byte* data() const override { return bytes_->data(); }
  const std::string& path() const override { return bytes_->path(); }
  std::uint64_t offset() const override { return bytes_->offset(); }
  int descriptor() const override { return bytes_->descriptor(); }
  const Quantisation& quantisation() const { return quantisation_; }

 private:
  Quantisation quantisation_;
  std::shared_ptr<const Storage> bytes_;
};

namespace {

constexpr std::pair<DType, DType> kDTypes[] = {
    {DType::QUInt8, DType::UInt8}, {DType::QInt8, DType::Int8}, {DType::QInt32, DType::Int32}};

// All elements in one tensor: of rank 0, or a vector.
template <class Numbers>
Tensor tensor_of(DType dtype, const Numbers& numbers, bool is_vector) {
  if (!is_vector) return Tensor::scalar(dtype, numbers.front());
  std::vector<std::byte> bytes(numbers.size() * size_of(dtype));
  for (std::size_t i = 0; i < numbers.size(); ++i) store(dtype, numbers[i], &bytes[i * size_of(dtype)]);
  return Tensor::from_bytes(dtype, {static_cast<std::int64_t>(numbers.size())}, bytes.data(), bytes.size());
}

}  // namespace

Tensor quantised(Tensor integers, Quantisation quantisation) {
  for (const auto& [dtype, of_integers] : kDTypes) {
    if (integers.dtype != of_integers) continue;
    integers.dtype = dtype;
    integers.storage = std::make_shared<const QuantisedBytes>(std::move(quantisation), std::move(integers.storage));
    return integers;
  }
  throw Error(Code::Unsupported, "quantised tensors of fewer than 8 bits are not supported");
}

bool is_quantised(const Tensor& tensor) {
  for (const auto& [dtype, integers] : kDTypes)
    if (tensor.dtype == dtype) return true;
  return false;
}

const Quantisation& quantisation_of(const Tensor& tensor) {
  if (const auto* bytes = dynamic_cast<const QuantisedBytes*>(tensor.storage.get())) return bytes->quantisation();
  throw Error(Code::Internal, "a quantised tensor has lost its scale");
}

Tensor integers_of(const Tensor& tensor) {
  Tensor result = tensor;
  for (const auto& [dtype, integers] : kDTypes)
    if (tensor.dtype == dtype) result.dtype = integers;
  return result;
}

Tensor whole_of(const Tensor& integers) {
  Tensor whole = integers;
  if (!dynamic_cast<const QuantisedBytes*>(integers.storage.get())) return whole;
  for (const auto& [dtype, of_integers] : kDTypes)
    if (integers.dtype == of_integers) whole.dtype = dtype;
  return whole;
}

std::array<Tensor, 3> parts_of(const Tensor& tensor) {
  Tensor integers = integers_of(tensor);
  const DType dtype = integers.dtype;
  const auto& [scales, zero_points, axis] = quantisation_of(tensor);
  return {std::move(integers), tensor_of(DType::Float32, scales, axis.has_value()),
          tensor_of(dtype, zero_points, axis.has_value())};
}

Tensor quantised_like(const Tensor& like, Tensor integers) {
  if (!is_quantised(like)) return integers;
  return quantised(integers_of(integers), quantisation_of(like));
}

}  // namespace tonnx::ir
