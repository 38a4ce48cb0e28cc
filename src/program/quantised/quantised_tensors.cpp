// Operators that create quantised tensors or read their parts, and observers.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>
#include <tuple>
#include <vector>

#include "ir/constant_facts.h"
#include "ir/state_write.h"
#include "ir/writes.h"
#include "program/quantised/quantised.h"

namespace tonnx::program {
namespace {

using ir::DType;
using ir::Node;
using ir::Value;

// The integer dtype of a quantised dtype.
DType integers_of(std::int64_t dtype) {
  switch (static_cast<DType>(dtype)) {
    case DType::QUInt8: return DType::UInt8;
    case DType::QInt8: return DType::Int8;
    case DType::QInt32: return DType::Int32;
    default: throw Unquantisable{"it quantises to a dtype of less than 8 bits"};
  }
}

DType quantised_of(DType integers) {
  return integers == DType::UInt8 ? DType::QUInt8 : integers == DType::Int8 ? DType::QInt8 : DType::QInt32;
}

// quantize_per_tensor(self, scale, zero_point, dtype)
void quantize_per_tensor(QuantisedRewrite& rewrite, Node& node) {
  if (node.output()->type().is(ir::Type::Kind::List)) throw Unquantisable{"it quantises a list of tensors"};
  Inserter insert(&node);
  const QuantParams params{rewrite.known_number(insert, rewrite.argument(node, "scale"), false),
                           rewrite.known_number(insert, rewrite.argument(node, "zero_point"), true),
                           integers_of(rewrite.integer(node, "dtype"))};
  Quantised result = rewrite.fake_quantise(insert, rewrite.argument(node, "self"), params);
  if (params.dtype == DType::Int32) {
    // float32 cannot represent these integers.
    const bool tensors = params.scale->type().is(ir::Type::Kind::Tensor);
    result.integers = insert.call(
        tensors ? "quantized_decomposed::quantize_per_tensor.tensor" : "quantized_decomposed::quantize_per_tensor",
        {rewrite.argument(node, "self"), params.scale, params.zero_point, insert.integer(params.low()),
         insert.integer(params.high()), insert.integer(static_cast<std::int64_t>(params.dtype))});
  }
  rewrite.replace(node, result);
}

// quantize_per_channel(self, scales, zero_points, axis, dtype)
void quantize_per_channel(QuantisedRewrite& rewrite, Node& node) {
  Inserter insert(&node);
  const QuantParams params{rewrite.argument(node, "scales"), rewrite.argument(node, "zero_points"),
                           integers_of(rewrite.integer(node, "dtype")), rewrite.argument(node, "axis")};
  rewrite.replace(node, rewrite.fake_quantise(insert, rewrite.argument(node, "self"), params));
}

// quantize_per_tensor_dynamic(self, dtype, reduce_range)
void quantize_per_tensor_dynamic(QuantisedRewrite& rewrite, Node& node) {
  Inserter insert(&node);
  const DType dtype = integers_of(rewrite.integer(node, "dtype"));
  if (dtype == DType::Int32) throw Unquantisable{"it computes the scale of 32-bit integers"};
  rewrite.replace(node, quantise_dynamically(rewrite, insert, rewrite.argument(node, "self"), dtype,
                                             rewrite.integer(node, "reduce_range") != 0));
}

DType dtype_of_integers(const Value* integers) {
  const ir::Tensor* weight = integers->weight();
  const DType dtype = weight ? weight->dtype : integers->facts().dtype;
  if (dtype == DType::UInt8 || dtype == DType::Int8 || dtype == DType::Int32) return dtype;
  throw Unquantisable{"the dtype of its integers is not known"};
}

// Zero points of channels, in a dtype in which no difference from an integer wraps.
Value* wide_zero_points(Inserter& insert, Value* zeros) {
  const DType dtype = zeros->weight() ? zeros->weight()->dtype : zeros->facts().dtype;
  if (dtype != DType::UInt8 && dtype != DType::Int8 && dtype != DType::Int32) return zeros;
  return insert.call("aten::to.dtype", {zeros, insert.integer(static_cast<std::int64_t>(DType::Int64))});
}

// _make_per_tensor_quantized_tensor(self, scale, zero_point)
void of_integers(QuantisedRewrite& rewrite, Node& node) {
  Inserter insert(&node);
  Value *integers = rewrite.argument(node, "self"), *zero = rewrite.argument(node, "zero_point");
  Value* axis = node.input("axis");
  const QuantParams params{rewrite.argument(node, "scale"), axis ? wide_zero_points(insert, zero) : zero,
                           dtype_of_integers(integers), axis};
  rewrite.replace(node, rewrite.from_integers(insert, integers, params));
}

void dequantize(QuantisedRewrite& rewrite, Node& node) {
  const Quantised* x = rewrite.find(node.input());
  if (!x) return;  // a float tensor is returned as it is
  if (node.output()->type().is(ir::Type::Kind::List)) throw Unquantisable{"it dequantises a list of tensors"};
  Inserter insert(&node);
  rewrite.replace(node, insert.call("aten::clone", {x->real}));
}

void int_repr(QuantisedRewrite& rewrite, Node& node) {
  Inserter insert(&node);
  rewrite.replace(node, integers_in(insert, rewrite.tensor(node, "self")));
}

// Replaces the node by the scale or zero point of a tensor without channels.
void replace_by_number(QuantisedRewrite& rewrite, Node& node, Value* part, std::string_view cast) {
  if (rewrite.tensor(node, "self").params.axis) throw Unquantisable{"the tensor has one scale per channel"};
  Inserter insert(&node);
  rewrite.replace(node, part->type().is(ir::Type::Kind::Tensor) ? insert.call(cast, {part}) : part);
}

void q_scale(QuantisedRewrite& rewrite, Node& node) {
  replace_by_number(rewrite, node, rewrite.tensor(node, "self").params.scale, "aten::Float.Tensor");
}

void q_zero_point(QuantisedRewrite& rewrite, Node& node) {
  replace_by_number(rewrite, node, rewrite.tensor(node, "self").params.zero_point, "aten::Int.Tensor");
}

QuantParams channels_of(QuantisedRewrite& rewrite, const Node& node) {
  const QuantParams params = rewrite.tensor(node, "self").params;
  if (!params.axis) throw Unquantisable{"the tensor has one scale for all channels"};
  return params;
}

// LibTorch returns scales and zero points of channels in 64 bits.
void replace_by_channels(QuantisedRewrite& rewrite, Node& node, Value* part, DType dtype) {
  Inserter insert(&node);
  rewrite.replace(node, insert.call("aten::to.dtype", {part, insert.integer(static_cast<std::int64_t>(dtype))}));
}

void q_per_channel_scales(QuantisedRewrite& rewrite, Node& node) {
  replace_by_channels(rewrite, node, channels_of(rewrite, node).scale, DType::Float64);
}

void q_per_channel_zero_points(QuantisedRewrite& rewrite, Node& node) {
  replace_by_channels(rewrite, node, channels_of(rewrite, node).zero_point, DType::Int64);
}

void q_per_channel_axis(QuantisedRewrite& rewrite, Node& node) {
  rewrite.replace(node, channels_of(rewrite, node).axis);
}

void is_quantized(QuantisedRewrite& rewrite, Node& node) {
  Inserter insert(&node);
  rewrite.replace(node, insert.boolean(rewrite.find(node.input()) != nullptr));
}

void element_type(QuantisedRewrite& rewrite, Node& node) {
  const Quantised* x = rewrite.find(node.input());
  if (!x) return;
  Inserter insert(&node);
  rewrite.replace(node, insert.integer(static_cast<std::int64_t>(quantised_of(x->params.dtype))));
}

void is_floating_point(QuantisedRewrite& rewrite, Node& node) {
  if (!rewrite.find(node.input())) return;
  Inserter insert(&node);
  rewrite.replace(node, insert.boolean(false));
}

// The content of a buffer that only disabled observers write to; null if it is not known.
const ir::Tensor* observed_range(const QuantisedRewrite& rewrite, const Node& node, std::string_view name) {
  const Value* buffer = rewrite.argument(node, name);
  const ir::Tensor* numbers = buffer->weight();
  if (!numbers && buffer->constant()) numbers = buffer->constant()->get<ir::Tensor>();
  const auto is_off = [&](const Node& writer) {
    return writer.is(node.kind()) && writer.input("observer_on") == node.input("observer_on");
  };
  const bool is_written = std::ranges::any_of(
      buffer->uses(), [&](const ir::Use& use) { return writes_argument(*use.node, use.index) && !is_off(*use.node); });
  return is_written ? nullptr : numbers;
}

struct ChosenParams {
  float scale;
  std::int32_t zero_point;
};

// The parameters for numbers between `min` and `max`, in the same precision as LibTorch. Source:
// ChooseQuantizationParams in ATen/native/quantized/cpu/QuantUtils.h.
ChosenParams chosen_params(float min, float max, std::int64_t low, std::int64_t high, bool is_symmetric) {
  constexpr float kLeastScale = 6.1e-5F;
  if (!(min <= max)) throw Unquantisable{"its range is empty, which LibTorch refuses; run the observer on data first"};
  const auto intervals = static_cast<double>(high - low);
  const bool is_centred = is_symmetric && min < 0 && max > 0;
  if (is_centred) {
    const std::int64_t half = (high - low) / 2;
    const double widest =
        std::max(std::fabs(min / static_cast<float>(-(half + 1))), std::fabs(max / static_cast<float>(half)));
    min = static_cast<float>(widest * static_cast<double>(-(half + 1)));
    max = static_cast<float>(widest * static_cast<double>(half));
  }
  min = std::min(min, 0.0F);
  max = std::max(max, 0.0F);
  double scale = (static_cast<double>(max) - static_cast<double>(min)) / intervals;
  if (static_cast<float>(scale) == 0.0F || std::isinf(1.0F / static_cast<float>(scale))) scale = 0.1;
  if (scale < kLeastScale) {
    const auto before = static_cast<float>(scale);
    scale = kLeastScale;
    if (min == 0.0F) {
      max = kLeastScale * static_cast<float>(intervals);
    } else if (max == 0.0F) {
      min = -kLeastScale * static_cast<float>(intervals);
    } else {
      min *= kLeastScale / before;
      max *= kLeastScale / before;
    }
  }
  const double first = min / scale, last = max / scale;
  const double error = std::fabs(static_cast<double>(low)) - std::fabs(first);
  const double other_error = std::fabs(static_cast<double>(high)) - std::fabs(last);
  double zero = error < other_error ? static_cast<double>(low) - first : static_cast<double>(high) - last;
  if (is_symmetric && min < 0 && max > 0) zero = static_cast<double>(low + high) / 2;
  zero = std::nearbyint(std::clamp(zero, static_cast<double>(low), static_cast<double>(high)));
  return {static_cast<float>(scale), static_cast<std::int32_t>(zero)};
}

void write_state(Inserter& insert, Value* state, Value* now, const Node& writer) {
  Value* copy = insert.call("aten::copy_", {state, now, insert.boolean(false)});
  copy->set_facts({state->facts().dtype, state->facts().dims, nullptr});
  ir::set_writer(*copy->node(), writer.full_name());
}

constexpr const char* kState[] = {"running_min", "running_max", "scale", "zero_point"};

// Replaces the observer by its functional form, and copies the new state to its buffers.
void functional_observer(QuantisedRewrite& rewrite, Node& node) {
  Inserter insert(&node);
  Node* functional = insert.call("aten::_fused_moving_avg_obs_fq_helper_functional", node.inputs())->node();
  for (std::size_t i = 0; i < node.output_count(); ++i) rewrite.replace(node, i, functional->output(i));
  const ir::Facts& self = rewrite.argument(node, "self")->facts();
  if (node.output_count() == 1) functional->output(1)->set_facts({DType::Bool, self.dims, nullptr});
  for (std::size_t i = 0; i < std::size(kState); ++i) {
    Value* state = rewrite.argument(node, kState[i]);
    functional->output(2 + i)->set_facts({state->facts().dtype, state->facts().dims, nullptr});
    write_state(insert, state, functional->output(2 + i), node);
  }
  rewrite.remove(node);
}

bool has_content(const Value* state, const ir::Tensor& numbers) {
  const ir::Tensor* held = state->weight();
  if (!held && state->constant()) held = state->constant()->get<ir::Tensor>();
  if (!held || held->numel() != numbers.numel()) return false;
  for (std::int64_t i = 0; i < numbers.numel(); ++i)
    if (held->as_double(i) != numbers.as_double(i)) return false;
  return true;
}

// fused_moving_avg_obs_fake_quant(self, observer_on, fake_quant_on, running_min, running_max, scale, zero_point,
//   averaging_const, quant_min, quant_max, ch_axis, per_row_fake_quant, symmetric_quant)
// If its observer is off, LibTorch computes scale and zero point from the observed range, whatever the buffers `scale`
// and `zero_point` hold, and writes them there.
void fused_observer(QuantisedRewrite& rewrite, Node& node) {
  Inserter insert(&node);
  const auto known = [&](std::string_view name) {
    return ir::constant_integer(rewrite.known_number(insert, rewrite.argument(node, name), true));
  };
  const auto observes = known("observer_on"), quantises = known("fake_quant_on");
  const ir::Tensor *min = observed_range(rewrite, node, "running_min"),
                   *max = observed_range(rewrite, node, "running_max");
  if (observes != 0 || !quantises || !min || !max || node.output_count() != 1)
    return functional_observer(rewrite, node);
  Value* x = rewrite.argument(node, "self");
  if (*quantises == 0) return rewrite.replace(node, insert.call("aten::clone", {x}));
  const std::int64_t low = rewrite.integer(node, "quant_min"), high = rewrite.integer(node, "quant_max");
  const bool is_per_row = rewrite.integer(node, "per_row_fake_quant") != 0;
  if (min->numel() != max->numel() || min->numel() == 0 || high <= low)
    throw Unquantisable{"LibTorch refuses its range"};
  const std::int64_t count = is_per_row ? min->numel() : 1;
  std::vector<float> scales;
  std::vector<std::int32_t> zeros;
  for (std::int64_t i = 0; i < count; ++i) {
    const ChosenParams params =
        chosen_params(static_cast<float>(min->as_double(i)), static_cast<float>(max->as_double(i)), low, high,
                      rewrite.integer(node, "symmetric_quant") != 0);
    scales.push_back(params.scale);
    zeros.push_back(params.zero_point);
  }
  const auto vector = [&](DType dtype, const auto& numbers) {
    return ir::Tensor::from_bytes(dtype, {count}, numbers.data(), numbers.size() * sizeof(numbers.front()));
  };
  const ir::Tensor contents[] = {vector(DType::Float32, scales), vector(DType::Int32, zeros)};
  Value *scale = insert.constant({contents[0]}), *zero = insert.constant({contents[1]});
  for (const auto& [name, numbers, value] :
       {std::tuple("scale", &contents[0], scale), {"zero_point", &contents[1], zero}})
    if (Value* state = rewrite.argument(node, name); !has_content(state, *numbers))
      write_state(insert, state, value, node);
  const std::vector<Value*> bounds = {rewrite.argument(node, "quant_min"), rewrite.argument(node, "quant_max")};
  rewrite.replace(node, is_per_row
                            ? insert.call("aten::fake_quantize_per_channel_affine",
                                          {x, scale, zero, rewrite.argument(node, "ch_axis"), bounds[0], bounds[1]})
                            : insert.call("aten::fake_quantize_per_tensor_affine.tensor_qparams",
                                          {x, scale, zero, bounds[0], bounds[1]}));
}

using enum aten::QuantisedForm;

constexpr QuantisedForm kQuantisedTensors[] = {
    {Quantise, quantize_per_tensor},
    {QuantiseChannels, quantize_per_channel},
    {QuantiseByRange, quantize_per_tensor_dynamic},
    {OfIntegers, of_integers},
    {Dequantise, dequantize},
    {Integers, int_repr},
    {Scale, q_scale},
    {ZeroPoint, q_zero_point},
    {ChannelScales, q_per_channel_scales},
    {ChannelZeroPoints, q_per_channel_zero_points},
    {ChannelAxis, q_per_channel_axis},
    {IsFloating, is_floating_point},
    {FusedObserver, fused_observer},
    {IsQuantised, is_quantized},
    {ElementType, element_type},
};

}  // namespace

Value* integers_in(Inserter& insert, const Quantised& x) {
  if (x.integers) return x.integers;
  if (x.params.dtype == DType::Int32)
    throw Unquantisable{"computed 32-bit integers have no ONNX form; dequantise the tensor"};
  Value* low = insert.integer(x.params.low());
  Value* high = insert.integer(x.params.high());
  Value* dtype = insert.integer(static_cast<std::int64_t>(x.params.dtype));
  const bool tensors = x.params.scale->type().is(ir::Type::Kind::Tensor);
  if (x.params.axis)
    return insert.call("quantized_decomposed::quantize_per_channel",
                       {x.real, x.params.scale, x.params.zero_point, x.params.axis, low, high, dtype});
  return insert.call(
      tensors ? "quantized_decomposed::quantize_per_tensor.tensor" : "quantized_decomposed::quantize_per_tensor",
      {x.real, x.params.scale, x.params.zero_point, low, high, dtype});
}

Quantised quantise_dynamically(QuantisedRewrite& rewrite, Inserter& insert, Value* x, DType dtype, bool reduce_range) {
  QuantParams params{nullptr, nullptr, dtype};
  const std::int64_t half = reduce_range ? 2 : 1;
  Value* low = insert.integer(params.low() / half);
  Value* high = insert.integer(params.high() / half);
  // LibTorch's smallest scale.
  params.scale =
      insert.call("quantized_decomposed::choose_qparams.tensor",
                  {x, low, high, insert.constant({6.1e-5}), insert.integer(static_cast<std::int64_t>(dtype))});
  params.zero_point = params.scale->node()->output(1);
  return rewrite.fake_quantise(insert, x, params);
}

std::span<const QuantisedForm> quantised_tensors() { return kQuantisedTensors; }

}  // namespace tonnx::program
