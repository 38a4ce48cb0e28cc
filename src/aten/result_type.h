#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ir/facts_view.h"
#include "ir/graph.h"

namespace tonnx::aten {

// An operand of type promotion.
struct Promoted {
  enum class By { Axes, RankZero, Number };  // priority: a tensor with axes, one of rank 0, a scalar
  ir::DType dtype;
  By by;
};

// The operand for a tensor or scalar with these facts; a tensor of unknown rank counts as one with axes.
Promoted promoted(const ir::Type& type, const ir::Facts& facts);

// The dtype in which LibTorch computes on tensors and scalars, with the categories bool < integral < floating <
// complex. A tensor with axes takes precedence over tensors of rank 0, and these over scalars, unless the other one has
// a higher category. A floating scalar counts as float32 with tensors and as float64 among scalars. Undefined if an
// operand's dtype is. Source: at::result_type.
ir::DType result_type(std::span<const Promoted> operands);

// The same for a node's operands; ignores those that are not tensors or scalars. Undefined if a tensor's rank is
// unknown.
ir::DType result_type(std::span<ir::Value* const> values, const ir::FactsView& known = {});

// The facts of the result of an elementwise operator on tensors: arithmetic, comparison, logic, selection. Empty for
// other operators, and if the broadcast sizes cannot be determined.
ir::Facts elementwise_facts(const ir::Node& node, const ir::FactsView& known);

// The dim that two dims broadcast to, unknown if it is dynamic; nullopt if they do not match.
std::optional<ir::Dim> broadcast_dim(const ir::Dim& a, const ir::Dim& b);

// The dims that the tensors among these values broadcast to; some may be unknown. Nullopt if a rank is unknown or two
// tensors do not match.
std::optional<std::vector<ir::Dim>> broadcast_dims(std::span<ir::Value* const> values, const ir::FactsView& known);

}  // namespace tonnx::aten
