#include "lower/dtype_support.h"

#include <algorithm>
#include <array>
#include <span>

namespace tonnx::lower {
namespace {

using ir::DType;

// Dtype letters: ? bool, B b uint8 int8, H h uint16 int16, I i uint32 int32, Q q uint64 int64, e float16, g bfloat16, f
// float32, d float64, 8 any 8-bit float.
char letter_of(DType dtype) {
  switch (dtype) {
    case DType::Bool: return '?';
    case DType::UInt8: return 'B';
    case DType::Int8: return 'b';
    case DType::UInt16: return 'H';
    case DType::Int16: return 'h';
    case DType::UInt32: return 'I';
    case DType::Int32: return 'i';
    case DType::UInt64: return 'Q';
    case DType::Int64: return 'q';
    case DType::Float16: return 'e';
    case DType::BFloat16: return 'g';
    case DType::Float32: return 'f';
    case DType::Float64: return 'd';
    case DType::Float8E4M3FN:
    case DType::Float8E4M3FNUZ:
    case DType::Float8E5M2:
    case DType::Float8E5M2FNUZ: return '8';
    default: return '\0';
  }
}

// Kernels that the CPU provider of ONNX Runtime 1.31 lacks although ONNX allows the dtype: from opset `since` on, the
// dtypes of one type variable. A later row of a variable replaces an earlier one. tests/python/kernel_gaps.py measures
// this table by loading models of one node; its --rows prints the rows.
struct Gap {
  std::string_view op;
  std::int32_t since;
  std::string_view variable;
  std::string_view dtypes;
};

constexpr Gap kGaps[] = {
    {"Abs", 7, "T", "g"},
    {"Acos", 7, "T", "gd"},
    {"Acosh", 9, "T", "gd"},
    {"Add", 7, "T", "g"},
    {"AffineGrid", 20, "T1", "g"},
    {"ArgMax", 7, "T", "HhIQg"},
    {"ArgMin", 7, "T", "HhIQg"},
    {"Asin", 7, "T", "gd"},
    {"Asinh", 9, "T", "gd"},
    {"Atan", 7, "T", "gd"},
    {"Atanh", 9, "T", "gd"},
    {"Attention", 23, "T1", "g"},
    {"Attention", 24, "U", "Hhg"},
    {"AveragePool", 7, "T", "gd"},
    {"BatchNormalization", 7, "T", "g"},
    {"BatchNormalization", 15, "T1", "g"},
    {"BatchNormalization", 15, "T2", "g"},
    {"BatchNormalization", 14, "U", "g"},
    {"Bernoulli", 22, "T1", "egfd"},
    {"Bernoulli", 22, "T2", "?BbHhIiQqegfd"},
    {"BitShift", 11, "T", "H"},
    {"Ceil", 7, "T", "g"},
    {"CenterCropPad", 18, "T", "Hhg"},
    {"Clip", 7, "T", "d"},
    {"Clip", 12, "T", "Hhg"},
    {"Col2Im", 18, "T", "?BbHhIiQqgd"},
    {"Conv", 7, "T", "gd"},
    {"ConvTranspose", 7, "T", "gd"},
    {"Cos", 7, "T", "g"},
    {"Cosh", 9, "T", "gd"},
    {"CumProd", 26, "T", "g"},
    {"CumSum", 11, "T", "IQg"},
    {"DFT", 17, "T1", "g"},
    {"DeformConv", 19, "T", "g"},
    {"DepthToSpace", 7, "T", "?BbHhIiQq"},
    {"DepthToSpace", 11, "T", "?HhIiQqg"},
    {"DequantizeLinear", 19, "T2", "g"},
    {"DequantizeLinear", 23, "T3", "g"},
    {"Det", 11, "T", "gd"},
    {"Div", 7, "T", "g"},
    {"Dropout", 7, "T", "g8"},
    {"Dropout", 10, "T1", "g8"},
    {"Einsum", 12, "T", "BbHhIQ"},
    {"Elu", 7, "T", "gd"},
    {"Equal", 7, "T", "g"},
    {"Erf", 9, "T", "BbHhIiQqgd"},
    {"Exp", 7, "T", "g"},
    {"Expand", 8, "T", "g"},
    {"EyeLike", 9, "T1", "?BbHhIg"},
    {"EyeLike", 9, "T2", "?BbHhIg"},
    {"Flatten", 7, "T", "8"},
    {"Floor", 7, "T", "g"},
    {"GRU", 7, "T", "g"},
    {"Gelu", 20, "T", "gd"},
    {"Gemm", 7, "T", "IiQqg"},
    {"GlobalAveragePool", 7, "T", "gd"},
    {"GlobalLpPool", 7, "T", "d"},
    {"GlobalLpPool", 22, "T", "egfd"},
    {"GlobalMaxPool", 7, "T", "gd"},
    {"Greater", 7, "T", "g"},
    {"GreaterOrEqual", 12, "T", "g"},
    {"GridSample", 16, "T1", "?BbHhIiQqd"},
    {"GridSample", 20, "T1", "?BbHhIiQqg"},
    {"GridSample", 16, "T2", "d"},
    {"GridSample", 20, "T2", "g"},
    {"GroupNormalization", 21, "T", "g"},
    {"HardSigmoid", 7, "T", "gd"},
    {"HardSwish", 14, "T", "gd"},
    {"Hardmax", 7, "T", "gd"},
    {"ImageDecoder", 20, "T1", "B"},
    {"ImageDecoder", 20, "T2", "B"},
    {"InstanceNormalization", 7, "T", "gd"},
    {"IsNaN", 9, "T1", "g"},
    {"IsNaN", 20, "T1", ""},
    {"LRN", 7, "T", "gd"},
    {"LSTM", 7, "T", "g"},
    {"LeakyRelu", 7, "T", "gd"},
    {"Less", 7, "T", "g"},
    {"LessOrEqual", 12, "T", "g"},
    {"Log", 7, "T", "g"},
    {"LogSoftmax", 7, "T", "g"},
    {"LpNormalization", 7, "T", "g"},
    {"LpPool", 7, "T", "gd"},
    {"MatMul", 7, "T", "g"},
    {"Max", 7, "T", "d"},
    {"Max", 8, "T", "Hhg"},
    {"MaxPool", 7, "T", "d"},
    {"MaxPool", 8, "T", "g"},
    {"MaxRoiPool", 7, "T", "d"},
    {"MaxRoiPool", 22, "T", "egfd"},
    {"MaxUnpool", 9, "T1", "gd"},
    {"Mean", 7, "T", "gd"},
    {"MeanVarianceNormalization", 9, "T", "egd"},
    {"MelWeightMatrix", 17, "T2", "gd"},
    {"MelWeightMatrix", 17, "T3", "g"},
    {"Min", 7, "T", "d"},
    {"Min", 8, "T", "Hhg"},
    {"Mish", 18, "T", "gd"},
    {"Mod", 10, "T", "g"},
    {"Mul", 7, "T", "g"},
    {"Multinomial", 7, "T1", "d"},
    {"Multinomial", 22, "T1", "egfd"},
    {"Multinomial", 22, "T2", "iq"},
    {"Neg", 7, "T", "g"},
    {"NegativeLogLikelihoodLoss", 12, "T", "g"},
    {"NonZero", 9, "T", "bHhIQgd"},
    {"OneHot", 9, "T1", "BbHhIQd"},
    {"OneHot", 9, "T2", "BbHhIiQd"},
    {"OneHot", 9, "T3", "?BbHhIiQd"},
    {"PRelu", 7, "T", "IiQqgd"},
    {"Pad", 7, "T", "Hhg8"},
    {"Pow", 7, "T", "g"},
    {"Pow", 12, "T1", "BbHhIQg"},
    {"QLinearMatMul", 10, "T1", "8"},
    {"QLinearMatMul", 10, "T2", "8"},
    {"QLinearMatMul", 10, "T3", "8"},
    {"QLinearMatMul", 21, "TS", "g"},
    {"QuantizeLinear", 10, "T1", "ig"},
    {"QuantizeLinear", 10, "T2", "ig"},
    {"RMSNormalization", 23, "T", "g"},
    {"RNN", 7, "T", "gd"},
    {"RandomNormal", 7, "T", "e"},
    {"RandomNormal", 22, "T", "egfd"},
    {"RandomNormalLike", 22, "T1", "?BbHhIiQqegfd"},
    {"RandomNormalLike", 22, "T2", "egfd"},
    {"RandomUniform", 7, "T", "e"},
    {"RandomUniform", 22, "T", "egfd"},
    {"RandomUniformLike", 22, "T1", "?BbHhIiQqegfd"},
    {"RandomUniformLike", 22, "T2", "egfd"},
    {"Reciprocal", 7, "T", "g"},
    {"ReduceL1", 7, "T", "IQg"},
    {"ReduceL2", 7, "T", "IQg"},
    {"ReduceLogSum", 7, "T", "IQg"},
    {"ReduceLogSumExp", 7, "T", "IQg"},
    {"ReduceMax", 7, "T", "IQg"},
    {"ReduceMean", 7, "T", "IQg"},
    {"ReduceMin", 7, "T", "IQg"},
    {"ReduceProd", 7, "T", "IQg"},
    {"ReduceSum", 7, "T", "IQg"},
    {"ReduceSumSquare", 7, "T", "IQg"},
    {"Relu", 7, "T", "hqg"},
    {"Reshape", 7, "T", "8"},
    {"Reshape", 21, "T", ""},
    {"Resize", 10, "T", "?HhIQqd"},
    {"Resize", 11, "T1", "?HhIQqgd"},
    {"RoiAlign", 22, "T1", "egfd"},
    {"RoiAlign", 22, "T2", "q"},
    {"RotaryEmbedding", 23, "T", "g"},
    {"Round", 11, "T", "g"},
    {"STFT", 17, "T1", "g"},
    {"Selu", 7, "T", "gd"},
    {"Shape", 7, "T", "8"},
    {"Shape", 21, "T", ""},
    {"Sigmoid", 7, "T", "g"},
    {"Sin", 7, "T", "g"},
    {"Sinh", 9, "T", "gd"},
    {"Size", 7, "T", "g8"},
    {"Softmax", 7, "T", "g"},
    {"Softplus", 7, "T", "gd"},
    {"Softsign", 7, "T", "gd"},
    {"SpaceToDepth", 7, "T", "?HhIiQqg"},
    {"SplitToSequence", 11, "T", "BbHhIQg"},
    {"Sqrt", 7, "T", "g"},
    {"Squeeze", 7, "T", "8"},
    {"Sub", 7, "T", "g"},
    {"Sum", 7, "T", "g"},
    {"Swish", 24, "T", "g"},
    {"Tan", 7, "T", "gd"},
    {"Tanh", 7, "T", "g"},
    {"TensorScatter", 24, "T", "8"},
    {"ThresholdedRelu", 10, "T", "gd"},
    {"Tile", 7, "T", "g"},
    {"TopK", 7, "T", "HIQg"},
    {"Trilu", 14, "T", "BbHhIQg"},
    {"Unique", 11, "T", "?BHhIiQ"},
    {"Unsqueeze", 7, "T", "8"},
    {"Upsample", 7, "T", "?HhIQqd"},
    {"Where", 9, "T", "?HhQg"},
};

static_assert(std::is_sorted(std::begin(kGaps), std::end(kGaps),
                             [](const Gap& a, const Gap& b) { return a.op < b.op; }));

bool runs(std::string_view op, std::int32_t opset, std::string_view variable, DType dtype) {
  const char letter = letter_of(dtype);
  if (letter == '\0') return true;
  const auto rows = std::equal_range(std::begin(kGaps), std::end(kGaps), Gap{op, 0, {}, {}},
                                     [](const Gap& a, const Gap& b) { return a.op < b.op; });
  const Gap* row = nullptr;
  for (const Gap* g = rows.first; g != rows.second; ++g)
    if (g->since <= opset && g->variable == variable) row = g;
  return !row || row->dtypes.find(letter) == std::string_view::npos;
}

// Wider dtypes that represent every value, nearest first (float64 for int64: it represents every index and size).
std::span<const DType> wider(DType dtype) {
  static constexpr std::array kBool{DType::Int32, DType::Int64, DType::UInt8, DType::Float32, DType::Float64};
  static constexpr std::array kSmall{DType::Int32, DType::Int64, DType::Float32, DType::Float64};
  static constexpr std::array kWord{DType::Int64, DType::Float64};
  static constexpr std::array kLong{DType::Float64};
  static constexpr std::array kHalf{DType::Float32, DType::Float64};
  switch (dtype) {
    case DType::Bool: return kBool;
    case DType::UInt8:
    case DType::Int8:
    case DType::UInt16:
    case DType::Int16: return kSmall;
    case DType::Int32:
    case DType::UInt32: return kWord;
    case DType::Int64:
    case DType::UInt64: return kLong;
    case DType::Float16:
    case DType::BFloat16:
    case DType::Float8E4M3FN:
    case DType::Float8E4M3FNUZ:
    case DType::Float8E5M2:
    case DType::Float8E5M2FNUZ: return kHalf;
    case DType::Float32: return kLong;
    default: return {};
  }
}

}  // namespace

DType widen(std::string_view op, std::int32_t opset, const ir::OpSlot& slot, DType dtype) {
  const bool allowed = slot.allows(dtype);
  if (op == "Cast") return allowed ? dtype : DType::Undefined;  // the widening itself is a Cast
  if (allowed && runs(op, opset, slot.type_variable, dtype)) return dtype;
  for (const DType wide : wider(dtype))
    if (slot.allows(wide) && runs(op, opset, slot.type_variable, wide)) return wide;
  return allowed ? dtype : DType::Undefined;
}

bool holds_attribute(DType dtype, double number) {
  return dtype != DType::Float64 || static_cast<double>(static_cast<float>(number)) == number;
}

bool has_kernel(std::string_view op, std::int32_t opset, const ir::OpSlot& slot, DType dtype) {
  return runs(op, opset, slot.type_variable, dtype);
}

bool has_kernel(std::string_view op, std::int32_t opset, DType dtype) {
  return std::ranges::all_of(kGaps,
                             [&](const Gap& gap) { return gap.op != op || runs(op, opset, gap.variable, dtype); });
}

}  // namespace tonnx::lower
