// Operators for all tensors, whose result has the scale and zero point of a quantised operand.
#include "ir/constant_facts.h"
#include "ir/writes.h"
#include "program/quantised/quantised.h"

namespace tonnx::program {
namespace {

using ir::Node;
using ir::Type;
using ir::Value;

// Replaces quantised operands by floats. Returns the first one's parameters, if any. Refuses one scale per channel.
std::optional<QuantParams> operands(QuantisedRewrite& rewrite, Node& node) {
  for (const Value* in : node.inputs()) {
    const Quantised* found = rewrite.find(in);
    if (found && found->params.axis) throw Unquantisable{"an operand has one scale per channel"};
    if (found && found->has_mixed_params) throw Unquantisable{"an operand is a list of tensors with different scales"};
  }
  const QuantParams* params = rewrite.use_floats(node);
  return params ? std::optional(*params) : std::nullopt;
}

bool is_tensor(const Type& type) { return type.is(Type::Kind::Tensor) || type.is_tensor_list(); }

// Elements of result 0 are elements of the operand.
void moves(QuantisedRewrite& rewrite, Node& node) {
  const auto params = operands(rewrite, node);
  if (!params) return;
  for (Value* out : node.outputs())
    if (is_tensor(out->type()) && out->index() == 0) rewrite.mark(out, {out, *params, nullptr});
}

// Elements of each result are elements of the operand.
void unpacks(QuantisedRewrite& rewrite, Node& node) {
  const auto params = operands(rewrite, node);
  if (!params) return;
  for (Value* out : node.outputs()) rewrite.mark(out, {out, *params, nullptr});
}

// The result is computed in floats and rounded to the operand's parameters.
void rounds(QuantisedRewrite& rewrite, Node& node) {
  const auto params = operands(rewrite, node);
  if (!params) return;
  Value* real = node.output();
  Inserter insert = Inserter::after(node);
  const std::vector<ir::Use> readers(real->uses().begin(), real->uses().end());
  Value* rounded = rewrite.fake_quantise(insert, real, *params).real;
  if (writes(node)) {
    insert.call("aten::copy_", {real, rounded, insert.boolean(false)});
    rounded = real;
  }
  for (const ir::Use& use : readers) use.node->set_input(use.index, rounded);
  rewrite.mark(rounded, {rounded, *params, nullptr});
}

// Computes means from the integers: a mean halfway between two of them is rounded to the even one, so must be exact.
void averages(QuantisedRewrite& rewrite, Node& node) {
  const Quantised* x = rewrite.find(node.input());
  if (!x || x->params.axis) return rounds(rewrite, node);
  Value* integers = x->integers;
  const auto params = operands(rewrite, node);
  QuantParams unit = *params;
  Inserter before(&node);
  if (!integers) integers = rewrite.integers_of(before, node.input(), *params);
  unit.scale = before.constant({1.0});
  node.set_input(0, rewrite.from_integers(before, integers, unit).real);
  Inserter after = Inserter::after(node);
  const std::vector<ir::Use> readers(node.output()->uses().begin(), node.output()->uses().end());
  const Quantised mean = rewrite.from_integers(after, rewrite.integers_of(after, node.output(), unit), *params);
  for (const ir::Use& use : readers) use.node->set_input(use.index, mean.real);
  rewrite.mark(mean.real, mean);
}

// The result depends on the elements but is not quantised.
void reads(QuantisedRewrite& rewrite, Node& node) { operands(rewrite, node); }

// pad(self, pad, mode, value): reflected elements are elements of the operand; a constant is rounded as they are.
void pad(QuantisedRewrite& rewrite, Node& node) {
  if (!rewrite.find(node.input())) return;
  const std::string* mode = ir::constant_text(rewrite.argument(node, "mode"));
  if (mode && *mode == "constant") return rounds(rewrite, node);
  if (!mode || *mode != "reflect")
    throw Unquantisable{"LibTorch pads quantised tensors by reflection and by a number only"};
  moves(rewrite, node);
}

// to(self, ..., copy) returns the same quantised tensor, or a copy.
void to(QuantisedRewrite& rewrite, Node& node) {
  const Quantised* x = rewrite.find(node.input());
  if (!x) return;
  Inserter insert(&node);
  Quantised result = *x;
  if (node.input("copy") && rewrite.integer(node, "copy") != 0)
    result = {insert.call("aten::clone", {x->real}), x->params, nullptr};
  rewrite.replace(node, result);
}

// cat of tensors with different scales: the result has the parameters of the first.
void joins(QuantisedRewrite& rewrite, Node& node) {
  const Quantised* list = rewrite.find(node.input());
  if (!list) return;
  const bool has_mixed_params = list->has_mixed_params;
  if (!has_mixed_params) return moves(rewrite, node);
  Inserter insert(&node);
  Value* joined = insert.call("aten::cat", {list->real, rewrite.argument(node, "dim")});
  rewrite.replace(node, rewrite.fake_quantise(insert, joined, list->params));
}

using enum aten::QuantisedForm;

constexpr QuantisedForm kQuantisedMoves[] = {
    {Moves, moves}, {Unpacks, unpacks}, {Pads, pad},          {Converts, to},
    {Joins, joins}, {Rounds, rounds},   {Averages, averages}, {Reads, reads},
};

}  // namespace

std::span<const QuantisedForm> quantised_moves() { return kQuantisedMoves; }

}  // namespace tonnx::program
