#include "lower/missing.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "ir/error.h"
#include "ir/onnx_traits.h"
#include "lower/elementwise.h"
#include "lower/emptiness.h"
#include "lower/known.h"
#include "lower/require.h"
#include "lower/sizes.h"

namespace tonnx::lower {
namespace {

// Larger constants are not read: they may contain any value.
constexpr std::int64_t kMostElements = std::int64_t{1} << 22;

using Asked = bool (*)(double element);

// False only if no element is asked for. True as well if there are too many to read, or an archive without weights has
// none of them.
bool may_hold(const ir::Tensor& t, Asked asked) {
  constexpr std::int64_t kAtOnce = 1 << 14;
  if (t.numel() > kMostElements) return true;
  const std::size_t size = ir::size_of(t.dtype);
  std::vector<std::byte> bytes(static_cast<std::size_t>(std::min(t.numel(), kAtOnce)) * size);
  for (std::int64_t begin = 0; begin < t.numel(); begin += kAtOnce) {
    const std::int64_t end = std::min(begin + kAtOnce, t.numel());
    try {
      t.read(begin, end, bytes.data());
    } catch (const ir::Error& error) {
      if (error.code() != ir::Code::Unsupported) throw;
      return true;
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(end - begin); ++i)
      if (asked(ir::load_double(t.dtype, &bytes[i * size]))) return true;
  }
  return false;
}

// True if x is a weight or computed from weights only. At most `steps` nodes are followed; beyond them the answer is
// false, which is safe: the node is not treated as a layer, and its inputs are searched.
bool is_of_weights(const Value* x, int steps = 6) {
  if (!x || steps == 0) return false;
  if (x->weight()) return true;
  if (const ir::Tensor* t = known_tensor(x)) return t->numel() > 1;
  const ir::Node* node = x->node();
  if (!node || node->input_count() == 0 || !node->blocks().empty()) return false;
  const auto inputs = node->inputs();
  return std::any_of(inputs.begin(), inputs.end(), [](const Value* v) { return v && !known_tensor(v); }) &&
         std::all_of(inputs.begin(), inputs.end(),
                     [&](const Value* v) { return !v || known_tensor(v) || is_of_weights(v, steps - 1); });
}

// A bias alone does not make a product a layer.
bool is_layer(const ir::Node& node) {
  if (!ir::onnx_traits_of(node).mixes_by_weights) return false;
  for (std::size_t i = 0; i < 2 && i < node.input_count(); ++i)
    if (is_of_weights(node.input(i))) return true;
  return false;
}

// For Where(IsNaN(v), x, v) returns x, the only possible source of NaN; else null.
const Value* chosen_for_nan(const ir::Node& node) {
  if (!node.is("onnx::Where")) return nullptr;
  const ir::Node* condition = node.input(0)->node();
  return condition && condition->is("onnx::IsNaN") && condition->input(0) == node.input(2) ? node.input(1) : nullptr;
}

Value* flags(Builder& b, Value* x) { return b.cast(is_nan(b, x), DType::Int32); }

// True if the node may return the requested values, for finite or other inputs.
bool may_return(const ir::Node& node, Asked asked) {
  if (node.is("onnx::Log")) return asked(-kInfinity);
  if (node.is("onnx::ConstantOfShape")) {
    const auto* fill = node.attribute_as<ir::Tensor>("value");
    return fill && ir::is_floating(fill->dtype) && may_hold(*fill, asked);
  }
  const double* value = node.is("onnx::Pad") ? node.attribute_as<double>("value") : nullptr;
  return value && asked(*value);
}

// The backward search for the requested values from a value of a model. Every node is visited once for each model, not
// once for each search.
class Search {
 public:
  // `variant` is that of the question among the answers: 0 or 1.
  Search(Builder& b, Asked asked, std::uint32_t variant) : builder_(b), asked_(asked), variant_(variant) {}

  // True if the requested values may occur in x.
  bool run(const Value* x) {
    std::optional<bool> answer = visit({x, true, false});
    while (!path_.empty() && answer != true) {
      Frame& last = path_.back();
      if (last.sources.empty()) {
        answer = false;
        set(last.state, false);
        path_.pop_back();
        continue;
      }
      const State next = last.sources.back();
      last.sources.pop_back();
      answer = visit(next);
    }
    for (const Frame& frame : path_) set(frame.state, true);
    path_.clear();
    return *answer;
  }

 private:
  struct State {
    const Value* value;
    bool reaches;  // a requested value here would reach x: there are no integers in between
    bool made;     // an operator in between may produce NaN
  };
  struct Frame {
    State state;
    std::vector<State> sources;  // to be visited
  };

  std::uint32_t variant(const State& state) const {
    return variant_ * 4 + std::uint32_t{state.reaches} * 2 + std::uint32_t{state.made};
  }
  void set(const State& state, bool answer) { builder_.answers().set(*state.value, variant(state), answer); }

  // Returns the answer for a state, or appends a frame for it if its inputs decide.
  std::optional<bool> visit(State state) {
    if (!state.value) return false;
    state.reaches = state.reaches && ir::is_floating(state.value->facts().dtype);
    if (!state.reaches && !state.made) return false;
    if (const auto known = builder_.answers().find(*state.value, variant(state))) return known;
    std::vector<State> sources;
    const std::optional<bool> answer = answer_here(state, sources);
    if (answer) {
      set(state, *answer);
    } else {
      path_.push_back({state, std::move(sources)});
    }
    return answer;
  }

  std::optional<bool> answer_here(const State& state, std::vector<State>& sources) const {
    const auto& [v, reaches, made] = state;
    if (const ir::Tensor* t = known_content(v, builder_.weights_change()))
      return reaches && ir::is_floating(t->dtype) && may_hold(*t, asked_);
    const ir::Node* node = v->node();
    if (!node || v->weight() || node->is("prim::Param") || !node->blocks().empty()) return true;
    if (is_layer(*node) || ir::onnx_traits_of(*node).integers == ir::Integers::Sizes) return false;
    if (reaches && may_return(*node, asked_)) return true;
    if (const Value* other = chosen_for_nan(*node)) {
      sources.push_back({other, reaches, made});
      return std::nullopt;
    }
    const bool makes = made || (reaches && ir::onnx_traits_of(*node).may_make_nan);
    for (const Value* input : node->inputs()) {
      if (input && input->facts().dtype == DType::Undefined) return true;
      sources.push_back({input, reaches, makes});
    }
    return std::nullopt;
  }

  Builder& builder_;
  const Asked asked_;
  const std::uint32_t variant_;
  std::vector<Frame> path_;
};

}  // namespace

bool may_hold_nan(Builder& b, const Value* x) {
  return Search(b, [](double element) { return std::isnan(element); }, 0).run(x);
}

bool may_hold_nan_or_lowest(Builder& b, const Value* x) {
  return Search(b, [](double element) { return std::isnan(element) || element == -kInfinity; }, 1).run(x);
}

Value* any_nan(Op& op, Value* x, const ReducedAxes& r) {
  return op->cast(reduce(op, "ReduceMax", flags(op.builder(), x), r), DType::Bool);
}

namespace {

// The product of those reduced sizes that may be 0 in a run; null if none may be.
Value* count_if_maybe_none(Op& op, Value* x, const ReducedAxes& r) {
  Builder& b = op.builder();
  const std::int64_t rank = x->facts().has_rank() ? x->facts().rank() : 0;
  Value* count = nullptr;
  std::optional<bool> is_emptied;
  for (std::int64_t axis = 0; axis < rank; ++axis) {
    const bool gone = r.all || std::find(r.axes.begin(), r.axes.end(), axis) != r.axes.end();
    if (!gone || op.is_never_empty(x, axis) || !may_be_emptied(x, axis)) continue;
    if (rank >= 4 && axis >= 2) {
      if (!is_emptied) is_emptied = may_be_emptied(x);
      if (!*is_emptied) continue;
    }
    Value* size = b.size_scalar(x, axis);
    count = count ? b.mul(count, size) : size;
  }
  return count;
}

}  // namespace

Value* has_no_elements(Op& op, Value* x) {
  Value* count = count_if_maybe_none(op, x, {{}, true, false});
  return count ? equal(op.builder(), count, op->int64(0)) : nullptr;
}

Value* require_elements(Op& op, Value* x, const ReducedAxes& r) {
  Value* count = count_if_maybe_none(op, x, r);
  return count ? require(op.builder(), x, less(op.builder(), op->int64(0), count)) : x;
}

Value* reduce_extreme(Op& op, std::string_view name, Value* x, const ReducedAxes& r) {
  Value* y = reduce(op, name, x, r);
  if (!may_hold_nan(op.builder(), x) || (x->facts().has_rank() && x->facts().rank() == 0)) return y;
  return op->where(any_nan(op, x, r), op->scalar_like(y, kNan), y);
}

Value* place_of_extreme(Op& op, std::string_view name, Value* x, std::int64_t axis, bool keep) {
  const Attributes attributes{{"axis", axis}, {"keepdims", std::int64_t{keep}}};
  Value* place = op->op(name, {x}, attributes);
  if (!may_hold_nan(op.builder(), x)) return place;
  Value* first = op->op("ArgMax", {flags(op.builder(), x)}, attributes);
  return op->where(any_nan(op, x, {{axis}, false, keep}), first, place);
}

Value* mean_over(Op& op, Value* x, const ReducedAxes& r) {
  Builder& b = op.builder();
  Value* count = op.opset() < 9 ? nullptr : count_if_maybe_none(op, x, r);
  Value* mean = reduce(op, "ReduceMean", x, r);
  return count ? b.where(equal(b, count, b.int64(0)), b.scalar_like(mean, kNan), mean) : mean;
}

Value* nan_where_empty(Op& op, Value* x) {
  if (!ir::is_floating(op.dtype_of(x)) || op.is_never_empty(x, 0) || op.opset() < 9) return x;
  Value* lacking = op->sub(op->int64s({1}), minimum(op.builder(), op->size(x, 0), op->int64s({1})));
  return op->concat({x, op->constant_of_shape(lacking, op.dtype_of(x), kNan)}, 0);
}

Value* ordering_key(Builder& b, Value* x) {
  if (!may_hold_nan(b, x)) return x;
  Value* missing = is_nan(b, x);
  const bool is_double = x->facts().dtype == DType::Float64;
  Value* wide = b.cast(x, DType::Float64);
  // Above every float32, but below infinity, which replaces NaN.
  Value* bounded = minimum(b, wide, b.scalar_like(wide, is_double ? std::numeric_limits<double>::max() : 1e300));
  return b.where(missing, b.scalar_like(wide, kInfinity), bounded);
}

}  // namespace tonnx::lower
