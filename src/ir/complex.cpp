#include "ir/complex.h"

#include <algorithm>
#include <cstring>

namespace tonnx::ir {

DType part_dtype(DType dtype) {
  switch (dtype) {
    case DType::Complex32: return DType::Float16;
    case DType::Complex64: return DType::Float32;
    case DType::Complex128: return DType::Float64;
    default: return dtype;
  }
}

Tensor with_parts(const Tensor& tensor) {
  if (!is_complex(tensor.dtype)) return tensor;
  Tensor real = tensor;
  real.dtype = part_dtype(tensor.dtype);
  for (std::int64_t& stride : real.strides) stride *= 2;
  real.offset *= 2;
  real.dims.push_back(2);
  real.strides.push_back(1);
  return real;
}

std::vector<Tensor> with_parts(std::vector<Tensor> tensors) {
  for (Tensor& tensor : tensors) tensor = with_parts(tensor);
  return tensors;
}

Facts with_parts(const Facts& facts) {
  Facts real = of_part(facts);
  if (is_complex(facts.dtype) && real.dims) real.dims->push_back(Dim(2));
  return real;
}

Facts of_part(const Facts& facts) { return {part_dtype(facts.dtype), facts.dims, nullptr}; }

namespace {

Tensor part_of(const Tensor& tensor, bool imaginary) {
  const bool complex = is_complex(tensor.dtype);
  const DType dtype = part_dtype(tensor.dtype);
  const std::size_t step = size_of(dtype);
  std::vector<std::byte> bytes(static_cast<std::size_t>(tensor.numel()) * step);
  if (complex || !imaginary) {
    const Tensor dense = tensor.contiguous();
    const std::byte* from = bytes.empty() ? nullptr : dense.data() + (imaginary ? step : 0);
    for (std::size_t at = 0; at < bytes.size(); at += step, from += complex ? 2 * step : step)
      std::memcpy(bytes.data() + at, from, step);
  }
  return Tensor::from_bytes(dtype, tensor.dims, bytes.data(), bytes.size());
}

}  // namespace

Constant part_of(const Constant& constant, bool imaginary) {
  if (const Tensor* tensor = constant.get<Tensor>()) return {part_of(*tensor, imaginary)};
  if (const auto* number = constant.get<std::complex<double>>()) return {imaginary ? number->imag() : number->real()};
  return imaginary ? Constant{0.0} : constant;
}

bool is_complex(const Constant& constant) {
  if (const Tensor* tensor = constant.get<Tensor>()) return is_complex(tensor->dtype);
  if (constant.get<std::complex<double>>()) return true;
  const Constant::List* list = constant.get<Constant::List>();
  return list &&
         std::any_of(list->items.begin(), list->items.end(), [](const Constant& item) { return is_complex(item); });
}

}  // namespace tonnx::ir
