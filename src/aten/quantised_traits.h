#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "ir/graph.h"

// What an operator does to quantised tensors: one row an operator, beside what it means for others (aten/traits.h).
namespace tonnx::aten {

enum class QuantisedForm {
  None,  // nothing is known

  // Of operators that other tensors have, too.
  Moves,     // elements of the result are some of the operand's
  Unpacks,   // elements of each result are
  Pads,      // aten::pad: they are, or a number rounded as they are
  Converts,  // the tensor itself or a copy of it
  Joins,     // of tensors with several scales the result has that of the first
  Rounds,    // is computed in floats and rounded to the operand's scale
  Averages,  // means of elements, rounded as their integers are
  Squashes,  // a function whose range asks for the scale of its result
  Reads,     // the result tells of the elements, and is none
  IsFloating,
  IsQuantised,
  ElementType,

  // Of operators on quantised tensors alone.
  Refused,  // without a form
  Quantise,
  QuantiseChannels,
  QuantiseByRange,
  OfIntegers,  // make a quantised tensor
  Dequantise,
  Integers,
  Scale,
  ZeroPoint,
  ChannelScales,
  ChannelZeroPoints,
  ChannelAxis,  // take it apart
  FusedObserver,
  Function,  // `real` on floats, with the arguments of the same names
  Dropout,
  Add,
  Multiply,
  Product,
  Joined,
  Pack,
  PackCells,  // parameters
  Linear,
  DynamicLinear,
  LinearOfFloats,  // of packed parameters
  PrepackedLinear,
  PrepackedConvolution,  // of packed parameters that are floats, with limits of the result
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
  Asked,    // those that its arguments name
  Operand,  // the operand's, which its elements are rounded to
  Kept,     // the operand's, of which its elements are some
};

struct QuantisedTraits {
  QuantisedForm form = QuantisedForm::None;
  QuantisedSteps steps = QuantisedSteps::Asked;
  std::string_view real = {};        // the operator on floats
  std::string_view transposed = {};  // Convolution: that of transposed parameters
  std::string_view dynamic = {};     // Recurrent: that of cells which round their operands
  std::string_view after = {};       // what is fused to the end
  int rank = 0;                      // Convolution: spatial dims
  bool halves = false;               // float weights, rounded to halves; operands are not rounded
  bool floats = false;               // float weights; operands are not rounded
  bool nibbles = false;              // a table of elements of four bits
  int levels = 0;                    // Squashes: steps from 0 to 1
  int zero_of_bytes = 0;             // Squashes: the zero point of unsigned bytes
};

// As traits_of(). Valid for the life of the program; thread-safe.
const QuantisedTraits& quantised_traits_of(std::string_view name, std::string_view overload = {});
const QuantisedTraits& quantised_traits_of(const ir::Node& node);

// True for operators that are on quantised tensors alone, or make some.
bool is_quantised_alone(QuantisedForm form);

// A row, named as those of aten/traits.h.
struct QuantisedRow {
  std::string_view op;
  QuantisedTraits traits;
};

// All rows.
std::span<const QuantisedRow* const> quantised_rows();

// One function a family, each in a file of its name.
std::span<const QuantisedRow> quantised_layer_traits();
std::span<const QuantisedRow> quantised_move_traits();
std::span<const QuantisedRow> quantised_traits();

}  // namespace tonnx::aten
