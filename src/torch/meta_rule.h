#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <ATen/core/TensorBody.h>
#include <ATen/core/ivalue.h>

namespace tonnx::torch {

// A call of an operator that a rule evaluates: arguments by schema index; tensors are already meta.
class RuleCall {
 public:
  RuleCall(c10::ArrayRef<c10::IValue> arguments, c10::ArrayRef<c10::IValue> originals,
           std::vector<c10::IValue>& results)
      : arguments_(arguments), originals_(originals), results_(results) {}

  std::size_t size() const { return arguments_.size(); }
  const c10::IValue& operator[](std::size_t i) const { return arguments_[i]; }
  // The argument before conversion to meta: a CPU tensor here has known content.
  const c10::IValue& original(std::size_t i) const { return originals_[i]; }

  bool is_none(std::size_t i) const { return i >= arguments_.size() || arguments_[i].isNone(); }
  const at::Tensor& tensor(std::size_t i) const { return arguments_[i].toTensor(); }
  // Returns the undefined tensor for None.
  at::Tensor optional_tensor(std::size_t i) const { return is_none(i) ? at::Tensor() : arguments_[i].toTensor(); }
  std::vector<at::Tensor> tensors(std::size_t i) const { return arguments_[i].toTensorVector(); }
  std::int64_t integer(std::size_t i) const { return arguments_[i].toInt(); }
  bool boolean(std::size_t i) const { return arguments_[i].toBool(); }
  // An int list, or one int repeated to `count` items; an empty list stays empty.
  std::vector<std::int64_t> integers(std::size_t i, std::size_t count) const;
  // An int list unchanged, a single int as a list of one, None as an empty list.
  std::vector<std::int64_t> integers(std::size_t i) const;
  std::optional<c10::ScalarType> dtype(std::size_t i) const;

  void add_result(c10::IValue value) { results_.push_back(std::move(value)); }

 private:
  c10::ArrayRef<c10::IValue> arguments_;
  c10::ArrayRef<c10::IValue> originals_;
  std::vector<c10::IValue>& results_;
};

enum class RuleOutcome {
  Declined,  // not for these arguments: no results, continue as if there were no rule
  Done,
  DataDependent,
};

// Computes the results of the operator on real tensors: dtype, sizes, strides, and the same object or storage if the
// operator returns its argument or a view. Throws c10::Error for sizes that the operator refuses.
using Rule = RuleOutcome (*)(RuleCall&);

// `name` is "aten::conv2d" for every overload or "aten::conv2d.padding" for one, which takes precedence.
struct NamedRule {
  std::string_view name;
  Rule rule;
};

std::span<const NamedRule> activation_rules();
std::span<const NamedRule> attention_rules();
std::span<const NamedRule> convolution_rules();
std::span<const NamedRule> data_rules();
std::span<const NamedRule> function_rules();
std::span<const NamedRule> indexing_rules();
std::span<const NamedRule> normalisation_rules();
std::span<const NamedRule> pooling_rules();
std::span<const NamedRule> product_rules();
std::span<const NamedRule> quantisation_rules();
std::span<const NamedRule> recurrent_rules();
std::span<const NamedRule> reduction_rules();
std::span<const NamedRule> vision_rules();

// Finds the rule for an operator; null if there is none.
Rule find_rule(std::string_view name, std::string_view overload);

// A rule for operators that write in place and return their first argument.
RuleOutcome itself(RuleCall& call);

// Creates a contiguous (or channels-last) meta tensor.
at::Tensor meta_empty(at::IntArrayRef sizes, c10::ScalarType dtype,
                      c10::MemoryFormat format = c10::MemoryFormat::Contiguous);
// Creates a meta tensor with the sizes, dtype and suggested memory format of `like`.
at::Tensor meta_like(const at::Tensor& like);
// Result of an elementwise kernel on these operands: broadcast sizes, strides as chosen by TensorIterator.
at::Tensor meta_elementwise(std::initializer_list<at::Tensor> operands, c10::ScalarType dtype);
// Converts `dim` to one counted from the front; throws c10::IndexError if it is out of range. A scalar has rank 1 here.
std::int64_t wrap_dim(std::int64_t dim, std::int64_t rank);

}  // namespace tonnx::torch
