// Operators that LibTorch has for quantised tensors as for others, and whose result keeps scale and zero point.
#include "ir/constant_facts.h"
#include "ir/writes.h"
#include "program/quantised/quantised.h"

namespace tonnx::program {
namespace {

using ir::Node;
using ir::Type;
using ir::Value;

// Operands with one scale for all channels; nothing if none is quantised.
std::optional<Steps> operands(QuantisedRewrite& rewrite, Node& node) {
  for (const Value* in : node.inputs()) {
    const Quantised* found = rewrite.find(in);
    if (found && found->steps.axis) throw Unquantisable{"an operand has one scale a channel"};
    if (found && found->is_uneven) throw Unquantisable{"an operand is a list of tensors with several scales"};
  }
  const Steps* steps = rewrite.keep(node);
  return steps ? std::optional(*steps) : std::nullopt;
}

bool is_tensor(const Type& type) { return type.is(Type::Kind::Tensor) || type.is_tensor_list(); }

// The elements of the result are some of the operand's: result 0, and any other that is no index.
void moves(QuantisedRewrite& rewrite, Node& node) {
  const auto steps = operands(rewrite, node);
  if (!steps) return;
  for (Value* out : node.outputs())
    if (is_tensor(out->type()) && out->index() == 0) rewrite.mark(out, {out, *steps, nullptr});
}

// Each of several results holds elements of the operand.
void unpacks(QuantisedRewrite& rewrite, Node& node) {
  const auto steps = operands(rewrite, node);
  if (!steps) return;
  for (Value* out : node.outputs()) rewrite.mark(out, {out, *steps, nullptr});
}

// The result is computed in floats and rounded to the operand's steps.
void rounds(QuantisedRewrite& rewrite, Node& node) {
  const auto steps = operands(rewrite, node);
  if (!steps) return;
  Value* real = node.output();
  Inserter insert = Inserter::behind(node);
  const std::vector<ir::Use> readers(real->uses().begin(), real->uses().end());
  Value* snapped = rewrite.snap(insert, real, *steps).real;
  if (writes(node)) {
    insert.call("aten::copy_", {real, snapped, insert.boolean(false)});
    snapped = real;
  }
  for (const ir::Use& use : readers) use.node->set_input(use.index, snapped);
  rewrite.mark(snapped, {snapped, *steps, nullptr});
}

// Averages of elements, computed of their integers: a mean half way between two steps is rounded to the even one, and
// has to be met exactly.
void averages(QuantisedRewrite& rewrite, Node& node) {
  const Quantised* x = rewrite.find(node.input());
  if (!x || x->steps.axis) return rounds(rewrite, node);
  Value* integers = x->integers;
  const auto steps = operands(rewrite, node);
  Steps unit = *steps;
  Inserter before(&node);
  if (!integers) integers = rewrite.integers_of(before, node.input(), *steps);
  unit.scale = before.constant({1.0});
  node.set_input(0, rewrite.from_integers(before, integers, unit).real);
  Inserter after = Inserter::behind(node);
  const std::vector<ir::Use> readers(node.output()->uses().begin(), node.output()->uses().end());
  const Quantised mean = rewrite.from_integers(after, rewrite.integers_of(after, node.output(), unit), *steps);
  for (const ir::Use& use : readers) use.node->set_input(use.index, mean.real);
  rewrite.mark(mean.real, mean);
}

// The result tells of the elements, in no steps.
void reads(QuantisedRewrite& rewrite, Node& node) { operands(rewrite, node); }

// pad(self, pad, mode, value): what it reflects are elements of the operand, and a number is rounded as they are.
void pad(QuantisedRewrite& rewrite, Node& node) {
  if (!rewrite.find(node.input())) return;
  const std::string* mode = ir::constant_text(rewrite.argument(node, "mode"));
  if (mode && *mode == "constant") return rounds(rewrite, node);
  if (!mode || *mode != "reflect")
    throw Unquantisable{"LibTorch pads quantised tensors by reflection and by a number only"};
  moves(rewrite, node);
}

// to(self, ..., copy) keeps a quantised tensor what it is.
void to(QuantisedRewrite& rewrite, Node& node) {
  const Quantised* x = rewrite.find(node.input());
  if (!x) return;
  Inserter insert(&node);
  Quantised result = *x;
  if (node.input("copy") && rewrite.integer(node, "copy") != 0)
    result = {insert.call("aten::clone", {x->real}), x->steps, nullptr};
  rewrite.give(node, result);
}

// cat of several scales takes the first.
void joins(QuantisedRewrite& rewrite, Node& node) {
  const Quantised* list = rewrite.find(node.input());
  if (!list) return;
  const bool is_uneven = list->is_uneven;
  if (!is_uneven) return moves(rewrite, node);
  Inserter insert(&node);
  Value* joined = insert.call("aten::cat", {list->real, rewrite.argument(node, "dim")});
  rewrite.give(node, rewrite.snap(insert, joined, list->steps));
}

using enum aten::QuantisedForm;

constexpr QuantisedForm kQuantisedMoves[] = {
    {Moves, moves}, {Unpacks, unpacks}, {Pads, pad},          {Converts, to},
    {Joins, joins}, {Rounds, rounds},   {Averages, averages}, {Reads, reads},
};

}  // namespace

std::span<const QuantisedForm> quantised_moves() { return kQuantisedMoves; }

}  // namespace tonnx::program
