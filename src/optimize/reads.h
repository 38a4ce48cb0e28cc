#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/graph.h"

namespace tonnx::optimize {

// The integers of a constant tensor; nothing for any other value, and for null.
inline std::optional<std::vector<std::int64_t>> constant_ints(const ir::Value* value) {
  const ir::Constant* constant = value ? value->constant() : nullptr;
  const ir::Tensor* tensor = constant ? constant->get<ir::Tensor>() : nullptr;
  if (!tensor || !ir::is_integral(tensor->dtype)) return std::nullopt;
  return tensor->to_int64s();
}

}  // namespace tonnx::optimize
