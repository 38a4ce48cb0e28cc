// Activation functions, pooling and normalisations that are operators for quantised tensors only.
#include "aten/schemas.h"
#include "program/quantised/quantised.h"

namespace tonnx::program {
namespace {

using aten::QuantisedSteps;
using ir::DType;
using ir::Node;
using ir::Value;

const Quantised& operand(const QuantisedRewrite& rewrite, const Node& node) {
  if (const Quantised* found = rewrite.find(node.input(0))) return *found;
  throw Unquantisable{"its operand is not known to be a quantised tensor"};
}

// A function on floats; its row says which parameters the result has.
void function(QuantisedRewrite& rewrite, Node& node) {
  Inserter insert(&node);
  const Quantised& x = operand(rewrite, node);
  const aten::QuantisedTraits& traits = aten::quantised_traits_of(node);
  Value* y = call_on_floats(rewrite, insert, node, traits.real, x.real);
  switch (traits.steps) {
    case QuantisedSteps::Asked:
      return rewrite.replace(node, rewrite.fake_quantise(insert, y, output_params(rewrite, insert, node, x.params)));
    case QuantisedSteps::Operand: return rewrite.replace(node, rewrite.fake_quantise(insert, y, x.params));
    case QuantisedSteps::Kept: return rewrite.replace(node, {y, x.params, nullptr});
  }
}

// A function for which LibTorch derives scale and zero point from its range (sigmoid, tanh).
void squash(QuantisedRewrite& rewrite, Node& node) {
  const Quantised* x = rewrite.find(node.input());
  if (!x) return;
  if (x->params.dtype == DType::Int32) throw Unquantisable{"it has no ONNX form for tensors of 32-bit integers"};
  Inserter insert(&node);
  const aten::QuantisedTraits& traits = aten::quantised_traits_of(node);
  Value* y = insert.call(traits.real, {x->real});
  const std::int64_t zero = x->params.dtype == DType::UInt8 ? traits.zero_of_bytes : traits.zero_of_bytes - 128;
  rewrite.replace(
      node, rewrite.fake_quantise(insert, y,
                                  {insert.constant({1.0 / traits.levels}), insert.integer(zero), x->params.dtype}));
}

void dropout(QuantisedRewrite& rewrite, Node& node) {
  if (rewrite.integer(node, "training") != 0) throw Unquantisable{"it drops elements in training"};
  rewrite.replace(node, operand(rewrite, node));
}

// batch_norm(qx, weight, bias, mean, var, eps, output_scale, output_zero_point)
void batch_norm(QuantisedRewrite& rewrite, Node& node) {
  Inserter insert(&node);
  const Quantised& x = operand(rewrite, node);
  Value* y = insert.call("aten::batch_norm",
                         {x.real, node.input("weight"), node.input("bias"), node.input("mean"), node.input("var"),
                          insert.boolean(false), insert.constant({0.0}), node.input("eps"), insert.boolean(false)});
  y = finish(rewrite, insert, node, y);
  rewrite.replace(node, rewrite.fake_quantise(insert, y, output_params(rewrite, insert, node, x.params)));
}

void instance_norm(QuantisedRewrite& rewrite, Node& node) {
  Inserter insert(&node);
  const Quantised& x = operand(rewrite, node);
  Value* y = insert.call("aten::instance_norm",
                         {x.real, node.input("weight"), node.input("bias"), insert.none(), insert.none(),
                          insert.boolean(true), insert.constant({0.0}), node.input("eps"), insert.boolean(false)});
  rewrite.replace(node, rewrite.fake_quantise(insert, y, output_params(rewrite, insert, node, x.params)));
}

using enum aten::QuantisedForm;

constexpr QuantisedForm kQuantisedActivations[] = {{Function, function},
                                                   {Squashes, squash},
                                                   {Dropout, dropout},
                                                   {BatchNorm, batch_norm},
                                                   {InstanceNorm, instance_norm}};

}  // namespace

Value* call_on_floats(const QuantisedRewrite& rewrite, Inserter& insert, const Node& node, std::string_view real,
                      Value* x) {
  std::vector<Value*> arguments{x};
  const auto& schema_arguments = aten::find_schema(real)->arguments;
  for (std::size_t i = 1; i < schema_arguments.size(); ++i) {
    Value* value = node.input(schema_arguments[i].name);
    if (!value) break;
    const Quantised* found = rewrite.find(value);
    arguments.push_back(found ? found->real : value);
  }
  return insert.call(real, arguments);
}

Value* finish(const QuantisedRewrite& rewrite, Inserter& insert, const Node& node, Value* value) {
  const std::string_view after = aten::quantised_traits_of(node).after;
  return after.empty() ? value : call_on_floats(rewrite, insert, node, after, value);
}

QuantParams named_params(const QuantisedRewrite& rewrite, Inserter& insert, const Node& node, std::string_view scale,
                         std::string_view zero_point, const QuantParams& like) {
  return {rewrite.known_number(insert, rewrite.argument(node, scale), false),
          rewrite.known_number(insert, rewrite.argument(node, zero_point), true), like.dtype};
}

QuantParams output_params(const QuantisedRewrite& rewrite, Inserter& insert, const Node& node,
                          const QuantParams& like) {
  return named_params(rewrite, insert, node, "output_scale", "output_zero_point", like);
}

std::span<const QuantisedForm> quantised_activations() { return kQuantisedActivations; }

}  // namespace tonnx::program
