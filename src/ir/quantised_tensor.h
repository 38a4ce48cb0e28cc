#pragma once

#include <array>
#include <cstdint>

#include "ir/tensor.h"

// Tensors of quint8, qint8 and qint32 with one scale, such as example inputs. A model has their integers, scale and
// zero point as tensors.
namespace tonnx::ir {

// Makes a tensor of quint8, qint8 or qint32 from uint8, int8 or int32 integers. Scale and zero point belong to the
// storage.
Tensor quantised(Tensor integers, double scale, std::int64_t zero_point);
bool is_quantised(const Tensor& tensor);

// For a tensor made by quantised().
double scale_of(const Tensor& tensor);
std::int64_t zero_point_of(const Tensor& tensor);
Tensor integers_of(const Tensor& tensor);  // shares the storage
// The tensors of the model: the integers, the scale as float32, and the zero point in the integers' dtype; the last two
// have rank 0.
std::array<Tensor, 3> parts_of(const Tensor& tensor);

// `integers` as a tensor with the scale and zero point of `like`, if that is quantised; else unchanged.
Tensor quantised_like(const Tensor& like, Tensor integers);

}  // namespace tonnx::ir
