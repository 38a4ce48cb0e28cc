#pragma once

#include <array>
#include <functional>

#include "lower/builder.h"

// Steps of recurrent networks for which ONNX has no operator.
namespace tonnx::lower {

// True for a constant tensor of zeros, which is equivalent to an absent initial state.
bool is_zeros(const Value* v);

// One LSTM step on the sum of its products: the new hidden and cell states, each with `hidden` columns.
std::array<Value*, 2> lstm_step(Builder& b, Value* gates, Value* cell, std::int64_t hidden);
// One GRU step on the products of its input and of its hidden state: the new hidden state.
Value* gru_step(Builder& b, Value* from_x, Value* from_h, Value* state, std::int64_t hidden);

// onnx::Scan over the first axis of `steps` (time, batch, features), from its end if `backward`. Returns the last
// states, then the first state of every step, (time, batch, width). `states` are (batch, width) with `widths`; `body`
// builds the next states. Needs opset 9.
Values scan_steps(Builder& b, Value* steps, const Values& states, std::span<const ir::Dim> widths, bool backward,
                  const std::function<Values(Value* step, const Values& states)>& body);

}  // namespace tonnx::lower
