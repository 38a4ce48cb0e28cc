// Scaled dot product attention. The CPU uses a fused kernel if possible; its result has the layout of the query.
#include <algorithm>
#include <array>

#include <ATen/ops/empty_like.h>
#include <ATen/ops/matmul.h>

#include "torch/meta_rule.h"

namespace tonnx::torch {
namespace {

bool takes_fused_kernel(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const at::Tensor& mask,
                        double dropout) {
  if (q.dim() != 4 || k.dim() != 4 || v.dim() != 4 || dropout != 0.0) return false;
  for (const std::int64_t d : {0, 1, 3}) {
    if (q.size(d) != k.size(d) || q.size(d) != v.size(d)) return false;
  }
  if (std::min({q.size(2), k.size(2), v.size(2)}) == 0) return false;
  for (const at::Tensor* t : {&q, &k, &v}) {
    if (t->stride(3) != 1 && t->size(3) != 1) return false;
  }
  if (!mask.defined()) return true;
  if (mask.dim() != 2 && mask.dim() != 4) return false;
  const auto fits = [](std::int64_t size, std::int64_t whole) { return size == 1 || size == whole; };
  return fits(mask.size(-1), k.size(2)) && fits(mask.size(-2), q.size(2)) &&
         (mask.dim() == 2 || (fits(mask.size(0), q.size(0)) && fits(mask.size(1), q.size(1))));
}

// scaled_dot_product_attention(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa). A mask together
// with is_causal is refused by lowering: if both are dynamic, a run may have only one of them.
RuleOutcome attention(RuleCall& call) {
  const at::Tensor& q = call.tensor(0);
  const at::Tensor& k = call.tensor(1);
  const at::Tensor& v = call.tensor(2);
  const at::Tensor mask = call.optional_tensor(3);
  TORCH_CHECK(q.dim() >= 2 && k.dim() >= 2 && v.dim() >= 2,
              "scaled_dot_product_attention: Expected query, key, and "
              "value to all be at least 2 dimensional, but got ",
              q.dim(), ", ", k.dim(), ", ", v.dim());
  TORCH_CHECK(q.scalar_type() == k.scalar_type() && q.scalar_type() == v.scalar_type(),
              "Expected query, key, and value to have the same dtype, but got query.dtype: ", q.scalar_type(),
              " key.dtype: ", k.scalar_type(), " and value.dtype: ", v.scalar_type(), " instead.");
  const auto heads = [](const at::Tensor& t) { return t.dim() < 3 ? 1 : t.size(-3); };
  const bool grouped = call.size() > 7 && call.boolean(7) && (heads(q) != heads(k) || heads(q) != heads(v));
  if (grouped) return RuleOutcome::Declined;
  if (takes_fused_kernel(q, k, v, mask, call[4].toDouble())) {
    call.add_result(at::empty_like(q));
    return RuleOutcome::Done;
  }
  at::Tensor scores = at::matmul(q, k.transpose(-2, -1));
  if (mask.defined()) scores = meta_elementwise({scores, mask}, scores.scalar_type());
  call.add_result(at::matmul(scores, v));
  return RuleOutcome::Done;
}

// _scaled_dot_product_flash_attention_for_cpu(query, key, value, ...) -> (output, logsumexp)
RuleOutcome flash_attention(RuleCall& call) {
  const at::Tensor& q = call.tensor(0);
  TORCH_CHECK(q.dim() == 4, "_scaled_dot_product_flash_attention_cpu: Accept only 4 dims inputs shape of {B, H, T, K}");
  call.add_result(at::empty_like(q));
  const c10::ScalarType sums = q.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  call.add_result(meta_empty({q.size(0), q.size(2), q.size(1)}, sums).transpose(1, 2));
  return RuleOutcome::Done;
}

}  // namespace

std::span<const NamedRule> attention_rules() {
  static constexpr std::array rules = {
      NamedRule{"aten::scaled_dot_product_attention", attention},
      NamedRule{"aten::_scaled_dot_product_flash_attention_for_cpu", flash_attention},
  };
  return rules;
}

}  // namespace tonnx::torch
