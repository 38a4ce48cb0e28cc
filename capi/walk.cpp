#include "walk.h"

#include "guard.h"
#include "ir/control_flow.h"
#include "tonnx/graph.h"

using tonnx::capi::answer;

namespace tonnx::capi {
namespace {

template <class Handles>
auto handle_in(const Handles& handles, typename Handles::key_type object) -> decltype(handles.begin()->second.get()) {
  const auto found = handles.find(object);
  return found == handles.end() ? nullptr : found->second.get();
}

}  // namespace

Walk::Walk(std::shared_ptr<const ir::Graph> graph, std::int32_t opset) : graph_(std::move(graph)), opset_(opset) {
  add(graph_->weights());
  add(graph_->block());
}

void Walk::add(const ir::Block& block) {
  auto made = std::make_shared<tonnx_graph>();
  made->root = nullptr;
  made->walk = this;
  const ir::Node* owner = block.owner();
  made->name = owner ? "" : block.graph().name();
  for (std::size_t i = 0; owner && i < owner->blocks().size(); ++i)
    if (owner->block(i) == &block) made->name = ir::block_name(*owner, i);
  for (ir::Node* node : block.nodes()) made->nodes.push_back(node);
  made->block = block.return_node()->edge_of();
  graphs_[&block] = std::move(made);
  add(block.inputs());
  for (const ir::Node* node : block.nodes()) add(*node);
  add(*block.return_node());
}

void Walk::add(const ir::Node& node) {
  nodes_[&node] = std::make_unique<tonnx_node>(node, this);
  add(node.inputs());
  add(node.outputs());
  for (const ir::Block* block : node.blocks()) add(*block);
}

void Walk::add(std::span<ir::Value* const> values) {
  for (const ir::Value* value : values) {
    if (!value) continue;
    auto& handle = values_[value];
    if (handle) continue;
    handle = std::make_unique<tonnx_value>();
    handle->source = value;
    handle->walk = this;
  }
}

const tonnx_graph* Walk::of(const ir::Block* block) const { return handle_in(graphs_, block); }
const tonnx_node* Walk::of(const ir::Node* node) const { return handle_in(nodes_, node); }
const tonnx_value* Walk::of(const ir::Value* value) const { return handle_in(values_, value); }

}  // namespace tonnx::capi

namespace {

// Returns an item of a span of values as a handle; null beyond its end.
const tonnx_value* handle_at(const tonnx::capi::Walk& walk, std::span<tonnx::ir::Value* const> values, size_t index) {
  return answer(static_cast<const tonnx_value*>(nullptr),
                [&] { return index < values.size() ? walk.of(values[index]) : nullptr; });
}

// A producer or user of a value of contents; null for other values.
const tonnx::ir::Value* walked(const tonnx_value* value) {
  return value && value->walk && !value->attribute ? value->source : nullptr;
}

}  // namespace

const char* tonnx_graph_name(const tonnx_graph* graph) { return graph ? graph->name.c_str() : ""; }

const tonnx_node* tonnx_graph_owner(const tonnx_graph* graph) {
  return answer(static_cast<const tonnx_node*>(nullptr),
                [&] { return graph && graph->walk ? graph->walk->of(graph->block->owner()) : nullptr; });
}

size_t tonnx_graph_node_count(const tonnx_graph* graph) { return graph ? graph->nodes.size() : 0; }

const tonnx_node* tonnx_graph_node(const tonnx_graph* graph, size_t index) {
  return answer(static_cast<const tonnx_node*>(nullptr),
                [&] { return index < tonnx_graph_node_count(graph) ? graph->walk->of(graph->nodes[index]) : nullptr; });
}

size_t tonnx_graph_input_count(const tonnx_graph* graph) {
  return graph && graph->walk ? graph->block->inputs().size() : 0;
}

const tonnx_value* tonnx_graph_input(const tonnx_graph* graph, size_t index) {
  return graph && graph->walk ? handle_at(*graph->walk, graph->block->inputs(), index) : nullptr;
}

size_t tonnx_graph_output_count(const tonnx_graph* graph) {
  return graph && graph->walk ? graph->block->outputs().size() : 0;
}

const tonnx_value* tonnx_graph_output(const tonnx_graph* graph, size_t index) {
  return graph && graph->walk ? handle_at(*graph->walk, graph->block->outputs(), index) : nullptr;
}

const tonnx_node* tonnx_value_producer(const tonnx_value* value) {
  return answer(static_cast<const tonnx_node*>(nullptr), [&] {
    const tonnx::ir::Value* known = walked(value);
    // The nodes of inputs and weights are in no block.
    return known && known->node() && known->node()->parent() ? value->walk->of(known->node()) : nullptr;
  });
}

size_t tonnx_value_use_count(const tonnx_value* value) {
  const tonnx::ir::Value* known = walked(value);
  return known ? known->uses().size() : 0;
}

const tonnx_node* tonnx_value_user(const tonnx_value* value, size_t index) {
  return answer(static_cast<const tonnx_node*>(nullptr), [&] {
    return index < tonnx_value_use_count(value) ? value->walk->of(value->source->uses()[index].node) : nullptr;
  });
}

size_t tonnx_value_use_index(const tonnx_value* value, size_t index) {
  return index < tonnx_value_use_count(value) ? value->source->uses()[index].index : 0;
}
