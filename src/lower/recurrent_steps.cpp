#include "lower/recurrent_steps.h"

#include "lower/loop.h"
#include "lower/special.h"

namespace tonnx::lower {
namespace {

void set_facts(Value* v, DType dtype, std::vector<ir::Dim> dims) {
  ir::Facts facts;
  facts.dtype = dtype;
  facts.dims = std::move(dims);
  v->set_facts(std::move(facts));
}

}  // namespace

bool is_zeros(const Value* v) {
  const ir::Tensor* t = v->constant() ? v->constant()->get<ir::Tensor>() : nullptr;
  if (!t && v->node() && v->node()->is("onnx::ConstantOfShape")) t = v->node()->attribute_as<ir::Tensor>("value");
  if (!t || t->numel() > 1 << 16) return false;
  for (std::int64_t i = 0; i < t->numel(); ++i)
    if (t->as_double(i) != 0) return false;
  return true;
}

std::array<Value*, 2> lstm_step(Builder& b, Value* gates, Value* cell, std::int64_t hidden) {
  const Values g = b.split(gates, Dims(4, hidden), -1);
  Value* keep = b.mul(sigmoid(b, g[1]), cell);
  Value* next = b.add(keep, b.mul(sigmoid(b, g[0]), b.op("Tanh", {g[2]})));
  return {b.mul(sigmoid(b, g[3]), b.op("Tanh", {next})), next};
}

Value* gru_step(Builder& b, Value* from_x, Value* from_h, Value* state, std::int64_t hidden) {
  const Dims parts(3, hidden);
  const Values x = b.split(from_x, parts, -1);
  const Values h = b.split(from_h, parts, -1);
  Value* reset = sigmoid(b, b.add(x[0], h[0]));
  Value* update = sigmoid(b, b.add(x[1], h[1]));
  Value* fresh = b.op("Tanh", {b.add(x[2], b.mul(reset, h[2]))});
  return b.add(fresh, b.mul(update, b.sub(state, fresh)));
}

Values scan_steps(Builder& b, Value* steps, const Values& states, std::span<const ir::Dim> widths, bool backward,
                  const std::function<Values(Value* step, const Values& states)>& body) {
  const DType dtype = steps->facts().dtype;
  const std::vector<ir::Dim> sizes = steps->facts().dims.value();
  Values inputs = states;
  inputs.push_back(steps);
  ir::Node* scan = b.open("Scan", inputs, 1);
  scan->set_attribute("num_scan_inputs", std::int64_t{1});
  if (backward) {
    scan->set_attribute("scan_input_directions", Dims{1});
    scan->set_attribute("scan_output_directions", Dims{1});
  }
  ir::Block* block = scan->block(0);
  Values carried;
  for (const ir::Dim& width : widths) {
    carried.push_back(block->add_input());
    set_facts(carried.back(), dtype, {sizes.at(1), width});
  }
  Value* step = block->add_input();
  set_facts(step, dtype, {sizes.at(1), sizes.at(2)});
  {
    const Inside inside(b, block);
    const Values next = body(step, carried);
    for (Value* state : next) add_output(b, block, state);
    add_output(b, block, next.front());
  }
  for (const ir::Dim& width : widths) set_facts(scan->add_output(), dtype, {sizes.at(1), width});
  set_facts(scan->add_output(), dtype, {sizes.at(0), sizes.at(1), widths.front()});
  return {scan->outputs().begin(), scan->outputs().end()};
}

}  // namespace tonnx::lower
