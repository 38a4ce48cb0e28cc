#include "aten/size_checks.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

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

}  // namespace

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
  static const std::unordered_set<std::string_view> unchecked = {
      "aten::as_strided_scatter",  // ScatterElements ignores the number of updates, Concat adds fewer
      "aten::diagonal_scatter",
      "aten::select_scatter",
      "aten::slice_scatter",
      "aten::cat",    // of a list without items
      "aten::stack",  // the scan output of a Loop without iterations
  };
  return is_pool(node) || (!unchecked.contains(node.kind()) && runtime_checks_sizes(node));
}

}  // namespace tonnx::aten
