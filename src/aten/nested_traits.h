#pragma once

#include <string_view>

#include "ir/graph.h"

// Traits of operators for nested tensors (tensors with rows of different lengths): one row for each operator.
namespace tonnx::aten {

enum class NestedForm {
  None,  // not supported for nested tensors

  // Operators that also exist for other tensors.
  ByRow,  // each row of the result depends on the same row of the operands only: elementwise, or along the last axis
  FirstByRow,  // the same for result 0; the other results are not supported
  LastAxis,    // the same if the operator works along the last axis
  Reads,       // the result depends only on rank, dtype and device
  Size,        // a size; that of the rows is not supported
  IsNested,

  // Operators that build, read or convert nested tensors.
  FromMask,       // the first elements of each row, as many as the mask has true elements there
  IsLeftAligned,  // true if the true elements of a mask come first in each row
  ToPadded,
  EncoderLayer,
  Attention,
  Refused,
};

// The form of an operator's overload, else that of the operator. Thread-safe.
NestedForm nested_form_of(const ir::Node& node);

// A row; names are as in aten/traits.h.
struct NestedRow {
  std::string_view op;
  NestedForm traits;
};

}  // namespace tonnx::aten
