// What gives a view at some open sizes and a copy at others, and is written to or made of what is, becomes a branch on
// these sizes.
//
// Needs the attributes "view_symbols" and "view_cases": the symbols that decide, and a bit a symbol, set where it is 1,
// of each case in which there is a view. Leaves the two ways told apart, so that branch_chosen_tensors() can follow
// them:
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

// The tensor among what the node reads first and the graph's inputs, and its axis, that has this size; null where there
// is none.
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

class OpenView {
 public:
  explicit OpenView(Node& node) : node_(node), insert_(&node) {}

  bool run() {
    const auto& symbols = *node_.attribute_as<std::vector<std::string>>(kSymbols);
    std::vector<std::pair<Value*, std::int64_t>> axes;
    for (const std::string& symbol : symbols) {
      axes.push_back(axis_of(node_, symbol));
      if (!axes.back().first) return false;
    }
    for (const auto& [input, axis] : axes) {
      Value* size = insert_.call("aten::size.int", {input, insert_.integer(axis)});
      single_.push_back(insert_.call("aten::eq.int", {size, insert_.integer(1)}));
    }
    Value* is_view = nullptr;
    for (const std::int64_t which : *node_.attribute_as<std::vector<std::int64_t>>(kCases)) {
      Value* one = is_case(which);
      is_view = is_view ? insert_.call("aten::__or__.bool", {is_view, one}) : one;
    }
    branch(is_view);
    return true;
  }

 private:
  Value* is_case(std::int64_t which) {
    Value* all = nullptr;
    for (std::size_t i = 0; i < single_.size(); ++i) {
      Value* one = which >> i & 1 ? single_[i] : insert_.call("aten::__not__", {single_[i]});
      all = all ? insert_.call("aten::__and__.bool", {all, one}) : one;
    }
    return all;
  }

  void branch(Value* condition) {
    const auto form = [&](Inserter& inside, std::int64_t shares) -> std::vector<Value*> {
      if (shares && aten::traits_of(node_).alias == aten::Alias::SometimesSame) return {node_.input()};
      ValueMap none;
      Node* way = copy_node(node_, none);
      way->remove_attribute(kSymbols);
      way->remove_attribute(kCases);
      way->set_attribute("shares_memory", shares);
      inside.insert(way);
      return {way->output()};
    };
    const std::vector<Value*> results = branch_like(
        insert_, node_, condition, [&](Inserter& inside) { return form(inside, 1); },
        [&](Inserter& inside) { return form(inside, 0); });
    node_.output()->replace_uses(results.front());
    node_.erase();
  }

  Node& node_;
  Inserter insert_;
  std::vector<Value*> single_;
};

}  // namespace

bool branch_views(ir::Graph& graph) {
  std::vector<Node*> open = nodes_where(graph, [&](const Node* node) { return node->attribute(kCases); });
  if (open.empty()) return false;
  AliasForest forest(graph);
  std::unordered_set<const Value*> written;  // roots, and those that may be one with them
  const auto is_written = [&](Value* value) {
    const Value* root = forest.root(value);
    return forest.is_written(root) || written.contains(root);
  };
  std::vector<Node*> chosen;
  for (bool changed = true; std::exchange(changed, false);) {
    for (Node*& node : open) {
      if (!node || (!is_written(node->input()) && !is_written(node->output()))) continue;
      written.insert({forest.root(node->input()), forest.root(node->output())});
      chosen.push_back(std::exchange(node, nullptr));
      changed = true;
    }
  }
  return std::ranges::count_if(chosen, [](Node* node) { return OpenView(*node).run(); }) > 0;
}

}  // namespace tonnx::program
