#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <ATen/core/TensorBody.h>
#include <ATen/core/ivalue.h>

namespace tonnx::torch {

// One call of an operator in the hands of a rule: arguments by their position in the schema, tensors already meta.
class RuleCall {
 public:
  RuleCall(c10::ArrayRef<c10::IValue> arguments, c10::ArrayRef<c10::IValue> originals,
           std::vector<c10::IValue>& results)
      : arguments_(arguments), originals_(originals), results_(results) {}

  std::size_t size() const { return arguments_.size(); }
  const c10::IValue& operator[](std::size_t i) const { return arguments_[i]; }
  // The argument before it was turned to meta: a CPU tensor here has known content.
  const c10::IValue& original(std::size_t i) const { return originals_[i]; }

  bool is_none(std::size_t i) const { return i >= arguments_.size() || arguments_[i].isNone(); }
  const at::Tensor& tensor(std::size_t i) const { return arguments_[i].toTensor(); }
  // The undefined tensor for None.
  at::Tensor optional_tensor(std::size_t i) const { return is_none(i) ? at::Tensor() : arguments_[i].toTensor(); }
  std::vector<at::Tensor> tensors(std::size_t i) const { return arguments_[i].toTensorVector(); }
  std::int64_t integer(std::size_t i) const { return arguments_[i].toInt(); }
  bool boolean(std::size_t i) const { return arguments_[i].toBool(); }
  // An int list, or one int, spread to `count` items; an empty list stays empty.
  std::vector<std::int64_t> integers(std::size_t i, std::size_t count) const;
  // An int list as it is, a single int as a list of one, None as an empty list.
  std::vector<std::int64_t> integers(std::size_t i) const;
  std::optional<c10::ScalarType> dtype(std::size_t i) const;

  void give(c10::IValue value) { results_.push_back(std::move(value)); }

 private:
  c10::ArrayRef<c10::IValue> arguments_;
  c10::ArrayRef<c10::IValue> originals_;
  std::vector<c10::IValue>& results_;
};

enum class RuleOutcome {
  Declined,  // not for these arguments: nothing was given, go on as if there were no rule
  Done,
  DataDependent,
};

// Gives what the operator returns on real tensors: dtype, sizes, strides, and the same object or memory where the
// operator returns its argument or a view. Throws c10::Error on sizes the operator refuses.
using Rule = RuleOutcome (*)(RuleCall&);

// `name` is "aten::conv2d" for every overload or "aten::conv2d.padding" for one, which wins.
struct NamedRule {
  std::string_view name;
  Rule rule;
};

std::span<const NamedRule> activation_rules();
std::span<const NamedRule> attention_rules();
std::span<const NamedRule> convolution_rules();
std::span<const NamedRule> data_rules();
std::span<const NamedRule> indexing_rules();
std::span<const NamedRule> normalisation_rules();
std::span<const NamedRule> pooling_rules();
std::span<const NamedRule> product_rules();
std::span<const NamedRule> quantisation_rules();
std::span<const NamedRule> recurrent_rules();
std::span<const NamedRule> reduction_rules();
std::span<const NamedRule> vision_rules();

// The rule for an operator; null if there is none.
Rule find_rule(std::string_view name, std::string_view overload);

// A rule: writes in place and returns its first argument.
RuleOutcome itself(RuleCall& call);

// Fresh contiguous (or channels-last) meta tensor.
at::Tensor meta_empty(at::IntArrayRef sizes, c10::ScalarType dtype,
                      c10::MemoryFormat format = c10::MemoryFormat::Contiguous);
// Fresh, with the sizes and dtype of `like`, laid out in its suggested memory format.
at::Tensor meta_like(const at::Tensor& like);
// The result of an elementwise kernel over these operands: broadcast sizes, TensorIterator's choice of strides.
at::Tensor meta_elementwise(std::initializer_list<at::Tensor> operands, c10::ScalarType dtype);
// `dim` counted from the front; throws c10::IndexError if it is out of range. A scalar counts as rank 1.
std::int64_t wrap_dim(std::int64_t dim, std::int64_t rank);

}  // namespace tonnx::torch
