// Recurrent networks over whole sequences, since their composite versions would be evaluated step by step.
#include <algorithm>
#include <array>

#include <ATen/ops/empty.h>

#include "torch/meta_rule.h"

namespace tonnx::torch {
namespace {

void check(const at::Tensor& input, const at::Tensor& hidden, const std::vector<at::Tensor>& parameters,
           std::int64_t layers, bool bidirectional) {
  TORCH_CHECK(!parameters.empty() && parameters[0].dim() == 2 && parameters[0].size(1) == input.size(-1),
              "input.size(-1) must be equal to input_size. Expected ", parameters.empty() ? 0 : parameters[0].size(-1),
              ", got ", input.size(-1));
  TORCH_CHECK(hidden.dim() == 3 && hidden.size(0) == layers * (bidirectional ? 2 : 1), "Expected hidden size of ",
              layers * (bidirectional ? 2 : 1), " layers and directions, got ", hidden.sizes());
}

void give_sequence(RuleCall& call, const at::Tensor& hidden, bool bidirectional, bool batch_first) {
  const at::Tensor& input = call.tensor(0);
  const std::int64_t size = hidden.size(2) * (bidirectional ? 2 : 1);
  TORCH_CHECK(input.dim() == 3, "RNN: Expected input to be 3D, got ", input.dim(), "D");
  const std::int64_t batch = input.size(batch_first ? 0 : 1);
  TORCH_CHECK(input.size(batch_first ? 1 : 0) > 0, "Expected sequence length to be larger than 0 in RNN");
  TORCH_CHECK(hidden.size(1) == batch, "Expected hidden size of batch ", batch, ", got ", hidden.sizes());
  const at::Tensor output = meta_empty({input.size(batch_first ? 1 : 0), batch, size}, input.scalar_type());
  call.add_result(batch_first ? output.transpose(0, 1) : output);
}

void add_state_result(RuleCall& call, const at::Tensor& state) {
  call.add_result(meta_empty(state.sizes(), state.scalar_type()));
}

// Indices of the arguments that determine the sizes.
struct Places {
  std::size_t layers, bidirectional, batch_first;
};

// (input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)
constexpr Places kPlain{4, 7, 8};
// (input, hx, params, num_layers, bidirectional, batch_first, reduce_range)
constexpr Places kQuantised{3, 4, 5};

template <const Places& place>
RuleOutcome lstm(RuleCall& call) {
  const std::vector<at::Tensor> state = call.tensors(1);
  TORCH_CHECK(state.size() == 2, "lstm expects two hidden states");
  check(call.tensor(0), state[0], call.tensors(2), call.integer(place.layers), call.boolean(place.bidirectional));
  give_sequence(call, state[0], call.boolean(place.bidirectional), call.boolean(place.batch_first));
  for (const at::Tensor& s : state) add_state_result(call, s);
  return RuleOutcome::Done;
}

// Same, with one state.
template <const Places& place>
RuleOutcome rnn(RuleCall& call) {
  const at::Tensor& state = call.tensor(1);
  check(call.tensor(0), state, call.tensors(2), call.integer(place.layers), call.boolean(place.bidirectional));
  give_sequence(call, state, call.boolean(place.bidirectional), call.boolean(place.batch_first));
  add_state_result(call, state);
  return RuleOutcome::Done;
}

// (data, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional)
constexpr Places kPacked{5, 8, 0};
// (data, batch_sizes, hx, params, num_layers, bidirectional, reduce_range)
constexpr Places kQuantisedPacked{4, 5, 0};

template <const Places& place>
RuleOutcome lstm_packed(RuleCall& call) {
  const std::vector<at::Tensor> state = call.tensors(2);
  TORCH_CHECK(state.size() == 2, "lstm expects two hidden states");
  const at::Tensor& data = call.tensor(0);
  check(data, state[0], call.tensors(3), call.integer(place.layers), call.boolean(place.bidirectional));
  call.add_result(
      meta_empty({data.size(0), state[0].size(2) * (call.boolean(place.bidirectional) ? 2 : 1)}, data.scalar_type()));
  for (const at::Tensor& s : state) add_state_result(call, s);
  return RuleOutcome::Done;
}

// Same, with one state.
template <const Places& place>
RuleOutcome rnn_packed(RuleCall& call) {
  const at::Tensor& state = call.tensor(2);
  const at::Tensor& data = call.tensor(0);
  check(data, state, call.tensors(3), call.integer(place.layers), call.boolean(place.bidirectional));
  call.add_result(
      meta_empty({data.size(0), state.size(2) * (call.boolean(place.bidirectional) ? 2 : 1)}, data.scalar_type()));
  add_state_result(call, state);
  return RuleOutcome::Done;
}

// _pack_padded_sequence(input, lengths, batch_first) -> (data, batch_sizes). Unknown lengths are probed as full.
RuleOutcome pack(RuleCall& call) {
  const at::Tensor& input = call.tensor(0);
  TORCH_CHECK(input.dim() >= 2, "Expected a padded sequence of at least 2 dimensions");
  const bool batch_first = call.boolean(2);
  const std::int64_t batch = input.size(batch_first ? 0 : 1);
  std::vector<std::int64_t> sizes{batch * input.size(batch_first ? 1 : 0)};
  for (std::int64_t d = 2; d < input.dim(); ++d) sizes.push_back(input.size(d));
  const at::Tensor& lengths = call.original(1).toTensor();
  TORCH_CHECK(lengths.dim() == 1 && lengths.size(0) == batch, "Expected `len(lengths)` to be equal to batch_size, but ",
              "got ", lengths.numel(), " (batch_size=", batch, ")");
  if (!lengths.is_cpu()) {
    call.add_result(meta_empty(sizes, input.scalar_type()));
    call.add_result(meta_empty({input.size(batch_first ? 1 : 0)}, at::kLong));
    return RuleOutcome::DataDependent;
  }
  const at::Tensor plain = lengths.to(at::kLong).contiguous();
  const auto* length = plain.const_data_ptr<std::int64_t>();
  const std::int64_t longest = batch > 0 ? *std::max_element(length, length + batch) : 0;
  TORCH_CHECK(longest <= input.size(batch_first ? 1 : 0), "Expected lengths of at most the padded length");
  at::Tensor batch_sizes = at::empty({longest}, at::device(at::kCPU).dtype(at::kLong));
  sizes[0] = 0;
  for (std::int64_t t = 0; t < longest; ++t) {
    const std::int64_t count = std::count_if(length, length + batch, [t](std::int64_t l) { return l > t; });
    batch_sizes.mutable_data_ptr<std::int64_t>()[t] = count;
    sizes[0] += count;
  }
  call.add_result(meta_empty(sizes, input.scalar_type()));
  call.add_result(batch_sizes);
  return RuleOutcome::Done;
}

// _pad_packed_sequence(data, batch_sizes, batch_first, padding_value, total_length) -> (padded, lengths)
RuleOutcome unpack(RuleCall& call) {
  const at::Tensor& data = call.tensor(0);
  const at::Tensor& batch_sizes = call.original(1).toTensor();
  const std::int64_t steps = batch_sizes.size(0);
  TORCH_CHECK(steps > 0, "Cannot pad an empty packed sequence");
  const bool known = batch_sizes.is_cpu();
  const std::int64_t batch =
      known ? batch_sizes[0].item<std::int64_t>() : std::max<std::int64_t>(data.size(0) / steps, 1);
  const std::int64_t total = call.integer(4);
  TORCH_CHECK(total <= 0 || total >= steps, "Expected total_length to be at least the length of the longest sequence ",
              "in input, but got total_length=", total, " and max sequence length being ", steps);
  std::vector<std::int64_t> sizes{total > 0 ? total : steps, batch};
  for (std::int64_t d = 1; d < data.dim(); ++d) sizes.push_back(data.size(d));
  const at::Tensor padded = meta_empty(sizes, data.scalar_type());
  call.add_result(call.boolean(2) ? padded.transpose(0, 1) : padded);
  call.add_result(meta_empty({batch}, at::kLong));
  return known ? RuleOutcome::Done : RuleOutcome::DataDependent;
}

}  // namespace

std::span<const NamedRule> recurrent_rules() {
  static constexpr std::array rules = {
      NamedRule{"aten::lstm.input", lstm<kPlain>},
      NamedRule{"aten::gru.input", rnn<kPlain>},
      NamedRule{"aten::rnn_tanh.input", rnn<kPlain>},
      NamedRule{"aten::rnn_relu.input", rnn<kPlain>},
      NamedRule{"aten::lstm.data", lstm_packed<kPacked>},
      NamedRule{"aten::gru.data", rnn_packed<kPacked>},
      NamedRule{"aten::rnn_tanh.data", rnn_packed<kPacked>},
      NamedRule{"aten::rnn_relu.data", rnn_packed<kPacked>},
      NamedRule{"tonnx::quantized_lstm", lstm<kQuantised>},
      NamedRule{"tonnx::quantized_gru", rnn<kQuantised>},
      NamedRule{"tonnx::quantized_lstm.data", lstm_packed<kQuantisedPacked>},
      NamedRule{"tonnx::quantized_gru.data", rnn_packed<kQuantisedPacked>},
      NamedRule{"aten::_pack_padded_sequence", pack},
      NamedRule{"aten::_pad_packed_sequence", unpack},
  };
  return rules;
}

}  // namespace tonnx::torch
