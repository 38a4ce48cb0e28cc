#pragma once

#include <cstdint>

#include "ir/graph.h"

namespace tonnx::ir {

// Which operands the integers of a result come from, and how.
enum class Integers : std::int8_t {
  Other,
  PickedFromFirst,  // each is an element of the first operand
  PickedFromAll,    // each is an element of one of the operands
  Converted,        // from the elements of the only operand, of any dtype
  OfFirst,          // computed from elements of the first operand
  OfAll,            // computed from elements of all operands
  Sizes,            // sizes of the operand
};

// Whether numbers may be negative.
enum class Sign : std::int8_t {
  Other,
  OfAll,  // not if those of no operand are
  OfAny,  // not if those of one operand are not
  None,   // never
};

// What an operator of the default ONNX domain does to its operands. A property that a row does not set is false or
// unknown: code that asks must be right for an operator without a row.
struct OnnxTraits {
  bool elementwise = false;       // each element depends on one element of each operand, which broadcast
  bool broadcasts = false;        // an axis of the result is empty if it is empty in an operand
  bool keeps_axes = false;        // the axes are those of the first operand
  bool makes_maps = false;        // windows over spatial axes (2 on), which are assumed to yield elements
  bool reduces = false;           // reduces axes given by `axes`
  bool moves = false;             // moves or selects elements of the first operand, which may be quantised
  bool random = false;            // differs between two equal nodes
  bool mixes_by_weights = false;  // a layer, if an operand is a weight
  bool may_make_nan = false;      // NaN, or an infinity that may become NaN, of finite operands
  Sign sign = Sign::Other;
  bool sized_by_data = false;    // the elements of the operand decide how many elements the result has
  std::int8_t sizes_from = -1;   // the first operand whose elements are sizes of the result; -1: none
  std::int8_t places_from = -1;  // the first output whose elements are indices of elements; -1: none
  Integers integers = Integers::Other;
};

// The row of an ONNX node; without properties for other domains and for operators without a row.
const OnnxTraits& onnx_traits_of(const Node& node);

}  // namespace tonnx::ir
