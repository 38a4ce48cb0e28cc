// Sums, products and joined tensors.
#include <cmath>

#include "ir/constant_facts.h"
#include "program/quantised/quantised.h"

namespace tonnx::program {
namespace {

using ir::Node;
using ir::Value;

Steps asked(const QuantisedRewrite& rewrite, Inserter& insert, const Node& node, const Steps& like) {
  return named_steps(rewrite, insert, node, "scale", "zero_point", like);
}

// The number of an argument, a tensor of one element too.
double number_of(QuantisedRewrite& rewrite, Node& node, std::string_view name) {
  Inserter insert(&node);
  const Value* known = rewrite.known_number(insert, rewrite.argument(node, name), false);
  if (!known->constant() || !known->constant()->is_number())
    throw Unquantisable{"argument '" + std::string(name) + "' must be known before the model runs"};
  return known->constant()->as_double();
}

struct KnownSteps {
  double scale;
  std::int64_t zero_point;
};

KnownSteps known_steps(const Steps& steps) {
  if (!steps.scale->constant() || !steps.zero_point->constant())
    throw Unquantisable{"the scale of its operand must be known before the model runs"};
  return {steps.scale->constant()->as_double(), steps.zero_point->constant()->as_int64()};
}

Steps steps_of(Inserter& insert, const KnownSteps& known, const Steps& like) {
  return {insert.constant({known.scale}), insert.integer(known.zero_point), like.dtype};
}

// LibTorch moves the zero point, and stretches the scale where that leaves the integers.
void add_number(QuantisedRewrite& rewrite, Node& node) {
  const Quantised& a = rewrite.tensor(node, "qa");
  const double number = number_of(rewrite, node, "b");
  Inserter insert(&node);
  const KnownSteps old = known_steps(a.steps);
  const auto low = a.steps.low(), high = a.steps.high();
  const double steps = std::nearbyint(number / old.scale);
  KnownSteps fresh = old;
  const double zero = static_cast<double>(old.zero_point) - steps;
  if (static_cast<double>(low) > zero) {
    fresh = {(static_cast<double>(high) - zero) / static_cast<double>(high - low) * old.scale, low};
  } else if (static_cast<double>(high) < zero) {
    fresh = {(zero - static_cast<double>(low)) / static_cast<double>(high - low) * old.scale, high};
  } else {
    fresh.zero_point = static_cast<std::int64_t>(zero);
  }
  Value* result = insert.call("aten::add.Scalar", {a.real, insert.constant({steps * old.scale})});
  result = finish(rewrite, insert, node, result);
  rewrite.give(node, rewrite.snap(insert, result, steps_of(insert, fresh, a.steps)));
}

// LibTorch multiplies the scale, and turns the integers around for a negative number.
void multiply_by_number(QuantisedRewrite& rewrite, Node& node) {
  const Quantised& a = rewrite.tensor(node, "qa");
  const double number = number_of(rewrite, node, "b");
  Inserter insert(&node);
  const KnownSteps old = known_steps(a.steps);
  KnownSteps fresh{old.scale * std::abs(number), old.zero_point};
  if (number < 0) fresh.zero_point = a.steps.high() - (old.zero_point - a.steps.low());
  if (number == 0) fresh = {0.1, 0};
  Value* result = insert.call("aten::mul.Scalar", {a.real, insert.constant({number})});
  result = finish(rewrite, insert, node, result);
  rewrite.give(node, rewrite.snap(insert, result, steps_of(insert, fresh, a.steps)));
}

// add(qa, qb, scale, zero_point); the forms with a number have none of the last two
template <void (*ByNumber)(QuantisedRewrite&, Node&)>
void binary(QuantisedRewrite& rewrite, Node& node, const char* real) {
  if (!node.input("scale")) return ByNumber(rewrite, node);
  Inserter insert(&node);
  const Quantised& a = rewrite.tensor(node, "qa");
  const Quantised& b = rewrite.tensor(node, "qb");
  Value* result = finish(rewrite, insert, node, insert.call(real, {a.real, b.real}));
  rewrite.give(node, rewrite.snap(insert, result, asked(rewrite, insert, node, a.steps)));
}

void add(QuantisedRewrite& rewrite, Node& node) { binary<add_number>(rewrite, node, "aten::add.Tensor"); }

void multiply(QuantisedRewrite& rewrite, Node& node) { binary<multiply_by_number>(rewrite, node, "aten::mul.Tensor"); }

// matmul(qa, qb, scale, zero_point)
void matmul(QuantisedRewrite& rewrite, Node& node) {
  Inserter insert(&node);
  const Quantised& a = rewrite.tensor(node, "qa");
  Value* product = insert.call("aten::matmul", {a.real, rewrite.tensor(node, "qb").real});
  rewrite.give(node, rewrite.snap(insert, product, asked(rewrite, insert, node, a.steps)));
}

// cat(qx, dim, scale, zero_point): without a scale that of the first
void cat(QuantisedRewrite& rewrite, Node& node) {
  Inserter insert(&node);
  const Quantised& items = rewrite.tensor(node, "qx");
  Value* scale = rewrite.argument(node, "scale");
  const bool is_given = !ir::is_none(scale);
  Value* joined = finish(rewrite, insert, node, insert.call("aten::cat", {items.real, rewrite.argument(node, "dim")}));
  const Steps steps = is_given ? asked(rewrite, insert, node, items.steps) : items.steps;
  rewrite.give(node, rewrite.snap(insert, joined, steps));
}

using enum aten::QuantisedForm;

constexpr QuantisedForm kQuantisedArithmetic[] = {{Add, add}, {Multiply, multiply}, {Product, matmul}, {Joined, cat}};

}  // namespace

std::span<const QuantisedForm> quantised_arithmetic() { return kQuantisedArithmetic; }

}  // namespace tonnx::program
