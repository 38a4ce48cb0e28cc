#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>

#include "handles.h"

namespace tonnx::capi {

// The handles of the graphs, nodes and values of a program or a model. An object has one handle, which lives as long as
// this. Several threads may use it.
class Walk {
 public:
  // Creates all handles, because the getters that return them cannot report an error. `opset`: of a model; 0 for a
  // program.
  Walk(std::shared_ptr<const ir::Graph> graph, std::int32_t opset);
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;

  // Null for null, and for what the graph does not contain.
  const tonnx_graph* of(const ir::Block* block) const;
  const tonnx_node* of(const ir::Node* node) const;
  const tonnx_value* of(const ir::Value* value) const;

  const ir::Graph& graph() const { return *graph_; }
  std::int32_t opset() const { return opset_; }

 private:
  void add(const ir::Block& block);
  void add(const ir::Node& node);
  void add(std::span<ir::Value* const> values);

  const std::shared_ptr<const ir::Graph> graph_;
  const std::int32_t opset_;
  std::unordered_map<const ir::Block*, std::shared_ptr<tonnx_graph>> graphs_;
  std::unordered_map<const ir::Node*, std::unique_ptr<tonnx_node>> nodes_;
  std::unordered_map<const ir::Value*, std::unique_ptr<tonnx_value>> values_;
};

}  // namespace tonnx::capi
