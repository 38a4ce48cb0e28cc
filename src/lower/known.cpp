#include "lower/known.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace tonnx::lower {

const ir::Tensor* known_tensor(const ir::Value* value) {
  const ir::Constant* c = value->constant();
  return c ? c->get<ir::Tensor>() : nullptr;
}

std::optional<std::vector<std::int64_t>> known_integers(const ir::Value* value) {
  const ir::Tensor* t = known_tensor(value);
  if (!t || !ir::is_integral(t->dtype)) return std::nullopt;
  return t->to_int64s();
}

std::optional<std::int64_t> known_integer(const ir::Value* value) {
  const auto all = known_integers(value);
  return all && all->size() == 1 ? std::optional(all->front()) : std::nullopt;
}

std::optional<double> known_number(const ir::Value* value) {
  const ir::Tensor* t = known_tensor(value);
  if (!t || t->numel() != 1 || ir::is_complex(t->dtype)) return std::nullopt;
  return t->as_double(0);
}

bool may_be_negative(const ir::Value* numbers) {
  static constexpr std::string_view kOfFirst[] = {"onnx::Gather", "onnx::Identity", "onnx::ReduceProd", "onnx::Reshape",
                                                  "onnx::Slice",  "onnx::Squeeze",  "onnx::Unsqueeze"};
  static constexpr std::string_view kOfAll[] = {"onnx::Add", "onnx::Concat", "onnx::Div", "onnx::Max", "onnx::Min", "onnx::Mul"};
  const auto is_one_of = [](const ir::Node& node, const auto& kinds) { return std::ranges::find(kinds, node.kind()) != std::end(kinds); };
  std::vector<const ir::Value*> open{numbers};
  std::set<const ir::Value*> seen;
  while (!open.empty()) {
    const ir::Value* v = open.back();
    open.pop_back();
    if (!seen.insert(v).second) continue;
    if (const auto known = known_integers(v)) {
      if (std::ranges::any_of(*known, [](std::int64_t n) { return n < 0; })) return true;
      continue;
    }
    const ir::Node* node = v->node();
    if (!node) return true;
    if (node->is("onnx::Shape") || node->is("onnx::Size")) continue;
    if (is_one_of(*node, kOfFirst)) {
      open.push_back(node->input(0));
    } else if (is_one_of(*node, kOfAll)) {
      open.insert(open.end(), node->inputs().begin(), node->inputs().end());
    } else {
      return true;
    }
  }
  return false;
}

bool is_known_empty(const ir::Value* value) {
  const auto& dims = value->facts().dims;
  return dims && std::ranges::any_of(*dims, [](const ir::Dim& dim) { return dim.is_fixed() && dim.size() == 0; });
}

}  // namespace tonnx::lower
