// Activation functions and pooling under names of their own.
#include "program/quantised.h"

namespace tonnx::program {
namespace {

using ir::DType;
using ir::Node;
using ir::Value;

// The steps that the arguments `output_scale` and `output_zero_point` say.
Steps output_steps(QuantisedRewrite& rewrite, Inserter& insert, const Node& node, const Steps& like) {
  return {rewrite.known_number(insert, rewrite.argument(node, "output_scale"), false),
          rewrite.known_number(insert, rewrite.argument(node, "output_zero_point"), true), like.dtype};
}

const Quantised& operand(QuantisedRewrite& rewrite, const Node& node) {
  if (const Quantised* found = rewrite.find(node.input())) return *found;
  throw Unquantisable{"its operand is not known to be a quantised tensor"};
}

// A function of floats whose result goes to the steps asked for. `Make` builds it of the operand.
template <Value* (*Make)(QuantisedRewrite&, Inserter&, const Node&, Value*)>
void to_output(QuantisedRewrite& rewrite, Node& node) {
  Inserter insert(&node);
  const Quantised& x = operand(rewrite, node);
  Value* result = Make(rewrite, insert, node, x.real);
  rewrite.give(node, rewrite.snap(insert, result, output_steps(rewrite, insert, node, x.steps)));
}

// The same in the operand's own steps.
template <Value* (*Make)(QuantisedRewrite&, Inserter&, const Node&, Value*)>
void in_steps(QuantisedRewrite& rewrite, Node& node) {
  Inserter insert(&node);
  const Quantised& x = operand(rewrite, node);
  rewrite.give(node, rewrite.snap(insert, Make(rewrite, insert, node, x.real), x.steps));
}

Value* sigmoid(QuantisedRewrite&, Inserter& insert, const Node&, Value* x) { return insert.call("aten::sigmoid", {x}); }
Value* tanh(QuantisedRewrite&, Inserter& insert, const Node&, Value* x) { return insert.call("aten::tanh", {x}); }
Value* hardsigmoid(QuantisedRewrite&, Inserter& insert, const Node&, Value* x) { return insert.call("aten::hardsigmoid", {x}); }
Value* hardswish(QuantisedRewrite&, Inserter& insert, const Node&, Value* x) { return insert.call("aten::hardswish", {x}); }
Value* relu6(QuantisedRewrite&, Inserter& insert, const Node&, Value* x) { return insert.call("aten::relu6", {x}); }

Value* leaky_relu(QuantisedRewrite& rewrite, Inserter& insert, const Node& node, Value* x) {
  return insert.call("aten::leaky_relu", {x, rewrite.argument(node, "negative_slope")});
}

Value* elu(QuantisedRewrite& rewrite, Inserter& insert, const Node& node, Value* x) {
  return insert.call("aten::elu", {x, rewrite.argument(node, "alpha"), rewrite.argument(node, "scale"), rewrite.argument(node, "input_scale")});
}

Value* celu(QuantisedRewrite& rewrite, Inserter& insert, const Node& node, Value* x) {
  return insert.call("aten::celu", {x, rewrite.argument(node, "alpha")});
}

Value* prelu(QuantisedRewrite& rewrite, Inserter& insert, const Node& node, Value* x) {
  return insert.call("aten::prelu", {x, rewrite.tensor(node, "weight").real});
}

Value* softmax(QuantisedRewrite& rewrite, Inserter& insert, const Node& node, Value* x) {
  return insert.call("aten::softmax.int", {x, rewrite.argument(node, "dim")});
}

Value* clamp(QuantisedRewrite& rewrite, Inserter& insert, const Node& node, Value* x) {
  return insert.call("aten::clamp", {x, rewrite.argument(node, "min"), rewrite.argument(node, "max")});
}

Value* threshold(QuantisedRewrite& rewrite, Inserter& insert, const Node& node, Value* x) {
  return insert.call("aten::threshold", {x, rewrite.argument(node, "threshold"), rewrite.argument(node, "value")});
}

// A function whose results LibTorch gives in steps that its range asks for: those of 8 bits from `zero_of_bytes` on.
template <Value* (*Make)(QuantisedRewrite&, Inserter&, const Node&, Value*), int steps, int zero_of_bytes>
void in_range(QuantisedRewrite& rewrite, Node& node) {
  const Quantised* x = rewrite.find(node.input());
  if (!x) return;
  if (x->steps.dtype == DType::Int32) throw Unquantisable{"it has no form for tensors of 32-bit integers"};
  Inserter insert(&node);
  const std::int64_t zero = x->steps.dtype == DType::UInt8 ? zero_of_bytes : zero_of_bytes - 128;
  rewrite.give(node, rewrite.snap(insert, Make(rewrite, insert, node, x->real),
                                  {insert.constant({1.0 / steps}), insert.integer(zero), x->steps.dtype}));
}

void dropout(QuantisedRewrite& rewrite, Node& node) {
  if (rewrite.integer(node, "training") != 0) throw Unquantisable{"it drops elements in training"};
  rewrite.give(node, operand(rewrite, node));
}

// max_pool2d(qx, kernel_size, stride, padding, dilation, ceil_mode)
void max_pool(QuantisedRewrite& rewrite, Node& node) {
  Inserter insert(&node);
  const Quantised& x = operand(rewrite, node);
  const bool is_flat = node.op().ends_with("1d");
  Value* pooled = insert.call(is_flat ? "aten::max_pool1d" : "aten::max_pool2d",
                              {x.real, node.input(1), node.input(2), node.input(3), node.input(4), node.input(5)});
  rewrite.give(node, {pooled, x.steps, nullptr});
}

constexpr QuantisedRow kRows[] = {
    {"quantized::celu", to_output<celu>},
    {"quantized::elu", to_output<elu>},
    {"quantized::hardswish", to_output<hardswish>},
    {"quantized::leaky_relu", to_output<leaky_relu>},
    {"quantized::prelu", to_output<prelu>},
    {"quantized::sigmoid", to_output<sigmoid>},
    {"quantized::softmax", to_output<softmax>},
    {"quantized::clamp", in_steps<clamp>},
    {"quantized::relu6", in_steps<relu6>},
    {"quantized::threshold", in_steps<threshold>},
    {"quantized::dropout", dropout},
    {"quantized::max_pool1d", max_pool},
    {"quantized::max_pool2d", max_pool},
    {"aten::quantized_max_pool1d", max_pool},
    {"aten::quantized_max_pool2d", max_pool},
    {"aten::sigmoid", in_range<sigmoid, 256, 0>},
    {"aten::hardsigmoid", in_range<hardsigmoid, 256, 0>},
    {"aten::tanh", in_range<tanh, 128, 128>},
};

}  // namespace

std::span<const QuantisedRow> quantised_activations() { return kRows; }

}  // namespace tonnx::program
