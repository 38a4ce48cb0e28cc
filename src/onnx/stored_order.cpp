#include "onnx/stored_order.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "onnx/stored_operators.h"

namespace tonnx::onnx {
namespace {

struct Stored {
  ir::Tensor tensor;
  std::vector<std::int64_t> perm;  // the Transpose that produces the weight
};

std::optional<Stored> stored_order(const ir::Tensor& weight, std::uint64_t least) {
  if (weight.bytes() < least || weight.is_contiguous()) return std::nullopt;
  if (weight.storage->path().empty() && !is_folded_from_file(weight)) return std::nullopt;
  std::vector<std::size_t> axes(weight.dims.size());
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  std::ranges::stable_sort(axes, std::ranges::greater(), [&](std::size_t axis) { return weight.strides[axis]; });
  Stored out{weight, std::vector<std::int64_t>(axes.size())};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    out.tensor.dims[i] = weight.dims[axes[i]];
    out.tensor.strides[i] = weight.strides[axes[i]];
    out.perm[axes[i]] = static_cast<std::int64_t>(i);
  }
  if (!out.tensor.is_contiguous()) return std::nullopt;
  return out;
}

}  // namespace

std::unique_ptr<ir::Graph> as_stored(const ir::Graph& graph, std::uint64_t least) {
  const auto reordered = [least](const ir::Value* weight) {
    return stored_order(*weight->weight(), least).has_value();
  };
  if (!has_folded_weights(graph, least) && std::ranges::none_of(graph.weights(), reordered)) return nullptr;
  std::unique_ptr<ir::Graph> copy = graph.clone();
  restore_normalisations(*copy, least);
  for (ir::Value* weight : copy->weights()) {
    std::optional<Stored> stored = stored_order(*weight->weight(), least);
    if (!stored) continue;
    ir::Node* transpose = copy->create("onnx::Transpose", {});
    transpose->set_attribute("perm", stored->perm);
    transpose->output()->set_type(weight->type());
    transpose->output()->set_facts(weight->facts());
    weight->replace_uses(transpose->output());
    transpose->add_input(weight);
    copy->block().prepend(transpose);
    weight->facts().dims = std::vector<ir::Dim>(stored->tensor.dims.begin(), stored->tensor.dims.end());
    weight->set_weight(std::move(stored->tensor));
  }
  restore_operators(*copy, least);  // after the loop, which turned transposed views of results into Transpose nodes
  return copy;
}

}  // namespace tonnx::onnx
