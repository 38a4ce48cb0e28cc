#include <algorithm>
#include <cmath>

#include "lower/dtype_support.h"
#include "lower/elementwise.h"
#include "lower/families.h"
#include "lower/linear.h"
#include "lower/random_numbers.h"
#include "lower/spatial.h"
#include "lower/special.h"

namespace tonnx::lower {
namespace {

Value* softmax_last(Builder& b, Value* x) { return b.op("Softmax", {x}, {{"axis", x->facts().rank() - 1}}); }

// A finite number so low that its exponential, relative to any score, is 0. In float16 a score can be added to it.
double very_low(DType dtype) { return dtype == DType::Float16 ? -60000.0 : -largest(dtype); }

// Bool mask, true where the query may attend to the key. Aligned at the first query and the first key.
Value* causal_mask(Builder& b, Value* query, Value* key) {
  Value* row = b.unsqueeze(b.range(b.size_scalar(query, -2)), {1});
  Value* column = b.unsqueeze(b.range(b.size_scalar(key, -2)), {0});
  return greater_equal(b, row, column);
}

// 1 for a query that attends to at least one key, else 0. LibTorch's attention returns zeros for such a query.
Value* sees_any(Builder& b, Value* visible, DType dtype) {
  Value* number = b.cast(visible, DType::Float32);
  const std::int64_t last = visible->facts().has_rank() ? visible->facts().rank() - 1 : -1;
  return b.cast(b.reduce("ReduceMax", number, Dims{last}, true), dtype);
}

struct Masked {
  Value* scores;
  Value* alive;  // factor of the result; null if every query attends to some key
};

Masked apply_visible(Builder& b, Value* scores, Value* visible, bool every_row_sees) {
  const DType dtype = scores->facts().dtype;
  Value* low = b.scalar(dtype, very_low(dtype));
  Value* alive = every_row_sees ? nullptr : sees_any(b, visible, dtype);
  Value* seen = b.where(visible, scores, low);
  if (!seen->facts().has_rank()) seen->facts().dims = scores->facts().dims;
  return {seen, alive};
}

Masked apply_bias(Builder& b, Value* scores, Value* bias) {
  const DType dtype = scores->facts().dtype;
  bias = b.cast(bias, dtype);
  Value* visible = greater(b, bias, b.scalar(dtype, -kInfinity));
  Value* biased = b.add(scores, b.clip(bias, very_low(dtype), std::nullopt));
  if (!biased->facts().has_rank()) biased->facts().dims = scores->facts().dims;
  return {biased, sees_any(b, visible, dtype)};
}

// Returns the tensor that the mask was expanded from; broadcasting it to the scores has the same result.
Value* unexpanded(Value* mask, const Value* scores) {
  const ir::Node* expand = mask->node();
  if (!expand || !expand->is("onnx::Expand")) return mask;
  const auto &wide = mask->facts().dims, &all = scores->facts().dims, &have = expand->input(0)->facts().dims;
  if (!wide || !all || !have || have->empty() || wide->size() > all->size()) return mask;
  const bool fits =
      std::equal(wide->rbegin(), wide->rend(), all->rbegin(),
                 [](const ir::Dim& dim, const ir::Dim& score) { return dim.size() == 1 || dim.same(score); });
  return fits ? expand->input(0) : mask;
}

// Grouped-query attention: repeats each key or value head for the query heads that share it.
Value* repeat_heads(Op& op, Value* x, Value* query) {
  Builder& b = op.builder();
  const std::int64_t rank = op.rank_of(x);
  const auto of_query = op.fixed_size(query, -3), own = op.fixed_size(x, -3);
  if (of_query && own && *of_query == *own) return x;
  Value* heads = b.size(query, -3);
  Value* times = of_query && own ? b.int64s({*of_query / *own}) : b.div(heads, b.size(x, -3));
  Value* spread = b.expand(b.unsqueeze(x, {rank - 2}), b.join_sizes({b.int64s({1}), times, b.int64s({1, 1})}));
  Values result;
  for (std::int64_t i = 0; i < rank; ++i) result.push_back(i == rank - 3 ? heads : b.size(x, i));
  Value* y = b.reshape(spread, b.join_sizes(result));
  if (!y->facts().has_rank()) {
    y->facts().dims = x->facts().dims;
    (*y->facts().dims)[static_cast<std::size_t>(rank - 3)] = ir::Dim();
  }
  return y;
}

Value* scale_of(Op& op, Value* query) {
  const DType dtype = query->facts().dtype;
  if (op.has("scale") && !op.is_none("scale")) return op.scalar("scale", dtype);
  if (const auto width = op.fixed_size(query, -1)) return op->scalar(dtype, 1 / std::sqrt(static_cast<double>(*width)));
  Value* width = op->cast(op->size_scalar(query, -1), dtype == DType::Float64 ? DType::Float64 : DType::Float32);
  return op->cast(op->op("Reciprocal", {op->op("Sqrt", {width})}), dtype);
}

// Returns softmax(query key^T * scale + mask) value, and the attention weights. Scores of bfloat16 stay in float32, as
// in LibTorch: 8 bits of mantissa are too few for exponentials of large scores.
Values attend(Op& op, std::string_view mask_argument) {
  Builder& b = op.builder();
  const DType dtype = op.dtype_of(op.tensor("query"));
  const auto argument = [&](const char* name) {
    Value* x = op.tensor(name);
    return dtype == DType::BFloat16 ? b.cast(x, DType::Float32) : x;
  };
  Value *query = argument("query"), *key = argument("key"), *value = argument("value");
  if (op.has("enable_gqa") && op.flag("enable_gqa")) {
    key = repeat_heads(op, key, query);
    value = repeat_heads(op, value, query);
  }
  op.rank_of(query);
  const std::int64_t rank = op.rank_of(key);
  Value* scores = b.matmul(b.mul(query, scale_of(op, query)), b.swap_axes(key, rank - 2, rank - 1));
  if (!scores->facts().has_rank()) op.refuse("the rank of the attention scores must be known");
  Value* mask = mask_argument.empty() ? nullptr : op.optional_tensor(mask_argument);
  if (mask) mask = unexpanded(mask, scores);
  Masked m{scores, nullptr};
  const ir::Value* causal = op.node().input("is_causal");
  // dynamic is_causal; with a mask it must be false, or LibTorch raises
  const bool is_open = causal && !causal->constant();
  if (is_open && !mask) {
    Value* sees_all = b.op("Not", {op.scalar_of(causal, DType::Bool)});
    m = apply_visible(b, scores, b.op("Or", {causal_mask(b, query, key), sees_all}), true);
  } else if (!is_open && op.flag("is_causal")) {
    m = apply_visible(b, scores, causal_mask(b, query, key), true);
    if (mask) op.refuse_argument(mask_argument, "and is_causal exclude each other");
  } else if (mask) {
    m = mask->facts().dtype == DType::Bool ? apply_visible(b, scores, mask, false) : apply_bias(b, scores, mask);
  }
  Value* weights = softmax_last(b, m.scores);
  const double drop = op.has("dropout_p") ? op.number("dropout_p") : 0;
  Value* used = drop > 0 ? dropped(op, weights, drop).values : weights;
  Value* y = b.matmul(used, value);
  if (m.alive) {
    y = b.mul(y, m.alive);
    weights = b.mul(weights, m.alive);
  }
  return {b.cast(y, dtype), b.cast(weights, dtype)};
}

Outputs scaled_dot_product(Op& op) { return attend(op, "attn_mask")[0]; }

Outputs scaled_dot_product_math(Op& op) {
  if (!op.is_none("dropout_mask")) op.refuse_argument("dropout_mask", "has no ONNX form");
  const Values results = attend(op, "attn_mask");
  return {results[0], results[1]};
}

// Fused attention kernels. Their further results serve gradients only.
Outputs fused_kernel(Op& op) {
  const char* mask = op.has("attn_mask") ? "attn_mask" : op.has("attn_bias") ? "attn_bias" : "";
  Values results(op.node().output_count(), nullptr);
  results[0] = attend(op, mask)[0];
  return Outputs::many(results);
}

// Softmax that returns zeros for a row of -inf.
Outputs safe_softmax(Op& op) {
  Builder& b = op.builder();
  Value* x = op.tensor("self");
  if (const auto dtype = op.dtype("dtype")) x = b.cast(x, *dtype);
  const std::int64_t rank = op.rank_of(x), axis = op.axis("dim", x);
  x = b.swap_axes(x, axis, rank - 1);
  const DType dtype = x->facts().dtype;
  Value* alive = greater(b, b.reduce("ReduceMax", x, Dims{rank - 1}, true), b.scalar(dtype, -kInfinity));
  Value* y = softmax_last(b, b.clip(x, very_low(dtype), std::nullopt));
  return b.swap_axes(b.mul(y, b.cast(alive, dtype)), axis, rank - 1);
}

// Reshapes (batch, time, heads * width) to (batch, heads, time, width), or with the last two axes swapped.
Value* to_heads(Builder& b, Value* x, std::int64_t heads, std::int64_t width, bool swapped) {
  x = b.reshape_keeping(x, {0, 0, heads, width});
  return swapped ? b.transpose(x, {0, 2, 3, 1}) : b.transpose(x, {0, 2, 1, 3});
}

struct Heads {
  std::int64_t embed_dim, count;
  Value *qkv_weight, *qkv_bias, *proj_weight, *proj_bias;
  Value* mask;                            // true: masked out
  std::optional<std::int64_t> mask_type;  // 0: (time, time); 1: (batch, time), over keys; 2: the shape of the scores
};

Heads heads_of(const Op& op, const char* count) {
  Heads h{op.integer("embed_dim"),  op.integer(count),      op.tensor("qkv_weight"),    op.tensor("qkv_bias"),
          op.tensor("proj_weight"), op.tensor("proj_bias"), op.optional_tensor("mask"), op.maybe_integer("mask_type")};
  return h;
}

// The mask, broadcast to the scores (batch, heads, time, time), as the bool "may attend".
Value* visible_of(const Op& op, const Heads& h) {
  Value* visible = op->op("Not", {op->cast(h.mask, DType::Bool)});
  const std::int64_t rank = op.rank_of(visible);
  const std::int64_t type = h.mask_type.value_or(rank == 4 ? 2 : 0);
  if (type == 1 && rank == 2) return op->unsqueeze(visible, {1, 2});
  return visible;
}

// These kernels return NaN for a query without keys; scaled_dot_product_attention returns zeros.
Value* nan_where_none(Builder& b, Value* weights, Value* alive) {
  return b.where(b.cast(alive, DType::Bool), weights, b.scalar_like(weights, kNan));
}

// Returns the result, and the attention weights of each head.
Values self_attention(const Op& op, Value* query, Value* key, Value* value, const Heads& h) {
  Builder& b = op.builder();
  const std::int64_t d = h.embed_dim, width = d / h.count;
  Values parts;
  if (query == key && key == value) {
    parts = b.split(affine(op, query, h.qkv_weight, h.qkv_bias), Dims{d, d, d}, 2);
  } else {
    const Values sources{query, key, value};
    const Values weights = b.split(h.qkv_weight, Dims{d, d, d}, 0), biases = b.split(h.qkv_bias, Dims{d, d, d}, 0);
    for (std::size_t i = 0; i < 3; ++i) parts.push_back(affine(op, sources[i], weights[i], biases[i]));
  }
  Value* q = b.mul(parts[0], b.scalar_like(parts[0], 1 / std::sqrt(static_cast<double>(width))));
  Value* scores = b.matmul(to_heads(b, q, h.count, width, false), to_heads(b, parts[1], h.count, width, true));
  Masked m{scores, nullptr};
  if (h.mask) m = apply_visible(b, scores, visible_of(op, h), false);
  Value* weights = softmax_last(b, m.scores);
  if (m.alive) weights = nan_where_none(b, weights, m.alive);
  Value* y = b.matmul(weights, to_heads(b, parts[2], h.count, width, false));
  y = b.reshape_keeping(b.transpose(y, {0, 2, 1, 3}), {0, 0, d});
  return {affine(op, y, h.proj_weight, h.proj_bias), weights};
}

Outputs native_multi_head_attention(Op& op) {
  const Heads h = heads_of(op, "num_head");
  const Values results = self_attention(op, op.tensor("query"), op.tensor("key"), op.tensor("value"), h);
  if (!op.flag("need_weights")) return {results[0], nullptr};
  Value* weights = results[1];
  if (op.flag("average_attn_weights")) weights = op->reduce("ReduceMean", weights, Dims{1}, false);
  return {results[0], weights};
}

Value* layer_norm(Builder& b, Value* x, Value* weight, Value* bias, double eps) {
  if (b.opset() >= 17 && holds_attribute(x->facts().dtype, eps))
    return b.op("LayerNormalization", {x, weight, bias}, {{"axis", std::int64_t{-1}}, {"epsilon", eps}});
  const DType dtype = x->facts().dtype;
  Value* wide = in_full_precision(b, x);
  const Dims last{wide->facts().rank() - 1};
  Value* centred = b.sub(wide, b.reduce("ReduceMean", wide, last, true));
  Value* variance = b.reduce("ReduceMean", b.mul(centred, centred), last, true);
  Value* y = b.div(centred, b.op("Sqrt", {b.add(variance, b.scalar_like(variance, eps))}));
  return b.add(b.mul(b.cast(y, dtype), weight), bias);
}

Outputs transformer_encoder_layer(Op& op) {
  Builder& b = op.builder();
  const Heads h = heads_of(op, "num_heads");
  const bool norm_first = op.flag("norm_first");
  const double eps = op.number("eps");
  Value* src = op.tensor("src");
  const auto norm_1 = [&](Value* x) {
    return layer_norm(b, x, op.tensor("norm_weight_1"), op.tensor("norm_bias_1"), eps);
  };
  const auto norm_2 = [&](Value* x) {
    return layer_norm(b, x, op.tensor("norm_weight_2"), op.tensor("norm_bias_2"), eps);
  };

  Value* x = norm_first ? norm_1(src) : src;
  x = b.add(src, self_attention(op, x, x, x, h)[0]);
  if (!norm_first) x = norm_1(x);
  Value* y = norm_first ? norm_2(x) : x;
  y = affine(op, y, op.tensor("ffn_weight_1"), op.tensor("ffn_bias_1"));
  y = affine(op, op.flag("use_gelu") ? gelu(b, y) : b.op("Relu", {y}), op.tensor("ffn_weight_2"),
             op.tensor("ffn_bias_2"));
  y = b.add(x, y);
  return norm_first ? y : norm_2(y);
}

// Reshapes (batch, time, heads * width) to (batch, heads, time, width). The width may be dynamic.
Value* split_heads(Op& op, Value* x, std::int64_t heads) {
  if (heads <= 0) op.refuse("tensors of rank 3 need q_num_heads and kv_num_heads");
  const auto whole = op.fixed_size(x, 2);
  return to_heads(op.builder(), x, heads, whole ? *whole / heads : -1, false);
}

// The inverse of split_heads().
Value* merge_heads(Op& op, Value* x) {
  const auto heads = op.fixed_size(x, 1), width = op.fixed_size(x, 3);
  return op->reshape_keeping(op->transpose(x, {0, 2, 1, 3}), {0, 0, heads && width ? *heads * *width : -1});
}

// Scores as torch.onnx.ops.attention defines them: the causal mask aligns the first query with the first key, even if
// there are past keys; softcap is applied after the mask.
struct OnnxScores {
  Value* plain;
  Value* biased;
  Value* capped;
};

OnnxScores onnx_scores(Op& op, Value* query, Value* key, Value* mask, double softcap) {
  Builder& b = op.builder();
  OnnxScores s{};
  s.plain = b.matmul(b.mul(query, scale_of(op, query)), b.swap_axes(key, 2, 3));
  Value* hidden = b.scalar_like(s.plain, -kInfinity);
  s.biased = s.plain;
  if (op.flag("is_causal"))
    s.biased = b.where(causal_mask(b, query, key), s.plain, hidden);
  else if (mask && mask->facts().dtype == DType::Bool)
    s.biased = b.where(mask, s.plain, hidden);
  else if (mask)
    s.biased = b.add(s.plain, mask);
  s.capped = s.biased;
  if (softcap > 0) {
    Value* cap = b.scalar_like(s.plain, softcap);
    s.capped = b.mul(b.op("Tanh", {b.div(s.biased, cap)}), cap);
  }
  return s;
}

// torch.onnx.ops.attention from elementary operators, or by scaled_dot_product_attention if that supports every
// argument.
Outputs composed_attention(Op& op) {
  Builder& b = op.builder();
  Value *query = op.tensor("Q"), *key = op.tensor("K"), *value = op.tensor("V"),
        *mask = op.optional_tensor("attn_mask");
  const bool is_flat = op.rank_of(query) == 3;
  if (is_flat) {
    query = split_heads(op, query, op.integer("q_num_heads"));
    key = split_heads(op, key, op.integer("kv_num_heads"));
    value = split_heads(op, value, op.integer("kv_num_heads"));
  }
  if (mask && op.flag("is_causal")) op.refuse_argument("attn_mask", "and is_causal exclude each other");
  if (Value* past = op.optional_tensor("past_key")) key = b.concat({past, key}, 2);
  if (Value* past = op.optional_tensor("past_value")) value = b.concat({past, value}, 2);
  Value* all_keys = repeat_heads(op, key, query);
  const double softcap = op.number("softcap");
  const std::int64_t mode = op.integer("qk_matmul_output_mode");
  const auto precision = op.maybe_integer("softmax_precision");
  const bool is_plain = softcap == 0 && mode == 0 && !precision && (!mask || mask->facts().dtype == DType::Bool);
  OnnxScores s = onnx_scores(op, query, all_keys, is_plain ? nullptr : mask, softcap);
  Value* alive = nullptr;
  if (is_plain && mask) {
    const Masked masked = apply_visible(b, s.plain, mask, false);
    s.capped = masked.scores;
    alive = masked.alive;
  }
  const DType dtype = s.capped->facts().dtype;
  const DType computed = precision ? ir::dtype_from_onnx(static_cast<std::int32_t>(*precision)) : dtype;
  Value* weights = b.cast(softmax_last(b, ir::is_floating(computed) ? b.cast(s.capped, computed) : s.capped), dtype);
  Value* y = b.matmul(weights, repeat_heads(op, value, query));
  if (alive) y = b.mul(y, alive);
  Value* shown = mode == 1 ? s.biased : mode == 2 ? s.capped : mode == 3 ? weights : s.plain;
  return {is_flat ? merge_heads(op, y) : y, key, value, shown};
}

// True if runtimes compute the ONNX operator differently: they mask after softcap, and past keys shift the causal
// diagonal.
bool differs_in_onnx(const Op& op) {
  const bool is_causal = op.flag("is_causal");
  const bool shows_steps = op.integer("qk_matmul_output_mode") != 0 && !op.node().output(3)->is_unused();
  return shows_steps || (op.number("softcap") > 0 && (is_causal || !op.is_none("attn_mask"))) ||
         (is_causal && !op.is_none("past_key"));
}

// The ONNX operator Attention, without unused trailing results.
Outputs onnx_attention(Op& op) {
  if (op.opset() < 23 || differs_in_onnx(op)) return composed_attention(op);
  Attributes attributes{{"is_causal", std::int64_t{op.flag("is_causal")}},
                        {"softcap", op.number("softcap")},
                        {"qk_matmul_output_mode", op.integer("qk_matmul_output_mode")}};
  for (const char* heads : {"kv_num_heads", "q_num_heads"})
    if (const std::int64_t count = op.integer(heads)) attributes.emplace_back(heads, count);
  if (const auto scale = op.maybe_number("scale")) attributes.emplace_back("scale", *scale);
  if (const auto precision = op.maybe_integer("softmax_precision"))
    attributes.emplace_back("softmax_precision", *precision);
  const Values inputs{op.tensor("Q"),
                      op.tensor("K"),
                      op.tensor("V"),
                      op.optional_tensor("attn_mask"),
                      op.optional_tensor("past_key"),
                      op.optional_tensor("past_value")};
  std::size_t read = op.node().output_count();
  while (read > 1 && op.node().output(read - 1)->is_unused()) --read;
  Values results = op->op("Attention", inputs, std::move(attributes), read);
  results.resize(op.node().output_count());
  return Outputs::many(results);
}

// torch.onnx.ops.rotary_embedding from elementary operators: the first `turned` elements of each head are pairs that
// are rotated by an angle.
Outputs composed_rotary_embedding(Op& op) {
  Builder& b = op.builder();
  Value *x = op.tensor("x"), *cos = op.tensor("cos_cache"), *sin = op.tensor("sin_cache");
  if (Value* positions = op.optional_tensor("position_ids")) {
    cos = b.gather(cos, positions, 0);
    sin = b.gather(sin, positions, 0);
  }
  const bool is_flat = op.rank_of(x) == 3;
  const std::int64_t heads = op.integer("num_heads");
  const auto whole = op.fixed_size(x, -1);
  if (!whole) op.refuse_argument("x", "must have a last axis of a known size below opset 23");
  if (is_flat && heads <= 0) op.refuse_argument("num_heads", "is required for a tensor of rank 3");
  const std::int64_t width = is_flat ? *whole / heads : *whole;
  const std::int64_t dim = op.integer("rotary_embedding_dim"), rotated = dim ? dim : width;
  if (rotated % 2 != 0) op.refuse_argument("rotary_embedding_dim", "must be even");
  if (is_flat) x = b.reshape_keeping(x, {0, 0, heads, width});
  cos = b.unsqueeze(cos, {is_flat ? 2 : 1});
  sin = b.unsqueeze(sin, {is_flat ? 2 : 1});
  const bool interleaved = op.flag("interleaved");
  const std::int64_t half = rotated / 2, step = interleaved ? 2 : 1;
  Value* first = b.slice(x, 3, 0, interleaved ? rotated : half, step);
  Value* second = b.slice(x, 3, interleaved ? 1 : half, rotated, step);
  Values parts{b.sub(b.mul(cos, first), b.mul(sin, second)), b.add(b.mul(sin, first), b.mul(cos, second))};
  if (interleaved) {
    for (Value*& part : parts) part = b.unsqueeze(part, {4});
    parts = {b.reshape_keeping(b.concat(parts, 4), {0, 0, 0, rotated})};
  }
  if (rotated < width) parts.push_back(b.slice(x, 3, rotated, width));
  Value* y = b.concat(parts, 3);
  return is_flat ? b.reshape_keeping(y, {0, 0, *whole}) : y;
}

Outputs onnx_rotary_embedding(Op& op) {
  if (op.opset() < 23) return composed_rotary_embedding(op);
  return op->op("RotaryEmbedding",
                {op.tensor("x"), op.tensor("cos_cache"), op.tensor("sin_cache"), op.optional_tensor("position_ids")},
                {{"interleaved", std::int64_t{op.flag("interleaved")}},
                 {"num_heads", op.integer("num_heads")},
                 {"rotary_embedding_dim", op.integer("rotary_embedding_dim")}});
}

constexpr Row kAttentionRows[] = {
    {"onnx::Attention.opset23", 7, onnx_attention},
    {"onnx::RotaryEmbedding.opset23", 7, onnx_rotary_embedding},
    {"aten::scaled_dot_product_attention", 7, scaled_dot_product},
    {"aten::_scaled_dot_product_attention_math", 7, scaled_dot_product_math},
    {"aten::_scaled_dot_product_flash_attention", 7, fused_kernel},
    {"aten::_scaled_dot_product_flash_attention_for_cpu", 7, fused_kernel},
    {"aten::_scaled_dot_product_efficient_attention", 7, fused_kernel},
    {"aten::_scaled_dot_product_cudnn_attention", 7, fused_kernel},
    {"aten::_scaled_dot_product_fused_attention_overrideable", 7, fused_kernel},
    {"aten::_safe_softmax", 7, safe_softmax},
    {"aten::_native_multi_head_attention", 7, native_multi_head_attention},
    {"aten::_transformer_encoder_layer_fwd", 7, transformer_encoder_layer},
};

}  // namespace

std::span<const Row> attention_rows() { return kAttentionRows; }

}  // namespace tonnx::lower
