#include "program/traces/size_expression.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ir/text.h"

namespace tonnx::program {

using Kind = SizeExpression::Kind;

namespace {

bool is_integer(const SizeExpression& e, std::int64_t value) { return e.kind == Kind::Integer && e.integer == value; }

std::string joined(const SizeExpression& e, const char* between, std::span<const std::string> names) {
  return to_string(e.operands[0], names) + between + to_string(e.operands[1], names);
}

std::string factor(const SizeExpression& e, std::span<const std::string> names) {
  const std::string whole = to_string(e, names);
  return e.kind == Kind::Add || (e.kind == Kind::Integer && e.integer < 0) ? "(" + whole + ")" : whole;
}

std::string product(const SizeExpression& e, std::span<const std::string> names) {
  if (is_integer(e.operands[0], -1)) return "-" + factor(e.operands[1], names);
  if (e.operands[0].kind == Kind::Integer && e.operands[0].integer < 0)
    return std::to_string(e.operands[0].integer) + "*" + factor(e.operands[1], names);
  return factor(e.operands[0], names) + "*" + factor(e.operands[1], names);
}

std::string sum(const SizeExpression& e, std::span<const std::string> names) {
  const std::string second = to_string(e.operands[1], names);
  const std::string first = to_string(e.operands[0], names);
  return second.starts_with('-') ? first + " - " + second.substr(1) : first + " + " + second;
}

}  // namespace

bool SizeExpression::is_real() const {
  switch (kind) {
    case Kind::Real:
    case Kind::Divide:
    case Kind::SquareRoot:
    case Kind::Logarithm: return true;
    default: return std::any_of(operands.begin(), operands.end(), [](const SizeExpression& e) { return e.is_real(); });
  }
}

SizeExpression call(Kind kind, std::vector<SizeExpression> operands) { return {kind, 0, 0, std::move(operands)}; }

SizeExpression add(SizeExpression a, SizeExpression b) {
  if (is_integer(a, 0)) return b;
  if (is_integer(b, 0)) return a;
  return call(Kind::Add, {std::move(a), std::move(b)});
}

SizeExpression multiply(SizeExpression a, SizeExpression b) {
  if (is_integer(a, 0) || is_integer(b, 1)) return a;
  if (is_integer(b, 0) || is_integer(a, 1)) return b;
  return call(Kind::Multiply, {std::move(a), std::move(b)});
}

std::optional<std::int64_t> integer_of(const SizeExpression& e, std::span<const std::int64_t> sizes) {
  if (e.kind == Kind::Size) return sizes[static_cast<std::size_t>(e.integer)];
  if (e.kind == Kind::Integer) return e.integer;
  if (e.is_real()) return std::nullopt;
  const auto first = integer_of(e.operands[0], sizes);
  const auto second = integer_of(e.operands[1], sizes);
  if (!first || !second) return std::nullopt;
  const std::int64_t a = *first, b = *second;
  std::int64_t result = 0;
  switch (e.kind) {
    case Kind::Add: return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case Kind::Multiply: return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case Kind::FloorDivide:
      if (b <= 0) return std::nullopt;
      return a / b - (a % b < 0 ? 1 : 0);
    case Kind::Minimum: return std::min(a, b);
    case Kind::Maximum: return std::max(a, b);
    default: return std::nullopt;
  }
}

std::optional<double> real_of(const SizeExpression& e, std::span<const std::int64_t> sizes) {
  if (!e.is_real()) {
    const auto integer = integer_of(e, sizes);
    return integer ? std::optional(static_cast<double>(*integer)) : std::nullopt;
  }
  if (e.kind == Kind::Real) return e.real;
  std::vector<double> values;
  for (const SizeExpression& operand : e.operands) {
    const auto value = real_of(operand, sizes);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  const auto finite = [](double value) { return std::isfinite(value) ? std::optional(value) : std::nullopt; };
  switch (e.kind) {
    case Kind::Add: return finite(values[0] + values[1]);
    case Kind::Multiply: return finite(values[0] * values[1]);
    case Kind::Divide: return finite(values[0] / values[1]);
    case Kind::SquareRoot: return finite(std::sqrt(values[0]));
    case Kind::Logarithm: return finite(std::log(values[0]));
    default: return std::nullopt;
  }
}

std::string to_string(const SizeExpression& e, std::span<const std::string> names) {
  switch (e.kind) {
    case Kind::Size: return names[static_cast<std::size_t>(e.integer)];
    case Kind::Integer: return std::to_string(e.integer);
    case Kind::Real: return ir::format_float(e.real);
    case Kind::Add: return sum(e, names);
    case Kind::Multiply: return product(e, names);
    case Kind::FloorDivide: return "floor(" + factor(e.operands[0], names) + "/" + factor(e.operands[1], names) + ")";
    case Kind::Minimum: return "min(" + joined(e, ", ", names) + ")";
    case Kind::Maximum: return "max(" + joined(e, ", ", names) + ")";
    case Kind::Divide:
      return factor(e.operands[0], names) + "/" +
             (e.operands[1].kind == Kind::Multiply ? "(" + to_string(e.operands[1], names) + ")"
                                                   : factor(e.operands[1], names));
    case Kind::SquareRoot: return "sqrt(" + to_string(e.operands[0], names) + ")";
    case Kind::Logarithm: return "log(" + to_string(e.operands[0], names) + ")";
  }
  return {};
}

}  // namespace tonnx::program
