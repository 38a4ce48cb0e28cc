#include <algorithm>

#include "lower/families.h"
#include "lower/linear.h"
#include "lower/quantise.h"
#include "lower/recurrent_steps.h"

// Recurrent layers whose products round their operands, the input of a layer as a whole, the hidden state in every step.
namespace tonnx::lower {
namespace {

constexpr double kLeastScale = 6.1e-5;  // LibTorch's

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

// The weights of rank 3: a product by a matrix becomes MatMulNBits in ONNX Runtime, which rounds x once more.
Value* input_gates(Builder& b, Value* x, const Cell& cell) {
  Value* weights = b.unsqueeze(b.swap_axes(cell.w_ih, 0, 1), {0});
  return b.add(b.matmul(x, weights), cell.b_ih);
}

// (time, batch, hidden), then the last states.
template <std::int64_t gates>
Values direction(const Op& op, const Cell& cell, Value* x, const Values& states, std::int64_t hidden, bool backward) {
  Builder& b = op.builder();
  const std::vector<ir::Dim> widths(states.size(), hidden);
  Values results = scan_steps(b, input_gates(b, x, cell), states, widths, backward, [&](Value* step, const Values& now) -> Values {
    Value* recurrent = affine(op, rounded_by_range(op, now[0]), cell.w_hh, cell.b_hh);
    if constexpr (gates == 3) {
      return {gru_step(b, step, recurrent, now[0], hidden)};
    } else {
      const auto next = lstm_step(b, b.add(step, recurrent), now[1], hidden);
      return {next[0], next[1]};
    }
  });
  std::rotate(results.begin(), results.end() - 1, results.end());
  return results;
}

// quantized_lstm(input, hx, params, num_layers, bidirectional, batch_first, reduce_range), quantized_gru: params are the
// rounded weights and the biases, w_ih, w_hh, b_ih, b_hh of each cell, as floats
template <std::int64_t gates>
Outputs recurrent(Op& op) {
  Builder& b = op.builder();
  const std::int64_t layers = op.integer("num_layers"), directions = op.flag("bidirectional") ? 2 : 1;
  const Values params = op.tensors("params");
  const Values initial = gates == 4 ? op.tensors("hx") : Values{op.tensor("hx")};
  const auto rows = op.fixed_size(params.at(1), 0);
  if (!rows) op.refuse_argument("params", "must have fixed sizes");
  Value* x = op.tensor("input");
  if (op.rank_of(x) != 3) op.refuse_argument("input", "must have three axes");
  if (op.flag("batch_first")) x = b.swap_axes(x, 0, 1);
  std::vector<Values> last(initial.size());
  for (std::int64_t layer = 0, at = 0; layer < layers; ++layer) {
    Values ys;
    Value* rounded = rounded_by_range(op, x);
    for (std::int64_t d = 0; d < directions; ++d, ++at) {
      const auto part = [&](std::int64_t i) { return params.at(static_cast<std::size_t>(4 * at + i)); };
      Values states;
      for (Value* all : initial) states.push_back(b.squeeze(b.slice(all, 0, at, at + 1), {0}));
      const Values results = direction<gates>(op, {part(0), part(1), part(2), part(3)}, rounded, states, *rows / gates, d == 1);
      ys.push_back(results[0]);
      for (std::size_t i = 0; i < last.size(); ++i) last[i].push_back(b.unsqueeze(results[i + 1], {0}));
    }
    x = b.concat(ys, 2);
  }
  if (op.flag("batch_first")) x = b.swap_axes(x, 0, 1);
  Values all{x};
  for (const Values& states : last) all.push_back(b.concat(states, 0));
  return Outputs::many(all);
}

constexpr Row kRows[] = {
    {"tonnx::quantized_lstm", 9, recurrent<4>},
    {"tonnx::quantized_gru", 9, recurrent<3>},
};

}  // namespace

std::span<const Row> quantised_recurrent_rows() { return kRows; }

}  // namespace tonnx::lower
