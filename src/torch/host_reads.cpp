#include "torch/host_reads.h"

#include <algorithm>
#include <cmath>

#include "torch/convert.h"
#include "torch/tensor_bytes.h"

namespace tonnx::torch {

using backend::Reads;
using ir::DType;

namespace {

// Limit, relative to the first run, after which a loop may be waiting for a number.
constexpr std::size_t kPatience = 4, kFewReads = 16;

std::size_t place_of_first(const at::Tensor& tensor) {
  return static_cast<std::size_t>(tensor.storage_offset()) * tensor.itemsize();
}

std::vector<std::byte> first_element(const at::Tensor& tensor) {
  const std::size_t begin = place_of_first(tensor);
  const HostBytes host(*tensor.storage().unsafeGetStorageImpl(), {begin, begin + tensor.itemsize()});
  return {host.bytes().begin(), host.bytes().end()};
}

void set_first_element(const at::Tensor& tensor, const std::vector<std::byte>& bytes) {
  write_bytes(*tensor.storage().unsafeGetStorageImpl(), place_of_first(tensor), bytes);
}

std::int64_t other_integer(DType dtype, std::int64_t value, Reads reads) {
  const std::size_t bits = 8 * ir::size_of(dtype) - 1;
  const bool is_unsigned = dtype == DType::UInt8;
  const std::int64_t largest = bits >= 63 ? INT64_MAX : (std::int64_t{1} << (bits + is_unsigned)) - 1;
  const std::int64_t magnitude = std::min(value < 0 ? -(value + 1) : value, largest / 4);
  switch (reads) {
    case Reads::Low: return is_unsigned ? (value == 0 ? 1 : 0) : -magnitude - 1;
    case Reads::High: return std::min(2 * magnitude + 64, largest);
    default: return value == 0 ? 1 : 0;
  }
}

double other_real(DType dtype, double value, Reads reads) {
  if (reads == Reads::Zero) return value == 0 ? 1 : 0;
  const double magnitude = std::isfinite(value) ? std::abs(value) + 1 : 1;
  const double far = dtype == DType::Float16 ? std::min(magnitude * 1e3, 6e4) : magnitude * 1e6;
  return reads == Reads::High ? far : -far;
}

void put_other(DType dtype, Reads reads, std::byte* element) {
  if (dtype == DType::Bool)
    *element = reads == Reads::Zero ? *element ^ std::byte{1} : std::byte{reads == Reads::High};
  else if (ir::is_integral(dtype))
    ir::store(dtype, other_integer(dtype, ir::load_int64(dtype, element), reads), element);
  else if (ir::is_floating(dtype))
    ir::store(dtype, other_real(dtype, ir::load_double(dtype, element), reads), element);
}

}  // namespace

ReplacedElements::ReplacedElements(const at::Tensor& tensor, const std::vector<std::byte>& bytes)
    : tensor_(tensor), before_(first_element(tensor)) {
  set_first_element(tensor_, bytes);
}

ReplacedElements::~ReplacedElements() { set_first_element(tensor_, before_); }

bool HostReads::is_read(std::string_view op) { return op == "aten::_local_scalar_dense" || op == "aten::equal"; }

Reads HostReads::now() const {
  if (!replacing_) return Reads::True;
  if (count_ > kPatience * (replacing_->count + kFewReads)) return count_ % 2 ? Reads::Low : Reads::High;
  return count_ <= replacing_->count ? replacing_->reads : Reads::True;
}

std::unique_ptr<ReplacedElements> HostReads::next(const std::string& description, const at::Tensor& tensor,
                                                  bool compared) {
  ++count_;
  if (std::find(descriptions_.begin(), descriptions_.end(), description) == descriptions_.end())
    descriptions_.push_back(description);
  const Reads reads = now();
  if (reads == Reads::True || !is_plain_tensor(tensor) || tensor.numel() == 0) return nullptr;
  // Never makes different tensors equal: code checks whether two operands are one tensor, as multi-head attention does.
  if (compared && reads == Reads::High) return nullptr;
  std::vector<std::byte> element = first_element(tensor);
  if (const auto part = c10::toRealValueType(tensor.scalar_type()); c10::isComplexType(tensor.scalar_type())) {
    const DType dtype = dtype_of(part);
    for (std::size_t at = 0; at < element.size(); at += ir::size_of(dtype)) put_other(dtype, reads, &element[at]);
  } else {
    put_other(dtype_of(tensor.scalar_type()), reads, element.data());
  }
  return std::make_unique<ReplacedElements>(tensor, element);
}

}  // namespace tonnx::torch
