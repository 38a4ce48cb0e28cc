#include "aten/size_checks.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "aten/containers.h"
#include "ir/constant_facts.h"
#include "ir/text.h"

namespace tonnx::aten {

namespace {

const std::unordered_set<std::string_view>& unchecked() {
  static const std::unordered_set<std::string_view> table = {
      "prim::RaiseException",  // not exported
      "aten::expand",          // Expand broadcasts both ways
      "aten::expand_as",
      "aten::bmm",  // MatMul broadcasts
      "aten::baddbmm",
      "aten::pad",  // ranges that are cut off or repeated are clamped to the axis
      "aten::constant_pad_nd",
      "aten::_pad_circular",
      "aten::group_norm",  // groups of unequal sizes
      "aten::native_group_norm",
  };
  return table;
}

// If no window fits, the result of the model is empty. ONNX Runtime refuses an axis of size 0, as LibTorch does.
bool is_pool(const ir::Node& node) {
  static const std::unordered_set<std::string_view> table = {
      "aten::max_pool1d",
      "aten::max_pool2d",
      "aten::max_pool3d",
      "aten::max_pool1d_with_indices",
      "aten::max_pool2d_with_indices",
      "aten::max_pool3d_with_indices",
      "aten::avg_pool1d",
      "aten::avg_pool2d",
      "aten::avg_pool3d",
  };
  return table.contains(node.kind());
}

// True for a write of another tensor (x[1:3] = y): LibTorch does not broadcast the tensor that it writes to, but the
// model, which has no writes, does.
bool may_broadcast_target(const ir::Node& node) {
  const auto is_tensor = [](const ir::Value* v) { return v && v->type().is(ir::Type::Kind::Tensor); };
  return node.is_writing() && std::ranges::count_if(node.inputs(), is_tensor) > 1;
}

// True for a convolution whose kernel is larger than the padding of a map of size 0. Convolutions of other dtypes than
// float32 and float16 are lowered without Conv.
bool refuses_empty_maps(const ir::Node& node) {
  static const std::unordered_set<std::string_view> table = {"aten::_convolution", "aten::_convolution_mode",
                                                             "aten::conv1d",       "aten::conv2d",
                                                             "aten::conv3d",       "aten::convolution"};
  if (!table.contains(node.kind())) return false;
  const auto argument = [&](const char* name) { return node.schema() ? node.input(name) : nullptr; };
  const ir::Value *transposed = argument("transposed"), *weight = argument("weight"), *padding = argument("padding");
  if (transposed && ir::constant_truth(transposed).value_or(true)) return false;
  const ir::DType dtype = node.input(0)->facts().dtype;
  const auto kernel = weight ? weight->facts().fixed_dims() : std::nullopt;
  if ((dtype != ir::DType::Float32 && dtype != ir::DType::Float16) || !kernel || kernel->size() < 3) return false;
  if (padding && ir::constant_text(padding)) return true;  // "same" and "valid"
  const auto pads = padding ? constant_integers(padding) : std::nullopt;
  if (!pads || pads->empty()) return false;
  for (std::size_t i = 2; i < kernel->size(); ++i)
    if (2 * (*pads)[pads->size() == 1 ? 0 : i - 2] >= (*kernel)[i]) return false;
  return true;
}

}  // namespace

bool infers_size(const ir::Node& node) {
  return node.is("aten::view") || node.is("aten::reshape") || node.is("aten::_unsafe_view");
}

bool asserts_condition(std::string_view name) {
  static const std::unordered_set<std::string_view> table = {"aten::_assert_async", "aten::_assert_scalar",
                                                             "aten::_functional_assert_async",
                                                             "aten::_functional_assert_scalar"};
  return table.contains(name);
}

std::string unchecked_condition(const std::string& site, const std::string& message, bool is_assumed) {
  std::string text = ir::first_line(message);
  // torch.export adds the name of the node, which differs between two checks of one bound.
  text.resize(std::min(text.size(), text.find(" on node '")));
  return site + ": the program fails where its condition does not hold" + (text.empty() ? "" : " (" + text + ")") +
         "; the model does not check this" +
         (is_assumed ? ", and assumes the condition in its sizes and constants" : "");
}

bool selects_elements(const ir::Node& node) {
  static const std::unordered_set<std::string_view> table = {
      "aten::_unique", "aten::_unique2",      "aten::argwhere",           "aten::index", "aten::masked_select",
      "aten::nonzero", "aten::nonzero_numpy", "aten::unique_consecutive", "aten::where", "torchvision::nms"};
  return table.contains(node.kind());
}

bool runtime_checks_sizes(const ir::Node& node) {
  if (may_broadcast_target(node) || is_pool(node)) return false;
  if (!unchecked().contains(node.kind())) return true;
  const ir::Value* mode = node.is("aten::pad") ? node.input("mode") : nullptr;
  const std::string* text = mode ? ir::constant_text(mode) : nullptr;
  return text && *text == "reflect";
}

bool runtime_checks_empty(const ir::Node& node) {
  static const std::unordered_set<std::string_view> checked = {
      "aten::add",    "aten::sub",  // sizes that do not broadcast
      "aten::mul",    "aten::div",    "aten::mm",   "aten::matmul",
      "aten::linear", "aten::addmm",  "aten::amax", "aten::amin",  // the lowerings of these check for elements
      "aten::argmax", "aten::argmin", "aten::max",  "aten::min",
      "aten::select",  // an index out of range
  };
  if (is_pool(node)) return constant_integers(node.input("kernel_size")).has_value();  // else one window is a reduction
  if (refuses_empty_maps(node)) return true;
  return checked.contains(node.kind()) && !may_broadcast_target(node);
}

}  // namespace tonnx::aten
