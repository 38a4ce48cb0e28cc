#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ir/graph.h"

namespace tonnx::aten {

// What decides the dtype where operands meet.
struct Promoted {
  enum class By { Axes, RankZero, Number };  // a tensor with axes, one without, a number
  ir::DType dtype;
  By by;
};

// Of an operand with these facts, a tensor or a number; a tensor of unknown rank counts as one with axes.
Promoted promoted(const ir::Type& type, const ir::Facts& facts);

// The dtype that LibTorch computes in where tensors and numbers meet, of the categories bool < integral < floating <
// complex: a tensor outweighs tensors of rank 0, and these outweigh numbers, unless a later one is of a higher
// category. A floating number counts as float32 beside tensors and as float64 among numbers. Undefined if an operand's
// dtype is. Source: at::result_type.
ir::DType result_type(std::span<const Promoted> operands);

// The same of a node's operands, of which others than tensors and numbers are passed over. Undefined where a tensor's
// rank is unknown.
ir::DType result_type(std::span<ir::Value* const> values);

// Facts of the result of an operator that works element by element on all its tensors: arithmetic, comparisons, logic,
// choices. Empty for any other, and where the sizes cannot be told from one another.
ir::Facts elementwise_facts(const ir::Node& node);

// A size beside another one in an operator that broadcasts, unknown where a run must tell; nothing where they do not
// fit.
std::optional<ir::Dim> broadcast_dim(const ir::Dim& a, const ir::Dim& b);

// The sizes that the tensors among these are broadcast to, unknown ones among them; nothing where the rank of one is
// not known, or two do not fit.
std::optional<std::vector<ir::Dim>> broadcast_dims(std::span<ir::Value* const> values);

}  // namespace tonnx::aten
