// Dead-code elimination.
#include "aten/remove_dead.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "aten/traits.h"
#include "ir/value_table.h"
#include "ir/writes.h"

namespace tonnx::aten {

using ir::Block;
using ir::Node;
using ir::Value;
using ir::ValueSet;

namespace {

// A set of nodes of one graph. A node is known by its first result; branches and loops are not, because they may lose
// it.
class NodeSet {
 public:
  bool insert(const Node& node) {
    return has_own_result(node) ? by_result_.insert(*node.output(0)) : others_.insert(&node).second;
  }
  bool contains(const Node& node) const {
    return has_own_result(node) ? by_result_.contains(*node.output(0)) : others_.contains(&node);
  }

 private:
  static bool has_own_result(const Node& node) { return node.output_count() > 0 && node.blocks().empty(); }

  ValueSet by_result_;
  std::unordered_set<const Node*> others_;
};

// Marks live nodes backward from the graph's outputs and from the nodes with side effects.
class Marker {
 public:
  explicit Marker(ir::Graph& graph) : graph_(graph) {
    for_each_node(graph.block(), [&](Node* node) {
      if (has_effect(*node)) keep(node);
    });
    for (Value* out : graph.outputs()) mark(out);
    drain();
  }

  bool sweep() {
    sweep(graph_.block());
    return graph_.remove_unused_weights() || changed_;
  }

 private:
  void mark(Value* value) {
    if (value && live_.insert(*value)) pending_.push_back(value);
  }

  // Marks the node and the nodes around it as live.
  void keep(Node* node) {
    if (!nodes_.insert(*node)) return;
    if (node->is("prim::If")) {
      mark(node->input());
    } else if (node->is("prim::Loop")) {
      mark(node->input(0));
      mark(node->input(1));
      mark(node->block(0)->outputs()[0]);
    } else {
      for (Value* in : node->inputs()) mark(in);
    }
    if (Node* owner = node->parent() ? node->parent()->owner() : nullptr) keep(owner);
  }

  void drain() {
    while (!pending_.empty()) {
      Value* value = pending_.back();
      pending_.pop_back();
      Node* node = value->node();
      if (!node) continue;
      if (node->is("prim::Param")) {
        mark_param(value);
      } else if (node->parent()) {
        keep(node);
        if (node->is("prim::If")) {
          for (const Block* block : node->blocks()) mark(block->outputs()[value->index()]);
        } else if (node->is("prim::Loop")) {
          mark_carried(*node, value->index());
        }
      }
    }
  }

  void mark_carried(Node& loop, std::size_t i) {
    mark(loop.output(i));
    mark(loop.input(i + 2));
    mark(loop.block(0)->inputs()[i + 1]);
    mark(loop.block(0)->outputs()[i + 1]);
  }

  void mark_param(Value* value) {
    const auto owner = params_.find(value);
    if (owner == params_.end()) find_params();
    const auto found = params_.find(value);
    if (found == params_.end()) return;
    keep(found->second);
    if (found->second->is("prim::Loop") && value->index() > 0) mark_carried(*found->second, value->index() - 1);
  }

  void find_params() {
    if (found_params_) return;
    found_params_ = true;
    for_each_node(graph_.block(), [&](Node* node) {
      for (const Block* block : node->blocks())
        for (Value* in : block->inputs()) params_[in] = node;
    });
  }

  void sweep(Block& block) {
    for (Node* node = block.last(); node;) {
      Node* previous = node->previous();
      if (!nodes_.contains(*node)) {
        node->erase();
        changed_ = true;
      } else {
        sweep_outputs(*node);
        for (Block* inner : node->blocks()) sweep(*inner);
      }
      node = previous;
    }
  }

  void sweep_outputs(Node& node) {
    if (node.is("prim::If")) {
      for (std::size_t i = node.output_count(); i-- > 0;) {
        if (live_.contains(*node.output(i))) continue;
        for (Block* block : node.blocks()) block->return_node()->remove_input(i);
        node.remove_output(i);
        changed_ = true;
      }
    } else if (node.is("prim::Loop")) {
      Block& body = *node.block(0);
      for (std::size_t i = node.output_count(); i-- > 0;) {
        if (live_.contains(*node.output(i))) continue;
        body.return_node()->remove_input(i + 1);
        // Its uses in the body are dead; they are erased before the value itself.
        dead_params_.push_back({&body, i + 1});
        node.remove_input(i + 2);
        node.remove_output(i);
        changed_ = true;
      }
      const auto pending = std::move(dead_params_);
      dead_params_.clear();
      if (pending.empty()) return;
      sweep(body);
      for (const auto& [owner, index] : pending) owner->params()->remove_output(index);
    }
  }

  ir::Graph& graph_;
  ValueSet live_;
  NodeSet nodes_;
  std::vector<Value*> pending_;
  std::unordered_map<const Value*, Node*> params_;
  bool found_params_ = false;
  std::vector<std::pair<Block*, std::size_t>> dead_params_;
  bool changed_ = false;
};

}  // namespace

bool has_effect(const Node& node) { return ir::writes(node) || traits_of(node).effect == Effect::Acts; }

bool remove_dead(ir::Graph& graph) { return Marker(graph).sweep(); }

}  // namespace tonnx::aten
