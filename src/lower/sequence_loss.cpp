#include <limits>

#include "lower/families.h"
#include "lower/formula.h"
#include "lower/loop.h"
#include "lower/spatial.h"

// Connectionist temporal classification: the likelihood of a label sequence, summed over all its alignments with the
// frames.
namespace tonnx::lower {
namespace {

// Lengths as (batch, 1), from a list of scalars or a tensor.
Term lengths_of(Op& op, std::string_view argument) {
  Builder& b = op.builder();
  const bool list = op.source(argument)->type().is(ir::Type::Kind::List);
  Value* lengths = list ? op.int_vector(argument) : b.cast(op.tensor(argument), DType::Int64);
  return {b, b.reshape(lengths, {-1, 1})};
}

// The labels as (batch, longest), from rows or from a concatenated vector.
Term labels_of(Op& op, Term lengths) {
  Builder& b = op.builder();
  Value* targets = b.cast(op.tensor("targets"), DType::Int64);
  if (op.rank_of(targets) == 2) return {b, targets};
  const auto flat = [&](Term x) { return b.flatten_to_vector(x.value()); };
  const Term longest{b, b.reduce("ReduceMax", b.concat({flat(lengths), b.int64s({0})}, 0), {}, false)};
  const Term ends{b, b.op("CumSum", {lengths.value(), b.int64(0)})};
  const Term places = ends - lengths + lengths.with(b.unsqueeze(b.range(longest.value()), {0}));
  // One more element, so that reads past the end are in range.
  const Term padded{b, b.concat({targets, b.int64s({0})}, 0)};
  return {b, b.gather(padded.value(), min(places, places.with(b.size_scalar(targets, 0))).value(), 0)};
}

// The labels with a blank before and after each, (batch, 2 longest + 1).
Term with_blanks(Op& op, Term labels) {
  Builder& b = op.builder();
  Value* batch = b.size(labels.value(), 0);
  const Term blanks = labels * 0 + labels.with(op.scalar("blank", DType::Int64));
  Value* pairs = b.concat({b.unsqueeze(blanks.value(), {2}), b.unsqueeze(labels.value(), {2})}, 2);
  Value* count = b.mul(b.size(labels.value(), 1), b.int64s({2}));
  Value* row = b.reshape(pairs, b.join_sizes({batch, count}));
  Value* last = op->expand(b.reshape(op.scalar("blank", DType::Int64), {1, 1}), b.join_sizes({batch, b.int64s({1})}));
  return {b, b.concat({row, last}, 1)};
}

// x shifted `by` columns to the right, after columns of the fill.
Term shifted(Term x, std::int64_t by, double fill) {
  Builder& b = x.builder();
  return x.with(b.slice(b.pad(x.value(), Dims{0, by, 0, 0}, "constant", b.scalar_like(x.value(), fill)), 1, 0, -by));
}

Term log_sum(Term x, Term y) {
  const Term largest = max(x, y);
  const Term safe = where(largest == -kInfinity, 0, largest);
  return log(exp(x - safe) + exp(y - safe)) + safe;
}

struct Losses {
  Term each;     // (batch, 1)
  Term lengths;  // of the labels, (batch, 1)
};

Losses losses_of(Op& op) {
  Builder& b = op.builder();
  Value* given = b.cast(op.tensor("log_probs"), DType::Float64);
  if (op.rank_of(given) == 2) given = b.unsqueeze(given, {1});
  const Term frames = lengths_of(op, "input_lengths"), lengths = lengths_of(op, "target_lengths");
  Value* targets = op.tensor("targets");
  const bool one = op.rank_of(op.tensor("log_probs")) == 2;
  const Term labels = one && op.rank_of(targets) == 1 ? Term{b, b.unsqueeze(b.cast(targets, DType::Int64), {0})}
                                                      : labels_of(op, lengths);
  const Term symbols = with_blanks(op, labels);

  // (frames, batch, symbols): the logarithm of the probability of each symbol
  Value* time = b.size(given, 0);
  Value* shape = b.join_sizes({time, b.shape(symbols.value())});
  Value* likely = b.gather_elements(given, op->expand(symbols.value(), shape), 2);
  const Term place{b, b.unsqueeze(b.range(b.size_scalar(symbols.value(), 1)), {0})};
  const auto frame = [&](Value* at) { return Term{b, b.gather(likely, at, 0)}; };
  // A symbol may follow the one before the last if it is not a blank and differs from it.
  const Term symbol_before = shifted(symbols, 2, -1);
  const Term skips = !(symbols == symbols.with(op.scalar("blank", DType::Int64))) && !(symbols == symbol_before);

  const Term start = where(place < 2, frame(b.int64(0)), -kInfinity);
  Value* rest = subtract_sizes(b, b.size_scalar(given, 0), b.int64(1));
  const Values ends = loop(b, rest, nullptr, {start.value()}, [&](Value* iteration, const Values& state) -> Pass {
    const Term now{b, state.front()};
    Value* at = b.add(iteration, b.int64(1));
    const Term reached =
        log_sum(log_sum(now, shifted(now, 1, -kInfinity)), where(skips, shifted(now, 2, -kInfinity), -kInfinity));
    const Term running = frames > frames.with(at);
    return {nullptr, {where(running, reached + frame(at), now).value()}};
  });
  const Term end{b, ends.front()};
  const Term last = place == lengths * 2 || (place == lengths * 2 - 1 && lengths > 0);
  const Term safe_last = where(last, end, -kInfinity);
  const Term largest = end.with(b.reduce("ReduceMax", safe_last.value(), Dims{1}, true));
  const Term safe = where(largest == -kInfinity, 0, largest);
  const Term sum = end.with(b.reduce("ReduceSum", exp(safe_last - safe).value(), Dims{1}, true));
  Term losses = -(log(sum) + safe);
  // Without frames there is one alignment, that of no labels.
  losses = where(frames == 0, where(lengths == 0, 0, end.with(b.scalar(DType::Float64, kInfinity))), losses);
  if (op.flag("zero_infinity")) losses = where(losses == kInfinity, 0, losses);
  return {losses, lengths};
}

Outputs ctc_loss(Op& op) {
  Builder& b = op.builder();
  Losses losses = losses_of(op);
  const std::int64_t reduction = op.integer("reduction");
  if (reduction == 1) losses.each = losses.each / max(losses.lengths, 1).cast(DType::Float64);
  if (reduction == 0)
    return op.result().dims && op.result().rank() == 0 ? b.reshape(losses.each.value(), Dims{})
                                                       : b.flatten_to_vector(losses.each.value());
  return b.reduce(reduction == 1 ? "ReduceMean" : "ReduceSum", losses.each.value(), Dims{0, 1}, false);
}

// _ctc_loss: the loss of each sequence
Outputs plain_ctc_loss(Op& op) { return {op->flatten_to_vector(losses_of(op).each.value()), nullptr}; }

constexpr Row kSequenceLossRows[] = {
    {"aten::ctc_loss", 11, rounded<ctc_loss>},
    {"aten::_ctc_loss", 11, rounded<plain_ctc_loss>},
};

}  // namespace

std::span<const Row> sequence_loss_rows() { return kSequenceLossRows; }

}  // namespace tonnx::lower
