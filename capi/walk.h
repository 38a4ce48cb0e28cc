#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "handles.h"

namespace tonnx::capi {

// The handles of the graphs, nodes and values of a program or a model, created on first use. An object has one handle,
// which lives as long as this. Several threads may use it.
class Walk {
 public:
  // `opset`: of a model; 0 for a program.
  Walk(std::shared_ptr<const ir::Graph> graph, std::int32_t opset) : graph_(std::move(graph)), opset_(opset) {}
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;

  // Null for null.
  const tonnx_graph* of(const ir::Block* block) const;
  const tonnx_node* of(const ir::Node* node) const;
  const tonnx_value* of(const ir::Value* value) const;

  const ir::Graph& graph() const { return *graph_; }
  std::int32_t opset() const { return opset_; }

 private:
  const std::shared_ptr<const ir::Graph> graph_;
  const std::int32_t opset_;
  mutable std::mutex mutex_;  // guards all below
  mutable std::unordered_map<const ir::Block*, std::shared_ptr<tonnx_graph>> graphs_;
  mutable std::unordered_map<const ir::Node*, std::unique_ptr<tonnx_node>> nodes_;
  mutable std::unordered_map<const ir::Value*, std::unique_ptr<tonnx_value>> values_;
};

}  // namespace tonnx::capi
