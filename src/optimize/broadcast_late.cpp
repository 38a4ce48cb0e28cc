#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/onnx_traits.h"
#include "optimize/passes.h"
#include "optimize/reads.h"

namespace tonnx::optimize {
namespace {

using ir::Dim;
using ir::Node;
using ir::Value;
using Sizes = std::vector<Dim>;

bool is_supported(const Node& node) {
  const ir::OnnxTraits& traits = ir::onnx_traits_of(node);
  return traits.elementwise || traits.reduces;
}

// An expanded value, and all values computed from it, before expansion.
class Narrowing {
 public:
  Narrowing(Node& expand, bool declared_sizes, bool short_runs)
      : expand_(expand), declared_sizes_(declared_sizes), short_runs_(short_runs) {}

  bool run() {
    const auto &small = expand_.input(0)->facts().dims, &wide = expand_.output()->facts().dims;
    if (!small || !wide || small->size() != wide->size()) return false;
    for (std::size_t axis = 0; axis < wide->size(); ++axis)
      if (!is_one((*small)[axis]) && !are_same((*small)[axis], (*wide)[axis])) return false;
    if (!add(expand_.output(), *small)) return false;
    for (Node* node = expand_.next(); node && unread_ > 0; node = node->next())
      if (!pass(*node)) return false;
    if (unread_ > 0) return false;
    expand_.output()->replace_uses(expand_.input(0));
    for (const auto& [value, sizes] : narrowed_)
      if (value != expand_.output()) value->facts().dims = sizes;
    return true;
  }

 private:
  static bool is_one(const Dim& dim) { return dim.is_fixed() && dim.size() == 1; }
  bool are_same(const Dim& a, const Dim& b) const { return a.same(b) && (declared_sizes_ || a.is_fixed()); }

  // Returns false if a use needs the expanded value.
  bool add(Value* value, Sizes sizes) {
    for (const ir::Use& use : value->uses())
      if (use.node->parent() != expand_.parent() || !is_supported(*use.node)) return false;
    unread_ += value->uses().size();
    narrowed_.emplace(value, std::move(sizes));
    return true;
  }

  const Sizes* sizes_of(Value* value) const {
    const auto it = narrowed_.find(value);
    if (it != narrowed_.end()) return &it->second;
    return value->facts().dims ? &*value->facts().dims : nullptr;
  }

  bool pass(Node& node) {
    const auto read = std::ranges::count_if(node.inputs(), [&](Value* in) { return in && narrowed_.contains(in); });
    if (read == 0) return true;
    unread_ -= static_cast<std::size_t>(read);
    const auto& wide = node.output()->facts().dims;
    if (!wide) return false;
    const std::optional<Sizes> sizes = ir::onnx_traits_of(node).reduces ? reduced(node, *wide) : broadcast(node, *wide);
    if (!sizes) return false;
    if (!are_alike(*sizes, *wide)) return add(node.output(), *sizes);
    return std::ranges::all_of(node.inputs(),
                               [&](Value* in) { return !in || !narrowed_.contains(in) || is_quick(in, *wide); });
  }

  static bool are_alike(const Sizes& a, const Sizes& b) {
    return std::ranges::equal(a, b, [](const Dim& x, const Dim& y) { return x.same(y); });
  }

  // Defect::ShortBroadcast: elements are broadcast in contiguous runs. For short runs, an Expand and an elementwise
  // operator on equal shapes are faster.
  bool is_quick(Value* operand, const Sizes& wide) const {
    constexpr std::int64_t kRun = 32;
    if (short_runs_) return true;
    if (!are_alike(*operand->facts().dims, wide)) return true;  // broadcast unchanged
    const Sizes& sizes = narrowed_.at(operand);
    std::int64_t run = 1;
    for (std::size_t axis = sizes.size(); axis-- > 0 && run < kRun && sizes[axis].same(wide[axis]);)
      run = sizes[axis].is_fixed() ? run * sizes[axis].size() : kRun;
    return run == 1 || run >= kRun;
  }

  // The narrow sizes of the result. Each axis is 1 in all operands, or has its full size in one of them.
  std::optional<Sizes> broadcast(const Node& node, const Sizes& wide) const {
    Sizes sizes;
    for (std::size_t axis = 0; axis < wide.size(); ++axis) {
      bool is_single = true, is_kept = is_one(wide[axis]);
      for (Value* in : node.inputs()) {
        if (!in) continue;
        const Sizes* operand = sizes_of(in);
        if (!operand || operand->size() > wide.size()) return std::nullopt;
        const std::size_t missing = wide.size() - operand->size();
        if (axis < missing) continue;
        const Dim& size = (*operand)[axis - missing];
        is_single = is_single && is_one(size);
        is_kept = is_kept || are_same(size, wide[axis]);
      }
      if (!is_kept && !is_single) return std::nullopt;
      sizes.push_back(is_kept ? wide[axis] : Dim(1));
    }
    const auto has_rank = [&](Value* in) { return in && sizes_of(in)->size() == wide.size(); };
    if (!std::ranges::any_of(node.inputs(), has_rank)) return std::nullopt;
    return sizes;
  }

  // The sizes of a reduction along axes that are not expanded, which are kept as 1.
  std::optional<Sizes> reduced(const Node& node, const Sizes& wide) const {
    const auto* named = node.attribute_as<std::vector<std::int64_t>>("axes");
    const auto given = node.input_count() > 1 ? constant_ints(node.input(1)) : std::nullopt;
    const Sizes &before = *node.input(0)->facts().dims, &sizes = *sizes_of(node.input(0));
    if ((!named && !given) || integer_of(node, "keepdims", 1) == 0 || before.size() != wide.size()) return std::nullopt;
    Sizes result = sizes;
    for (const std::int64_t axis : named ? *named : *given) {
      const std::size_t at = wrap(axis, sizes.size());
      if (!are_same(sizes[at], before[at])) return std::nullopt;
      result[at] = Dim(1);
    }
    return (named ? named->empty() : given->empty()) ? std::nullopt : std::optional(result);
  }

  Node& expand_;
  bool declared_sizes_;
  bool short_runs_;
  std::unordered_map<Value*, Sizes> narrowed_;
  std::size_t unread_ = 0;
};

bool broadcast_late_in(ir::Block& block, bool declared_sizes, bool short_runs) {
  bool changed = false;
  for (Node* node : block.nodes()) {
    for (ir::Block* inner : node->blocks()) changed = broadcast_late_in(*inner, declared_sizes, short_runs) || changed;
    if (node->is("onnx::Expand") && !node->output()->is_unused())
      changed = Narrowing(*node, declared_sizes, short_runs).run() || changed;
  }
  return changed;
}

}  // namespace

bool broadcast_late(ir::Graph& model, bool declared_sizes, bool short_runs) {
  return broadcast_late_in(model.block(), declared_sizes, short_runs);
}

}  // namespace tonnx::optimize
