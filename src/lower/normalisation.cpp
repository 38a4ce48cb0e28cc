#include <algorithm>
#include <limits>

#include "aten/training_flags.h"
#include "lower/dtype_support.h"
#include "lower/emptiness.h"
#include "lower/families.h"
#include "lower/op.h"
#include "lower/promotion.h"
#include "lower/spatial.h"

namespace tonnx::lower {
namespace {

// A rank-1 tensor with one value for each channel of `count_of`.
Value* per_channel(Builder& b, Value* count_of, std::int64_t axis, DType dtype, double value) {
  return b.constant_of_shape(b.size(count_of, axis), dtype, value);
}

// Reshapes a vector over channels (axis 1) to broadcast with an input of this rank.
Value* along_channels(Builder& b, Value* vector, std::int64_t rank) {
  Dims axes;
  for (std::int64_t i = 1; i < rank - 1; ++i) axes.push_back(i);
  return b.unsqueeze(vector, axes);
}

Value* scale_and_shift(Builder& b, Value* x, Value* weight, Value* bias) {
  if (weight) x = b.mul(x, b.cast(weight, x->facts().dtype));
  return bias ? b.add(x, b.cast(bias, x->facts().dtype)) : x;
}

// The dtype in which statistics are computed: at least float32.
DType statistics_dtype(DType dtype) {
  return dtype == DType::Float16 || dtype == DType::BFloat16 ? DType::Float32 : dtype;
}

struct Moments {
  Value* centred;   // x - mean
  Value* mean;      // with the reduced axes of size 1
  Value* variance;  // biased
};

Moments moments(Builder& b, Value* x, const Dims& axes) {
  Value* mean = b.reduce("ReduceMean", x, axes, true);
  Value* centred = b.sub(x, mean);
  return {centred, mean, b.reduce("ReduceMean", b.mul(centred, centred), axes, true)};
}

// The epsilon that is added to a variance: a constant, or a dynamic value.
struct Epsilon {
  double number = 0;
  Value* open = nullptr;  // rank 0, of any dtype; null if it is a constant

  Value* like(Builder& b, Value* variance) const {
    return open ? b.cast(open, variance->facts().dtype) : b.scalar_like(variance, number);
  }
};

Epsilon epsilon(const Op& op, const char* argument = "eps") {
  if (op.is_constant(argument)) return {op.number(argument), nullptr};
  return {0, op.scalar(argument, DType::Float64)};
}

Value* reciprocal_deviation(Builder& b, Value* variance, const Epsilon& eps) {
  return b.op("Reciprocal", {b.op("Sqrt", {b.add(variance, eps.like(b, variance))})});
}

struct BatchNorm {
  Value *x, *weight, *bias, *mean, *variance;
  Epsilon eps;
};

BatchNorm batch_norm_arguments(const Op& op, const char* eps = "eps") {
  const auto optional = [&](const char* name) { return op.has(name) ? op.optional_tensor(name) : nullptr; };
  return {op.tensor("input"),       optional("weight"),      optional("bias"),
          optional("running_mean"), optional("running_var"), epsilon(op, eps)};
}

// Casts statistics of another dtype than the input, and bfloat16, to one dtype that represents both.
void unify(Builder& b, BatchNorm& n) {
  DType dtype = statistics_dtype(n.x->facts().dtype);
  const Values given{n.weight, n.bias, n.mean, n.variance};
  const bool same = n.x->facts().dtype != DType::BFloat16 && std::all_of(given.begin(), given.end(), [&](Value* v) {
                      return !v || v->facts().dtype == n.x->facts().dtype;
                    });
  if (same) return;
  n.x = b.cast(n.x, dtype);
  for (Value** v : {&n.weight, &n.bias, &n.mean, &n.variance})
    if (*v) *v = b.cast(*v, dtype);
}

void complete_affine(Builder& b, BatchNorm& n) {
  Value* like = n.mean ? n.mean : n.weight ? n.weight : n.bias;
  Value* count_of = like ? like : n.x;
  const std::int64_t axis = like ? 0 : 1;
  const DType dtype = n.x->facts().dtype;
  if (!n.weight) n.weight = per_channel(b, count_of, axis, dtype, 1);
  if (!n.bias) n.bias = per_channel(b, count_of, axis, dtype, 0);
}

Value* normalise_with_running(Builder& b, BatchNorm n) {
  unify(b, n);
  const bool has_rank = n.x->facts().has_rank();
  if (n.eps.open || (has_rank && !holds_attribute(n.x->facts().dtype, n.eps.number))) {
    if (!has_rank) throw Refusal("the rank of its input must be known if eps is computed at run time");
    const std::int64_t rank = n.x->facts().rank();
    const auto spread = [&](Value* v) { return v ? along_channels(b, v, rank) : nullptr; };
    Value* centred = b.sub(n.x, spread(n.mean));
    return scale_and_shift(b, b.mul(centred, spread(reciprocal_deviation(b, n.variance, n.eps))), spread(n.weight),
                           spread(n.bias));
  }
  complete_affine(b, n);
  return b.op("BatchNormalization", {n.x, n.weight, n.bias, n.mean, n.variance}, {{"epsilon", n.eps.number}});
}

// With batch statistics: returns the result, the mean, and 1 / deviation for each channel.
Values normalise_with_batch(const Op& op, BatchNorm n) {
  Builder& b = op.builder();
  const DType dtype = statistics_dtype(n.x->facts().dtype);
  n.x = b.cast(n.x, dtype);
  const std::int64_t rank = op.rank_of(n.x);
  if (rank < 2) op.refuse_argument("input", "must have a batch and a channel axis");
  Dims axes{0};
  for (std::int64_t i = 2; i < rank; ++i) axes.push_back(i);
  const Moments m = moments(b, n.x, axes);
  Value* scale = reciprocal_deviation(b, m.variance, n.eps);
  const auto spread = [&](Value* v) { return v ? along_channels(b, v, rank) : nullptr; };
  Value* y = scale_and_shift(b, b.mul(m.centred, scale), spread(n.weight), spread(n.bias));
  return {y, b.reshape(m.mean, {-1}), b.reshape(scale, {-1})};
}

// The most elements of statistics that Defect::SharedStatistics concerns.
constexpr std::int64_t kSharedConstants = 8;

bool keeps_statistics_apart(const Op& op, Value* statistics) {
  if (!op->avoids(ir::Defect::SharedStatistics)) return true;
  const auto channels = op.fixed_size(statistics, 0);
  return channels && *channels > kSharedConstants;
}

// In training the operator also returns new running statistics; the exported model leaves them to the trainer.
Value* normalise_in_training(const Op& op, BatchNorm n) {
  Builder& b = op.builder();
  if (!op.training() || !n.mean || !n.variance || n.eps.open || !keeps_statistics_apart(op, n.mean))
    return normalise_with_batch(op, n)[0];
  unify(b, n);
  complete_affine(b, n);
  const double keep = 1 - op.number("momentum");
  if (op.opset() >= 14)
    return b.op("BatchNormalization", {n.x, n.weight, n.bias, n.mean, n.variance},
                {{"epsilon", n.eps.number}, {"momentum", keep}, {"training_mode", std::int64_t{1}}}, 3)[0];
  return b.op("BatchNormalization", {n.x, n.weight, n.bias, n.mean, n.variance},
              {{"epsilon", n.eps.number}, {"momentum", keep}}, 5)[0];
}

// The schemas of these operators do not declare that they write to the statistics in training.
void require_unread_statistics(const Op& op) {
  for (const char* name : {"running_mean", "running_var"}) {
    if (!op.has(name) || op.is_none(name)) continue;
    for (const ir::Use& use : op.source(name)->uses())
      if (!aten::takes_own_statistics(*use.node))
        op.refuse_argument(name,
                           "is also read by the program outside the normalisation that changes it in training; "
                           "export in eval mode, or remove it from the results");
  }
}

Outputs batch_norm(Op& op) {
  const BatchNorm n = batch_norm_arguments(op);
  if (op.flag("training")) require_unread_statistics(op);
  return op.flag("training") ? normalise_in_training(op, n) : normalise_with_running(op.builder(), n);
}

// The forms with saved statistics: (result, mean, 1 / deviation, reserve, ...). In inference LibTorch saves nothing.
Values saved_values(Op& op, const BatchNorm& n, bool training) {
  Builder& b = op.builder();
  Values results(op.node().output_count(), nullptr);
  const bool saves =
      op.node().output_count() > 2 && (!op.node().output(1)->is_unused() || !op.node().output(2)->is_unused());
  if (!training) {
    results[0] = normalise_with_running(b, n);
    if (saves) results[1] = results[2] = b.constant(ir::Tensor::from_bytes(op.result_dtype(1), {0}, nullptr, 0));
  } else if (saves) {
    const Values all = normalise_with_batch(op, n);
    std::copy(all.begin(), all.end(), results.begin());
  } else {
    results[0] = normalise_in_training(op, n);
  }
  const bool reserves =
      (op.node().output_count() == 4 || op.node().output_count() == 6) && !op.node().output(3)->is_unused();
  if (reserves) results[3] = b.constant(ir::Tensor::from_bytes(DType::UInt8, {0}, nullptr, 0));
  return results;
}

Outputs with_saved(Op& op, const BatchNorm& n, bool training) { return Outputs::many(saved_values(op, n, training)); }

// The running mean and variance after a batch; the variance is unbiased.
Values updated_statistics(const Op& op, const BatchNorm& n) {
  Builder& b = op.builder();
  Value* x = b.cast(n.x, statistics_dtype(n.x->facts().dtype));
  const std::int64_t rank = op.rank_of(x);
  if (rank < 2) op.refuse_argument("input", "must have a batch and a channel axis");
  Dims axes{0};
  Value* count = b.size_scalar(x, 0);
  for (std::int64_t axis = 2; axis < rank; ++axis) {
    axes.push_back(axis);
    count = b.mul(count, b.size_scalar(x, axis));
  }
  const Moments m = moments(b, x, axes);
  count = b.cast(count, x->facts().dtype);
  Value* variance = b.div(b.mul(m.variance, count), b.sub(count, b.scalar_like(count, 1.0)));
  const double momentum = op.number("momentum");
  const auto updated = [&](Value* kept, Value* batch) {
    batch = b.cast(b.reshape(batch, {-1}), kept->facts().dtype);
    return b.add(b.mul(kept, b.scalar_like(kept, 1 - momentum)), b.mul(batch, b.scalar_like(kept, momentum)));
  };
  return {updated(n.mean, m.mean), updated(n.variance, variance)};
}

// The functional form, which returns the statistics instead of writing to them.
Outputs batch_norm_functional(Op& op) {
  const BatchNorm n = batch_norm_arguments(op);
  const bool training = op.flag("training");
  Values results = saved_values(op, n, training);
  if (op.node().output(3)->is_unused() && op.node().output(4)->is_unused()) return Outputs::many(results);
  const Values statistics = training ? updated_statistics(op, n) : Values{n.mean, n.variance};
  results[3] = statistics[0];
  results[4] = statistics[1];
  return Outputs::many(results);
}

Outputs native_batch_norm(Op& op) {
  const bool training = op.flag("training");
  if (training) require_unread_statistics(op);
  return with_saved(op, batch_norm_arguments(op), training);
}
Outputs batch_norm_no_training(Op& op) { return with_saved(op, batch_norm_arguments(op), false); }
Values updating_values(Op& op, const BatchNorm& n) {
  const bool saves = !op.node().output(1)->is_unused() || !op.node().output(2)->is_unused();
  if (saves && ir::size_of(op.dtype_of(n.x)) < 4)
    op.refuse("in half precision, the dtype of its saved statistics depends on the LibTorch kernel");
  return saved_values(op, n, true);
}
Outputs batch_norm_with_update(Op& op) { return Outputs::many(updating_values(op, batch_norm_arguments(op))); }
Outputs batch_norm_with_update_functional(Op& op) {
  const BatchNorm n = batch_norm_arguments(op);
  Values results = updating_values(op, n);
  if (op.node().output(4)->is_unused() && op.node().output(5)->is_unused()) return Outputs::many(results);
  const Values statistics = updated_statistics(op, n);
  std::ranges::copy(statistics, results.begin() + 4);
  return Outputs::many(results);
}
Outputs cudnn_batch_norm(Op& op) {
  const BatchNorm n = batch_norm_arguments(op, "epsilon");
  return with_saved(op, n, op.flag("training"));
}

// Normalises each (batch, channel) plane by its own statistics; x is (batch, channels, ...), weight and bias have one
// element for each channel.
Value* normalise_planes(Builder& b, Value* x, Value* weight, Value* bias, const Epsilon& eps) {
  const DType dtype = x->facts().dtype;
  const std::int64_t rank = x->facts().rank();
  Dims axes;
  for (std::int64_t i = 2; i < rank; ++i) axes.push_back(i);
  // ONNX Runtime's InstanceNormalization crashes on a plane without elements.
  const bool may_be_empty = std::ranges::any_of(axes, [&](std::int64_t i) { return may_be_emptied(x, i); });
  if (may_be_empty || eps.open || !b.serves("InstanceNormalization", x) || !holds_attribute(dtype, eps.number)) {
    const Moments m = moments(b, x, axes);
    Value* y = b.mul(m.centred, reciprocal_deviation(b, m.variance, eps));
    return scale_and_shift(b, y, weight ? along_channels(b, weight, rank) : nullptr,
                           bias ? along_channels(b, bias, rank) : nullptr);
  }
  if (!weight) weight = per_channel(b, x, 1, dtype, 1);
  if (!bias) bias = per_channel(b, x, 1, dtype, 0);
  return b.op("InstanceNormalization", {x, b.cast(weight, dtype), b.cast(bias, dtype)}, {{"epsilon", eps.number}});
}

Outputs instance_norm(Op& op) {
  const BatchNorm n = batch_norm_arguments(op);
  if (!op.flag("use_input_stats")) return normalise_with_running(op.builder(), n);
  require_unread_statistics(op);
  if (op.rank_of(n.x) < 3) op.refuse_argument("input", "must have a batch, a channel and a spatial axis");
  Value* x = op->cast(n.x, statistics_dtype(n.x->facts().dtype));
  return normalise_planes(op.builder(), x, n.weight, n.bias, n.eps);
}

// Channels in groups: each group of a sample is one plane. Known sizes are set explicitly, because ONNX cannot infer
// them for an empty batch.
Value* planes_of_groups(const Op& op, Value* x, std::string_view argument) {
  if (!op.is_constant(argument)) {
    Value* groups = op.int_vector(argument);
    Value* size = op->reduce("ReduceProd", op->slice(op->shape(x), 0, 1, op.rank_of(x)), Dims{0}, true);
    return op->reshape_exactly(x, op->join_sizes({op->size(x, 0), groups, op->div(size, groups)}));
  }
  const std::int64_t groups = op.integer(argument);
  std::int64_t size = 1;
  for (std::int64_t axis = 1; axis < op.rank_of(x) && size > 0; ++axis) {
    const auto n = op.fixed_size(x, axis);
    size = n ? size * *n : -1;
  }
  return op->reshape_keeping(x, {0, groups, size > 0 ? size / groups : -1});
}

Outputs group_norm(Op& op) {
  Builder& b = op.builder();
  Value* input = op.tensor("input");
  const std::int64_t rank = op.rank_of(input);
  Value* x = b.cast(input, statistics_dtype(input->facts().dtype));
  Value* planes = planes_of_groups(op, x, "num_groups");
  Value* y = b.reshape(normalise_planes(b, planes, nullptr, nullptr, epsilon(op)), b.shape(x));
  Value* weight = op.optional_tensor("weight");
  Value* bias = op.optional_tensor("bias");
  return scale_and_shift(b, y, weight ? along_channels(b, weight, rank) : nullptr,
                         bias ? along_channels(b, bias, rank) : nullptr);
}

Outputs native_group_norm(Op& op) {
  Builder& b = op.builder();
  Value* input = op.tensor("input");
  const std::int64_t rank = op.rank_of(input);
  Value* x = b.cast(input, statistics_dtype(input->facts().dtype));
  const Moments m = moments(b, planes_of_groups(op, x, "group"), {2});
  Value* scale = reciprocal_deviation(b, m.variance, epsilon(op));
  Value* y = b.reshape(b.mul(m.centred, scale), b.shape(x));
  Value* weight = op.optional_tensor("weight");
  Value* bias = op.optional_tensor("bias");
  y = scale_and_shift(b, y, weight ? along_channels(b, weight, rank) : nullptr,
                      bias ? along_channels(b, bias, rank) : nullptr);
  return {y, b.squeeze(m.mean, {2}), b.squeeze(scale, {2})};
}

// The number of trailing axes that are normalised.
std::int64_t normalised_axes(const Op& op, Value* weight) {
  if (op.is_constant("normalized_shape")) return static_cast<std::int64_t>(op.integers("normalized_shape").size());
  const Lowered* list = op.lowered(op.source("normalized_shape"));
  if (list && list->kind == Lowered::Kind::List) return static_cast<std::int64_t>(list->list.size());
  if (weight) return op.rank_of(weight);
  if (const auto length = op.fixed_size(op.int_vector("normalized_shape"), 0)) return *length;
  op.refuse_argument("normalized_shape", "must be a list of known length");
}

Dims trailing_axes(const Op& op, Value* x, std::int64_t count) {
  Dims axes;
  for (std::int64_t i = count; i > 0; --i) axes.push_back(-i);
  if (x->facts().has_rank())
    for (std::int64_t& a : axes) a = op.wrap_axis(a, x->facts().rank());
  return axes;
}

Values normalise_layer(const Op& op) {
  Builder& b = op.builder();
  Value* weight = op.optional_tensor("weight");
  Value* bias = op.optional_tensor("bias");
  Value* input = op.tensor("input");
  Value* x = b.cast(input, statistics_dtype(input->facts().dtype));
  const Moments m = moments(b, x, trailing_axes(op, x, normalised_axes(op, weight)));
  Value* scale = reciprocal_deviation(b, m.variance, epsilon(op));
  return {scale_and_shift(b, b.mul(m.centred, scale), weight, bias), m.mean, scale};
}

// Ones for an absent weight; null if the sizes are unknown.
Value* absent_weight(const Op& op, DType dtype) {
  if (!op.is_constant("normalized_shape")) return nullptr;
  const Dims dims = op.integers("normalized_shape");
  return op->constant_of_shape(op->int64s(dims), dtype, 1);
}

Outputs layer_norm(Op& op) {
  if (op.opset() < 17 || !op.is_constant("eps")) return normalise_layer(op)[0];
  Value* weight = op.optional_tensor("weight");
  Value* bias = op.optional_tensor("bias");
  Value* x = op.tensor("input");
  const std::int64_t axes = normalised_axes(op, weight);
  DType dtype = x->facts().dtype;
  for (Value* v : {weight, bias})
    if (v && v->facts().dtype != dtype) dtype = statistics_dtype(dtype);
  if (dtype == DType::BFloat16) dtype = DType::Float32;
  x = op->cast(x, dtype);
  weight = weight ? op->cast(weight, dtype) : absent_weight(op, dtype);
  if (!weight || !holds_attribute(dtype, op.number("eps"))) return normalise_layer(op)[0];
  if (bias) bias = op->cast(bias, dtype);
  return op->op("LayerNormalization", {x, weight, bias}, {{"axis", -axes}, {"epsilon", op.number("eps")}});
}

Outputs native_layer_norm(Op& op) {
  if (op.node().output(1)->is_unused() && op.node().output(2)->is_unused())
    return {layer_norm(op).items[0].one, nullptr, nullptr};
  return Outputs::many(normalise_layer(op));
}

// The machine epsilon of the dtype in which LibTorch computes.
double machine_epsilon(DType dtype) {
  return dtype == DType::Float64 ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon();
}

Values normalise_root_mean_square(const Op& op) {
  Builder& b = op.builder();
  Value* weight = op.optional_tensor("weight");
  Value* input = op.tensor("input");
  const DType dtype = input->facts().dtype;
  const Epsilon eps = op.is_none("eps") ? Epsilon{machine_epsilon(dtype), nullptr} : epsilon(op);
  Value* x = b.cast(input, statistics_dtype(dtype));
  const Dims axes = trailing_axes(op, x, normalised_axes(op, weight));
  Value* scale = reciprocal_deviation(b, b.reduce("ReduceMean", b.mul(x, x), axes, true), eps);
  return {scale_and_shift(b, b.mul(x, scale), weight, nullptr), scale};
}

Outputs rms_norm(Op& op) {
  Value* weight = op.optional_tensor("weight");
  Value* x = op.tensor("input");
  const DType dtype = x->facts().dtype;
  const bool is_open = !op.is_none("eps") && !op.is_constant("eps");
  if (op.opset() < 23 || is_open || !weight || weight->facts().dtype != dtype || dtype == DType::BFloat16)
    return normalise_root_mean_square(op)[0];
  const double eps = op.is_none("eps") ? machine_epsilon(dtype) : op.number("eps");
  if (!holds_attribute(dtype, eps)) return normalise_root_mean_square(op)[0];
  const std::int64_t axes = normalised_axes(op, weight);
  return op->op("RMSNormalization", {x, weight}, {{"axis", -axes}, {"epsilon", eps}});
}

Outputs fused_rms_norm(Op& op) { return Outputs::many(normalise_root_mean_square(op)); }

// v * g / norm of v over every axis except one; dim -1: over all axes.
Values weight_norm_values(const Op& op) {
  Builder& b = op.builder();
  Value* v = op.tensor("v");
  const std::int64_t dim = op.integer("dim"), rank = op.rank_of(v);
  Dims axes;
  for (std::int64_t i = 0; i < rank; ++i)
    if (i != dim) axes.push_back(i);
  Value* norm = axes.empty() ? b.op("Abs", {v}) : b.reduce("ReduceL2", v, axes, true);
  Value* g = op.tensor("g");
  return {b.mul(v, b.div(g, norm)), norm};
}

Outputs weight_norm(Op& op) { return weight_norm_values(op)[0]; }

// For bfloat16, LibTorch returns the norm in float32.
Outputs weight_norm_interface(Op& op) {
  const Values values = weight_norm_values(op);
  const bool narrow = op.dtype_of(values[1]) == DType::BFloat16;
  return {values[0], narrow ? op->cast(values[1], DType::Float32) : values[1]};
}

constexpr Row kNormalisationRows[] = {
    {"aten::batch_norm", 7, rounded<batch_norm>},
    {"aten::native_batch_norm", 7, rounded<native_batch_norm>},
    {"aten::_native_batch_norm_legit", 7, rounded<native_batch_norm>},
    {"aten::_native_batch_norm_legit_functional", 7, rounded<batch_norm_functional>},
    {"aten::_native_batch_norm_legit_no_training", 7, rounded<batch_norm_no_training>},
    {"aten::_batch_norm_impl_index", 7, rounded<native_batch_norm>},
    {"aten::_batch_norm_no_update", 7, rounded<batch_norm_no_training>},
    {"aten::_batch_norm_with_update", 7, rounded<batch_norm_with_update>},
    {"aten::_batch_norm_with_update_functional", 7, rounded<batch_norm_with_update_functional>},
    {"aten::cudnn_batch_norm", 7, rounded<cudnn_batch_norm>},
    {"aten::instance_norm", 7, rounded<instance_norm>},
    {"aten::group_norm", 7, rounded<group_norm>},
    {"aten::native_group_norm", 7, rounded<native_group_norm>},
    {"aten::layer_norm", 7, rounded<layer_norm>},
    {"aten::native_layer_norm", 7, rounded<native_layer_norm>},
    {"aten::rms_norm", 7, rounded<rms_norm>},
    {"aten::_fused_rms_norm", 7, rounded<fused_rms_norm>},
    {"aten::_weight_norm", 7, weight_norm},
    {"aten::_weight_norm_interface", 7, weight_norm_interface},
};

}  // namespace

std::span<const Row> normalisation_rows() { return kNormalisationRows; }

}  // namespace tonnx::lower
