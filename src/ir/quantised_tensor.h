#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "ir/tensor.h"

// Tensors of quint8, qint8 and qint32, such as example inputs. A model has their integers, scale and zero point as
// tensors.
namespace tonnx::ir {

// One scale and zero point for the tensor, or one for each index of an axis (a channel).
struct Quantisation {
  std::vector<double> scales;
  std::vector<std::int64_t> zero_points;
  std::optional<std::int64_t> axis = std::nullopt;
};

// Makes a tensor of quint8, qint8 or qint32 from uint8, int8 or int32 integers. The quantisation belongs to the
// storage.
Tensor quantised(Tensor integers, Quantisation quantisation);
bool is_quantised(const Tensor& tensor);

// For a tensor made by quantised().
const Quantisation& quantisation_of(const Tensor& tensor);
Tensor integers_of(const Tensor& tensor);  // shares the storage
// The tensor whose integers_of() are these; the integers themselves if there is none.
Tensor whole_of(const Tensor& integers);
// The tensors of the model: the integers, the scale as float32, and the zero point in the integers' dtype; the last two
// have rank 0, or one element for each channel.
std::array<Tensor, 3> parts_of(const Tensor& tensor);

// `integers` as a tensor with the quantisation of `like`, if that is quantised; else unchanged.
Tensor quantised_like(const Tensor& like, Tensor integers);

}  // namespace tonnx::ir
