#include "export/other_values.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "ir/device_copy.h"
#include "ir/quantised_tensor.h"

namespace tonnx::exporting {

using ir::DType;
using ir::Tensor;

namespace {

double other(double value, std::int64_t place, Values which) {
  const double part = static_cast<double>(1 + place % 5) / 32;
  return value * (which == Values::Negative ? -2 - part : 1 - part);
}

// Returns an adjacent integer that is also a valid index or count.
std::int64_t beside(std::int64_t value) { return value > 1 ? value - 1 : value + 1; }

void change_floats(DType dtype, std::vector<std::byte>& bytes, Values which) {
  const std::size_t size = ir::size_of(dtype);
  bool changed = false;
  for (std::size_t at = 0; at < bytes.size(); at += size) {
    const double value = ir::load_double(dtype, &bytes[at]);
    ir::store(dtype, other(value, static_cast<std::int64_t>(at / size), which), &bytes[at]);
    changed |= value != 0 && std::isfinite(value);
  }
  for (std::size_t at = 0; at < bytes.size() && !changed; at += size) ir::store(dtype, 0.0625, &bytes[at]);
}

void change_whole(DType dtype, std::vector<std::byte>& bytes) {
  const std::size_t size = ir::size_of(dtype);
  if (dtype == DType::Bool)
    bytes[0] ^= std::byte{1};
  else
    for (std::size_t at = 0; at < bytes.size(); at += size)
      ir::store(dtype, beside(ir::load_int64(dtype, &bytes[at])), &bytes[at]);
}

// The elements, passed in row-major order, with the strides of `like`.
Tensor laid_out(const std::vector<std::byte>& bytes, const Tensor& like) {
  if (like.is_contiguous()) return Tensor::from_bytes(like.dtype, like.dims, bytes.data(), bytes.size());
  const std::size_t size = ir::size_of(like.dtype);
  const auto place_of = [&](std::int64_t element) {
    std::int64_t place = 0;
    for (std::size_t axis = like.dims.size(); axis-- > 0; element /= like.dims[axis])
      place += element % like.dims[axis] * like.strides[axis];
    return static_cast<std::size_t>(place) * size;
  };
  std::vector<std::byte> memory(place_of(like.numel() - 1) + size);
  for (std::int64_t i = 0; i < like.numel(); ++i)
    std::memcpy(&memory[place_of(i)], &bytes[static_cast<std::size_t>(i) * size], size);
  return {like.dtype, like.dims, like.strides, 0, ir::Storage::own(std::move(memory))};
}

Tensor changed(const Tensor& tensor, std::size_t input, Values which) {
  const std::size_t size = ir::size_of(tensor.dtype), count = static_cast<std::size_t>(tensor.numel());
  if (count == 0 || size == 0) return tensor;
  const Tensor dense = tensor.contiguous();
  if (which == Values::Zero) return laid_out(std::vector<std::byte>(dense.bytes()), tensor);
  std::vector<std::byte> bytes(dense.data(), dense.data() + dense.bytes());
  const bool moves = count > 1 && which != Values::Negative;
  const std::size_t shift = moves ? 1 + (count / 2 + input) % (count - 1) : 0;  // differs between inputs
  std::rotate(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(shift * size), bytes.end());
  if (ir::is_floating(tensor.dtype))
    change_floats(tensor.dtype, bytes, which);
  else if (which == Values::Negative)
    for (std::byte& flag : bytes) flag ^= std::byte{1};
  else if ((tensor.dtype == DType::Bool || ir::is_integral(tensor.dtype)) &&
           std::memcmp(bytes.data(), dense.data(), bytes.size()) == 0)
    change_whole(tensor.dtype, bytes);
  return laid_out(bytes, tensor);
}

bool has_others(DType dtype, Values which) {
  if (which == Values::Negative || which == Values::Zero) return ir::is_floating(dtype) || dtype == DType::Bool;
  return which != Values::Floating || ir::is_floating(dtype);
}

// The same code accepts other scales too.
Tensor changed_quantised(const Tensor& tensor, std::size_t input, Values which) {
  ir::Quantisation quantisation = ir::quantisation_of(tensor);
  for (double& scale : quantisation.scales) scale *= 1.25;
  for (std::int64_t& zero : quantisation.zero_points) zero = beside(zero);
  return ir::quantised(changed(ir::integers_of(tensor), input, which), std::move(quantisation));
}

}  // namespace

std::vector<Tensor> other_values(const std::vector<Tensor>& tensors, Values which) {
  std::vector<Tensor> result;
  for (const Tensor& tensor : tensors) {
    if (ir::is_quantised(tensor))
      result.push_back(which == Values::All ? changed_quantised(tensor, result.size(), which) : tensor);
    else
      result.push_back(has_others(tensor.dtype, which)
                           ? ir::copied_from(ir::device_of(tensor), changed(tensor, result.size(), which))
                           : tensor);
  }
  return result;
}

}  // namespace tonnx::exporting
