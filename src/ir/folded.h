#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ir/computed.h"

namespace tonnx::ir {

// The function of an elementwise operator of one or two operands, on floating-point elements. The other member is null.
struct ElementFunction {
  double (*of_one)(double) = nullptr;
  double (*of_two)(double, double) = nullptr;
};

// The result of an operator of ONNX on weights and constants that is too large to be stored at export, and the
// operator.
class Folded : public Computed {
 public:
  struct Operand {
    Tensor tensor;     // contiguous
    std::string name;  // of the weight; empty for a constant
  };
  struct Operator {
    std::string kind;  // "onnx::Mul"
    std::vector<std::pair<std::string, std::int64_t>> attributes;
    std::vector<Operand> operands;
  };

  const Operator& op() const { return op_; }
  DType dtype() const { return dtype_; }
  const std::vector<std::int64_t>& dims() const { return dims_; }

 protected:
  Folded(Operator op, DType dtype, std::vector<std::int64_t> dims);

 private:
  Operator op_;
  DType dtype_;
  std::vector<std::int64_t> dims_;
};

// Each element is computed in double and rounded once.
class FoldedElementwise final : public Folded {
 public:
  // One or two operands, as `function` takes; floating-point; their dims broadcast to the result's.
  FoldedElementwise(Operator op, DType dtype, std::vector<std::int64_t> dims, ElementFunction function);
  void compute(std::int64_t begin, std::int64_t end, std::byte* out, const Done& done) const override;

 private:
  std::vector<double> values_of(const Tensor& operand, std::int64_t begin, std::int64_t end) const;

  ElementFunction function_;
};

// The concatenation of operands of one dtype that differ in the first size only.
class FoldedConcat final : public Folded {
 public:
  FoldedConcat(Operator op, DType dtype, std::vector<std::int64_t> dims);
  void compute(std::int64_t begin, std::int64_t end, std::byte* out, const Done& done) const override;
};

}  // namespace tonnx::ir
