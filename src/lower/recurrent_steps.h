#pragma once

#include <array>
#include <functional>

#include "lower/builder.h"

// The steps of recurrent networks that ONNX has no operator for.
namespace tonnx::lower {

// Whether a value is known to be a tensor of zeros, which an absent initial state stands for.
bool is_zeros(const Value* v);

// One step of an LSTM on the sum of its products: new hidden and cell state, each of `hidden` columns.
std::array<Value*, 2> lstm_step(Builder& b, Value* gates, Value* cell, std::int64_t hidden);
// One step of a GRU on the products of its input and of its hidden state: the new hidden state.
Value* gru_step(Builder& b, Value* from_x, Value* from_h, Value* state, std::int64_t hidden);

// onnx::Scan over the first axis of `steps` (time, batch, features), from its end if `backward`: the last states, then
// the first state of every step, (time, batch, width). `states` are (batch, width) with `widths`; `body` builds the
// next ones. Needs opset 9.
Values scan_steps(Builder& b, Value* steps, const Values& states, std::span<const ir::Dim> widths, bool backward,
                  const std::function<Values(Value* step, const Values& states)>& body);

}  // namespace tonnx::lower
