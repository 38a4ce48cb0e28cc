#include "torch/meta_rule.h"

#include <string>

#include <ATen/TensorIterator.h>
#include <ATen/WrapDimUtils.h>
#include <ATen/ops/empty.h>

#include "ir/error.h"
#include "torch/rule_table.h"

namespace tonnx::torch {

std::vector<std::int64_t> RuleCall::integers(std::size_t i) const {
  if (is_none(i)) return {};
  if (arguments_[i].isInt()) return {arguments_[i].toInt()};
  return arguments_[i].toIntVector();
}

std::vector<std::int64_t> RuleCall::integers(std::size_t i, std::size_t count) const {
  std::vector<std::int64_t> values = integers(i);
  if (values.size() == 1) values.resize(count, values[0]);
  TORCH_CHECK(values.empty() || values.size() == count, "expected a list of ", count, " ints but got ", values.size());
  return values;
}

std::optional<c10::ScalarType> RuleCall::dtype(std::size_t i) const {
  if (is_none(i)) return std::nullopt;
  return arguments_[i].toScalarType();
}

RuleTable::RuleTable(std::initializer_list<std::span<const NamedRule>> families) {
  for (const auto family : families)
    for (const NamedRule& rule : family)
      if (!by_name_.emplace(rule.name, rule.rule).second)
        throw ir::Error(ir::Code::Internal, "operator " + std::string(rule.name) + " has two rules");
}

Rule RuleTable::find(std::string_view name, std::string_view overload) const {
  if (!overload.empty()) {
    const std::string full = std::string(name) + "." + std::string(overload);
    if (const auto found = by_name_.find(full); found != by_name_.end()) return found->second;
  }
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

Rule find_rule(std::string_view name, std::string_view overload) {
  static const auto& table =
      *new RuleTable({activation_rules(), attention_rules(), convolution_rules(), data_rules(), function_rules(),
                      indexing_rules(), normalisation_rules(), pooling_rules(), product_rules(), quantisation_rules(),
                      recurrent_rules(), reduction_rules(), vision_rules()});
  return table.find(name, overload);
}

RuleOutcome itself(RuleCall& call) {
  call.add_result(call.tensor(0));
  return RuleOutcome::Done;
}

at::Tensor meta_empty(at::IntArrayRef sizes, c10::ScalarType dtype, c10::MemoryFormat format) {
  return at::empty(sizes, at::TensorOptions().dtype(dtype).device(at::kMeta).memory_format(format));
}

at::Tensor meta_like(const at::Tensor& like) {
  return meta_empty(like.sizes(), like.scalar_type(), like.suggest_memory_format());
}

at::Tensor meta_elementwise(std::initializer_list<at::Tensor> operands, c10::ScalarType dtype) {
  at::TensorIteratorConfig config;
  config.set_check_mem_overlap(false)
      .check_all_same_dtype(false)
      .check_all_same_device(false)
      .declare_static_dtype_and_device(dtype, at::kMeta)
      .add_owned_output(at::Tensor());
  for (const at::Tensor& operand : operands) config.add_owned_const_input(operand);
  return config.build().output();
}

std::int64_t wrap_dim(std::int64_t dim, std::int64_t rank) { return at::maybe_wrap_dim(dim, rank); }

}  // namespace tonnx::torch
