// Sums, products and concatenation.
#include <cmath>

#include "ir/constant_facts.h"
#include "program/quantised/quantised.h"

namespace tonnx::program {
namespace {

using ir::Node;
using ir::Value;

QuantParams result_params(const QuantisedRewrite& rewrite, Inserter& insert, const Node& node,
                          const QuantParams& like) {
  return named_params(rewrite, insert, node, "scale", "zero_point", like);
}

// The constant number of an argument that is a scalar or a tensor of one element.
double number_of(QuantisedRewrite& rewrite, Node& node, std::string_view name) {
  Inserter insert(&node);
  const Value* known = rewrite.known_number(insert, rewrite.argument(node, name), false);
  if (!known->constant() || !known->constant()->is_number())
    throw Unquantisable{"argument '" + std::string(name) + "' must be known before the model runs"};
  return known->constant()->as_double();
}

struct KnownParams {
  double scale;
  std::int64_t zero_point;
};

KnownParams known_params(const QuantParams& params) {
  if (!params.scale->constant() || !params.zero_point->constant())
    throw Unquantisable{"the scale of its operand must be known before the model runs"};
  return {params.scale->constant()->as_double(), params.zero_point->constant()->as_int64()};
}

QuantParams params_of(Inserter& insert, const KnownParams& known, const QuantParams& like) {
  return {insert.constant({known.scale}), insert.integer(known.zero_point), like.dtype};
}

// LibTorch shifts the zero point, and increases the scale if the zero point would leave the range of the integers.
void add_number(QuantisedRewrite& rewrite, Node& node) {
  const Quantised& a = rewrite.tensor(node, "qa");
  const double number = number_of(rewrite, node, "b");
  Inserter insert(&node);
  const KnownParams old = known_params(a.params);
  const auto low = a.params.low(), high = a.params.high();
  const double shift = std::nearbyint(number / old.scale);
  KnownParams rescaled = old;
  const double zero = static_cast<double>(old.zero_point) - shift;
  if (static_cast<double>(low) > zero) {
    rescaled = {(static_cast<double>(high) - zero) / static_cast<double>(high - low) * old.scale, low};
  } else if (static_cast<double>(high) < zero) {
    rescaled = {(zero - static_cast<double>(low)) / static_cast<double>(high - low) * old.scale, high};
  } else {
    rescaled.zero_point = static_cast<std::int64_t>(zero);
  }
  Value* result = insert.call("aten::add.Scalar", {a.real, insert.constant({shift * old.scale})});
  result = finish(rewrite, insert, node, result);
  rewrite.replace(node, rewrite.fake_quantise(insert, result, params_of(insert, rescaled, a.params)));
}

// LibTorch multiplies the scale, and reverses the integers for a negative number.
void multiply_by_number(QuantisedRewrite& rewrite, Node& node) {
  const Quantised& a = rewrite.tensor(node, "qa");
  const double number = number_of(rewrite, node, "b");
  Inserter insert(&node);
  const KnownParams old = known_params(a.params);
  KnownParams rescaled{old.scale * std::abs(number), old.zero_point};
  if (number < 0) rescaled.zero_point = a.params.high() - (old.zero_point - a.params.low());
  if (number == 0) rescaled = {0.1, 0};
  Value* result = insert.call("aten::mul.Scalar", {a.real, insert.constant({number})});
  result = finish(rewrite, insert, node, result);
  rewrite.replace(node, rewrite.fake_quantise(insert, result, params_of(insert, rescaled, a.params)));
}

// add(qa, qb, scale, zero_point); the overloads with a number lack the last two
template <void (*ByNumber)(QuantisedRewrite&, Node&)>
void binary(QuantisedRewrite& rewrite, Node& node, const char* real) {
  if (!node.input("scale")) return ByNumber(rewrite, node);
  Inserter insert(&node);
  const Quantised& a = rewrite.tensor(node, "qa");
  const Quantised& b = rewrite.tensor(node, "qb");
  Value* result = finish(rewrite, insert, node, insert.call(real, {a.real, b.real}));
  rewrite.replace(node, rewrite.fake_quantise(insert, result, result_params(rewrite, insert, node, a.params)));
}

void add(QuantisedRewrite& rewrite, Node& node) { binary<add_number>(rewrite, node, "aten::add.Tensor"); }

void multiply(QuantisedRewrite& rewrite, Node& node) { binary<multiply_by_number>(rewrite, node, "aten::mul.Tensor"); }

// matmul(qa, qb, scale, zero_point)
void matmul(QuantisedRewrite& rewrite, Node& node) {
  Inserter insert(&node);
  const Quantised& a = rewrite.tensor(node, "qa");
  Value* product = insert.call("aten::matmul", {a.real, rewrite.tensor(node, "qb").real});
  rewrite.replace(node, rewrite.fake_quantise(insert, product, result_params(rewrite, insert, node, a.params)));
}

// cat(qx, dim, scale, zero_point); without a scale, the result has the parameters of the first tensor
void cat(QuantisedRewrite& rewrite, Node& node) {
  Inserter insert(&node);
  const Quantised& items = rewrite.tensor(node, "qx");
  Value* scale = rewrite.argument(node, "scale");
  const bool has_scale = !ir::is_none(scale);
  Value* joined = finish(rewrite, insert, node, insert.call("aten::cat", {items.real, rewrite.argument(node, "dim")}));
  const QuantParams params = has_scale ? result_params(rewrite, insert, node, items.params) : items.params;
  rewrite.replace(node, rewrite.fake_quantise(insert, joined, params));
}

using enum aten::QuantisedForm;

constexpr QuantisedForm kQuantisedArithmetic[] = {{Add, add}, {Multiply, multiply}, {Product, matmul}, {Joined, cat}};

}  // namespace

std::span<const QuantisedForm> quantised_arithmetic() { return kQuantisedArithmetic; }

}  // namespace tonnx::program
