#include "lower/elementwise.h"
#include "lower/families.h"
#include "lower/linear.h"
#include "lower/packed_sequence.h"
#include "lower/random_numbers.h"
#include "lower/recurrent_steps.h"
#include "lower/size_numbers.h"
#include "lower/spatial.h"

namespace tonnx::lower {
namespace {

struct GateForm {
  const char* name;        // the ONNX operator
  const char* activation;  // for RNN
  std::int64_t gates;
};

constexpr GateForm kLstm{"LSTM", nullptr, 4};
constexpr GateForm kGru{"GRU", nullptr, 3};
constexpr GateForm kTanh{"RNN", "Tanh", 1};
constexpr GateForm kRelu{"RNN", "Relu", 1};

// Weights of one layer in one direction.
struct Cell {
  Value* w_ih = nullptr;
  Value* w_hh = nullptr;
  Value* b_ih = nullptr;
  Value* b_hh = nullptr;
  Value* w_hr = nullptr;
};

struct Network {
  const GateForm* form = nullptr;
  std::vector<Cell> cells;  // layer by layer, forward before backward
  std::int64_t layers = 1, directions = 1;
  std::int64_t hidden = 0;
  bool is_projected = false;
  double dropout = 0;  // between layers, in training
};

// LibTorch orders the gates of an LSTM as input, forget, cell, output and those of a GRU as reset, update, new. ONNX
// orders them as input, output, forget, cell and update, reset, hidden.
Value* reorder_gates(Builder& b, const GateForm& form, Value* weight, std::int64_t hidden) {
  if (form.gates == 1) return weight;
  const auto rows = [&](std::int64_t from, std::int64_t to) { return b.slice(weight, 0, from * hidden, to * hidden); };
  if (form.gates == 4) return b.concat({rows(0, 1), rows(3, 4), rows(1, 3)}, 0);
  return b.concat({rows(1, 2), rows(0, 1), rows(2, 3)}, 0);
}

Network network_of(const Op& op, const GateForm& form) {
  Network n;
  n.form = &form;
  n.layers = op.integer("num_layers");
  n.directions = op.flag("bidirectional") ? 2 : 1;
  n.dropout = op.flag("train") ? op.number("dropout") : 0;
  const Values params = op.tensors("params");
  const bool has_biases = op.flag("has_biases");
  const std::size_t count = static_cast<std::size_t>(n.layers * n.directions), plain = has_biases ? 4 : 2;
  n.is_projected = params.size() == count * (plain + 1);
  if (!n.is_projected && params.size() != count * plain)
    op.refuse_argument("params",
                       "has " + std::to_string(params.size()) + " weights for " + std::to_string(count) + " cells");
  for (std::size_t i = 0, at = 0; i < count; ++i) {
    Cell c;
    c.w_ih = params[at++];
    c.w_hh = params[at++];
    if (has_biases) {
      c.b_ih = params[at++];
      c.b_hh = params[at++];
    }
    if (n.is_projected) c.w_hr = params[at++];
    n.cells.push_back(c);
  }
  const auto rows = op.fixed_size(n.cells[0].w_hh, 0);
  if (!rows) op.refuse_argument("params", "must have fixed sizes");
  n.hidden = *rows / form.gates;
  return n;
}

// One layer by the ONNX operator: (time, directions, batch, hidden), then the last states (directions, batch, hidden).
Values layer(Builder& b, const Network& n, std::span<const Cell> cells, Value* x, Value* lengths,
             const Values& states) {
  Values w, r, biases;
  for (const Cell& c : cells) {
    w.push_back(b.unsqueeze(reorder_gates(b, *n.form, c.w_ih, n.hidden), {0}));
    r.push_back(b.unsqueeze(reorder_gates(b, *n.form, c.w_hh, n.hidden), {0}));
    if (c.b_ih)
      biases.push_back(b.unsqueeze(
          b.concat({reorder_gates(b, *n.form, c.b_ih, n.hidden), reorder_gates(b, *n.form, c.b_hh, n.hidden)}, 0),
          {0}));
  }
  Attributes attributes{{"hidden_size", n.hidden}};
  if (n.directions == 2) attributes.push_back({"direction", std::string("bidirectional")});
  if (n.form->gates == 3) attributes.push_back({"linear_before_reset", std::int64_t{1}});
  if (n.form->activation)
    attributes.push_back(
        {"activations", std::vector<std::string>(static_cast<std::size_t>(n.directions), n.form->activation)});
  Values inputs{x, b.concat(w, 0), b.concat(r, 0), biases.empty() ? nullptr : b.concat(biases, 0), lengths};
  inputs.insert(inputs.end(), states.begin(), states.end());
  return b.op(n.form->name, inputs, std::move(attributes), 1 + states.size());
}

// The factors of the states in a step, the same in all steps.
struct Factors {
  Value* hidden;      // weight of the hidden state
  Value* bias;        // bias of its product; null: none, or already added to the input's
  Value* projection;  // null: none
};

// The states after one step; `given` is the input's contribution to the gates.
Values next_states(Builder& b, const Network& n, const Factors& f, Value* given, const Values& now) {
  Value* product = b.matmul(now[0], f.hidden);
  if (n.form->gates == 3) return {gru_step(b, given, f.bias ? b.add(product, f.bias) : product, now[0], n.hidden)};
  Value* gates = b.add(given, product);
  if (n.form->gates == 1) return {b.op(n.form->activation, {gates})};
  const auto next = lstm_step(b, gates, now[1], n.hidden);
  return {f.projection ? b.matmul(next[0], f.projection) : next[0], next[1]};
}

// One direction step by step: (time, batch, width) and the last states. After the end of a sequence its states stay
// unchanged.
Values stepped_direction(const Op& op, const Network& n, const Cell& c, Value* x, Value* lengths, const Values& states,
                         bool backward) {
  Builder& b = op.builder();
  if (op.opset() < 9) op.needs_opset(9, "an LSTM with projections");
  const std::int64_t columns = n.form->gates * n.hidden;
  // the reset gate of a GRU multiplies the hidden state's product including its bias
  const bool keeps_bias = n.form->gates == 3;
  const Factors f{b.transpose(c.w_hh, {1, 0}), keeps_bias ? c.b_hh : nullptr,
                  c.w_hr ? b.transpose(c.w_hr, {1, 0}) : nullptr};
  Value* given = affine(op, x, c.w_ih, c.b_ih);
  if (c.b_hh && !keeps_bias) given = b.add(given, c.b_hh);
  if (lengths) {
    Value* places = b.unsqueeze(b.range(b.size_scalar(x, 0)), {1});
    Value* runs = less(b, places, b.unsqueeze(b.cast(lengths, DType::Int64), {0}));
    given = b.concat({given, b.unsqueeze(b.cast(runs, given->facts().dtype), {2})}, 2);
  }
  const ir::Dim widths[] = {n.is_projected ? c.w_hr->facts().dims->at(0) : ir::Dim(n.hidden), n.hidden};
  const Values results = scan_steps(b, given, states, std::span(widths, states.size()), backward,
                                    [&](Value* step, const Values& now) -> Values {
                                      if (!lengths) return next_states(b, n, f, step, now);
                                      Values next = next_states(b, n, f, b.slice(step, 1, 0, columns), now);
                                      Value* runs = b.cast(b.slice(step, 1, columns, columns + 1), DType::Bool);
                                      for (std::size_t i = 0; i < next.size(); ++i)
                                        next[i] = b.where(runs, next[i], now[i]);
                                      return next;
                                    });
  Values ordered{results.back()};
  ordered.insert(ordered.end(), results.begin(), results.end() - 1);
  return ordered;
}

// One layer step by step: for projections, which the ONNX operator lacks, and float64 if the target lacks it.
Values stepped_layer(const Op& op, const Network& n, std::span<const Cell> cells, Value* x, Value* lengths,
                     const Values& states) {
  Builder& b = op.builder();
  Values y;
  std::vector<Values> last(states.size());
  for (std::size_t d = 0; d < cells.size(); ++d) {
    const std::int64_t at = static_cast<std::int64_t>(d);
    Values own;
    for (Value* s : states) own.push_back(b.squeeze(b.slice(s, 0, at, at + 1), {0}));
    const Values results = stepped_direction(op, n, cells[d], x, lengths, own, d == 1);
    y.push_back(results[0]);
    for (std::size_t i = 0; i < states.size(); ++i) last[i].push_back(b.unsqueeze(results[i + 1], {0}));
  }
  Values all{b.concat(y, 2)};
  for (const Values& parts : last) all.push_back(b.concat(parts, 0));
  return all;
}

// All layers over an input (time, batch, features): the result and the last states of every layer.
Values run(const Op& op, const Network& n, Value* x, Value* lengths, const Values& states) {
  Builder& b = op.builder();
  const bool is_stepped = n.is_projected || (x->facts().dtype == DType::Float64 && op.opset() >= 9 &&
                                             b.avoids(ir::Defect::RecurrentFloat64));
  std::vector<Values> last(states.size());
  for (std::int64_t l = 0; l < n.layers; ++l) {
    if (l > 0 && n.dropout > 0) x = dropped(op, x, n.dropout).values;
    Values own;
    const std::int64_t d = n.directions;
    for (Value* s : states) {
      if (!is_stepped && is_zeros(s)) {
        own.push_back(nullptr);
      } else {
        own.push_back(n.layers == 1 ? s : b.slice(s, 0, l * d, (l + 1) * d));
      }
    }
    const std::span<const Cell> cells(n.cells.data() + l * d, static_cast<std::size_t>(d));
    Values results;
    if (is_stepped) {
      results = stepped_layer(op, n, cells, x, lengths, own);
      x = results[0];
    } else {
      results = layer(b, n, cells, x, lengths, own);
      x = d == 1 ? b.squeeze(results[0], {1})
                 : b.reshape_keeping(b.transpose(results[0], {0, 2, 1, 3}), {0, 0, d * n.hidden});
    }
    for (std::size_t i = 0; i < states.size(); ++i) last[i].push_back(results[i + 1]);
  }
  Values all{x};
  for (const Values& parts : last) all.push_back(b.concat(parts, 0));
  return all;
}

Values states_of(const Op& op, const GateForm& form) {
  if (form.gates != 4) return {op.tensor("hx")};
  const Values states = op.tensors("hx");
  if (states.size() != 2) op.refuse_argument("hx", "must be a hidden and a cell state");
  return states;
}

// aten::lstm.input, gru.input, rnn_tanh.input, rnn_relu.input
template <const GateForm& form>
Outputs recurrent(Op& op) {
  const Network n = network_of(op, form);
  const bool batch_first = op.flag("batch_first");
  Value* x = op.tensor("input");
  if (op.rank_of(x) != 3) op.refuse_argument("input", "must have three axes");
  if (batch_first) x = op->transpose(x, {1, 0, 2});
  Values results = run(op, n, x, nullptr, states_of(op, form));
  if (batch_first) results[0] = op->transpose(results[0], {1, 0, 2});
  return Outputs::many(results);
}

// batch_sizes[t] is the number of sequences longer than t.
Outputs pack_padded(Op& op) {
  Builder& b = op.builder();
  Value* x = op.tensor("input");
  if (op.flag("batch_first")) {
    Dims perm{1, 0};
    for (std::int64_t i = 2; i < op.rank_of(x); ++i) perm.push_back(i);
    x = b.transpose(x, perm);
  }
  Value* lengths = checked_lengths(b, op.tensor("lengths"));
  Outputs results;
  results.items.push_back(packed_data(op, x, lengths, op.node().output(1)));
  if (op.node().output(1)->is_unused() || (op.opset() < 9 && !lengths->constant())) {
    results.items.emplace_back();
    return results;
  }
  Value* steps = b.range(b.reduce("ReduceMax", lengths, Dims{0}, false));
  Value* running = less(b, b.unsqueeze(steps, {1}), b.unsqueeze(lengths, {0}));
  results.items.push_back(
      {Lowered::Kind::One, b.reduce("ReduceSum", b.cast(running, DType::Int64), Dims{1}, false), {}});
  return results;
}

template <const GateForm& form>
Outputs recurrent_packed(Op& op) {
  const Network n = network_of(op, form);
  Value* lengths = lengths_of(op);
  const Values results = run(op, n, padded_data(op), op->cast(lengths, DType::Int32), states_of(op, form));
  Outputs outputs = Outputs::many(results);
  outputs.items[0] = packed_data(op, results[0], lengths, op.source("batch_sizes"));
  return outputs;
}

// The requested size of the time axis, one element; null if it is the longest length, which is the size of batch_sizes.
Value* total_length(const Op& op) {
  const ir::Value* source = op.source("total_length");
  if (op.is_constant("total_length"))
    return op.integer("total_length") > 0 ? op->int64s({op.integer("total_length")}) : nullptr;
  if (number_of(source).of == op.source("batch_sizes")) return nullptr;
  return op->reshape(op.scalar("total_length", DType::Int64), {1});
}

Outputs pad_packed(Op& op) {
  Builder& b = op.builder();
  Value* x = padded_data(op);
  Value* lengths = lengths_of(op);
  const std::int64_t rank = op.rank_of(x);
  Value* longest = b.reduce("ReduceMax", lengths, Dims{0}, true);
  Value* y = op.opset() < 10 ? b.take(x, b.range(b.reshape(longest, Dims{})), 0)
                             : b.slice(x, b.int64s({0}), longest, b.int64s({0}));
  Value* fill = op.scalar("padding_value", x->facts().dtype);
  Value* step = b.unsqueeze(b.range(b.reshape(longest, Dims{})), {1});
  Value* inside = less(b, step, b.unsqueeze(lengths, {0}));
  Dims trailing;
  for (std::int64_t i = 2; i < rank; ++i) trailing.push_back(i);
  y = b.where(b.unsqueeze(inside, trailing), y, fill);
  if (Value* total = total_length(op)) {
    Value* missing = b.concat({b.sub(total, longest), b.slice(b.shape(y), 0, 1, rank)}, 0);
    y = b.concat({y, b.expand(fill, missing)}, 0);
  }
  if (op.flag("batch_first")) y = b.swap_axes(y, 0, 1);
  return {y, lengths};
}

std::int64_t cell_width(const Op& op, std::int64_t gates) {
  const auto rows = op.fixed_size(op.tensor("w_hh"), 0);
  if (!rows) op.refuse_argument("w_hh", "must have fixed sizes");
  return *rows / gates;
}

Outputs lstm_cell(Op& op) {
  const Values states = op.tensors("hx");
  if (states.size() != 2) op.refuse_argument("hx", "must be a hidden and a cell state");
  Value* gates = op->add(affine(op, op.tensor("input"), op.tensor("w_ih"), op.optional_tensor("b_ih")),
                         affine(op, states[0], op.tensor("w_hh"), op.optional_tensor("b_hh")));
  const auto next = lstm_step(op.builder(), gates, states[1], cell_width(op, 4));
  return {next[0], next[1]};
}

Outputs gru_cell(Op& op) {
  Value* hidden = op.tensor("hx");
  return gru_step(op.builder(), affine(op, op.tensor("input"), op.tensor("w_ih"), op.optional_tensor("b_ih")),
                  affine(op, hidden, op.tensor("w_hh"), op.optional_tensor("b_hh")), hidden, cell_width(op, 3));
}

template <const GateForm& form>
Outputs rnn_cell(Op& op) {
  Value* sum = op->add(affine(op, op.tensor("input"), op.tensor("w_ih"), op.optional_tensor("b_ih")),
                       affine(op, op.tensor("hx"), op.tensor("w_hh"), op.optional_tensor("b_hh")));
  return op->op(form.activation, {sum});
}

constexpr Row kRecurrentRows[] = {
    {"aten::lstm.input", 7, recurrent<kLstm>},
    {"aten::gru.input", 7, recurrent<kGru>},
    {"aten::rnn_tanh.input", 7, recurrent<kTanh>},
    {"aten::rnn_relu.input", 7, recurrent<kRelu>},
    {"aten::lstm.data", 9, recurrent_packed<kLstm>},
    {"aten::gru.data", 9, recurrent_packed<kGru>},
    {"aten::rnn_tanh.data", 9, recurrent_packed<kTanh>},
    {"aten::rnn_relu.data", 9, recurrent_packed<kRelu>},
    {"aten::_pack_padded_sequence", 9, pack_padded},
    {"aten::_pad_packed_sequence", 9, pad_packed},
    {"aten::lstm_cell", 7, lstm_cell},
    {"aten::gru_cell", 7, gru_cell},
    {"aten::rnn_tanh_cell", 7, rnn_cell<kTanh>},
    {"aten::rnn_relu_cell", 7, rnn_cell<kRelu>},
};

}  // namespace

std::span<const Row> recurrent_rows() { return kRecurrentRows; }

}  // namespace tonnx::lower
