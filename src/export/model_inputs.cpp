#include "export/model_inputs.h"

#include <string>

#include "ir/error.h"
#include "ir/text.h"

namespace tonnx::exporting {
namespace {

bool fits(const ir::Tensor& tensor, const ir::Facts& facts) {
  if (facts.dtype != ir::DType::Undefined && tensor.dtype != facts.dtype) return false;
  if (!facts.dims) return true;
  if (facts.dims->size() != tensor.dims.size()) return false;
  for (std::size_t d = 0; d < tensor.dims.size(); ++d)
    if ((*facts.dims)[d].is_fixed() && (*facts.dims)[d].size() != tensor.dims[d]) return false;
  return true;
}

// "float32[batch, 4]"
std::string text_of(ir::DType dtype, std::span<const ir::Dim> dims) {
  return std::string(ir::name_of(dtype)) + "[" +
         ir::comma_list(dims, [](const ir::Dim& dim) { return ir::text_of(dim); }) + "]";
}

}  // namespace

void require_fitting_inputs(const ir::Graph& model, std::span<const ir::Tensor> tensors,
                            std::span<const std::size_t> counts) {
  std::string text;
  std::size_t at = 0;
  for (std::size_t i = 0; i < model.inputs().size(); ++i) {
    const ir::Value* input = model.inputs()[i];
    const std::size_t count = counts.empty() ? 1 : i < counts.size() ? counts[i] : 0;
    if (at + count > tensors.size()) return;  // a wrong count, which the run reports
    for (const ir::Tensor& tensor : tensors.subspan(at, count)) {
      if (input->type().is(ir::Type::Kind::List) || fits(tensor, input->facts())) continue;
      text += (text.empty() ? "" : "; ") + ("input '" + input->name()) + "' is " +
              text_of(tensor.dtype, std::vector<ir::Dim>(tensor.dims.begin(), tensor.dims.end())) +
              ", the model takes " +
              text_of(input->facts().dtype, input->facts().dims.value_or(std::vector<ir::Dim>()));
    }
    at += count;
  }
  if (!text.empty()) throw ir::Error(ir::Code::Argument, text + "; export with dynamic axes, or use inputs that fit");
}

}  // namespace tonnx::exporting
