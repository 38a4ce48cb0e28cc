#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "ir/graph.h"

// Traits of operators for quantised tensors: one row for each operator, in addition to its row in aten/traits.h.
namespace tonnx::aten {

enum class QuantisedForm {
  None,  // unknown

  // Operators that also exist for other tensors.
  Moves,     // elements of the result are elements of the operand
  Unpacks,   // elements of each result are
  Pads,      // aten::pad: they are, or a scalar quantised in the same way
  Converts,  // returns the tensor itself or a copy
  Joins,     // of tensors with different scales the result has the scale of the first
  Rounds,    // is computed in floats and quantised with the operand's scale
  Averages,  // means of elements, rounded as their integers are
  Squashes,  // a function whose range determines the scale of its result
  Reads,     // the result depends on the elements, but is not quantised
  IsFloating,
  IsQuantised,
  ElementType,

  // Operators for quantised tensors only.
  Refused,  // not supported
  Quantise,
  QuantiseChannels,
  QuantiseByRange,
  OfIntegers,  // create a quantised tensor
  Dequantise,
  Integers,
  Scale,
  ZeroPoint,
  ChannelScales,
  ChannelZeroPoints,
  ChannelAxis,  // read its parts
  FusedObserver,
  Function,  // calls `real` on floats, with the arguments of the same names
  Dropout,
  Add,
  Multiply,
  Product,
  Joined,
  Pack,
  PackCells,  // create parameters
  Linear,
  DynamicLinear,
  LinearOfFloats,  // use packed parameters
  PrepackedLinear,
  PrepackedConvolution,  // use packed parameters that are floats, and clamp the result
  Convolution,
  DynamicConvolution,
  ConvolutionAdd,
  BatchNorm,
  InstanceNorm,
  Embedding,
  EmbeddingBag,
  Recurrent,
  LstmCell,
  GruCell,
  RnnCell,
};

// Scale and zero point of a Function's result.
enum class QuantisedSteps {
  Asked,    // specified by its arguments
  Operand,  // the operand's; the result is rounded to it
  Kept,     // the operand's; the elements are elements of the operand
};

struct QuantisedTraits {
  QuantisedForm form = QuantisedForm::None;
  QuantisedSteps steps = QuantisedSteps::Asked;
  std::string_view real = {};        // the operator on floats
  std::string_view transposed = {};  // Convolution: the operator for transposed parameters
  std::string_view dynamic = {};     // Recurrent: the operator for cells that quantise their operands
  std::string_view after = {};       // the operator fused to its end
  int rank = 0;                      // Convolution: number of spatial axes
  bool halves = false;               // float weights, rounded to half precision; operands are not quantised
  bool floats = false;               // float weights; operands are not quantised
  bool nibbles = false;              // an embedding table with 4-bit elements
  int levels = 0;                    // Squashes: number of steps from 0 to 1
  int zero_of_bytes = 0;             // Squashes: the zero point for quint8
};

// Like traits_of(). Valid until the process ends; thread-safe.
const QuantisedTraits& quantised_traits_of(std::string_view name, std::string_view overload = {});
const QuantisedTraits& quantised_traits_of(const ir::Node& node);

// True for operators that accept only quantised tensors, or create one.
bool is_quantised_alone(QuantisedForm form);

// A row; names are as in aten/traits.h.
struct QuantisedRow {
  std::string_view op;
  QuantisedTraits traits;
};

// All rows.
std::span<const QuantisedRow* const> quantised_rows();

// One function for each family, in the file of its name.
std::span<const QuantisedRow> quantised_layer_traits();
std::span<const QuantisedRow> quantised_move_traits();
std::span<const QuantisedRow> quantised_traits();

}  // namespace tonnx::aten
