#include "torch/tensor_sample.h"

#include <algorithm>
#include <cmath>

#include <c10/util/complex.h>

#include "torch/tensor_bytes.h"

namespace tonnx::torch {

namespace {

template <class T>
void append(std::vector<double>& elements, const T& value) {
  if constexpr (c10::is_complex<T>::value) {
    elements.push_back(static_cast<double>(value.real()));
    elements.push_back(static_cast<double>(value.imag()));
  } else {
    elements.push_back(static_cast<double>(value));
  }
}

// Every `step`-th element, in index order.
template <class T>
std::vector<double> elements_of(const at::Tensor& tensor, std::int64_t step) {
  std::vector<double> result;
  const HostBytes host(*tensor.storage().unsafeGetStorageImpl(), bytes_of(tensor));
  const T* data = reinterpret_cast<const T*>(host.bytes().data());  // of the first element
  for (std::int64_t i = 0; i < tensor.numel(); i += step) {
    std::int64_t rest = i, offset = 0;
    for (std::int64_t axis = tensor.dim(); axis-- > 0; rest /= tensor.size(axis))
      offset += rest % tensor.size(axis) * tensor.stride(axis);
    append(result, data[offset]);
  }
  return result;
}

std::vector<double> elements_of(const at::Tensor& tensor, std::int64_t step) {
  switch (tensor.scalar_type()) {
#define TONNX_ELEMENTS(type, name) \
  case c10::ScalarType::name: return elements_of<type>(tensor, step);
    AT_FORALL_SCALAR_TYPES_WITH_COMPLEX(TONNX_ELEMENTS)
#undef TONNX_ELEMENTS
    default: return {};
  }
}

double tolerance_of(c10::ScalarType dtype) {
  switch (c10::toRealValueType(dtype)) {
    case c10::ScalarType::Double: return 1e-9;
    case c10::ScalarType::Float: return 1e-4;
    case c10::ScalarType::Half:
    case c10::ScalarType::BFloat16: return 3e-2;
    default: return c10::isFloatingType(dtype) ? 0.25 : 0;  // 8-bit floats, or not a floating dtype
  }
}

TensorSample with_step(const at::Tensor& tensor, std::int64_t step) {
  return {tensor.sizes().vec(), tensor.scalar_type(), elements_of(tensor, step)};
}

}  // namespace

TensorSample sample_of(const at::Tensor& tensor) {
  constexpr std::int64_t kElements = 256;
  return with_step(tensor, tensor.numel() / kElements + 1);
}

bool agree(const TensorSample& a, const TensorSample& b) {
  if (a.sizes != b.sizes || a.dtype != b.dtype || a.elements.size() != b.elements.size()) return false;
  double largest = 0;
  for (const double x : a.elements)
    if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
  const double allowed = tolerance_of(a.dtype) * largest;
  return std::equal(a.elements.begin(), a.elements.end(), b.elements.begin(), [&](double x, double y) {
    return x == y || (std::isnan(x) && std::isnan(y)) || std::abs(x - y) <= allowed;
  });
}

bool agree(const at::Tensor& a, const at::Tensor& b) { return agree(with_step(a, 1), with_step(b, 1)); }

}  // namespace tonnx::torch
