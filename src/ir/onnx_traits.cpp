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
    {"Abs", {.elementwise = true, .keeps_axes = true, .sign = Sign::None, .integers = Integers::OfFirst}},
    {"Acos", {.may_make_nan = true}},
    {"Acosh", {.may_make_nan = true}},
    {"Add", {.elementwise = true, .broadcasts = true, .sign = Sign::OfAll, .integers = Integers::OfAll}},
    {"And", {.elementwise = true}},
    {"ArgMax", {.places_from = 0}},
    {"ArgMin", {.places_from = 0}},
    {"Asin", {.may_make_nan = true}},
    {"Atanh", {.may_make_nan = true}},
    {"AveragePool", {.makes_maps = true}},
    {"BatchNormalization", {.keeps_axes = true, .mixes_by_weights = true}},
    {"Bernoulli", {.random = true}},
    {"Cast", {.elementwise = true, .keeps_axes = true, .sign = Sign::OfAll, .integers = Integers::Converted}},
    {"Ceil", {.elementwise = true, .sign = Sign::OfAll}},
    {"Celu", {.keeps_axes = true}},
    {"Clip", {.elementwise = true, .keeps_axes = true, .integers = Integers::PickedFromFirst}},
    {"Compress", {.sign = Sign::OfAll, .sized_by_data = true}},
    {"Concat", {.sign = Sign::OfAll, .integers = Integers::PickedFromAll}},
    {"ConstantOfShape", {.sizes_from = 0}},
    {"Conv", {.makes_maps = true, .mixes_by_weights = true}},
    {"ConvTranspose", {.makes_maps = true, .mixes_by_weights = true}},
    {"CumSum", {.keeps_axes = true, .sign = Sign::OfAll, .integers = Integers::OfFirst}},
    {"DequantizeLinear", {.mixes_by_weights = true}},
    {"Div",
     {.elementwise = true, .broadcasts = true, .may_make_nan = true, .sign = Sign::OfAll, .integers = Integers::OfAll}},
    {"Dropout", {.keeps_axes = true, .random = true}},
    {"Elu", {.keeps_axes = true}},
    {"Equal", {.elementwise = true}},
    {"Erf", {.keeps_axes = true}},
    {"Exp", {.elementwise = true, .keeps_axes = true, .may_make_nan = true, .sign = Sign::None}},
    {"Expand", {.sign = Sign::OfAll, .sizes_from = 1, .integers = Integers::PickedFromFirst}},
    {"Flatten", {.sign = Sign::OfAll, .integers = Integers::PickedFromFirst}},
    {"Floor", {.elementwise = true, .sign = Sign::OfAll}},
    {"GRU", {.mixes_by_weights = true}},
    {"Gather", {.sign = Sign::OfAll, .integers = Integers::PickedFromFirst}},
    {"GatherElements", {.sign = Sign::OfAll, .integers = Integers::PickedFromFirst}},
    {"Gelu", {.keeps_axes = true}},
    {"Gemm", {.mixes_by_weights = true}},
    {"GlobalAveragePool", {.makes_maps = true}},
    {"GlobalMaxPool", {.makes_maps = true}},
    {"Greater", {.elementwise = true}},
    {"GreaterOrEqual", {.elementwise = true}},
    {"GroupNormalization", {.keeps_axes = true, .mixes_by_weights = true}},
    {"HardSigmoid", {.keeps_axes = true}},
    {"HardSwish", {.keeps_axes = true}},
    {"Identity", {.keeps_axes = true, .sign = Sign::OfAll, .integers = Integers::PickedFromFirst}},
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
    {"Max", {.elementwise = true, .broadcasts = true, .sign = Sign::OfAny, .integers = Integers::PickedFromAll}},
    {"MaxPool", {.makes_maps = true, .moves = true, .places_from = 1}},
    {"Min", {.elementwise = true, .broadcasts = true, .sign = Sign::OfAll, .integers = Integers::PickedFromAll}},
    {"Mish", {.keeps_axes = true}},
    {"Mod", {.elementwise = true, .may_make_nan = true, .integers = Integers::OfAll}},
    {"Mul", {.elementwise = true, .broadcasts = true, .sign = Sign::OfAll, .integers = Integers::OfAll}},
    {"Multinomial", {.random = true}},
    {"Neg", {.elementwise = true, .keeps_axes = true, .integers = Integers::OfFirst}},
    {"NonMaxSuppression", {.places_from = 0}},
    {"NonZero", {.sized_by_data = true, .places_from = 0}},
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
    {"Range", {.sign = Sign::OfAll, .sizes_from = 0, .integers = Integers::OfAll}},
    {"Reciprocal", {.elementwise = true, .keeps_axes = true, .may_make_nan = true}},
    {"ReduceMax", {.reduces = true, .sign = Sign::OfAll, .integers = Integers::PickedFromFirst}},
    {"ReduceMean", {.reduces = true}},
    {"ReduceMin", {.reduces = true, .sign = Sign::OfAll, .integers = Integers::PickedFromFirst}},
    {"ReduceProd", {.reduces = true, .sign = Sign::OfAll, .integers = Integers::OfFirst}},
    {"ReduceSum", {.reduces = true, .sign = Sign::OfAll, .integers = Integers::OfFirst}},
    {"Relu", {.elementwise = true, .keeps_axes = true, .sign = Sign::None}},
    {"Reshape", {.moves = true, .sign = Sign::OfAll, .integers = Integers::PickedFromFirst}},
    {"Resize", {.makes_maps = true}},
    {"ScatterElements", {.keeps_axes = true, .sign = Sign::OfAll}},
    {"ScatterND", {.sign = Sign::OfAll}},
    {"Selu", {.keeps_axes = true}},
    {"Shape", {.integers = Integers::Sizes}},
    {"Sigmoid", {.elementwise = true, .keeps_axes = true, .sign = Sign::None}},
    {"Sign", {.elementwise = true}},
    {"Size", {.integers = Integers::Sizes}},
    {"Slice", {.moves = true, .sign = Sign::OfAll, .sizes_from = 1, .integers = Integers::PickedFromFirst}},
    {"Softmax", {.keeps_axes = true}},
    {"Softplus", {.keeps_axes = true}},
    {"Softsign", {.keeps_axes = true}},
    {"Split", {.sign = Sign::OfAll, .sizes_from = 1}},
    {"Sqrt", {.elementwise = true, .keeps_axes = true, .may_make_nan = true, .sign = Sign::OfAll}},
    {"Squeeze", {.moves = true, .sign = Sign::OfAll, .integers = Integers::PickedFromFirst}},
    {"Sub", {.elementwise = true, .broadcasts = true, .integers = Integers::OfAll}},
    {"Tanh", {.elementwise = true, .keeps_axes = true}},
    {"Tile", {.sign = Sign::OfAll, .sizes_from = 1, .integers = Integers::PickedFromFirst}},
    {"TopK", {.sizes_from = 1, .places_from = 1}},
    {"Transpose", {.moves = true, .sign = Sign::OfAll, .integers = Integers::PickedFromFirst}},
    {"Unique", {.places_from = 1}},
    {"Unsqueeze", {.moves = true, .sign = Sign::OfAll, .integers = Integers::PickedFromFirst}},
    {"Upsample", {.makes_maps = true}},
    {"Where", {.elementwise = true, .broadcasts = true, .sign = Sign::OfAll}},
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
