#include "shape.h"

#include <algorithm>
#include <string>

#include "guard.h"

namespace tonnx::capi {

constexpr std::size_t kMostAxes = 64;  // the limit of LibTorch's operators

std::vector<std::int64_t> checked_dims(const std::int64_t* dims, std::size_t rank, ir::DType dtype) {
  if (rank > 0) require(dims, "dims");
  if (rank > kMostAxes) refuse("rank " + std::to_string(rank) + " exceeds the limit of " + std::to_string(kMostAxes));
  std::vector<std::int64_t> result(dims, dims + rank);
  bool empty = false;
  for (const std::int64_t d : result) {
    if (d < 0) refuse("dims contain the negative size " + std::to_string(d));
    empty = empty || d == 0;
  }
  // Of an empty tensor, strides are products of the other sizes.
  auto bytes = static_cast<std::int64_t>(empty || ir::is_packed(dtype) ? 1 : ir::size_of(dtype));
  for (const std::int64_t d : result)
    if (__builtin_mul_overflow(bytes, std::max<std::int64_t>(d, 1), &bytes)) refuse("dims are too large");
  return result;
}

std::size_t checked_extent(const ir::Tensor& tensor) {
  for (const std::int64_t d : tensor.dims)
    if (d == 0) return 0;
  if (ir::is_packed(tensor.dtype)) {
    if (!tensor.is_contiguous())
      refuse("a tensor of " + std::string(ir::name_of(tensor.dtype)) + " must be row-major, without strides");
    return tensor.bytes();
  }
  std::int64_t elements = 1;
  for (std::size_t i = 0; i < tensor.dims.size(); ++i) {
    if (tensor.strides[i] < 0) refuse("strides contain the negative stride " + std::to_string(tensor.strides[i]));
    std::int64_t reach = 0;
    if (__builtin_mul_overflow(tensor.dims[i] - 1, tensor.strides[i], &reach) ||
        __builtin_add_overflow(elements, reach, &elements))
      refuse("strides are too large");
  }
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(elements, static_cast<std::int64_t>(ir::size_of(tensor.dtype)), &bytes))
    refuse("strides are too large");
  return static_cast<std::size_t>(bytes);
}

}  // namespace tonnx::capi
