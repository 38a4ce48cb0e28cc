// Layers with packed parameters.
#include "ir/constant_facts.h"
#include "program/quantised/quantised.h"

namespace tonnx::program {
namespace {

using ir::DType;
using ir::Node;
using ir::Type;
using ir::Value;

// Layers read the weights from the packing node (QuantisedRewrite::packed).
void pack(QuantisedRewrite& rewrite, Node& node) { rewrite.remove(node); }

Value* rounded_to_half(Inserter& insert, Value* weight) {
  const auto dtype = [&](DType t) { return insert.integer(static_cast<std::int64_t>(t)); };
  return insert.call("aten::to.dtype",
                     {insert.call("aten::to.dtype", {weight, dtype(DType::Float16)}), dtype(DType::Float32)});
}

Weights weights_of(QuantisedRewrite& rewrite, Inserter& insert, const Node& node, std::string_view argument) {
  return weights_in(rewrite, insert, rewrite.packed(node, argument));
}

std::string_view name_of(const Node& node, std::size_t argument) { return node.schema()->arguments.at(argument).name; }

Value* linear_of(const QuantisedRewrite& rewrite, Inserter& insert, const Node& node, Value* x, const Weights& w) {
  return finish(rewrite, insert, node, insert.call(aten::quantised_traits_of(node).real, {x, w.weight, w.bias}));
}

// linear(X, W_prepack, Y_scale_i, Y_zero_point_i)
void linear(QuantisedRewrite& rewrite, Node& node) {
  Inserter insert(&node);
  const Quantised& x = rewrite.tensor(node, "X");
  const Weights w = weights_of(rewrite, insert, node, "W_prepack");
  Value* y = linear_of(rewrite, insert, node, x.real, w);
  rewrite.replace(node, rewrite.fake_quantise(
                            insert, y, named_params(rewrite, insert, node, "Y_scale_i", "Y_zero_point_i", x.params)));
}

bool reduces_range(const QuantisedRewrite& rewrite, const Node& node) {
  return node.input("reduce_range") && rewrite.integer(node, "reduce_range") != 0;
}

// linear_dynamic(X, W_prepack, reduce_range), linear_dynamic_fp16(X, W_prepack)
void linear_dynamic(QuantisedRewrite& rewrite, Node& node) {
  Inserter insert(&node);
  const Weights w = weights_of(rewrite, insert, node, "W_prepack");
  Value* x = rewrite.argument(node, "X");
  if (!aten::quantised_traits_of(node).halves)
    x = quantise_dynamically(rewrite, insert, x, DType::UInt8, reduces_range(rewrite, node)).real;
  rewrite.replace(node, linear_of(rewrite, insert, node, x, w));
}

// linear_with_input_q_dq_qweight_dq_output_fp32(X, X_scale, X_zero_point, W_prepack)
void linear_of_floats(QuantisedRewrite& rewrite, Node& node) {
  Inserter insert(&node);
  const Weights w = weights_of(rewrite, insert, node, "W_prepack");
  const Quantised x = rewrite.fake_quantise(insert, rewrite.argument(node, "X"),
                                            named_params(rewrite, insert, node, "X_scale", "X_zero_point", {}));
  rewrite.replace(node, linear_of(rewrite, insert, node, x.real, w));
}

// An argument of a packed convolution. For 1-d convolutions the packed list has two items; the last one counts.
Value* packed_sizes(Inserter& insert, const Node& packed, std::string_view name, std::size_t dims) {
  Value* value = packed.input(name);
  const auto* list = value->constant() ? value->constant()->get<ir::Constant::List>() : nullptr;
  if (!list || list->items.size() <= dims) return value;
  std::vector<std::int64_t> last;
  for (std::size_t i = list->items.size() - dims; i < list->items.size(); ++i)
    last.push_back(list->items[i].as_int64());
  return insert.integers(last);
}

// The weight of a 1-d convolution, without the axis that packing may have added.
Value* without_height(QuantisedRewrite& rewrite, Inserter& insert, const Node& packed, Value* weight) {
  const Quantised* known = rewrite.find(packed.input(0));
  const ir::Tensor* integers = known && known->integers ? known->integers->weight() : nullptr;
  return integers && integers->rank() == 4 ? insert.call("aten::squeeze.dim", {weight, insert.integer(2)}) : weight;
}

Value* convolution(QuantisedRewrite& rewrite, Inserter& insert, const Node& node, Value* x, std::string_view argument) {
  const aten::QuantisedTraits& traits = aten::quantised_traits_of(node);
  const auto rank = static_cast<std::size_t>(traits.rank);
  Weights w = weights_of(rewrite, insert, node, argument);
  const auto of = [&](std::string_view name) { return packed_sizes(insert, *w.packed, name, rank); };
  if (rank == 1) w.weight = without_height(rewrite, insert, *w.packed, w.weight);
  Value* groups = w.packed->input("groups");
  if (w.packed->input("output_padding"))
    return insert.call(traits.transposed, {x, w.weight, w.bias, of("stride"), of("padding"), of("output_padding"),
                                           groups, of("dilation")});
  return insert.call(traits.real, {x, w.weight, w.bias, of("stride"), of("padding"), of("dilation"), groups});
}

// conv(qx, packed_weight, output_scale, output_zero_point)
void conv(QuantisedRewrite& rewrite, Node& node) {
  Inserter insert(&node);
  const Quantised& x = rewrite.tensor(node, "qx");
  Value* y = convolution(rewrite, insert, node, x.real, name_of(node, 1));
  y = finish(rewrite, insert, node, y);
  rewrite.replace(node, rewrite.fake_quantise(insert, y, output_params(rewrite, insert, node, x.params)));
}

// conv_dynamic(qx, packed_weight, reduce_range): the result is rounded to the operand's parameters, which may saturate
void conv_dynamic(QuantisedRewrite& rewrite, Node& node) {
  Inserter insert(&node);
  const Quantised x = quantise_dynamically(rewrite, insert, node.input(0), DType::UInt8, reduces_range(rewrite, node));
  Value* y = convolution(rewrite, insert, node, x.real, name_of(node, 1));
  rewrite.replace(node, rewrite.fake_quantise(insert, y, x.params).real);
}

// conv2d_add(qx, qaccum, packed_weight, output_scale, output_zero_point)
void conv_add(QuantisedRewrite& rewrite, Node& node) {
  Inserter insert(&node);
  const Quantised& x = rewrite.tensor(node, "qx");
  Value* y = convolution(rewrite, insert, node, x.real, "packed_weight");
  y = finish(rewrite, insert, node, insert.call("aten::add.Tensor", {y, rewrite.tensor(node, "qaccum").real}));
  rewrite.replace(node, rewrite.fake_quantise(insert, y, output_params(rewrite, insert, node, x.params)));
}

// Clamps the value to the limits in the packed parameters.
Value* clamped(Inserter& insert, const Node& packed, Value* value) {
  Value *low = packed.input("output_min"), *high = packed.input("output_max");
  return ir::is_none(low) && ir::is_none(high) ? value : insert.call("aten::clamp", {value, low, high});
}

// linear_clamp_run(X, W_prepack)
void prepacked_linear(QuantisedRewrite& rewrite, Node& node) {
  Inserter insert(&node);
  const Weights w = weights_of(rewrite, insert, node, "W_prepack");
  rewrite.replace(node, clamped(insert, *w.packed, linear_of(rewrite, insert, node, rewrite.argument(node, "X"), w)));
}

// conv2d_clamp_run(X, W_prepack), conv2d_transpose_clamp_run(X, W_prepack)
void prepacked_conv(QuantisedRewrite& rewrite, Node& node) {
  Inserter insert(&node);
  Value* y = convolution(rewrite, insert, node, rewrite.argument(node, "X"), "W_prepack");
  rewrite.replace(node, clamped(insert, rewrite.packed(node, "W_prepack"), y));
}

// A packed embedding table as floats. A 4-bit table has its scales and biases (-zero_point * scale) in half precision.
Value* table_of(QuantisedRewrite& rewrite, Inserter& insert, const Node& node) {
  const Weights w = weights_of(rewrite, insert, node, "weight");
  if (!aten::quantised_traits_of(node).nibbles) return w.weight;
  const Quantised* table = rewrite.find(w.packed->input(0));
  if (!table || !table->integers || !table->params.axis)
    throw Unquantisable{"its table is not known to have integers with one scale per row"};
  const auto floats = [&](Value* v) {
    return insert.call("aten::to.dtype", {v, insert.integer(static_cast<std::int64_t>(DType::Float32))});
  };
  const auto column = [&](Value* v) { return insert.call("aten::unsqueeze", {floats(v), insert.integer(1)}); };
  Value* scale = column(table->params.scale);
  Value* bias = insert.call("aten::neg", {insert.call("aten::mul.Tensor", {column(table->params.zero_point), scale})});
  Value* scaled = insert.call("aten::mul.Tensor", {floats(table->integers), rounded_to_half(insert, scale)});
  return insert.call("aten::add.Tensor", {scaled, rounded_to_half(insert, bias)});
}

// embedding_byte(weight, indices, pruned_weights)
void embedding(QuantisedRewrite& rewrite, Node& node) {
  if (rewrite.integer(node, "pruned_weights") != 0) throw Unquantisable{"its weights are pruned"};
  Inserter insert(&node);
  rewrite.replace(node,
                  insert.call("aten::embedding", {table_of(rewrite, insert, node), rewrite.argument(node, "indices")}));
}

// embedding_bag_byte(weight, indices, offsets, scale_grad_by_freq, mode, pruned_weights, per_sample_weights,
//   compressed_indices_mapping, include_last_offset): LibTorch sums in every mode
void embedding_bag(QuantisedRewrite& rewrite, Node& node) {
  if (!ir::is_none(node.input("compressed_indices_mapping"))) throw Unquantisable{"its weights are pruned"};
  if (ir::is_none(node.input("offsets")))
    throw Unquantisable{"it has no offsets; pass them, or embed one bag at a time"};
  Inserter insert(&node);
  rewrite.replace(
      node, insert.call("aten::embedding_bag",
                        {table_of(rewrite, insert, node), rewrite.argument(node, "indices"),
                         rewrite.argument(node, "offsets"), insert.boolean(false), insert.integer(0),
                         insert.boolean(false), node.input("per_sample_weights"), node.input("include_last_offset")}));
}

using enum aten::QuantisedForm;

constexpr QuantisedForm kQuantisedLayers[] = {
    {Pack, pack},
    {PackCells, pack},
    {Linear, linear},
    {DynamicLinear, linear_dynamic},
    {LinearOfFloats, linear_of_floats},
    {PrepackedLinear, prepacked_linear},
    {PrepackedConvolution, prepacked_conv},
    {Convolution, conv},
    {DynamicConvolution, conv_dynamic},
    {ConvolutionAdd, conv_add},
    {Embedding, embedding},
    {EmbeddingBag, embedding_bag},
};

}  // namespace

Weights weights_in(const QuantisedRewrite& rewrite, Inserter& insert, const Node& packed) {
  Value* weight = packed.input(0);
  Value* bias = packed.input_count() > 1 ? packed.input(1) : nullptr;  // a table has no bias
  if (const Quantised* quantised = rewrite.find(weight)) return {quantised->real, bias, &packed};
  if (aten::quantised_traits_of(packed).floats) return {weight, bias, &packed};
  if (!aten::quantised_traits_of(packed).halves)
    throw Unquantisable{"its packed weight is not known to be a quantised tensor"};
  return {rounded_to_half(insert, weight), bias, &packed};
}

std::span<const QuantisedForm> quantised_layers() { return kQuantisedLayers; }

}  // namespace tonnx::program
