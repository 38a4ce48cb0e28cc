#include <algorithm>
#include <memory>
#include <utility>

#include "ir/checked.h"
#include "optimize/fold_kernels.h"
#include "optimize/reads.h"

namespace tonnx::optimize {
namespace {

using ir::Tensor;
using Inputs = std::span<const Tensor* const>;

bool is_streamable(const Tensor& operand, const Tensor& whole, std::size_t limit) {
  if (!ir::is_floating(operand.dtype) || ir::is_packed(operand.dtype)) return false;
  if (operand.numel() == whole.numel()) return operand.is_contiguous();
  return operand.bytes() <= limit;
}

// True if the broadcast of both has the sizes of `whole`.
bool broadcasts_to(const Tensor& operand, const Tensor& whole) {
  if (operand.rank() > whole.rank()) return false;
  const std::size_t lead = whole.dims.size() - operand.dims.size();
  for (std::size_t i = 0; i < operand.dims.size(); ++i)
    if (operand.dims[i] != 1 && operand.dims[i] != whole.dims[lead + i]) return false;
  return true;
}

ir::Folded::Operator operator_of(const ir::Node& node, Inputs inputs) {
  ir::Folded::Operator op{std::string(node.kind()), {}, {}};
  for (std::size_t i = 0; i < inputs.size(); ++i)
    op.operands.push_back({inputs[i]->contiguous(), node.input(i)->weight() ? node.input(i)->name() : std::string()});
  for (const char* attribute : {"axis", "to"})
    if (node.attribute(attribute)) op.attributes.emplace_back(attribute, integer_of(node, attribute, 0));
  return op;
}

Tensor result_of(const std::shared_ptr<const ir::Folded>& folded) {
  const std::vector<std::int64_t>& dims = folded->dims();
  return {folded->dtype(), dims, ir::contiguous_strides(dims), 0, folded};
}

std::optional<Tensor> elementwise(const ir::Node& node, Inputs inputs, std::size_t limit) {
  const Tensor& whole =
      **std::ranges::max_element(inputs, {}, [](const Tensor* t) { return std::pair(t->numel(), t->rank()); });
  ir::ElementFunction function = arithmetic_of(node.op());
  if (!function.of_one && !function.of_two) function = function_of(node.op());
  ir::DType dtype = whole.dtype;
  if (node.is("onnx::Cast")) {
    function.of_one = [](double a) { return a; };
    dtype = ir::dtype_from_onnx(static_cast<std::int32_t>(integer_of(node, "to", 0)));
    if (!ir::is_floating(dtype)) return std::nullopt;
  }
  if (inputs.size() == 1 ? !function.of_one : inputs.size() != 2 || !function.of_two) return std::nullopt;
  for (const Tensor* operand : inputs)
    if (operand->dtype != whole.dtype || !broadcasts_to(*operand, whole) || !is_streamable(*operand, whole, limit))
      return std::nullopt;
  return result_of(
      std::make_shared<const ir::FoldedElementwise>(operator_of(node, inputs), dtype, whole.dims, function));
}

std::optional<Tensor> concatenated(const ir::Node& node, Inputs inputs) {
  std::vector<std::int64_t> dims = inputs[0]->dims;
  if (dims.empty() || wrap(integer_of(node, "axis", 0), dims.size()) != 0) return std::nullopt;
  dims[0] = 0;
  for (const Tensor* part : inputs) {
    if (part->dtype != inputs[0]->dtype || part->rank() != inputs[0]->rank() || !part->is_contiguous() ||
        !std::equal(dims.begin() + 1, dims.end(), part->dims.begin() + 1))
      return std::nullopt;
    dims[0] += part->dims[0];
  }
  return result_of(std::make_shared<const ir::FoldedConcat>(operator_of(node, inputs), inputs[0]->dtype, dims));
}

}  // namespace

std::optional<Tensor> fold_streamed(const ir::Node& node, Inputs inputs, std::size_t limit) {
  if (node.domain() != "onnx" || node.output_count() != 1 || inputs.empty()) return std::nullopt;
  if (std::ranges::any_of(inputs, [](const Tensor* t) { return !t; })) return std::nullopt;
  return node.is("onnx::Concat") ? concatenated(node, inputs) : elementwise(node, inputs, limit);
}

}  // namespace tonnx::optimize
