// Graphs, nodes and values that can be read: those of a symbolic and those of contents.
#ifndef TONNX_SWIG_READER_H
#define TONNX_SWIG_READER_H

#include <map>
#include <mutex>
#include <stdint.h>
#include <string>
#include <vector>

#include "tonnx.hpp"
#include "values.h"

namespace tonnx::managed {

#ifndef SWIG
// Numbers of objects: -1 for an absent one, else in order of appearance. Several threads may use it.
template <class Item>
class Numbers {
 public:
  explicit Numbers(std::vector<Item> first, const char* noun) : noun_(noun) {
    for (const Item& item : first) append(item);
  }
  int32_t keep(const Item& item) {
    if (!item.get()) return -1;
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto known = numbers_.find(item.get());
    return known == numbers_.end() ? append(item) : known->second;
  }
  std::vector<int32_t> keep(const std::vector<Item>& items) {
    std::vector<int32_t> numbers;
    for (const Item& item : items) numbers.push_back(keep(item));
    return numbers;
  }
  Item at(int32_t number) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (number < 0 || static_cast<std::size_t>(number) >= items_.size())
      throw tonnx::Error(TONNX_STATUS_ARGUMENT, std::string("unknown ") + noun_);
    return items_[static_cast<std::size_t>(number)];
  }

 private:
  int32_t append(const Item& item) {
    const auto number = static_cast<int32_t>(items_.size());
    numbers_.emplace(item.get(), number);  // an earlier one of the same object stays
    items_.push_back(item);
    return number;
  }

  mutable std::mutex mutex_;
  std::vector<Item> items_;
  std::map<const void*, int32_t> numbers_;
  const char* noun_;
};
#endif

// What a symbolic or contents consist of, by numbers; -1 is absent. Graph 0 is the outermost one, node 0 of a symbolic
// its source operator.
class Reader {
 public:
  // Graphs.
  int32_t opset(int32_t graph) const { return graphs_.at(graph).opset(); }
  std::string graph_name(int32_t graph) const { return graphs_.at(graph).name(); }
  int32_t graph_owner(int32_t graph) {
    const auto owner = graphs_.at(graph).owner();
    return owner ? nodes_.keep(*owner) : -1;
  }
  std::vector<int32_t> graph_nodes(int32_t graph) { return nodes_.keep(graphs_.at(graph).nodes()); }
  std::vector<int32_t> graph_inputs(int32_t graph) { return values_.keep(graphs_.at(graph).inputs()); }
  std::vector<int32_t> graph_outputs(int32_t graph) { return values_.keep(graphs_.at(graph).outputs()); }

  // Nodes.
  std::string operator_name(int32_t node) const { return nodes_.at(node).op(); }
  std::string node_overload(int32_t node) const { return nodes_.at(node).overload(); }
  std::string node_name(int32_t node) const { return nodes_.at(node).name(); }
  std::string node_module(int32_t node) const { return nodes_.at(node).module(); }
  std::string node_source(int32_t node) const { return nodes_.at(node).source(); }
  int32_t node_argument_index(int32_t node, const std::string& name) const {
    return nodes_.at(node).argument_index(name);
  }
  int32_t node_output_count(int32_t node) const { return static_cast<int32_t>(nodes_.at(node).output_count()); }
  int32_t node_output(int32_t node, int32_t index) {
    if (index < 0 || index >= node_output_count(node))
      throw tonnx::Error(TONNX_STATUS_ARGUMENT, "the node has no such output");
    return values_.keep(nodes_.at(node).output(static_cast<std::size_t>(index)));
  }
  std::vector<int32_t> node_outputs(int32_t node) { return values_.keep(nodes_.at(node).outputs()); }
  std::vector<int32_t> node_inputs(int32_t node) { return values_.keep(nodes_.at(node).inputs()); }
  std::vector<int32_t> tensors_first(int32_t node) const {
    std::vector<int32_t> order;
    for (const std::size_t index : nodes_.at(node).tensors_first()) order.push_back(static_cast<int32_t>(index));
    return order;
  }
  std::vector<int32_t> node_attributes(int32_t node) { return values_.keep(nodes_.at(node).attributes()); }
  int32_t node_attribute(int32_t node, const std::string& name) {
    return values_.keep(nodes_.at(node).attribute(name));
  }
  std::vector<int32_t> node_graphs(int32_t node) { return graphs_.keep(nodes_.at(node).graphs()); }
  int32_t node_parent(int32_t node) {
    const auto parent = nodes_.at(node).parent();
    return parent ? graphs_.keep(*parent) : -1;
  }

  // Values.
  std::string value_name(int32_t value) const { return at(value).name(); }
  std::string value_type(int32_t value) const { return at(value).type(); }
  int32_t kind(int32_t value) const { return at(value).kind(); }
  int32_t dtype(int32_t value) const { return at(value).dtype(); }
  bool has_rank(int32_t value) const { return at(value).has_rank(); }
  int32_t rank(int32_t value) const { return static_cast<int32_t>(at(value).rank()); }
  int64_t dim(int32_t value, int32_t axis) const { return at(value).dim(checked_axis(value, axis)); }
  std::string dim_symbol(int32_t value, int32_t axis) const { return at(value).dim_symbol(checked_axis(value, axis)); }
  bool is_none(int32_t value) const { return at(value).is_none(); }
  bool is_constant(int32_t value) const { return at(value).is_constant(); }
  bool requires_grad(int32_t value) const { return at(value).requires_grad(); }
  int64_t to_int(int32_t value) const { return at(value).to_int(); }
  double to_float(int32_t value) const { return at(value).to_float(); }
  bool to_bool(int32_t value) const { return at(value).to_bool(); }
  std::string to_string(int32_t value) const { return at(value).to_string(); }
  std::vector<int64_t> to_ints(int32_t value) const { return at(value).to_ints(); }
  std::vector<double> to_floats(int32_t value) const { return at(value).to_floats(); }
  std::vector<std::string> to_strings(int32_t value) const { return at(value).to_strings(); }
  Tensor* to_tensor(int32_t value) const { return new Tensor(at(value).to_tensor()); }
  std::vector<int32_t> to_list(int32_t value) { return values_.keep(at(value).to_list()); }
  int32_t value_producer(int32_t value) {
    const auto producer = at(value).producer();
    return producer ? nodes_.keep(*producer) : -1;
  }
  // The users and, at the same index, which input of them the value is.
  std::vector<int32_t> value_users(int32_t value) {
    std::vector<int32_t> users;
    for (const Use& use : at(value).uses()) users.push_back(nodes_.keep(use.node));
    return users;
  }
  std::vector<int32_t> value_use_indices(int32_t value) const {
    std::vector<int32_t> indices;
    for (const Use& use : at(value).uses()) indices.push_back(static_cast<int32_t>(use.index));
    return indices;
  }

#ifndef SWIG
  Reader(const Reader&) = delete;

 protected:
  Reader(const Graph& graph, const std::vector<Node>& nodes, const std::vector<Value>& values)
      : graphs_({graph}, "graph"), nodes_(nodes, "node"), values_(values, "value") {}
  ~Reader() = default;

  Value at(int32_t number) const { return number == -1 ? Value() : values_.at(number); }
  std::vector<Value> at(const std::vector<int32_t>& numbers) const {
    std::vector<Value> values;
    for (const int32_t number : numbers) values.push_back(at(number));
    return values;
  }

  Numbers<Graph> graphs_;
  Numbers<Node> nodes_;
  Numbers<Value> values_;

 private:
  std::size_t checked_axis(int32_t value, int32_t axis) const {
    if (axis < 0 || axis >= rank(value)) throw tonnx::Error(TONNX_STATUS_ARGUMENT, "the value has no such axis");
    return static_cast<std::size_t>(axis);
  }
#endif
};

}  // namespace tonnx::managed

#endif
