#include "aten/result_type.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "aten/trait_table.h"

namespace tonnx::aten {
namespace {

using ir::Dim;
using ir::DType;
using ir::Facts;
using ir::Type;
using ir::Value;

enum class Elementwise {
  No,
  Arithmetic,  // the promoted dtype
  OfThree,     // the same, of three operands
  Division,    // the same, but float32 for integers and bools
  Comparison,  // bool
  Fill,        // the dtype of the first operand
  Choice,      // of two operands by a condition, the first one
};

struct ElementwiseRow {
  std::string_view op;
  struct Form {
    Elementwise form = Elementwise::No;
  } traits;
};

constexpr ElementwiseRow kRows[] = {
    {"aten::__and__", {Elementwise::Arithmetic}},    {"aten::__or__", {Elementwise::Arithmetic}},
    {"aten::__xor__", {Elementwise::Arithmetic}},    {"aten::add", {Elementwise::Arithmetic}},
    {"aten::addcdiv", {Elementwise::OfThree}},       {"aten::addcmul", {Elementwise::OfThree}},
    {"aten::atan2", {Elementwise::Division}},        {"aten::bitwise_and", {Elementwise::Arithmetic}},
    {"aten::bitwise_or", {Elementwise::Arithmetic}}, {"aten::bitwise_xor", {Elementwise::Arithmetic}},
    {"aten::copysign", {Elementwise::Division}},     {"aten::div", {Elementwise::Division}},
    {"aten::eq", {Elementwise::Comparison}},         {"aten::floor_divide", {Elementwise::Arithmetic}},
    {"aten::fmax", {Elementwise::Arithmetic}},       {"aten::fmin", {Elementwise::Arithmetic}},
    {"aten::fmod", {Elementwise::Arithmetic}},       {"aten::ge", {Elementwise::Comparison}},
    {"aten::gt", {Elementwise::Comparison}},         {"aten::hypot", {Elementwise::Division}},
    {"aten::le", {Elementwise::Comparison}},         {"aten::lerp", {Elementwise::OfThree}},
    {"aten::logaddexp", {Elementwise::Division}},    {"aten::logical_and", {Elementwise::Comparison}},
    {"aten::logical_or", {Elementwise::Comparison}}, {"aten::logical_xor", {Elementwise::Comparison}},
    {"aten::lt", {Elementwise::Comparison}},         {"aten::masked_fill", {Elementwise::Fill}},
    {"aten::maximum", {Elementwise::Arithmetic}},    {"aten::minimum", {Elementwise::Arithmetic}},
    {"aten::mul", {Elementwise::Arithmetic}},        {"aten::ne", {Elementwise::Comparison}},
    {"aten::pow", {Elementwise::Arithmetic}},        {"aten::remainder", {Elementwise::Arithmetic}},
    {"aten::rsub", {Elementwise::Arithmetic}},       {"aten::sub", {Elementwise::Arithmetic}},
    {"aten::true_divide", {Elementwise::Division}},  {"aten::where", {Elementwise::Choice}},
    {"aten::xlogy", {Elementwise::Division}},
};

int category(DType dtype) {
  return dtype == DType::Bool ? 0 : ir::is_integral(dtype) ? 1 : ir::is_floating(dtype) ? 2 : 3;
}

// The result dtype of operands of two priorities. The higher one is kept unless the other has a higher category; a
// complex result has the precision of the floating operand.
DType outweigh(DType higher, DType lower) {
  if (ir::is_floating(higher) && ir::is_complex(lower)) return ir::promote(higher, DType::Complex32);
  if (higher == DType::Undefined || lower == DType::Undefined) return ir::promote(higher, lower);
  return category(lower) > category(higher) ? ir::promote(higher, lower) : higher;
}

DType number_dtype(Type::Kind kind) {
  switch (kind) {
    case Type::Kind::Int: return DType::Int64;
    case Type::Kind::Float: return DType::Float64;
    case Type::Kind::Bool: return DType::Bool;
    case Type::Kind::Complex: return DType::Complex128;
    default: return DType::Undefined;
  }
}

bool is_tensor(const Value* value) { return value->type().is(Type::Kind::Tensor); }

std::optional<std::vector<Dim>> broadcast(const std::vector<Dim>& a, const std::vector<Dim>& b) {
  std::vector<Dim> out(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto from_end = [&](const std::vector<Dim>& dims) {
      return i < dims.size() ? dims[dims.size() - 1 - i] : Dim(1);
    };
    const auto dim = broadcast_dim(from_end(a), from_end(b));
    if (!dim) return std::nullopt;
    out[out.size() - 1 - i] = *dim;
  }
  return out;
}

}  // namespace

Promoted promoted(const Type& type, const Facts& facts) {
  if (type.is(Type::Kind::Tensor))
    return {facts.dtype, facts.dims && facts.dims->empty() ? Promoted::By::RankZero : Promoted::By::Axes};
  return {facts.dtype != DType::Undefined ? facts.dtype : number_dtype(type.kind), Promoted::By::Number};
}

DType result_type(std::span<const Promoted> operands) {
  DType groups[3] = {DType::Undefined, DType::Undefined, DType::Undefined};
  for (const Promoted& operand : operands) {
    if (operand.dtype == DType::Undefined) return DType::Undefined;
    DType& group = groups[static_cast<std::size_t>(operand.by)];
    group = ir::promote(group, operand.dtype);
  }
  auto& [with_axes, rank_zero, number] = groups;
  if (with_axes == DType::Undefined && rank_zero == DType::Undefined) return number;
  if (number == DType::Float64) number = DType::Float32;
  if (number == DType::Complex128) number = DType::Complex64;
  return outweigh(with_axes, outweigh(rank_zero, number));
}

DType result_type(std::span<Value* const> values, const ir::FactsView& known) {
  std::vector<Promoted> operands;
  for (const Value* value : values) {
    if (is_tensor(value) && !known.of(value).dims) return DType::Undefined;
    if (is_tensor(value) || value->type().is_scalar() || value->type().is(Type::Kind::Complex))
      operands.push_back(promoted(value->type(), known.of(value)));
  }
  return result_type(operands);
}

std::optional<Dim> broadcast_dim(const Dim& a, const Dim& b) {
  if (a.same(b)) return a;
  if (a.is_fixed() && a.size() == 1) return b;
  if (b.is_fixed() && b.size() == 1) return a;
  if (a.is_fixed() && b.is_fixed()) return std::nullopt;
  if (a.is_fixed()) return a;  // the other dim is equal or 1
  if (b.is_fixed()) return b;
  return Dim();
}

std::optional<std::vector<Dim>> broadcast_dims(std::span<Value* const> values, const ir::FactsView& known) {
  std::optional<std::vector<Dim>> dims(std::in_place);
  for (const Value* value : values)
    if (is_tensor(value) && dims) dims = known.of(value).dims ? broadcast(*dims, *known.of(value).dims) : std::nullopt;
  return dims;
}

Facts elementwise_facts(const ir::Node& node, const ir::FactsView& known) {
  static const auto& table = *new Rows<ElementwiseRow>({kRows});
  const Elementwise form = table.of(node.kind(), {}).form;
  if (form == Elementwise::No || node.input("rounding_mode")) return {};
  const bool chooses = form == Elementwise::Choice;
  if (chooses && (node.input_count() != 3 || !(is_tensor(node.input(1)) || is_tensor(node.input(2))))) return {};
  Facts facts;
  const std::size_t count = chooses || form == Elementwise::OfThree ? 3 : 2;
  const std::span<Value* const> operands = node.inputs().first(std::min(count, node.input_count()));
  switch (form) {
    case Elementwise::Comparison: facts.dtype = DType::Bool; break;
    case Elementwise::Fill: facts.dtype = known.of(operands[0]).dtype; break;
    default: facts.dtype = result_type(chooses ? operands.subspan(1) : operands, known);
  }
  const bool divides = form == Elementwise::Division && facts.dtype != DType::Undefined;
  if (divides && category(facts.dtype) < 2) facts.dtype = DType::Float32;
  facts.dims = broadcast_dims(operands, known);
  return facts;
}

}  // namespace tonnx::aten
