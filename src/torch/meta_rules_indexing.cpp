// Reads and writes by index for which LibTorch has no meta kernel.
#include <array>

#include <ATen/ops/empty_like.h>
#include <ATen/ops/index.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/nonzero.h>
#include <ATen/ops/slice.h>
#include <ATen/ops/tensor_split.h>

#include "torch/meta_rule.h"

namespace tonnx::torch {
namespace {

bool is_mask(const at::Tensor& index) {
  return index.defined() && (index.scalar_type() == at::kBool || index.scalar_type() == at::kByte);
}

// Number of elements that the masks among the indices select, as determined by the other indices; 1 if unknown.
std::int64_t count_beside(c10::ArrayRef<c10::IValue> indices) {
  std::int64_t count = 1;
  for (const c10::IValue& item : indices) {
    if (item.isNone()) continue;
    const at::Tensor index = item.toTensor();
    if (index.defined() && !is_mask(index) && index.dim() > 0) count = std::max(count, index.size(-1));
  }
  return count;
}

// index(self, indices). A mask is equivalent to the indices of its true elements; their count is known if its content
// is.
RuleOutcome index(RuleCall& call) {
  const at::Tensor& self = call.tensor(0);
  const auto indices = call[1].toListRef();
  const auto originals = call.original(1).toListRef();
  const std::int64_t beside = count_beside(indices);
  std::vector<at::Tensor> plain;
  RuleOutcome outcome = RuleOutcome::Done;
  bool masked = false;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const at::Tensor index = indices[i].isNone() ? at::Tensor() : indices[i].toTensor();
    if (!is_mask(index)) {
      plain.push_back(index);
      continue;
    }
    masked = true;
    const auto at_dim = static_cast<std::int64_t>(plain.size());
    for (std::int64_t d = 0; d < index.dim(); ++d) {
      TORCH_CHECK_INDEX(at_dim + d < self.dim() && index.size(d) == self.size(at_dim + d), "The shape of the mask ",
                        index.sizes(), " at index ", d, " does not match the shape of the indexed tensor ",
                        self.sizes(), " at index ", at_dim + d);
    }
    const at::Tensor& original = originals[i].toTensor();
    std::int64_t count = std::min<std::int64_t>(2, index.numel());
    if (original.is_cpu()) {
      count = at::nonzero(original).size(0);
    } else if (beside > 1) {
      count = beside;
    } else {
      outcome = RuleOutcome::DataDependent;
    }
    for (std::int64_t d = 0; d < index.dim(); ++d) plain.push_back(meta_empty({count}, at::kLong));
  }
  if (!masked) return RuleOutcome::Declined;
  c10::List<std::optional<at::Tensor>> list;
  for (const at::Tensor& item : plain) list.push_back(item.defined() ? std::optional(item) : std::nullopt);
  call.add_result(at::index(self, list));
  return outcome;
}

// segment_reduce(data, reduce, lengths, indices, offsets, axis, ...): the axis is replaced by the segments.
RuleOutcome segment_reduce(RuleCall& call) {
  const at::Tensor& data = call.tensor(0);
  const bool by_lengths = !call.is_none(2);
  std::vector<std::int64_t> sizes = call.tensor(by_lengths ? 2 : 4).sizes().vec();
  TORCH_CHECK(!sizes.empty(), "segment_reduce: lengths or offsets must have an axis");
  if (!by_lengths) --sizes.back();
  TORCH_CHECK(data.dim() > 0, "segment_reduce: data must have an axis");
  const std::int64_t axis = wrap_dim(call.integer(5), data.dim());
  sizes.insert(sizes.end(), data.sizes().begin() + axis + 1, data.sizes().end());
  call.add_result(meta_empty(sizes, data.scalar_type()));
  return RuleOutcome::Done;
}

// index_put(self, indices, values, accumulate): masks do not need a count.
RuleOutcome index_put(RuleCall& call) {
  call.add_result(at::empty_like(call.tensor(0)));
  return RuleOutcome::Done;
}

// embedding(weight, indices, ...)
RuleOutcome embedding(RuleCall& call) {
  const at::Tensor& weight = call.tensor(0);
  const at::Tensor& indices = call.tensor(1);
  TORCH_CHECK(weight.dim() == 2, "'weight' must be 2-D");
  TORCH_CHECK(indices.scalar_type() == at::kLong || indices.scalar_type() == at::kInt,
              "Expected tensor for argument #1 'indices' with one of the following scalar types: Long, Int; but got ",
              indices.scalar_type(), " instead");
  std::vector<std::int64_t> sizes = indices.sizes().vec();
  sizes.push_back(weight.size(1));
  call.add_result(meta_empty(sizes, weight.scalar_type()));
  return RuleOutcome::Done;
}

// index_select(self, dim, index)
RuleOutcome index_select(RuleCall& call) {
  const at::Tensor& self = call.tensor(0);
  const at::Tensor& index = call.tensor(2);
  const std::int64_t dim = wrap_dim(call.integer(1), self.dim());
  TORCH_CHECK_INDEX(index.dim() <= 1, "index_select(): Index is supposed to be a vector");
  TORCH_CHECK(index.scalar_type() == at::kLong || index.scalar_type() == at::kInt,
              "index_select(): Expected dtype int32 or int64 for index");
  std::vector<std::int64_t> sizes = self.sizes().vec();
  if (!sizes.empty()) sizes[static_cast<std::size_t>(dim)] = index.numel();
  call.add_result(meta_empty(sizes, self.scalar_type()));
  return RuleOutcome::Done;
}

// take(self, index)
RuleOutcome take(RuleCall& call) {
  TORCH_CHECK(call.tensor(1).scalar_type() == at::kLong, "take(): Expected a long tensor for index, but got ",
              call.tensor(1).scalar_type());
  call.add_result(meta_empty(call.tensor(1).sizes(), call.tensor(0).scalar_type()));
  return RuleOutcome::Done;
}

// flip(self, dims)
RuleOutcome flip(RuleCall& call) {
  for (const std::int64_t dim : call.integers(1)) wrap_dim(dim, call.tensor(0).dim());
  call.add_result(at::empty_like(call.tensor(0)));
  return RuleOutcome::Done;
}

// roll(self, shifts, dims)
RuleOutcome roll(RuleCall& call) {
  const at::Tensor& self = call.tensor(0);
  const auto dims = call.integers(2);
  const auto shifts = call.integers(1);
  for (const std::int64_t dim : dims) wrap_dim(dim, self.dim());
  TORCH_CHECK(dims.size() == shifts.size() || (dims.empty() && shifts.size() == 1),
              "shifts and dimensions must align. shifts: ", shifts.size(), ", dims:", dims.size());
  call.add_result(meta_empty(self.sizes(), self.scalar_type()));
  return RuleOutcome::Done;
}

// bucketize(self, boundaries, out_int32, right)
RuleOutcome bucketize(RuleCall& call) {
  if (!call[0].isTensor()) return RuleOutcome::Declined;
  TORCH_CHECK(call.tensor(1).dim() == 1, "boundaries tensor must be 1 dimension, but got dim(", call.tensor(1).dim(),
              ")");
  call.add_result(meta_empty(call.tensor(0).sizes(), call.boolean(2) ? at::kInt : at::kLong));
  return RuleOutcome::Done;
}

// searchsorted(sorted_sequence, self, out_int32, right, side, sorter)
RuleOutcome searchsorted(RuleCall& call) {
  if (!call[1].isTensor()) return RuleOutcome::Declined;
  const at::Tensor& sorted = call.tensor(0);
  const at::Tensor& values = call.tensor(1);
  const auto leading = [](const at::Tensor& t) { return t.sizes().slice(0, static_cast<std::size_t>(t.dim() - 1)); };
  TORCH_CHECK(sorted.dim() == 1 || (values.dim() == sorted.dim() && leading(values) == leading(sorted)),
              "boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor and input "
              "value tensor must match, but we got boundaries tensor ",
              sorted.sizes(), " and input value tensor ", values.sizes());
  call.add_result(meta_empty(values.sizes(), call.boolean(2) ? at::kInt : at::kLong));
  return RuleOutcome::Done;
}

// narrow(self, dim, start, length) with a tensor as start: its value does not affect the sizes.
RuleOutcome narrow(RuleCall& call) {
  const at::Tensor& start = call.original(2).toTensor();
  call.add_result(
      at::narrow(call.tensor(0), call.integer(1), start.is_cpu() ? start.item<std::int64_t>() : 0, call.integer(3)));
  return RuleOutcome::Done;
}

// tensor_split(self, tensor_indices_or_sections, dim): the number of pieces is known only with the indices.
RuleOutcome tensor_split(RuleCall& call) {
  const at::Tensor& places = call.original(1).toTensor();
  TORCH_CHECK_NOT_IMPLEMENTED(places.is_cpu(), "tensor_split: tensor_indices_or_sections must be a constant");
  call.add_result(at::tensor_split(call.tensor(0), places, call.integer(2)));
  return RuleOutcome::Done;
}

// select_scatter(self, src, dim, index), slice_scatter(self, src, dim, start, end, step): LibTorch's meta kernels
// accept a source of any size.
RuleOutcome select_scatter(RuleCall& call) {
  const at::Tensor& self = call.tensor(0);
  TORCH_CHECK(self.dim() > 0, "select_scatter() cannot be applied to a tensor without axes");
  std::vector<std::int64_t> sizes = self.sizes().vec();
  sizes.erase(sizes.begin() + wrap_dim(call.integer(2), self.dim()));
  TORCH_CHECK(call.tensor(1).sizes() == sizes,
              "expected src to have a size equal to the slice of self. src size = ", call.tensor(1).sizes(),
              ", slice size = ", at::IntArrayRef(sizes));
  return RuleOutcome::Declined;
}

RuleOutcome slice_scatter(RuleCall& call) {
  const auto place = [&](std::size_t i) { return call.is_none(i) ? std::nullopt : std::optional(call.integer(i)); };
  const at::Tensor slice = at::slice(call.tensor(0), call.integer(2), place(3), place(4), call.integer(5));
  TORCH_CHECK(call.tensor(1).sizes() == slice.sizes(),
              "expected src to have a size equal to the slice of self. src size = ", call.tensor(1).sizes(),
              ", slice size = ", slice.sizes());
  return RuleOutcome::Declined;
}

}  // namespace

std::span<const NamedRule> indexing_rules() {
  static constexpr std::array rules = {
      NamedRule{"aten::index.Tensor", index},
      NamedRule{"aten::index.Tensor_hacked_twin", index},
      NamedRule{"aten::index_put", index_put},
      NamedRule{"aten::index_put_", itself},
      NamedRule{"aten::_index_put_impl_", itself},
      NamedRule{"aten::embedding", embedding},
      NamedRule{"aten::index_select", index_select},
      NamedRule{"aten::narrow.Tensor", narrow},
      NamedRule{"aten::tensor_split.tensor_indices_or_sections", tensor_split},
      NamedRule{"aten::select_scatter", select_scatter},
      NamedRule{"aten::slice_scatter", slice_scatter},
      NamedRule{"aten::take", take},
      NamedRule{"aten::flip", flip},
      NamedRule{"aten::roll", roll},
      NamedRule{"aten::segment_reduce", segment_reduce},
      NamedRule{"aten::bucketize", bucketize},
      NamedRule{"aten::searchsorted", searchsorted},
  };
  return rules;
}

}  // namespace tonnx::torch
