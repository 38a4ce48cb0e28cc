// Operators whose results depend on the data of a tensor. They return a probe: numbers are 1, counts are 2 if the
// tensor is that long.
#include <algorithm>
#include <array>

#include <ATen/ops/nonzero.h>

#include "torch/meta_rule.h"

namespace tonnx::torch {
namespace {

std::int64_t probe_count(std::int64_t limit) { return std::min<std::int64_t>(2, limit); }

// item(self) -> Scalar, and the TorchScript operators of int(x), float(x), bool(x).
RuleOutcome item(RuleCall& call) {
  const at::Tensor& self = call.tensor(0);
  TORCH_CHECK(self.numel() == 1, "a Tensor with ", self.numel(), " elements cannot be converted to Scalar");
  if (self.scalar_type() == at::kBool) {
    call.add_result(true);
  } else if (at::isIntegralType(self.scalar_type(), false)) {
    call.add_result(std::int64_t{1});
  } else if (self.is_complex()) {
    call.add_result(c10::complex<double>(1));
  } else {
    call.add_result(1.0);
  }
  return RuleOutcome::DataDependent;
}

template <class T>
RuleOutcome number(RuleCall& call) {
  const at::Tensor& self = call.tensor(0);
  TORCH_CHECK(self.numel() == 1, "a Tensor with ", self.numel(), " elements cannot be converted to Scalar");
  call.add_result(static_cast<T>(1));
  return RuleOutcome::DataDependent;
}

RuleOutcome truth(RuleCall& call) {
  call.add_result(true);
  return RuleOutcome::DataDependent;
}

// nonzero(self) -> (count, rank): the CPU kernel writes it column by column.
RuleOutcome nonzero(RuleCall& call) {
  const at::Tensor& self = call.tensor(0);
  call.add_result(meta_empty({self.dim(), probe_count(self.numel())}, at::kLong).t());
  return RuleOutcome::DataDependent;
}

// nonzero_numpy(self), where(condition): one tensor per dimension.
RuleOutcome nonzero_list(RuleCall& call) {
  if (call.size() != 1) return RuleOutcome::Declined;
  const at::Tensor& self = call.tensor(0);
  c10::List<at::Tensor> list;
  for (std::int64_t i = 0; i < std::max<std::int64_t>(self.dim(), 1); ++i) {
    list.push_back(meta_empty({probe_count(self.numel())}, at::kLong));
  }
  call.add_result(std::move(list));
  return RuleOutcome::DataDependent;
}

// masked_select(self, mask); a mask of known content has the true size.
RuleOutcome masked_select(RuleCall& call) {
  const at::Tensor both = meta_elementwise({call.tensor(0), call.tensor(1)}, call.tensor(0).scalar_type());
  const at::Tensor& mask = call.original(1).toTensor();
  TORCH_CHECK(mask.scalar_type() == at::kBool, "masked_select: expected BoolTensor for mask");
  const bool known = mask.is_cpu() && mask.sizes() == both.sizes();
  const std::int64_t count = known ? at::nonzero(mask).size(0) : probe_count(both.numel());
  call.add_result(meta_empty({count}, call.tensor(0).scalar_type()));
  return known ? RuleOutcome::Done : RuleOutcome::DataDependent;
}

// _padded_dense_to_jagged_forward(dense, offsets, total_L) -> one tensor with all rows
RuleOutcome padded_to_jagged(RuleCall& call) {
  const at::Tensor& dense = call.tensor(0);
  TORCH_CHECK(dense.dim() >= 2, "_padded_dense_to_jagged_forward: expected a tensor of rank 2 or more");
  std::vector<std::int64_t> sizes = dense.sizes().slice(1).vec();
  const bool has_total = !call.is_none(2);
  sizes[0] = has_total ? call.integer(2) : probe_count(dense.size(0) * dense.size(1));
  call.add_result(meta_empty(sizes, dense.scalar_type()));
  return has_total ? RuleOutcome::Done : RuleOutcome::DataDependent;
}

// _unique2(self, sorted, return_inverse, return_counts) -> (values, inverse, counts)
RuleOutcome unique(RuleCall& call) {
  const at::Tensor& self = call.tensor(0);
  const std::int64_t count = probe_count(self.numel());
  const bool inverse = call.boolean(2);
  const bool counts = call.size() > 3 && call.boolean(3);
  call.add_result(meta_empty({count}, self.scalar_type()));
  call.add_result(inverse ? meta_empty(self.sizes(), at::kLong) : meta_empty({0}, at::kLong));
  if (call.size() > 3) call.add_result(meta_empty({counts ? count : 0}, at::kLong));
  return RuleOutcome::DataDependent;
}

// Inverse and counts are always returned.
void set_unique_dim(RuleCall& call, std::int64_t dim) {
  const at::Tensor& self = call.tensor(0);
  dim = wrap_dim(dim, self.dim());
  std::vector<std::int64_t> sizes = self.sizes().vec();
  const std::int64_t whole = sizes.at(static_cast<std::size_t>(dim));
  const std::int64_t count = probe_count(whole);
  sizes[static_cast<std::size_t>(dim)] = count;
  call.add_result(meta_empty(sizes, self.scalar_type()));
  call.add_result(meta_empty({whole}, at::kLong));
  call.add_result(meta_empty({count}, at::kLong));
}

// unique_dim(self, dim, sorted, return_inverse, return_counts)
RuleOutcome unique_dim(RuleCall& call) {
  set_unique_dim(call, call.integer(1));
  return RuleOutcome::DataDependent;
}

// unique_consecutive(self, return_inverse, return_counts, dim)
RuleOutcome unique_consecutive(RuleCall& call) {
  if (!call.is_none(3)) {
    set_unique_dim(call, call.integer(3));
    return RuleOutcome::DataDependent;
  }
  const bool inverse = call.boolean(1);
  const bool counts = call.boolean(2);
  const at::Tensor& self = call.tensor(0);
  const std::int64_t count = probe_count(self.numel());
  call.add_result(meta_empty({count}, self.scalar_type()));
  call.add_result(inverse ? meta_empty(self.sizes(), at::kLong) : meta_empty({0}, at::kLong));
  call.add_result(meta_empty({counts ? count : 0}, at::kLong));
  return RuleOutcome::DataDependent;
}

// repeat_interleave.Tensor(repeats, *, output_size): number of occurrences of each index
RuleOutcome repeat_interleave(RuleCall& call) {
  const at::Tensor& repeats = call.tensor(0);
  TORCH_CHECK(repeats.dim() == 1, "repeat_interleave only accept 1D vector as repeat");
  const bool known = !call.is_none(1);
  call.add_result(meta_empty({known ? call.integer(1) : probe_count(repeats.size(0))}, repeats.scalar_type()));
  return known ? RuleOutcome::Done : RuleOutcome::DataDependent;
}

// repeat_interleave.self_Tensor(self, repeats, dim, *, output_size)
RuleOutcome repeat_interleave_self(RuleCall& call) {
  const at::Tensor& self = call.tensor(0);
  const at::Tensor& repeats = call.original(1).toTensor();
  TORCH_CHECK(repeats.dim() <= 1, "repeats must be 0-dim or 1-dim tensor");
  std::vector<std::int64_t> sizes = call.is_none(2) ? std::vector<std::int64_t>{self.numel()} : self.sizes().vec();
  const auto dim = static_cast<std::size_t>(call.is_none(2) ? 0 : wrap_dim(call.integer(2), self.dim()));
  if (sizes.empty()) sizes.push_back(1);
  TORCH_CHECK(repeats.numel() == 1 || repeats.size(0) == sizes[dim],
              "repeats must have the same size as input along dim");
  bool known = true;
  if (!call.is_none(3)) {
    sizes[dim] = call.integer(3);
  } else if (repeats.is_cpu()) {
    const std::int64_t total = repeats.sum().item<std::int64_t>();
    sizes[dim] = repeats.numel() == 1 ? total * sizes[dim] : total;
  } else {
    known = false;
    sizes[dim] = probe_count(sizes[dim]);
  }
  call.add_result(meta_empty(sizes, self.scalar_type()));
  return known ? RuleOutcome::Done : RuleOutcome::DataDependent;
}

// bincount(self, weights, minlength)
RuleOutcome bincount(RuleCall& call) {
  const at::Tensor weights = call.optional_tensor(1);
  const std::int64_t count = std::max<std::int64_t>(call.integer(2), 1);
  const auto dtype = !weights.defined() ? at::kLong : weights.scalar_type() == at::kFloat ? at::kFloat : at::kDouble;
  call.add_result(meta_empty({count}, dtype));
  return RuleOutcome::DataDependent;
}

// one_hot(self, num_classes)
RuleOutcome one_hot(RuleCall& call) {
  std::vector<std::int64_t> sizes = call.tensor(0).sizes().vec();
  const std::int64_t classes = call.integer(1);
  TORCH_CHECK(call.tensor(0).scalar_type() == at::kLong,
              "one_hot is only applicable to index tensor of type LongTensor.");
  TORCH_CHECK(classes == -1 || classes > 0 || call.tensor(0).numel() == 0,
              "Class values must be smaller than num_classes.");
  sizes.push_back(classes == -1 ? 2 : classes);
  call.add_result(meta_empty(sizes, at::kLong));
  return classes == -1 ? RuleOutcome::DataDependent : RuleOutcome::Done;
}

// torchvision::nms(boxes, scores, threshold) -> indices
RuleOutcome nms(RuleCall& call) {
  const at::Tensor& boxes = call.tensor(0);
  TORCH_CHECK(boxes.dim() == 2 && boxes.size(1) == 4, "boxes should be a 2d tensor with 4 columns, got ",
              boxes.sizes());
  TORCH_CHECK(call.tensor(1).dim() == 1 && call.tensor(1).size(0) == boxes.size(0),
              "boxes and scores should have same number of elements in dimension 0, got ", boxes.size(0), " and ",
              call.tensor(1).sizes());
  call.add_result(meta_empty({probe_count(boxes.size(0))}, at::kLong));
  return RuleOutcome::DataDependent;
}

// _reshape_from_tensor(self, shape): sizes of known content are the true shape.
RuleOutcome reshape_from_tensor(RuleCall& call) {
  const at::Tensor& self = call.tensor(0);
  const at::Tensor& shape = call.original(1).toTensor();
  TORCH_CHECK(shape.dim() == 1, "shape needs to be a vector");
  if (shape.is_cpu()) {
    const at::Tensor sizes = shape.to(at::kLong).contiguous();
    call.add_result(
        self.reshape(at::IntArrayRef(sizes.const_data_ptr<std::int64_t>(), static_cast<std::size_t>(sizes.numel()))));
    return RuleOutcome::Done;
  }
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(shape.size(0)), 1);
  if (!sizes.empty()) sizes[0] = self.numel();
  call.add_result(self.reshape(sizes));
  return RuleOutcome::DataDependent;
}

}  // namespace

std::span<const NamedRule> data_rules() {
  static constexpr std::array rules = {
      NamedRule{"aten::item", item},
      NamedRule{"aten::_local_scalar_dense", item},
      NamedRule{"aten::ScalarImplicit", item},
      NamedRule{"prim::ImplicitTensorToNum", item},
      NamedRule{"aten::Int.Tensor", number<std::int64_t>},
      NamedRule{"aten::IntImplicit", number<std::int64_t>},
      NamedRule{"aten::Float.Tensor", number<double>},
      NamedRule{"aten::FloatImplicit", number<double>},
      NamedRule{"aten::Bool.Tensor", truth},
      NamedRule{"aten::is_nonzero", truth},
      NamedRule{"aten::equal", truth},
      NamedRule{"aten::allclose", truth},
      NamedRule{"aten::_reshape_from_tensor", reshape_from_tensor},
      NamedRule{"aten::nonzero", nonzero},
      NamedRule{"aten::argwhere", nonzero},
      NamedRule{"aten::nonzero_numpy", nonzero_list},
      NamedRule{"aten::where", nonzero_list},
      NamedRule{"aten::masked_select", masked_select},
      NamedRule{"aten::_padded_dense_to_jagged_forward", padded_to_jagged},
      NamedRule{"aten::_unique", unique},
      NamedRule{"aten::_unique2", unique},
      NamedRule{"aten::unique_dim", unique_dim},
      NamedRule{"aten::unique_consecutive", unique_consecutive},
      NamedRule{"aten::repeat_interleave.Tensor", repeat_interleave},
      NamedRule{"aten::repeat_interleave.self_Tensor", repeat_interleave_self},
      NamedRule{"aten::bincount", bincount},
      NamedRule{"aten::one_hot", one_hot},
      NamedRule{"torchvision::nms", nms},
  };
  return rules;
}

}  // namespace tonnx::torch
