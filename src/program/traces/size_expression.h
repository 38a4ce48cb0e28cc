#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tonnx::program {

// Arithmetic on sizes of tensors, as the host's code computes it. An integer, or a float if it contains a real, a
// quotient, a root or a logarithm.
struct SizeExpression {
  enum class Kind {
    Size,  // sizes[index]
    Integer,
    Real,
    Add,
    Multiply,
    FloorDivide,  // rounds down; integers
    Minimum,
    Maximum,
    Divide,  // of floats
    SquareRoot,
    Logarithm,
  };

  Kind kind = Kind::Integer;
  std::int64_t integer = 0;  // the integer, or the index of the size
  double real = 0;
  std::vector<SizeExpression> operands = {};

  static SizeExpression size(std::size_t index) { return {Kind::Size, static_cast<std::int64_t>(index)}; }
  static SizeExpression of(std::int64_t value) { return {Kind::Integer, value}; }
  static SizeExpression of(double value) { return {Kind::Real, 0, value}; }

  bool is_real() const;
};

// Sum and product. They simplify x + 0, x * 0 and x * 1.
SizeExpression add(SizeExpression a, SizeExpression b);
SizeExpression multiply(SizeExpression a, SizeExpression b);
SizeExpression call(SizeExpression::Kind kind, std::vector<SizeExpression> operands);

// The value for these sizes. Empty if an integer overflows or is divided by a number that is not positive, if a float
// is not finite, and from integer_of() for a float expression.
std::optional<std::int64_t> integer_of(const SizeExpression& expression, std::span<const std::int64_t> sizes);
std::optional<double> real_of(const SizeExpression& expression, std::span<const std::int64_t> sizes);

// "2*batch + 1", "floor((rows - 1)/2)", "min(rows, 512)"
std::string to_string(const SizeExpression& expression, std::span<const std::string> names);

}  // namespace tonnx::program
