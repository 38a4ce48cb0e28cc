#pragma once

#include <array>
#include <cstdint>

#include "ir/tensor.h"

// Tensors of quint8, qint8 and qint32 with one scale: an example input may be one. A model takes its integers, its
// scale and its zero point.
namespace tonnx::ir {

// Integers of uint8, int8 or int32 as a tensor of quint8, qint8 or qint32. Scale and zero point stay with the storage.
Tensor quantised(Tensor integers, double scale, std::int64_t zero_point);
bool is_quantised(const Tensor& tensor);

// Of a tensor that quantised() gave.
double scale_of(const Tensor& tensor);
std::int64_t zero_point_of(const Tensor& tensor);
Tensor integers_of(const Tensor& tensor);  // over the same storage
// As a model has it: the integers, the scale as float32 and the zero point in the integers' dtype, both of rank 0.
std::array<Tensor, 3> parts_of(const Tensor& tensor);

// `integers` as a tensor with the scale and zero point of `like`, if that is quantised; else as they are.
Tensor quantised_like(const Tensor& like, Tensor integers);

}  // namespace tonnx::ir
