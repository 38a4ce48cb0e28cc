#include "aten/result_type.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace tonnx::aten {
namespace {

using ir::Dim;
using ir::DType;
using ir::Facts;
using ir::Type;
using ir::Value;

constexpr std::string_view kArithmetic[] = {
    "aten::add",         "aten::sub",        "aten::rsub",        "aten::mul",       "aten::pow",
    "aten::remainder",   "aten::fmod",       "aten::maximum",     "aten::minimum",   "aten::fmax",
    "aten::fmin",        "aten::bitwise_and", "aten::bitwise_or", "aten::bitwise_xor", "aten::floor_divide",
    "aten::__and__",     "aten::__or__",     "aten::__xor__",
};
constexpr std::string_view kTrue[] = {"aten::div", "aten::true_divide", "aten::atan2"};
constexpr std::string_view kComparisons[] = {
    "aten::eq",          "aten::ne",         "aten::lt",          "aten::le",        "aten::gt",
    "aten::ge",          "aten::logical_and", "aten::logical_or", "aten::logical_xor",
};

template <std::size_t N>
bool has(const std::string_view (&names)[N], const std::string& name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

int category(DType dtype) {
  return dtype == DType::Bool ? 0 : ir::is_integral(dtype) ? 1 : ir::is_floating(dtype) ? 2 : 3;
}

bool is_tensor(const Value* value) { return value->type().is(Type::Kind::Tensor); }

// A size beside another one in an operator that broadcasts; nothing where they do not fit.
std::optional<Dim> broadcast(const Dim& a, const Dim& b) {
  if (a.same(b)) return a;
  if (a.is_fixed() && a.size() == 1) return b;
  if (b.is_fixed() && b.size() == 1) return a;
  if (a.is_fixed() && b.is_fixed()) return std::nullopt;
  if (a.is_fixed()) return a;  // the other is this or 1
  if (b.is_fixed()) return b;
  return Dim();
}

std::optional<std::vector<Dim>> broadcast(const std::vector<Dim>& a, const std::vector<Dim>& b) {
  std::vector<Dim> out(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto from_end = [&](const std::vector<Dim>& dims) { return i < dims.size() ? dims[dims.size() - 1 - i] : Dim(1); };
    const auto dim = broadcast(from_end(a), from_end(b));
    if (!dim) return std::nullopt;
    out[out.size() - 1 - i] = *dim;
  }
  return out;
}

}  // namespace

DType result_type(std::span<Value* const> values) {
  DType groups[3] = {DType::Undefined, DType::Undefined, DType::Undefined};  // with axes, of rank 0, numbers
  for (const Value* value : values) {
    int group = 2;
    DType dtype = DType::Undefined;
    switch (value->type().kind) {
      case Type::Kind::Tensor:
        if (value->facts().dtype == DType::Undefined || !value->facts().dims) return DType::Undefined;
        group = value->facts().dims->empty() ? 1 : 0;
        dtype = value->facts().dtype;
        break;
      case Type::Kind::Int: dtype = DType::Int64; break;
      case Type::Kind::Float: dtype = DType::Float32; break;
      case Type::Kind::Bool: dtype = DType::Bool; break;
      case Type::Kind::Number: return DType::Undefined;
      default: continue;
    }
    groups[group] = groups[group] == DType::Undefined ? dtype : ir::promote(groups[group], dtype);
  }
  DType result = DType::Undefined;
  for (const DType group : groups) {
    if (group == DType::Undefined) continue;
    if (result == DType::Undefined) {
      result = group;
    } else if (category(group) > category(result)) {
      result = ir::promote(result, group);
    }
  }
  return result;
}

Facts elementwise_facts(const ir::Node& node) {
  const bool truly = has(kTrue, node.kind());
  const bool compares = has(kComparisons, node.kind());
  if (!truly && !compares && !has(kArithmetic, node.kind())) return {};
  if (node.input("rounding_mode")) return {};
  Facts facts;
  const std::span<Value* const> operands = node.inputs().first(std::min<std::size_t>(2, node.input_count()));
  facts.dtype = compares ? DType::Bool : result_type(operands);
  if (truly && facts.dtype != DType::Undefined && category(facts.dtype) < 2) facts.dtype = DType::Float32;
  facts.dims.emplace();
  for (const Value* operand : operands) {
    if (!is_tensor(operand)) continue;
    auto dims = operand->facts().dims ? broadcast(*facts.dims, *operand->facts().dims) : std::nullopt;
    if (!dims) {
      facts.dims.reset();
      break;
    }
    facts.dims = std::move(dims);
  }
  return facts;
}

}  // namespace tonnx::aten
