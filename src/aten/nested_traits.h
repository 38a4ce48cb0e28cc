#pragma once

#include <string_view>

#include "ir/graph.h"

// What an operator does to nested tensors (tensors of rows of different lengths): one row an operator.
namespace tonnx::aten {

enum class NestedForm {
  None,  // no form for nested tensors

  // Of operators that other tensors have, too.
  ByRow,       // each row of the result comes of the same row of the operands: elementwise, or along the last axis
  FirstByRow,  // the same for result 0; the others have no form
  LastAxis,    // the same where it works along the last axis
  Reads,       // the result depends on rank, dtype and device alone
  Size,        // a size; that of the rows has no form
  IsNested,

  // Of operators that make, read or take apart nested tensors.
  FromMask,       // the first elements of each row, as many as the mask has true ones
  IsLeftAligned,  // whether a mask has its true elements first in each row
  ToPadded,
  EncoderLayer,
  Attention,
  Refused,
};

// The form of an operator's overload, else that of the operator. Thread-safe.
NestedForm nested_form_of(const ir::Node& node);

// A row, named as those of aten/traits.h.
struct NestedRow {
  std::string_view op;
  NestedForm traits;
};

}  // namespace tonnx::aten
