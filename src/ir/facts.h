#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "ir/constant.h"
#include "ir/dim.h"
#include "ir/dtype.h"

namespace tonnx::ir {

// Properties of a value that hold in every run of the model, not only for the example.
struct Facts {
  DType dtype = DType::Undefined;            // of a tensor; for a scalar: Int64, Float64 or Bool
  std::optional<std::vector<Dim>> dims;      // absent: rank unknown; a scalar has rank 0
  std::shared_ptr<const Constant> constant;  // absent: the value depends on the inputs

  bool has_rank() const { return dims.has_value(); }
  std::int64_t rank() const { return static_cast<std::int64_t>(dims.value().size()); }
  // The dims as integers if all are fixed.
  std::optional<std::vector<std::int64_t>> fixed_dims() const;
};

}  // namespace tonnx::ir
