#include "lower/missing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "lower/elementwise.h"
#include "lower/known.h"

namespace tonnx::lower {
namespace {

// A constant of more elements is a table or a weight.
constexpr std::int64_t kFewElements = 4096;

bool holds_nan(const ir::Tensor& t) {
  if (t.numel() > kFewElements) return false;
  for (std::int64_t i = 0; i < t.numel(); ++i)
    if (std::isnan(t.as_double(i))) return true;
  return false;
}

bool mixes_by_weights(const ir::Node& node) {
  static constexpr std::string_view kLayers[] = {
      "onnx::Conv", "onnx::ConvTranspose", "onnx::MatMul", "onnx::Gemm", "onnx::LSTM", "onnx::GRU", "onnx::RNN",
      "onnx::BatchNormalization", "onnx::InstanceNormalization", "onnx::LayerNormalization", "onnx::GroupNormalization",
      "onnx::RMSNormalization", "onnx::DequantizeLinear"};
  return std::find(std::begin(kLayers), std::end(kLayers), node.kind()) != std::end(kLayers);
}

// Weights and what is made of them alone; the walk is short, for few nodes stand between a weight and its layer.
bool is_of_weights(const Value* x) {
  for (int steps = 0; x && steps < 6; ++steps) {
    if (x->weight()) return true;
    if (const ir::Tensor* t = known_tensor(x)) return t->numel() > 1;
    if (!x->node() || x->node()->input_count() == 0) return false;
    x = x->node()->input(0);
  }
  return false;
}

bool is_layer(const ir::Node& node) {
  if (!mixes_by_weights(node)) return false;
  return std::any_of(node.inputs().begin(), node.inputs().end(), [](const Value* v) { return v && is_of_weights(v); });
}

// Of Where(IsNaN(v), x, v) what can be NaN: x; else null.
const Value* chosen_for_nan(const ir::Node& node) {
  if (!node.is("onnx::Where")) return nullptr;
  const ir::Node* condition = node.input(0)->node();
  return condition && condition->is("onnx::IsNaN") && condition->input(0) == node.input(2) ? node.input(1) : nullptr;
}

Value* flags(Builder& b, Value* x) { return b.cast(is_nan(b, x), DType::Int32); }

}  // namespace

bool may_hold_nan(const Value* x) {
  std::vector<const Value*> open{x};
  std::unordered_set<const Value*> seen;
  while (!open.empty()) {
    const Value* v = open.back();
    open.pop_back();
    if (!v || !ir::is_floating(v->facts().dtype) || !seen.insert(v).second || v->weight()) continue;
    if (const ir::Tensor* t = known_tensor(v)) {
      if (holds_nan(*t)) return true;
      continue;
    }
    const ir::Node* node = v->node();
    if (!node || node->is("prim::Param") || !node->blocks().empty()) return true;
    if (is_layer(*node)) continue;
    if (const Value* other = chosen_for_nan(*node)) {
      open.push_back(other);
      continue;
    }
    for (const Value* input : node->inputs()) {
      if (input && input->facts().dtype == DType::Undefined) return true;
      open.push_back(input);
    }
  }
  return false;
}

Value* any_nan(Op& op, Value* x, const ReducedAxes& r) {
  return op->cast(reduce(op, "ReduceMax", flags(op.builder(), x), r), DType::Bool);
}

Value* reduce_extreme(Op& op, std::string_view name, Value* x, const ReducedAxes& r) {
  Value* y = reduce(op, name, x, r);
  if (!may_hold_nan(x) || (x->facts().has_rank() && x->facts().rank() == 0)) return y;
  return op->where(any_nan(op, x, r), op->scalar_like(y, std::numeric_limits<double>::quiet_NaN()), y);
}

Value* place_of_extreme(Op& op, std::string_view name, Value* x, std::int64_t axis, bool keep) {
  const Attributes attributes{{"axis", axis}, {"keepdims", std::int64_t{keep}}};
  Value* place = op->op(name, {x}, attributes);
  if (!may_hold_nan(x)) return place;
  Value* first = op->op("ArgMax", {flags(op.builder(), x)}, attributes);
  return op->where(any_nan(op, x, {{axis}, false, keep}), first, place);
}

Value* ordering_key(Builder& b, Value* x) {
  if (!may_hold_nan(x)) return x;
  Value* missing = is_nan(b, x);
  const bool is_double = x->facts().dtype == DType::Float64;
  Value* wide = b.cast(x, DType::Float64);
  // Above every float32, and below infinity, which NaN becomes.
  Value* bounded = minimum(b, wide, b.scalar_like(wide, is_double ? std::numeric_limits<double>::max() : 1e300));
  return b.where(missing, b.scalar_like(wide, std::numeric_limits<double>::infinity()), bounded);
}

}  // namespace tonnx::lower
