#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/constant.h"
#include "ir/dtype.h"

namespace tonnx::ir {

// One dimension: fixed, an expression of named symbols ("batch", "2*batch + 1"), or unknown.
class Dim {
 public:
  Dim() = default;  // unknown
  Dim(std::int64_t size) : size_(size) {}
  static Dim symbolic(std::string expression) {
    Dim d;
    d.expression_ = std::move(expression);
    return d;
  }

  bool is_fixed() const { return size_ >= 0; }
  bool is_symbolic() const { return size_ < 0 && !expression_.empty(); }
  bool is_unknown() const { return size_ < 0 && expression_.empty(); }
  std::int64_t size() const { return size_; }  // -1 unless fixed
  const std::string& expression() const { return expression_; }

  // True where the two are surely the same size; unknown equals nothing, itself included.
  bool same(const Dim& other) const {
    return is_fixed() ? size_ == other.size_ : is_symbolic() && expression_ == other.expression_;
  }

 private:
  std::int64_t size_ = -1;
  std::string expression_;
};

// What is known of a value for every run of the model, not for the example alone.
struct Facts {
  DType dtype = DType::Undefined;           // of a tensor; of a scalar: Int64, Float64 or Bool
  std::optional<std::vector<Dim>> dims;     // absent: rank unknown; a scalar has rank 0
  std::shared_ptr<const Constant> constant; // absent: depends on the inputs

  bool has_rank() const { return dims.has_value(); }
  std::int64_t rank() const { return static_cast<std::int64_t>(dims.value().size()); }
  // Dims as integers if all are fixed.
  std::optional<std::vector<std::int64_t>> fixed_dims() const;
};

}  // namespace tonnx::ir
