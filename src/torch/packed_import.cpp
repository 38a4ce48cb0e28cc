// Quantised tensors and packed parameters of an archive, expressed by operators: integers with scale and zero point,
// and the operator that packs them.
#include <ATen/Functions.h>

#include "ir/error.h"
#include "ir/quantised_parts.h"
#include "ir/quantised_tensor.h"
#include "torch/convert.h"
#include "torch/graph_import.h"
#include "torch/meta_memory.h"

namespace tonnx::torch {

using ir::Code;
using ir::Error;

namespace {

std::string class_of(const c10::IValue& object) {
  return object.isObject() ? library_class(*object.toObjectRef().type()) : std::string();
}

bool is_per_channel(const at::Tensor& tensor) {
  return tensor.qscheme() == at::kPerChannelAffine || tensor.qscheme() == at::kPerChannelAffineFloatQParams;
}

c10::ScalarType integers_of(c10::ScalarType quantised) {
  switch (quantised) {
    case at::kQUInt8: return at::kByte;
    case at::kQInt8: return at::kChar;
    case at::kQInt32: return at::kInt;
    default:
      throw Error(Code::Unsupported,
                  std::string("quantised tensors of dtype ") + c10::toString(quantised) + " are not supported");
  }
}

// The integers of a tensor, in its own memory if each has at least one byte.
at::Tensor integers_in(const at::Tensor& tensor) {
  if (tensor.scalar_type() != at::kQUInt4x2)
    return tensor_over(tensor.storage(), c10::DispatchKey::CPU, integers_of(tensor.scalar_type()), tensor.sizes(),
                       tensor.strides(), tensor.storage_offset());
  // Two integers share a byte: they are computed from the values.
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(tensor.dim()), 1);
  sizes.at(static_cast<std::size_t>(tensor.q_per_channel_axis())) = -1;
  const at::Tensor scales = tensor.q_per_channel_scales().reshape(sizes);
  const at::Tensor zeros = tensor.q_per_channel_zero_points().reshape(sizes);
  return tensor.dequantize().div(scales).add(zeros).round().to(at::kByte);
}

}  // namespace

bool is_packed(const c10::IValue& value) {
  const std::string name = class_of(value);
  return (name.starts_with("quantized.") && name.ends_with("PackedParamsBase")) || name == "rnn.CellParamsBase" ||
         (name.starts_with("xnnpack.") && name.ends_with("OpContext"));
}

ir::Value* GraphImport::operator_call(const std::string& name, const std::vector<ir::Value*>& arguments,
                                      const ir::Location& location) {
  const auto handle = c10::Dispatcher::singleton().findSchema({name, ""});
  if (!handle) throw Error(Code::Unsupported, "this LibTorch has no operator " + name);
  ir::Node* node = emit(name, arguments, 1, location);
  node->set_schema(to_ir(handle->schema()));
  node->output()->set_type(to_ir(*handle->schema().returns().at(0).type()));
  return node->output();
}

ir::Value* GraphImport::quantised_tensor(const at::Tensor& tensor, const std::string& name,
                                         const ir::Location& location) {
  PlainTensors& plain = plain_tensors_[tensor.unsafeGetTensorImpl()];
  if (!plain.integers.defined()) {
    plain = {tensor, integers_in(tensor), {}, {}};
    if (is_per_channel(tensor)) {
      plain.scales = tensor.q_per_channel_scales().to(at::kFloat);
      plain.zero_points = tensor.q_per_channel_zero_points();
    }
  }
  ir::Value* integers = captured(plain.integers, name);
  if (plain.scales.defined())
    return operator_call(
        "aten::_make_per_channel_quantized_tensor",
        {integers, captured(plain.scales, name + ".scale"), captured(plain.zero_points, name + ".zero_point"),
         constant({tensor.q_per_channel_axis()}, location)},
        location);
  if (tensor.qscheme() != at::kPerTensorAffine)
    throw Error(Code::Unsupported, "'" + name + "' has a quantisation scheme that is not supported");
  return operator_call("aten::_make_per_tensor_quantized_tensor",
                       {integers, constant({tensor.q_scale()}, location), constant({tensor.q_zero_point()}, location)},
                       location);
}

ir::Value* GraphImport::add_quantised_input(const ir::Tensor& example, const std::string& name,
                                            std::vector<ir::Tensor>& examples) {
  const std::array<ir::Tensor, 3> parts = ir::parts_of(example);
  examples.insert(examples.end(), parts.begin(), parts.end());
  constexpr ir::Part kinds[] = {ir::Part::Whole, ir::Part::Scale, ir::Part::ZeroPoint};
  const std::size_t first = graph_.inputs().size();
  std::vector<ir::Value*> values;
  for (std::size_t i = 0; i < parts.size(); ++i)
    values.push_back(add_input(parts[i], ir::Type::Kind::Tensor, name + std::string(ir::ending_of(kinds[i]))));
  ir::mark_quantised_input(graph_, first);
  if (const auto axis = ir::quantisation_of(example).axis)
    return operator_call("aten::_make_per_channel_quantized_tensor",
                         {values[0], values[1], values[2], constant({*axis}, {})}, {});
  return operator_call("aten::_make_per_tensor_quantized_tensor", {values[0], values[1], values[2]}, {});
}

// A weight, a bias or None of packed parameters.
ir::Value* GraphImport::packed_part(const c10::IValue& part, const std::string& name, const ir::Location& location) {
  if (part.isNone() || !part.toTensor().defined()) return constant({ir::Constant::None{}}, location);
  const at::Tensor& tensor = part.toTensor();
  return tensor.is_quantized() ? quantised_tensor(tensor, name, location) : captured(tensor, name);
}

ir::Value* GraphImport::packed_linear(const c10::IValue& state, const std::string& name, const ir::Location& location) {
  const auto& parts = state.toTupleRef().elements();
  ir::Value* weight = packed_part(parts.at(0), name + ".weight", location);
  ir::Value* bias = packed_part(parts.at(1), name + ".bias", location);
  return operator_call(
      parts.at(0).toTensor().is_quantized() ? "quantized::linear_prepack" : "quantized::linear_prepack_fp16",
      {weight, bias}, location);
}

ir::Value* GraphImport::packed_convolution(const c10::IValue& state, const std::string& name,
                                           const ir::Location& location) {
  // (version, [configuration, weight], [bias]); the configuration is the number of spatial dims, then that many
  // strides, paddings, dilations and output paddings, the groups, and whether it is transposed.
  const auto& parts = state.toTupleRef().elements();
  const auto tensors = parts.at(1).toListRef();
  const at::Tensor numbers = tensors[0].toTensor().to(at::kLong);
  const auto number = [&](std::int64_t i) { return numbers[i].item<std::int64_t>(); };
  const std::int64_t dims = number(0);
  const auto list = [&](std::int64_t which) {
    ir::Constant::List items;
    for (std::int64_t i = 0; i < dims; ++i) items.items.push_back({number(1 + which * dims + i)});
    ir::Value* value = constant({std::move(items)}, location);
    value->set_type(ir::Type::list(ir::Type::of(ir::Type::Kind::Int)));
    return value;
  };
  ir::Value* weight = packed_part(tensors[1], name + ".weight", location);
  ir::Value* bias = packed_part(parts.at(2).toListRef()[0], name + ".bias", location);
  ir::Value* groups = constant({number(1 + 4 * dims)}, location);
  const bool transposed = number(2 + 4 * dims) != 0;
  const std::string rank = std::to_string(dims) + "d_prepack";
  if (transposed)
    return operator_call("quantized::conv_transpose" + rank, {weight, bias, list(0), list(1), list(3), list(2), groups},
                         location);
  return operator_call("quantized::conv" + rank, {weight, bias, list(0), list(1), list(2), groups}, location);
}

ir::Value* GraphImport::packed_cell(const c10::IValue& state, const std::string& name, const ir::Location& location) {
  // (kind, tensors, doubles, integers, packed weights)
  const auto& parts = state.toTupleRef().elements();
  const std::string& kind = parts.at(0).toStringRef();
  if (kind != "quantized_dynamic" && kind != "quantized_fp16")
    throw Error(Code::Unsupported,
                "'" + name + "' contains packed parameters of kind " + kind + ", which are not supported");
  const auto weights = parts.at(4).toListRef();
  ir::Value* input = packed_parameters(weights[0], name + ".input", location);
  ir::Value* hidden = packed_parameters(weights[1], name + ".hidden", location);
  if (kind == "quantized_fp16")
    return operator_call("quantized::make_quantized_cell_params_fp16", {input, hidden}, location);
  const auto biases = parts.at(1).toListRef();
  return operator_call("quantized::make_quantized_cell_params_dynamic",
                       {input, hidden, packed_part(biases[0], name + ".input.bias", location),
                        packed_part(biases[1], name + ".hidden.bias", location),
                        constant({parts.at(3).toListRef()[0].toInt() != 0}, location)},
                       location);
}

// The parameters of an operator packed by optimize_for_mobile(), in the order of its arguments: a weight, a bias or
// None, lists of sizes and numbers.
ir::Value* GraphImport::packed_for_mobile(const std::string& kind, const c10::IValue& state, const std::string& name,
                                          const ir::Location& location) {
  const auto& parts = state.toTupleRef().elements();
  std::vector<ir::Value*> arguments{packed_part(parts.at(0), name + ".weight", location),
                                    packed_part(parts.at(1), name + ".bias", location)};
  for (const c10::IValue& part : c10::ArrayRef<c10::IValue>(parts).slice(2))
    arguments.push_back(construct(part, "", location));
  const std::string op = kind == "xnnpack.LinearOpContext"            ? "linear"
                         : kind == "xnnpack.Conv2dOpContext"          ? "conv2d"
                         : kind == "xnnpack.TransposeConv2dOpContext" ? "conv2d_transpose"
                                                                      : std::string();
  if (op.empty())
    throw Error(Code::Unsupported,
                "'" + name + "' contains packed parameters of class " + kind + ", which are not supported");
  return operator_call("prepacked::" + op + "_clamp_prepack", arguments, location);
}

ir::Value* GraphImport::packed_parameters(const c10::IValue& object, const std::string& given,
                                          const ir::Location& location) {
  const std::string path = path_of(object.toObject().get());
  const std::string name = path.empty() ? given : path;
  c10::IValue& state = packed_states_[object.toObject().get()];
  if (state.isNone()) {
    auto* read = object.toObjectRef().type()->findMethod("__getstate__");
    if (!read) throw Error(Code::Unsupported, "'" + name + "' contains packed parameters that cannot be read");
    state = (*read)({object});
  }
  const std::string kind = class_of(object);
  if (kind.starts_with("xnnpack.")) return packed_for_mobile(kind, state, name, location);
  if (kind == "quantized.LinearPackedParamsBase") return packed_linear(state, name, location);
  if (kind.starts_with("quantized.Conv")) return packed_convolution(state, name, location);
  if (kind == "rnn.CellParamsBase") return packed_cell(state, name, location);
  if (kind == "quantized.EmbeddingPackedParamsBase")
    return operator_call("quantized::embedding_bag_prepack",
                         {packed_part(state.toTupleRef().elements().at(1).toListRef()[0], name + ".weight", location)},
                         location);
  throw Error(Code::Unsupported,
              "'" + name + "' contains packed parameters of class " + kind + ", which are not supported");
}

}  // namespace tonnx::torch
