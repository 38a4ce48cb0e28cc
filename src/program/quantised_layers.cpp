// Layers with packed parameters, and normalisations.
#include "program/quantised.h"

namespace tonnx::program {
namespace {

using ir::DType;
using ir::Node;
using ir::Type;
using ir::Value;

// The weights stand where they are packed; whoever reads them asks that node.
void pack(QuantisedRewrite& rewrite, Node& node) { rewrite.remove(node); }

Value* rounded_to_half(Inserter& insert, Value* weight) {
  const auto dtype = [&](DType t) { return insert.integer(static_cast<std::int64_t>(t)); };
  return insert.call("aten::to.dtype", {insert.call("aten::to.dtype", {weight, dtype(DType::Float16)}), dtype(DType::Float32)});
}

Weights weights_of(QuantisedRewrite& rewrite, Inserter& insert, const Node& node, std::string_view argument) {
  return weights_in(rewrite, insert, rewrite.packed(node, argument));
}

std::string_view name_of(const Node& node, std::size_t argument) { return node.schema()->arguments.at(argument).name; }

// The steps that two arguments say, by their place.
Steps steps_at(QuantisedRewrite& rewrite, Inserter& insert, const Node& node, std::size_t scale, const Steps& like) {
  return {rewrite.known_number(insert, node.input(scale), false), rewrite.known_number(insert, node.input(scale + 1), true), like.dtype};
}

enum class After { Nothing, Relu, LeakyRelu, Tanh };

Value* finish(Inserter& insert, const Node& node, Value* value, After after) {
  switch (after) {
    case After::Nothing: return value;
    case After::Relu: return insert.call("aten::relu", {value});
    case After::LeakyRelu: return insert.call("aten::leaky_relu", {value, node.input("negative_slope")});
    case After::Tanh: return insert.call("aten::tanh", {value});
  }
  return value;
}

// linear(X, W_prepack, Y_scale_i, Y_zero_point_i)
template <After after>
void linear(QuantisedRewrite& rewrite, Node& node) {
  Inserter insert(&node);
  const Quantised& x = rewrite.tensor(node, "X");
  const Weights w = weights_of(rewrite, insert, node, "W_prepack");
  Value* y = finish(insert, node, insert.call("aten::linear", {x.real, w.weight, w.bias}), after);
  rewrite.give(node, rewrite.snap(insert, y, steps_at(rewrite, insert, node, 2, x.steps)));
}

bool reduces_range(const QuantisedRewrite& rewrite, const Node& node) {
  return node.input("reduce_range") && rewrite.integer(node, "reduce_range") != 0;
}

// linear_dynamic(X, W_prepack, reduce_range), linear_dynamic_fp16(X, W_prepack)
template <After after, bool rounds_input>
void linear_dynamic(QuantisedRewrite& rewrite, Node& node) {
  Inserter insert(&node);
  const Weights w = weights_of(rewrite, insert, node, "W_prepack");
  Value* x = rewrite.argument(node, "X");
  if (rounds_input) x = quantise_dynamically(rewrite, insert, x, DType::UInt8, reduces_range(rewrite, node)).real;
  rewrite.give(node, finish(insert, node, insert.call("aten::linear", {x, w.weight, w.bias}), after));
}

// linear_with_input_q_dq_qweight_dq_output_fp32(X, X_scale, X_zero_point, W_prepack)
template <After after>
void linear_of_floats(QuantisedRewrite& rewrite, Node& node) {
  Inserter insert(&node);
  const Weights w = weights_of(rewrite, insert, node, "W_prepack");
  const Quantised x = rewrite.snap(insert, rewrite.argument(node, "X"), steps_at(rewrite, insert, node, 1, {}));
  rewrite.give(node, finish(insert, node, insert.call("aten::linear", {x.real, w.weight, w.bias}), after));
}

// What the packing of a convolution says: of 1-dimensional ones the last of two numbers.
Value* sizes(Inserter& insert, const Node& packed, std::string_view name, std::size_t dims) {
  Value* value = packed.input(name);
  const auto* list = value->constant() ? value->constant()->get<ir::Constant::List>() : nullptr;
  if (!list || list->items.size() <= dims) return value;
  std::vector<std::int64_t> last;
  for (std::size_t i = list->items.size() - dims; i < list->items.size(); ++i) last.push_back(list->items[i].as_int64());
  return insert.integers(last);
}

// The weight of a 1-dimensional convolution as it was given, or with the axis that its packing added.
Value* without_height(QuantisedRewrite& rewrite, Inserter& insert, const Node& packed, Value* weight) {
  const Quantised* known = rewrite.find(packed.input(0));
  const ir::Tensor* integers = known && known->integers ? known->integers->weight() : nullptr;
  return integers && integers->rank() == 4 ? insert.call("aten::squeeze.dim", {weight, insert.integer(2)}) : weight;
}

Value* convolution(QuantisedRewrite& rewrite, Inserter& insert, const Node& node, Value* x, std::string_view argument, std::size_t dims) {
  Weights w = weights_of(rewrite, insert, node, argument);
  const auto of = [&](std::string_view name) { return sizes(insert, *w.packed, name, dims); };
  if (dims == 1) w.weight = without_height(rewrite, insert, *w.packed, w.weight);
  const std::string rank = std::to_string(dims) + "d";
  Value* groups = w.packed->input("groups");
  if (w.packed->input("output_padding"))
    return insert.call("aten::conv_transpose" + rank + (dims == 1 ? "" : ".input"),
                       {x, w.weight, w.bias, of("stride"), of("padding"), of("output_padding"), groups, of("dilation")});
  return insert.call("aten::conv" + rank, {x, w.weight, w.bias, of("stride"), of("padding"), of("dilation"), groups});
}

// The older overloads say the strides twice.
std::size_t scale_of(const Node& node) {
  const int at = node.schema()->index_of("output_scale");
  if (at < 0) throw Unquantisable{"it has no output scale"};
  return static_cast<std::size_t>(at);
}

// conv(qx, packed_weight, output_scale, output_zero_point)
template <std::size_t dims, After after>
void conv(QuantisedRewrite& rewrite, Node& node) {
  Inserter insert(&node);
  const Quantised& x = rewrite.tensor(node, "qx");
  Value* y = convolution(rewrite, insert, node, x.real, name_of(node, 1), dims);
  y = finish(insert, node, y, after);
  rewrite.give(node, rewrite.snap(insert, y, steps_at(rewrite, insert, node, scale_of(node), x.steps)));
}

// conv_dynamic(qx, packed_weight, reduce_range): the result is rounded to the operand's steps, which may cut it off
template <std::size_t dims>
void conv_dynamic(QuantisedRewrite& rewrite, Node& node) {
  Inserter insert(&node);
  const Quantised x = quantise_dynamically(rewrite, insert, node.input(0), DType::UInt8, reduces_range(rewrite, node));
  Value* y = convolution(rewrite, insert, node, x.real, name_of(node, 1), dims);
  rewrite.give(node, rewrite.snap(insert, y, x.steps).real);
}

// conv2d_add(qx, qaccum, packed_weight, output_scale, output_zero_point)
template <After after>
void conv_add(QuantisedRewrite& rewrite, Node& node) {
  Inserter insert(&node);
  const Quantised& x = rewrite.tensor(node, "qx");
  Value* y = convolution(rewrite, insert, node, x.real, "packed_weight", 2);
  y = finish(insert, node, insert.call("aten::add.Tensor", {y, rewrite.tensor(node, "qaccum").real}), after);
  rewrite.give(node, rewrite.snap(insert, y, steps_at(rewrite, insert, node, scale_of(node), x.steps)));
}

// batch_norm(qx, weight, bias, mean, var, eps, output_scale, output_zero_point)
template <bool relu>
void batch_norm(QuantisedRewrite& rewrite, Node& node) {
  Inserter insert(&node);
  const Quantised* x = rewrite.find(node.input(0));
  if (!x) throw Unquantisable{"its operand is not known to be a quantised tensor"};
  Value* y = insert.call("aten::batch_norm", {x->real, node.input("weight"), node.input("bias"), node.input("mean"), node.input("var"),
                                              insert.boolean(false), insert.constant({0.0}), node.input("eps"), insert.boolean(false)});
  y = finish(insert, node, y, relu ? After::Relu : After::Nothing);
  rewrite.give(node, rewrite.snap(insert, y, steps_at(rewrite, insert, node, scale_of(node), x->steps)));
}

// A normalisation of the operand, to the steps asked for.
template <Value* (*Make)(Inserter&, const Node&, Value*)>
void normalisation(QuantisedRewrite& rewrite, Node& node) {
  Inserter insert(&node);
  const Quantised& x = rewrite.tensor(node, "input");
  Value* y = Make(insert, node, x.real);
  rewrite.give(node, rewrite.snap(insert, y, steps_at(rewrite, insert, node, scale_of(node), x.steps)));
}

Value* layer_norm(Inserter& insert, const Node& node, Value* x) {
  return insert.call("aten::layer_norm", {x, node.input("normalized_shape"), node.input("weight"), node.input("bias"), node.input("eps")});
}

Value* group_norm(Inserter& insert, const Node& node, Value* x) {
  return insert.call("aten::group_norm", {x, node.input("num_groups"), node.input("weight"), node.input("bias"), node.input("eps")});
}

Value* instance_norm(Inserter& insert, const Node& node, Value* x) {
  return insert.call("aten::instance_norm", {x, node.input("weight"), node.input("bias"), insert.none(), insert.none(), insert.boolean(true),
                                             insert.constant({0.0}), node.input("eps"), insert.boolean(false)});
}

bool is_absent(const Node& node, std::string_view argument) {
  const Value* value = node.input(argument);
  return !value || value->type().is(Type::Kind::None) || (value->constant() && value->constant()->is_none());
}

// A packed table as floats. One of 4 bits has its scales, and what its zero points stand for, as halves.
Value* table_of(QuantisedRewrite& rewrite, Inserter& insert, const Node& node) {
  const Weights w = weights_of(rewrite, insert, node, "weight");
  if (node.op().find("4bit") == std::string_view::npos) return w.weight;
  const Quantised* table = rewrite.find(w.packed->input(0));
  if (!table || !table->integers || !table->steps.axis) throw Unquantisable{"its table is not known to have integers with a scale a row"};
  const auto floats = [&](Value* v) { return insert.call("aten::to.dtype", {v, insert.integer(static_cast<std::int64_t>(DType::Float32))}); };
  const auto column = [&](Value* v) { return insert.call("aten::unsqueeze", {floats(v), insert.integer(1)}); };
  Value* scale = column(table->steps.scale);
  Value* bias = insert.call("aten::neg", {insert.call("aten::mul.Tensor", {column(table->steps.zero_point), scale})});
  Value* scaled = insert.call("aten::mul.Tensor", {floats(table->integers), rounded_to_half(insert, scale)});
  return insert.call("aten::add.Tensor", {scaled, rounded_to_half(insert, bias)});
}

// embedding_byte(weight, indices, pruned_weights)
void embedding(QuantisedRewrite& rewrite, Node& node) {
  if (rewrite.integer(node, "pruned_weights") != 0) throw Unquantisable{"its weights are pruned"};
  Inserter insert(&node);
  rewrite.give(node, insert.call("aten::embedding", {table_of(rewrite, insert, node), rewrite.argument(node, "indices")}));
}

// embedding_bag_byte(weight, indices, offsets, scale_grad_by_freq, mode, pruned_weights, per_sample_weights,
//   compressed_indices_mapping, include_last_offset): sums, whatever mode it is
void embedding_bag(QuantisedRewrite& rewrite, Node& node) {
  if (!is_absent(node, "compressed_indices_mapping")) throw Unquantisable{"its weights are pruned"};
  if (is_absent(node, "offsets")) throw Unquantisable{"it has no offsets; give them, or embed one bag at a time"};
  Inserter insert(&node);
  rewrite.give(node, insert.call("aten::embedding_bag",
                                 {table_of(rewrite, insert, node), rewrite.argument(node, "indices"),
                                  rewrite.argument(node, "offsets"), insert.boolean(false), insert.integer(0), insert.boolean(false),
                                  node.input("per_sample_weights"), node.input("include_last_offset")}));
}

constexpr QuantisedRow kRows[] = {
    {"quantized::linear_prepack", pack},
    {"quantized::linear_prepack_fp16", pack},
    {"quantized::conv_prepack", pack},
    {"quantized::conv1d_prepack", pack},
    {"quantized::conv2d_prepack", pack},
    {"quantized::conv3d_prepack", pack},
    {"quantized::conv_transpose1d_prepack", pack},
    {"quantized::conv_transpose2d_prepack", pack},
    {"quantized::conv_transpose3d_prepack", pack},
    {"quantized::embedding_bag_prepack", pack},
    {"quantized::linear", linear<After::Nothing>},
    {"quantized::linear_relu", linear<After::Relu>},
    {"quantized::linear_leaky_relu", linear<After::LeakyRelu>},
    {"quantized::linear_tanh", linear<After::Tanh>},
    {"quantized::linear_dynamic", linear_dynamic<After::Nothing, true>},
    {"quantized::linear_relu_dynamic", linear_dynamic<After::Relu, true>},
    {"quantized::linear_dynamic_fp16", linear_dynamic<After::Nothing, false>},
    {"quantized::linear_relu_dynamic_fp16", linear_dynamic<After::Relu, false>},
    {"quantized::linear_with_input_q_dq_qweight_dq_output_fp32", linear_of_floats<After::Nothing>},
    {"quantized::linear_with_input_q_dq_qweight_dq_relu_output_fp32", linear_of_floats<After::Relu>},
    {"quantized::conv1d", conv<1, After::Nothing>},
    {"quantized::conv1d_relu", conv<1, After::Relu>},
    {"quantized::conv2d", conv<2, After::Nothing>},
    {"quantized::conv2d_relu", conv<2, After::Relu>},
    {"quantized::conv3d", conv<3, After::Nothing>},
    {"quantized::conv3d_relu", conv<3, After::Relu>},
    {"quantized::conv_transpose1d", conv<1, After::Nothing>},
    {"quantized::conv_transpose2d", conv<2, After::Nothing>},
    {"quantized::conv_transpose3d", conv<3, After::Nothing>},
    {"quantized::conv1d_dynamic", conv_dynamic<1>},
    {"quantized::conv2d_dynamic", conv_dynamic<2>},
    {"quantized::conv3d_dynamic", conv_dynamic<3>},
    {"quantized::conv_transpose1d_dynamic", conv_dynamic<1>},
    {"quantized::conv_transpose2d_dynamic", conv_dynamic<2>},
    {"quantized::conv_transpose3d_dynamic", conv_dynamic<3>},
    {"quantized::conv2d_add", conv_add<After::Nothing>},
    {"quantized::conv2d_add_relu", conv_add<After::Relu>},
    {"quantized::batch_norm", batch_norm<false>},
    {"quantized::batch_norm_relu", batch_norm<true>},
    {"quantized::batch_norm1d", batch_norm<false>},
    {"quantized::batch_norm1d_relu", batch_norm<true>},
    {"quantized::batch_norm2d", batch_norm<false>},
    {"quantized::batch_norm2d_relu", batch_norm<true>},
    {"quantized::batch_norm3d", batch_norm<false>},
    {"quantized::batch_norm3d_relu", batch_norm<true>},
    {"aten::quantized_batch_norm", batch_norm<false>},
    {"quantized::layer_norm", normalisation<layer_norm>},
    {"quantized::group_norm", normalisation<group_norm>},
    {"quantized::instance_norm", normalisation<instance_norm>},
    {"quantized::embedding_byte", embedding},
    {"quantized::embedding_4bit", embedding},
    {"quantized::embedding_bag_byte", embedding_bag},
    {"quantized::embedding_bag_4bit", embedding_bag},
};

}  // namespace

Weights weights_in(const QuantisedRewrite& rewrite, Inserter& insert, const Node& packed) {
  Value* weight = packed.input(0);
  Value* bias = packed.input_count() > 1 ? packed.input(1) : nullptr;  // a table has none
  if (const Quantised* quantised = rewrite.find(weight)) return {quantised->real, bias, &packed};
  if (!packed.op().ends_with("fp16")) throw Unquantisable{"its packed weight is not known to be a quantised tensor"};
  return {rounded_to_half(insert, weight), bias, &packed};
}

std::span<const QuantisedRow> quantised_layers() { return kRows; }

}  // namespace tonnx::program
