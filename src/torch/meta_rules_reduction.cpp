// Reductions whose kernels have no meta version, or a wrong one: whole-tensor max, min, prod, membership of a number,
// all of std and var, sums without NaN over an empty list of axes, norms over negative axes, and losses whose dtype or
// sizes depend on LibTorch's CPU kernels.
#include <algorithm>
#include <array>

#include <ATen/ExpandUtils.h>
#include <ATen/ops/sum.h>

#include "torch/meta_rule.h"

namespace tonnx::torch {
namespace {

// max(self), min(self) -> scalar tensor
RuleOutcome extreme(RuleCall& call) {
  if (call.size() != 1) return RuleOutcome::Declined;
  const at::Tensor& self = call.tensor(0);
  TORCH_CHECK(self.numel() > 0, "Expected reduction dim to be specified for input.numel() == 0.");
  call.add_result(meta_empty({}, self.scalar_type()));
  return RuleOutcome::Done;
}

// isin(Scalar element, Tensor test_elements, ...) -> scalar tensor; LibTorch's own meta version returns an empty vector
RuleOutcome is_number_in(RuleCall& call) {
  call.add_result(meta_empty({}, at::kBool));
  return RuleOutcome::Done;
}

// cholesky(self, upper): column-major result
RuleOutcome cholesky(RuleCall& call) {
  const at::Tensor& self = call.tensor(0);
  TORCH_CHECK(self.dim() >= 2 && self.size(-1) == self.size(-2), "cholesky: square matrices are needed, got sizes ",
              self.sizes());
  call.add_result(meta_empty(self.sizes(), self.scalar_type()).mT());
  return RuleOutcome::Done;
}

// ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity): one loss per sequence,
// or a single one; LibTorch's own version reads the lengths
RuleOutcome ctc_loss(RuleCall& call) {
  const at::Tensor& likely = call.tensor(0);
  const bool each = call.integer(5) == 0 && likely.dim() == 3;
  call.add_result(meta_empty(each ? likely.sizes().slice(1, 1) : at::IntArrayRef(), likely.scalar_type()));
  return RuleOutcome::Done;
}

// prod(self, *, dtype): integers become int64
RuleOutcome prod(RuleCall& call) {
  if (call.size() != 2) return RuleOutcome::Declined;
  const c10::ScalarType from = call.tensor(0).scalar_type();
  call.add_result(meta_empty({}, call.dtype(1).value_or(at::isIntegralType(from, true) ? at::kLong : from)));
  return RuleOutcome::Done;
}

// nansum, nanmean(self, dim, keepdim, *, dtype): an empty list of axes means all axes; LibTorch's own meta version
// reduces none
RuleOutcome sum_without_nan(RuleCall& call) {
  if (call.is_none(1) || !call.integers(1).empty()) return RuleOutcome::Declined;
  const at::Tensor shape = at::sum(call.tensor(0), at::OptionalIntArrayRef(), call.boolean(2), call.dtype(3));
  call.add_result(meta_empty(shape.sizes(), shape.scalar_type()));
  return RuleOutcome::Done;
}

void spread(RuleCall& call, at::OptionalIntArrayRef dims, bool keep, int count) {
  const at::Tensor& self = call.tensor(0);
  const c10::ScalarType dtype = self.scalar_type();
  TORCH_CHECK(at::isFloatingType(dtype) || at::isComplexType(dtype),
              "std and var only support floating point and complex dtypes");
  const at::Tensor shape = at::sum(self, dims, keep, dtype);
  call.add_result(meta_empty(shape.sizes(), c10::toRealValueType(dtype)));
  if (count == 2) call.add_result(meta_empty(shape.sizes(), dtype));
}

// Norms over `dim`, argument Dim, followed by keepdim and a dtype. In a Python process, PyTorch's meta version replaces
// LibTorch's, and keeps negative axes with size 1.
template <std::size_t Dim>
RuleOutcome norm(RuleCall& call) {
  const at::Tensor& self = call.tensor(0);
  const std::vector<std::int64_t> dims = call.integers(Dim);
  const auto is_single = [&](std::int64_t dim) {
    return self.dim() > 0 && self.sizes()[wrap_dim(dim, self.dim())] == 1;
  };
  if (std::ranges::none_of(dims, [](std::int64_t dim) { return dim < 0; }) || !std::ranges::all_of(dims, is_single))
    return RuleOutcome::Declined;
  const c10::ScalarType dtype = call.dtype(Dim + 2).value_or(self.scalar_type());
  TORCH_CHECK(at::isFloatingType(dtype) || at::isComplexType(dtype), "norms are of floating point or complex dtypes");
  call.add_result(meta_empty(at::sum(self, dims, call.boolean(Dim + 1)).sizes(), c10::toRealValueType(dtype)));
  return RuleOutcome::Done;
}

// std, var, std_mean, var_mean(self, unbiased)
template <int N>
RuleOutcome spread_all(RuleCall& call) {
  spread(call, std::nullopt, false, N);
  return RuleOutcome::Done;
}

// .dim(self, dim, unbiased, keepdim) and .correction(self, dim, correction, keepdim)
template <int N>
RuleOutcome spread_dim(RuleCall& call) {
  const std::vector<std::int64_t> dims = call.integers(1);
  spread(call, dims, call.boolean(3), N);
  return RuleOutcome::Done;
}

// multi_margin_loss(self, target, p, margin, weight, reduction): a target without dims returns a loss without dims.
RuleOutcome multi_margin_loss(RuleCall& call) {
  const at::Tensor& target = call.tensor(1);
  const bool whole = call.integer(5) != 0;
  call.add_result(meta_empty(whole ? at::IntArrayRef() : target.sizes(), call.tensor(0).scalar_type()));
  return RuleOutcome::Done;
}

// multilabel_margin_loss, multilabel_margin_loss_forward(self, target, reduction): one sample returns a loss without
// dims, but LibTorch's own meta version returns a vector.
template <bool Marks>
RuleOutcome multilabel_margin_loss(RuleCall& call) {
  const at::Tensor &self = call.tensor(0), &target = call.tensor(1);
  if (target.dim() > 1 || self.numel() != target.numel()) return RuleOutcome::Declined;
  call.add_result(meta_empty({}, self.scalar_type()));
  if (Marks) call.add_result(meta_empty(target.sizes(), self.scalar_type()));
  return RuleOutcome::Done;
}

// binary_cross_entropy_with_logits(self, target, weight, pos_weight, reduction): LibTorch computes it in the memory of
// 1 - target.
RuleOutcome cross_entropy_with_logits(RuleCall& call) {
  const at::Tensor& target = call.tensor(1);
  call.add_result(meta_empty(call.integer(4) != 0 ? at::IntArrayRef() : target.sizes(), target.scalar_type()));
  return RuleOutcome::Done;
}

// cross_entropy_loss, nll_loss_nd, nll_loss2d(self, target, ...): LibTorch's own meta version accepts a smaller target
// for an image.
RuleOutcome loss_of_image(RuleCall& call) {
  const at::Tensor &self = call.tensor(0), &target = call.tensor(1);
  if (self.dim() == 4 && target.dim() == 3)
    TORCH_CHECK(self.sizes().slice(2) == target.sizes().slice(1), "size mismatch (got input: ", self.sizes(),
                ", target: ", target.sizes(), ")");
  return RuleOutcome::Declined;
}

// huber_loss, soft_margin_loss(self, target, reduction, ...): LibTorch computes them in a tensor of self's dtype.
RuleOutcome loss_like_self(RuleCall& call) {
  const at::Tensor& self = call.tensor(0);
  const std::vector<std::int64_t> sizes = at::infer_size(self.sizes(), call.tensor(1).sizes());
  call.add_result(meta_empty(call.integer(2) != 0 ? at::IntArrayRef() : at::IntArrayRef(sizes), self.scalar_type()));
  return RuleOutcome::Done;
}

}  // namespace

std::span<const NamedRule> reduction_rules() {
  static constexpr std::array rules = {
      NamedRule{"aten::binary_cross_entropy_with_logits", cross_entropy_with_logits},
      NamedRule{"aten::cross_entropy_loss", loss_of_image},
      NamedRule{"aten::ctc_loss", ctc_loss},
      NamedRule{"aten::huber_loss", loss_like_self},
      NamedRule{"aten::linalg_norm", norm<2>},
      NamedRule{"aten::linalg_vector_norm", norm<2>},
      NamedRule{"aten::max", extreme},
      NamedRule{"aten::multi_margin_loss", multi_margin_loss},
      NamedRule{"aten::multilabel_margin_loss", multilabel_margin_loss<false>},
      NamedRule{"aten::multilabel_margin_loss_forward", multilabel_margin_loss<true>},
      NamedRule{"aten::min", extreme},
      NamedRule{"aten::nanmean", sum_without_nan},
      NamedRule{"aten::nansum", sum_without_nan},
      NamedRule{"aten::nll_loss2d", loss_of_image},
      NamedRule{"aten::nll_loss2d_forward", loss_of_image},
      NamedRule{"aten::nll_loss_nd", loss_of_image},
      NamedRule{"aten::prod", prod},
      NamedRule{"aten::soft_margin_loss", loss_like_self},
      NamedRule{"aten::std", spread_all<1>},
      NamedRule{"aten::var", spread_all<1>},
      NamedRule{"aten::std_mean", spread_all<2>},
      NamedRule{"aten::var_mean", spread_all<2>},
      NamedRule{"aten::isin.Scalar_Tensor", is_number_in},
      NamedRule{"aten::cholesky", cholesky},
      NamedRule{"aten::frobenius_norm.dim", norm<1>},
      NamedRule{"aten::norm.ScalarOpt_dim", norm<2>},
      NamedRule{"aten::norm.ScalarOpt_dim_dtype", norm<2>},
      NamedRule{"aten::std.dim", spread_dim<1>},
      NamedRule{"aten::var.dim", spread_dim<1>},
      NamedRule{"aten::std_mean.dim", spread_dim<2>},
      NamedRule{"aten::var_mean.dim", spread_dim<2>},
      NamedRule{"aten::std.correction", spread_dim<1>},
      NamedRule{"aten::var.correction", spread_dim<1>},
      NamedRule{"aten::std_mean.correction", spread_dim<2>},
      NamedRule{"aten::var_mean.correction", spread_dim<2>},
  };
  return rules;
}

}  // namespace tonnx::torch
