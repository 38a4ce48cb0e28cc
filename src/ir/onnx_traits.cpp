#include "ir/onnx_traits.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <string_view>

namespace tonnx::ir {
namespace {

struct Row {
  std::string_view op;
  OnnxTraits traits;
};

constexpr Row kRows[] = {
    {"Abs", {.elementwise = true, .keeps_axes = true, .integers = Integers::OfFirst}},
    {"Acos", {.may_make_nan = true}},
    {"Acosh", {.may_make_nan = true}},
    {"Add", {.elementwise = true, .broadcasts = true, .keeps_sign = true, .integers = Integers::OfAll}},
    {"And", {.elementwise = true}},
    {"ArgMax", {.integers = Integers::Places}},
    {"ArgMin", {.integers = Integers::Places}},
    {"Asin", {.may_make_nan = true}},
    {"Atanh", {.may_make_nan = true}},
    {"AveragePool", {.makes_maps = true}},
    {"BatchNormalization", {.keeps_axes = true, .mixes_by_weights = true}},
    {"Bernoulli", {.random = true}},
    {"Cast", {.elementwise = true, .keeps_axes = true}},
    {"Ceil", {.elementwise = true}},
    {"Celu", {.keeps_axes = true}},
    {"Clip", {.elementwise = true, .keeps_axes = true, .integers = Integers::PickedFromFirst}},
    {"Compress", {.sized_by_data = true}},
    {"Concat", {.keeps_sign = true, .integers = Integers::PickedFromAll}},
    {"ConstantOfShape", {.sizes_from = 0}},
    {"Conv", {.makes_maps = true, .mixes_by_weights = true}},
    {"ConvTranspose", {.makes_maps = true, .mixes_by_weights = true}},
    {"CumSum", {.integers = Integers::OfFirst}},
    {"DequantizeLinear", {.mixes_by_weights = true}},
    {"Div",
     {.elementwise = true, .broadcasts = true, .may_make_nan = true, .keeps_sign = true, .integers = Integers::OfAll}},
    {"Dropout", {.keeps_axes = true, .random = true}},
    {"Elu", {.keeps_axes = true}},
    {"Equal", {.elementwise = true}},
    {"Erf", {.keeps_axes = true}},
    {"Exp", {.elementwise = true, .keeps_axes = true, .may_make_nan = true}},
    {"Expand", {.sizes_from = 1, .integers = Integers::PickedFromFirst}},
    {"Flatten", {.integers = Integers::PickedFromFirst}},
    {"Floor", {.elementwise = true}},
    {"GRU", {.mixes_by_weights = true}},
    {"Gather", {.keeps_sign = true, .integers = Integers::PickedFromFirst}},
    {"GatherElements", {.integers = Integers::PickedFromFirst}},
    {"Gelu", {.keeps_axes = true}},
    {"Gemm", {.mixes_by_weights = true}},
    {"GlobalAveragePool", {.makes_maps = true}},
    {"GlobalMaxPool", {.makes_maps = true}},
    {"Greater", {.elementwise = true}},
    {"GreaterOrEqual", {.elementwise = true}},
    {"GroupNormalization", {.keeps_axes = true, .mixes_by_weights = true}},
    {"HardSigmoid", {.keeps_axes = true}},
    {"HardSwish", {.keeps_axes = true}},
    {"Identity", {.keeps_axes = true, .keeps_sign = true, .integers = Integers::PickedFromFirst}},
    {"InstanceNormalization", {.keeps_axes = true, .mixes_by_weights = true}},
    {"IsInf", {.elementwise = true}},
    {"IsNaN", {.elementwise = true}},
    {"LRN", {.keeps_axes = true}},
    {"LSTM", {.mixes_by_weights = true}},
    {"LayerNormalization", {.keeps_axes = true, .mixes_by_weights = true}},
    {"LeakyRelu", {.keeps_axes = true}},
    {"Less", {.elementwise = true}},
    {"LessOrEqual", {.elementwise = true}},
    {"Log", {.elementwise = true, .keeps_axes = true, .may_make_nan = true}},
    {"LogSoftmax", {.keeps_axes = true}},
    {"LpNormalization", {.keeps_axes = true}},
    {"LpPool", {.makes_maps = true}},
    {"MatMul", {.mixes_by_weights = true}},
    {"Max", {.elementwise = true, .broadcasts = true, .keeps_sign = true, .integers = Integers::PickedFromAll}},
    {"MaxPool", {.makes_maps = true, .moves = true}},
    {"Min", {.elementwise = true, .broadcasts = true, .keeps_sign = true, .integers = Integers::PickedFromAll}},
    {"Mish", {.keeps_axes = true}},
    {"Mod", {.elementwise = true, .may_make_nan = true, .integers = Integers::OfAll}},
    {"Mul", {.elementwise = true, .broadcasts = true, .keeps_sign = true, .integers = Integers::OfAll}},
    {"Multinomial", {.random = true}},
    {"Neg", {.elementwise = true, .keeps_axes = true, .integers = Integers::OfFirst}},
    {"NonZero", {.sized_by_data = true, .integers = Integers::Places}},
    {"Not", {.elementwise = true}},
    {"Or", {.elementwise = true}},
    {"PRelu", {.broadcasts = true}},
    {"Pad", {.sizes_from = 1}},
    {"Pow", {.elementwise = true, .broadcasts = true, .may_make_nan = true}},
    {"RMSNormalization", {.keeps_axes = true, .mixes_by_weights = true}},
    {"RNN", {.mixes_by_weights = true}},
    {"RandomNormal", {.random = true}},
    {"RandomNormalLike", {.random = true}},
    {"RandomUniform", {.random = true}},
    {"RandomUniformLike", {.random = true}},
    {"Range", {.sizes_from = 0, .integers = Integers::OfAll}},
    {"Reciprocal", {.elementwise = true, .keeps_axes = true, .may_make_nan = true}},
    {"ReduceMax", {.reduces = true, .integers = Integers::PickedFromFirst}},
    {"ReduceMean", {.reduces = true}},
    {"ReduceMin", {.reduces = true, .integers = Integers::PickedFromFirst}},
    {"ReduceProd", {.reduces = true, .keeps_sign = true, .integers = Integers::OfFirst}},
    {"ReduceSum", {.reduces = true, .integers = Integers::OfFirst}},
    {"Relu", {.elementwise = true, .keeps_axes = true}},
    {"Reshape", {.moves = true, .keeps_sign = true, .integers = Integers::PickedFromFirst}},
    {"Resize", {.makes_maps = true}},
    {"Selu", {.keeps_axes = true}},
    {"Shape", {.integers = Integers::Sizes}},
    {"Sigmoid", {.elementwise = true, .keeps_axes = true}},
    {"Sign", {.elementwise = true}},
    {"Size", {.integers = Integers::Sizes}},
    {"Slice", {.moves = true, .keeps_sign = true, .sizes_from = 1, .integers = Integers::PickedFromFirst}},
    {"Softmax", {.keeps_axes = true}},
    {"Softplus", {.keeps_axes = true}},
    {"Softsign", {.keeps_axes = true}},
    {"Split", {.sizes_from = 1}},
    {"Sqrt", {.elementwise = true, .keeps_axes = true, .may_make_nan = true}},
    {"Squeeze", {.moves = true, .keeps_sign = true, .integers = Integers::PickedFromFirst}},
    {"Sub", {.elementwise = true, .broadcasts = true, .integers = Integers::OfAll}},
    {"Tanh", {.elementwise = true, .keeps_axes = true}},
    {"Tile", {.sizes_from = 1, .integers = Integers::PickedFromFirst}},
    {"TopK", {.sizes_from = 1}},
    {"Transpose", {.moves = true, .integers = Integers::PickedFromFirst}},
    {"Unsqueeze", {.moves = true, .keeps_sign = true, .integers = Integers::PickedFromFirst}},
    {"Upsample", {.makes_maps = true}},
    {"Where", {.elementwise = true, .broadcasts = true}},
    {"Xor", {.elementwise = true}},
};

// Sorted, and no operator has two rows.
static_assert(std::ranges::adjacent_find(kRows, std::ranges::greater_equal(), &Row::op) == std::ranges::end(kRows));

}  // namespace

const OnnxTraits& onnx_traits_of(const Node& node) {
  static constexpr OnnxTraits kNone;
  if (node.domain() != "onnx") return kNone;
  const auto row = std::ranges::lower_bound(kRows, node.op(), {}, &Row::op);
  return row != std::ranges::end(kRows) && row->op == node.op() ? row->traits : kNone;
}

}  // namespace tonnx::ir
