// Sums, products and joined tensors.
#include <cmath>

#include "program/quantised.h"

namespace tonnx::program {
namespace {

using ir::Node;
using ir::Value;

// The steps that the arguments `scale` and `zero_point` say, in the integers of an operand.
Steps asked(QuantisedRewrite& rewrite, Inserter& insert, const Node& node, const Steps& like) {
  return {rewrite.known_number(insert, rewrite.argument(node, "scale"), false),
          rewrite.known_number(insert, rewrite.argument(node, "zero_point"), true), like.dtype};
}

// add(qa, qb, scale, zero_point), with or without relu; the scalar forms have none of the last two
template <void (*ByNumber)(QuantisedRewrite&, Node&, std::string_view, bool), bool relu>
void binary(QuantisedRewrite& rewrite, Node& node, const char* real) {
  if (!node.input("scale")) return ByNumber(rewrite, node, "b", relu);
  Inserter insert(&node);
  const Quantised& a = rewrite.tensor(node, "qa");
  const Quantised& b = rewrite.tensor(node, "qb");
  Value* result = insert.call(real, {a.real, b.real});
  if (relu) result = insert.call("aten::relu", {result});
  rewrite.give(node, rewrite.snap(insert, result, asked(rewrite, insert, node, a.steps)));
}

// The number of an argument, a tensor of one element too.
double number_of(QuantisedRewrite& rewrite, Node& node, std::string_view name) {
  Inserter insert(&node);
  const Value* known = rewrite.known_number(insert, rewrite.argument(node, name), false);
  if (!known->constant() || !known->constant()->is_number())
    throw Unquantisable{"argument '" + std::string(name) + "' must be known before the model runs"};
  return known->constant()->as_double();
}

struct Known {
  double scale;
  std::int64_t zero_point;
};

Known known_steps(const Steps& steps) {
  if (!steps.scale->constant() || !steps.zero_point->constant())
    throw Unquantisable{"the scale of its operand must be known before the model runs"};
  return {steps.scale->constant()->as_double(), steps.zero_point->constant()->as_int64()};
}

Steps steps_of(Inserter& insert, const Known& known, const Steps& like) {
  return {insert.constant({known.scale}), insert.integer(known.zero_point), like.dtype};
}

// LibTorch moves the zero point, and stretches the scale where that leaves the integers.
void add_number(QuantisedRewrite& rewrite, Node& node, std::string_view argument, bool relu) {
  const Quantised& a = rewrite.tensor(node, "qa");
  const double number = number_of(rewrite, node, argument);
  Inserter insert(&node);
  const Known old = known_steps(a.steps);
  const auto low = a.steps.low(), high = a.steps.high();
  const double steps = std::nearbyint(number / old.scale);
  Known fresh = old;
  const double zero = static_cast<double>(old.zero_point) - steps;
  if (static_cast<double>(low) > zero) {
    fresh = {(static_cast<double>(high) - zero) / static_cast<double>(high - low) * old.scale, low};
  } else if (static_cast<double>(high) < zero) {
    fresh = {(zero - static_cast<double>(low)) / static_cast<double>(high - low) * old.scale, high};
  } else {
    fresh.zero_point = static_cast<std::int64_t>(zero);
  }
  Value* result = insert.call("aten::add.Scalar", {a.real, insert.constant({steps * old.scale})});
  if (relu) result = insert.call("aten::relu", {result});
  rewrite.give(node, rewrite.snap(insert, result, steps_of(insert, fresh, a.steps)));
}

// LibTorch multiplies the scale, and turns the integers around for a negative number.
void mul_number(QuantisedRewrite& rewrite, Node& node, std::string_view argument, bool relu) {
  const Quantised& a = rewrite.tensor(node, "qa");
  const double number = number_of(rewrite, node, argument);
  Inserter insert(&node);
  const Known old = known_steps(a.steps);
  Known fresh{old.scale * std::abs(number), old.zero_point};
  if (number < 0) fresh.zero_point = a.steps.high() - (old.zero_point - a.steps.low());
  if (number == 0) fresh = {0.1, 0};
  Value* result = insert.call("aten::mul.Scalar", {a.real, insert.constant({number})});
  if (relu) result = insert.call("aten::relu", {result});
  rewrite.give(node, rewrite.snap(insert, result, steps_of(insert, fresh, a.steps)));
}

template <bool relu>
void add(QuantisedRewrite& rewrite, Node& node) {
  binary<add_number, relu>(rewrite, node, "aten::add.Tensor");
}

template <bool relu>
void mul(QuantisedRewrite& rewrite, Node& node) {
  binary<mul_number, relu>(rewrite, node, "aten::mul.Tensor");
}

template <void (*ByNumber)(QuantisedRewrite&, Node&, std::string_view, bool), bool relu>
void by_number(QuantisedRewrite& rewrite, Node& node) {
  ByNumber(rewrite, node, "b", relu);
}

// matmul(qa, qb, scale, zero_point)
void matmul(QuantisedRewrite& rewrite, Node& node) {
  Inserter insert(&node);
  const Quantised& a = rewrite.tensor(node, "qa");
  Value* product = insert.call("aten::matmul", {a.real, rewrite.tensor(node, "qb").real});
  rewrite.give(node, rewrite.snap(insert, product, asked(rewrite, insert, node, a.steps)));
}

// cat(qx, dim, scale, zero_point): without a scale that of the first
template <bool relu>
void cat(QuantisedRewrite& rewrite, Node& node) {
  Inserter insert(&node);
  const Quantised& items = rewrite.tensor(node, "qx");
  Value* scale = rewrite.argument(node, "scale");
  const bool is_given = !scale->type().is(ir::Type::Kind::None) && !(scale->constant() && scale->constant()->is_none());
  Value* joined = insert.call("aten::cat", {items.real, rewrite.argument(node, "dim")});
  if (relu) joined = insert.call("aten::relu", {joined});
  const Steps steps = is_given ? asked(rewrite, insert, node, items.steps) : items.steps;
  rewrite.give(node, rewrite.snap(insert, joined, steps));
}

constexpr QuantisedRow kRows[] = {
    {"quantized::add", add<false>},
    {"quantized::add_relu", add<true>},
    {"quantized::add_scalar", by_number<add_number, false>},
    {"quantized::add_scalar_relu", by_number<add_number, true>},
    {"quantized::mul", mul<false>},
    {"quantized::mul_relu", mul<true>},
    {"quantized::mul_scalar", by_number<mul_number, false>},
    {"quantized::mul_scalar_relu", by_number<mul_number, true>},
    {"quantized::matmul", matmul},
    {"quantized::cat", cat<false>},
    {"quantized::cat_relu", cat<true>},
};

}  // namespace

std::span<const QuantisedRow> quantised_arithmetic() { return kRows; }

}  // namespace tonnx::program
