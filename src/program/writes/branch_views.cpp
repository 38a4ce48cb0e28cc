// Replaces an operator that returns a view at some dynamic sizes and a copy at others by an If on these sizes, if its
// input or result is written to.
//
// Needs the attributes "view_symbols", the symbols that decide, and "view_cases", the cases in which the result is a
// view: a bit for each symbol, set if its size is 1. Marks the copies with "shares_memory" for AliasForest:
//
//   %r = aten::reshape(%v, %sizes)           %s = aten::size(%x, 0)
//                                            %c = aten::eq(%s, 1)
//                                            %r = prim::If(%c)
//                                              block0: %a = aten::reshape[shares_memory = 1](%v, %sizes)
//                                              block1: %b = aten::reshape[shares_memory = 0](%v, %sizes)
#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "aten/traits.h"
#include "program/control/branch_per_value.h"
#include "program/edit.h"
#include "program/nodes_where.h"
#include "program/references/alias.h"
#include "program/writes/passes.h"

namespace tonnx::program {

using ir::Node;
using ir::Value;

namespace {

constexpr const char* kSymbols = "view_symbols";
constexpr const char* kCases = "view_cases";

// A tensor and its axis of this size: the first input of the node, or an input of the graph; null: none.
std::pair<Value*, std::int64_t> axis_of(const Node& node, const std::string& symbol) {
  const ir::Dim wanted = ir::Dim::symbol(symbol);
  std::vector<Value*> tensors = {node.input()};
  tensors.insert(tensors.end(), node.graph().inputs().begin(), node.graph().inputs().end());
  for (Value* tensor : tensors) {
    const auto& dims = tensor->facts().dims;
    for (std::size_t axis = 0; dims && axis < dims->size(); ++axis)
      if ((*dims)[axis].same(wanted)) return {tensor, static_cast<std::int64_t>(axis)};
  }
  return {nullptr, 0};
}

class DynamicView {
 public:
  explicit DynamicView(Node& node) : node_(node), insert_(&node) {}

  bool run() {
    const auto& symbols = *node_.attribute_as<std::vector<std::string>>(kSymbols);
    std::vector<std::pair<Value*, std::int64_t>> axes;
    for (const std::string& symbol : symbols) {
      axes.push_back(axis_of(node_, symbol));
      if (!axes.back().first) return false;
    }
    for (const auto& [input, axis] : axes) {
      Value* size = insert_.call("aten::size.int", {input, insert_.integer(axis)});
      is_one_.push_back(insert_.call("aten::eq.int", {size, insert_.integer(1)}));
    }
    Value* is_view = nullptr;
    for (const std::int64_t bits : *node_.attribute_as<std::vector<std::int64_t>>(kCases)) {
      Value* condition = is_case(bits);
      is_view = is_view ? insert_.call("aten::__or__.bool", {is_view, condition}) : condition;
    }
    branch(is_view);
    return true;
  }

 private:
  Value* is_case(std::int64_t bits) {
    Value* all = nullptr;
    for (std::size_t i = 0; i < is_one_.size(); ++i) {
      Value* condition = bits >> i & 1 ? is_one_[i] : insert_.call("aten::__not__", {is_one_[i]});
      all = all ? insert_.call("aten::__and__.bool", {all, condition}) : condition;
    }
    return all;
  }

  void branch(Value* condition) {
    const auto variant = [&](Inserter& inside, std::int64_t shares) -> std::vector<Value*> {
      if (shares && aten::traits_of(node_).alias == aten::Alias::SometimesSame) return {node_.input()};
      ValueMap none;
      Node* copy = copy_node(node_, none);
      copy->remove_attribute(kSymbols);
      copy->remove_attribute(kCases);
      copy->set_attribute("shares_memory", shares);
      inside.insert(copy);
      return {copy->output()};
    };
    const std::vector<Value*> results =
        branch_per_candidate(insert_, node_, Selector::by_flag(condition), 2,
                             [&](Inserter& inside, std::size_t k) { return variant(inside, k == 0 ? 1 : 0); });
    node_.output()->replace_uses(results.front());
    node_.erase();
  }

  Node& node_;
  Inserter insert_;
  std::vector<Value*> is_one_;
};

}  // namespace

bool branch_views(ir::Graph& graph) {
  std::vector<Node*> views = nodes_where(graph, [&](const Node* node) { return node->attribute(kCases); });
  if (views.empty()) return false;
  AliasForest forest(graph);
  std::unordered_set<const Value*> written;  // roots that may be an alias of a written root
  const auto is_written = [&](Value* value) {
    const Value* root = forest.root(value);
    return forest.is_written(root) || written.contains(root);
  };
  std::vector<Node*> affected;
  for (bool changed = true; std::exchange(changed, false);) {
    for (Node*& node : views) {
      if (!node || (!is_written(node->input()) && !is_written(node->output()))) continue;
      written.insert({forest.root(node->input()), forest.root(node->output())});
      affected.push_back(std::exchange(node, nullptr));
      changed = true;
    }
  }
  return std::ranges::count_if(affected, [](Node* node) { return DynamicView(*node).run(); }) > 0;
}

}  // namespace tonnx::program
