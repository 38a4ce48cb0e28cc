#include <algorithm>

#include "lower/elementwise.h"
#include "lower/families.h"
#include "lower/linear.h"
#include "lower/packed_sequence.h"
#include "lower/quantise.h"
#include "lower/recurrent_steps.h"

// Dynamically quantised recurrent layers: they quantise the input of a layer as a whole, and the hidden state in every
// step.
namespace tonnx::lower {
namespace {

constexpr double kLeastScale = 6.1e-5;  // LibTorch's value

Value* rounded_by_range(const Op& op, Value* x) {
  Grid grid = grid_of_range(op.builder(), x, 0, op.flag("reduce_range") ? 127 : 255, kLeastScale);
  grid.zero_point = op->cast(grid.zero_point, DType::Int64);
  grid.high = 255;
  return snap(op.builder(), x, grid);
}

// Weights of one layer in one direction.
struct Cell {
  Value* w_ih;
  Value* w_hh;
  Value* b_ih;
  Value* b_hh;
};

// Uses weights of rank 3 for Defect::QuantisedMatMulFusion.
Value* input_gates(Builder& b, Value* x, const Cell& cell) {
  Value* weights = b.swap_axes(cell.w_ih, 0, 1);
  if (b.avoids(ir::Defect::QuantisedMatMulFusion)) weights = b.unsqueeze(weights, {0});
  return b.add(b.matmul(x, weights), cell.b_ih);
}

// Returns (time, batch, hidden), then the last states. If `running`, (time, batch, 1) of 0 and 1, is specified, a
// sequence that does not run in a step keeps its states and is excluded from the range of that step.
template <std::int64_t gates>
Values direction(const Op& op, const Cell& cell, Value* x, Value* running, const Values& states, std::int64_t hidden,
                 bool backward) {
  Builder& b = op.builder();
  const std::vector<ir::Dim> widths(states.size(), hidden);
  Value* steps = input_gates(b, x, cell);
  if (running) steps = b.concat({steps, running}, 2);
  Values results = scan_steps(b, steps, states, widths, backward, [&](Value* given, const Values& now) -> Values {
    Value* step = running ? b.slice(given, 1, 0, gates * hidden) : given;
    Value* runs =
        running ? greater(b, b.slice(given, 1, gates * hidden, INT64_MAX), b.scalar(DType::Float32, 0.5)) : nullptr;
    Value* counted = runs ? b.where(runs, now[0], b.scalar_like(now[0], 0)) : now[0];
    Value* recurrent = affine(op, rounded_by_range(op, counted), cell.w_hh, cell.b_hh);
    Values next;
    if constexpr (gates == 3) {
      next = {gru_step(b, step, recurrent, now[0], hidden)};
    } else {
      const auto both = lstm_step(b, b.add(step, recurrent), now[1], hidden);
      next = {both[0], both[1]};
    }
    for (std::size_t i = 0; runs && i < next.size(); ++i) next[i] = b.where(runs, next[i], now[i]);
    return next;
  });
  std::rotate(results.begin(), results.end() - 1, results.end());
  return results;
}

// All layers over (time, batch, features): the result and the last states. `lengths` are the sequence lengths of a
// packed input.
template <std::int64_t gates>
Values run(Op& op, Value* x, Value* lengths) {
  Builder& b = op.builder();
  const std::int64_t layers = op.integer("num_layers"), directions = op.flag("bidirectional") ? 2 : 1;
  const Values params = op.tensors("params");
  Values initial = gates == 4 ? op.tensors("hx") : Values{op.tensor("hx")};
  const auto rows = op.fixed_size(params.at(1), 0);
  if (!rows) op.refuse_argument("params", "must have fixed sizes");
  Value* runs = nullptr;
  Value* running = nullptr;
  if (lengths) {
    Value* steps = b.unsqueeze(b.range(b.size_scalar(x, 0)), {1, 2});
    runs = less(b, steps, b.unsqueeze(lengths, {0, 2}));
    running = b.cast(runs, op.dtype_of(x));
    // A trace contains zeros of its own batch size.
    Value* shape = b.join_sizes({b.int64s({layers * directions}), b.size(lengths, 0), b.int64s({*rows / gates})});
    for (Value*& state : initial)
      if (is_zeros(state)) state = b.constant_of_shape(shape, op.dtype_of(state), 0);
  }
  std::vector<Values> last(initial.size());
  for (std::int64_t layer = 0, at = 0; layer < layers; ++layer) {
    Values ys;
    if (runs) x = b.where(runs, x, b.scalar_like(x, 0));
    Value* rounded = rounded_by_range(op, x);
    for (std::int64_t d = 0; d < directions; ++d, ++at) {
      const auto part = [&](std::int64_t i) { return params.at(static_cast<std::size_t>(4 * at + i)); };
      Values states;
      for (Value* all : initial) states.push_back(b.squeeze(b.slice(all, 0, at, at + 1), {0}));
      const Values results =
          direction<gates>(op, {part(0), part(1), part(2), part(3)}, rounded, running, states, *rows / gates, d == 1);
      ys.push_back(results[0]);
      for (std::size_t i = 0; i < last.size(); ++i) last[i].push_back(b.unsqueeze(results[i + 1], {0}));
    }
    x = b.concat(ys, 2);
  }
  Values all{x};
  for (const Values& states : last) all.push_back(b.concat(states, 0));
  return all;
}

// quantized_lstm(input, hx, params, num_layers, bidirectional, batch_first, reduce_range), quantized_gru: params are
// the quantised weights and the biases, w_ih, w_hh, b_ih, b_hh of each cell, as floats
template <std::int64_t gates>
Outputs recurrent(Op& op) {
  Builder& b = op.builder();
  Value* x = op.tensor("input");
  if (op.rank_of(x) != 3) op.refuse_argument("input", "must have three axes");
  const bool batch_first = op.flag("batch_first");
  Values results = run<gates>(op, batch_first ? b.swap_axes(x, 0, 1) : x, nullptr);
  if (batch_first) results[0] = b.swap_axes(results[0], 0, 1);
  return Outputs::many(results);
}

// quantized_lstm.data(data, batch_sizes, hx, params, num_layers, bidirectional, reduce_range), quantized_gru.data
template <std::int64_t gates>
Outputs recurrent_packed(Op& op) {
  Value* lengths = lengths_of(op);
  const Values results = run<gates>(op, padded_data(op), lengths);
  Outputs outputs = Outputs::many(results);
  outputs.items[0] = packed_data(op, results[0], lengths, op.source("batch_sizes"));
  return outputs;
}

constexpr Row kQuantisedRecurrentRows[] = {
    {"tonnx::quantized_lstm", 9, recurrent<4>},
    {"tonnx::quantized_lstm.data", 9, recurrent_packed<4>},
    {"tonnx::quantized_gru.data", 9, recurrent_packed<3>},
    {"tonnx::quantized_gru", 9, recurrent<3>},
};

}  // namespace

std::span<const Row> quantised_recurrent_rows() { return kQuantisedRecurrentRows; }

}  // namespace tonnx::lower
