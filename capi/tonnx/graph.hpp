// Graphs, nodes and values: those that a symbolic uses, and those of Contents.
#ifndef TONNX_GRAPH_HPP
#define TONNX_GRAPH_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tonnx/attributes.hpp"

namespace tonnx {

class Node;
struct Use;

// A value inside a symbolic, borrowed from the graph until the symbolic returns, or a value of Contents or of an
// attribute, which can only be read.
class Value {
 public:
  explicit Value(const tonnx_value* value = nullptr) : value_(const_cast<tonnx_value*>(value)) {}

  std::string name() const { return tonnx_value_name(value_); }
  tonnx_kind kind() const { return tonnx_value_kind(value_); }
  std::string type() const { return tonnx_value_type(value_); }  // "Tensor", "int[]"
  tonnx_dtype dtype() const { return tonnx_value_dtype(value_); }
  bool has_rank() const { return tonnx_value_has_rank(value_) != 0; }
  std::size_t rank() const { return tonnx_value_rank(value_); }
  std::int64_t dim(std::size_t axis) const { return tonnx_value_dim(value_, axis); }  // -1: dynamic or unknown
  std::string dim_symbol(std::size_t axis) const { return tonnx_value_dim_symbol(value_, axis); }
  bool is_none() const { return tonnx_value_is_none(value_) != 0; }
  bool is_constant() const { return tonnx_value_is_constant(value_) != 0; }
  // True for an argument or an output of a function (Trace::Function) whose tensor required gradients.
  bool requires_grad() const { return tonnx_value_requires_grad(value_) != 0; }
  std::int64_t to_int() const {
    std::int64_t v = 0;
    detail::call([&](tonnx_error** e) { return tonnx_value_get_int(&v, value_, e); });
    return v;
  }
  double to_float() const {
    double v = 0;
    detail::call([&](tonnx_error** e) { return tonnx_value_get_float(&v, value_, e); });
    return v;
  }
  bool to_bool() const {
    std::int32_t v = 0;
    detail::call([&](tonnx_error** e) { return tonnx_value_get_bool(&v, value_, e); });
    return v != 0;
  }
  std::string to_string() const {
    const char* v = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_value_get_string(&v, value_, e); });
    return v;
  }
  std::vector<std::int64_t> to_ints() const {
    const std::int64_t* v = nullptr;
    std::size_t n = 0;
    detail::call([&](tonnx_error** e) { return tonnx_value_get_ints(&v, &n, value_, e); });
    return {v, v + n};
  }
  std::vector<double> to_floats() const {
    const double* v = nullptr;
    std::size_t n = 0;
    detail::call([&](tonnx_error** e) { return tonnx_value_get_floats(&v, &n, value_, e); });
    return {v, v + n};
  }
  std::vector<std::string> to_strings() const {
    const char* const* v = nullptr;
    std::size_t n = 0;
    detail::call([&](tonnx_error** e) { return tonnx_value_get_strings(&v, &n, value_, e); });
    return {v, v + n};
  }
  Tensor to_tensor() const {
    tonnx_tensor* v = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_value_get_tensor(&v, value_, e); });
    return Tensor(v);
  }
  std::vector<Value> to_list() const {
    tonnx_value* const* v = nullptr;
    std::size_t n = 0;
    detail::call([&](tonnx_error** e) { return tonnx_value_get_list(&v, &n, value_, e); });
    std::vector<Value> items;
    for (std::size_t i = 0; i < n; ++i) items.emplace_back(v[i]);
    return items;
  }
  // Of a value of Contents: the node that computes it, none for inputs and weights; and the nodes that use it. See
  // tonnx_value_use_count.
  std::optional<Node> producer() const;
  std::vector<Use> uses() const;
  void set_type(tonnx_dtype dtype, const std::vector<std::int64_t>& dims) {
    detail::call([&](tonnx_error** e) { return tonnx_value_set_type(value_, dtype, dims.data(), dims.size(), e); });
  }
  void copy_type(const Value& from) {
    detail::call([&](tonnx_error** e) { return tonnx_value_copy_type(value_, from.value_, e); });
  }
  tonnx_value* get() const { return value_; }
  friend bool operator==(const Value& a, const Value& b) { return a.value_ == b.value_; }
  friend bool operator!=(const Value& a, const Value& b) { return a.value_ != b.value_; }

 private:
  tonnx_value* value_;
};

class Graph;

// The source operator inside a symbolic, or a node of Contents.
class Node {
 public:
  explicit Node(const tonnx_node* node) : node_(node) {}
  // The operator: "aten::add"; in a model "Add".
  std::string op() const { return tonnx_node_operator(node_); }
  // The name of a node of a model.
  std::string name() const { return tonnx_node_name(node_); }
  std::string overload() const { return tonnx_node_overload(node_); }
  std::string module() const { return tonnx_node_module(node_); }
  std::string source() const { return tonnx_node_source(node_); }
  // -1 if no argument has this name.
  std::int32_t argument_index(const std::string& name) const { return tonnx_node_argument_index(node_, name.c_str()); }
  std::string argument_name(std::size_t i) const { return tonnx_node_argument_name(node_, i); }
  std::size_t output_count() const { return tonnx_node_output_count(node_); }
  Value output(std::size_t i = 0) const { return Value(tonnx_node_output(node_, i)); }
  std::vector<Value> outputs() const { return all(tonnx_node_output_count, tonnx_node_output); }
  // A value that is_none() is an omitted input.
  std::vector<Value> inputs() const { return all(tonnx_node_input_count, tonnx_node_input); }
  // The indices of the inputs, with tensors and lists of tensors before all others, as in old symbolics of PyTorch.
  std::vector<std::size_t> tensors_first() const {
    const std::size_t* order = nullptr;
    std::size_t count = 0;
    detail::call([&](tonnx_error** e) { return tonnx_node_get_tensors_first(&order, &count, node_, e); });
    return {order, order + count};
  }
  // Attributes with their names, sorted by name, without graphs.
  std::vector<Value> attributes() const {
    std::vector<Value> values;
    for (std::size_t i = 0; i < tonnx_node_attribute_count(node_); ++i)
      values.push_back(attribute(tonnx_node_attribute_name(node_, i)));
    return values;
  }
  // A value that is_none() if the node has no such attribute.
  Value attribute(const std::string& name) const { return Value(tonnx_node_attribute(node_, name.c_str())); }
  // Of a node of Contents: its blocks, and the graph that contains it.
  std::vector<Graph> graphs() const;
  std::optional<Graph> parent() const;
  const tonnx_node* get() const { return node_; }
  friend bool operator==(const Node& a, const Node& b) { return a.node_ == b.node_; }
  friend bool operator!=(const Node& a, const Node& b) { return a.node_ != b.node_; }

 private:
  template <class Count, class At>
  std::vector<Value> all(Count count, At at) const {
    std::vector<Value> values;
    for (std::size_t i = 0; i < count(node_); ++i) values.emplace_back(at(node_, i));
    return values;
  }
  const tonnx_node* node_;
};

// A use of a value: input `index` of a node.
struct Use {
  Node node;
  std::size_t index;
};

// The ONNX graph under construction inside a symbolic, or a graph or block of Contents, which can only be read.
class Graph {
 public:
  explicit Graph(const tonnx_graph* graph) : graph_(const_cast<tonnx_graph*>(graph)) {}

  // Of Contents. The name of a block is that of the attribute, such as "then_branch" or "body"; its owner is the node,
  // such as an If or an operator of another domain.
  std::string name() const { return tonnx_graph_name(graph_); }
  std::optional<Node> owner() const {
    const tonnx_node* node = tonnx_graph_owner(graph_);
    return node ? std::optional<Node>(node) : std::nullopt;
  }
  std::vector<Node> nodes() const { return all<Node>(tonnx_graph_node_count, tonnx_graph_node); }
  std::vector<Value> inputs() const { return all<Value>(tonnx_graph_input_count, tonnx_graph_input); }
  std::vector<Value> outputs() const { return all<Value>(tonnx_graph_output_count, tonnx_graph_output); }

  Value op(const std::string& name, const std::vector<Value>& inputs, const Attributes* attributes = nullptr) {
    return op(name, inputs, attributes, 1).front();
  }
  Value op(const std::string& name, const std::vector<Value>& inputs, const Attributes& attributes) {
    return op(name, inputs, &attributes);
  }
  std::vector<Value> op(const std::string& name, const std::vector<Value>& inputs, const Attributes& attributes,
                        std::size_t outputs) {
    return op(name, inputs, &attributes, outputs);
  }
  std::vector<Value> op(const std::string& name, const std::vector<Value>& inputs, const Attributes* attributes,
                        std::size_t outputs) {
    const std::vector<tonnx_value*> handles = handles_of(inputs);
    std::vector<tonnx_value*> made(outputs);
    detail::call([&](tonnx_error** e) {
      return tonnx_graph_op(made.data(), made.size(), graph_, name.c_str(), handles.data(), handles.size(),
                            attributes ? attributes->get() : nullptr, e);
    });
    std::vector<Value> values;
    for (tonnx_value* v : made) values.emplace_back(v);
    return values;
  }
  Value constant(const Tensor& tensor) {
    tonnx_value* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_graph_constant(&made, graph_, tensor.get(), e); });
    return Value(made);
  }
  Value cast(const Value& value, tonnx_dtype dtype) {
    tonnx_value* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_graph_cast(&made, graph_, value.get(), dtype, e); });
    return Value(made);
  }
  std::int32_t opset() const { return tonnx_graph_opset(graph_); }
  bool is_training() const { return tonnx_graph_is_training(graph_) != 0; }

  // Converts another operator of LibTorch as tonnx itself does: "aten::gelu" or "aten::add.Tensor". `inputs` are its
  // first arguments, `arguments` has further ones by name. See tonnx_graph_call.
  Value call(const std::string& name, const std::vector<Value>& inputs, const Attributes& arguments = {}) {
    return call(name, inputs, arguments, 1).front();
  }
  std::vector<Value> call(const std::string& name, const std::vector<Value>& inputs, const Attributes& arguments,
                          std::size_t outputs) {
    const std::vector<tonnx_value*> handles = handles_of(inputs);
    std::vector<tonnx_value*> made(outputs);
    detail::call([&](tonnx_error** e) {
      return tonnx_graph_call(made.data(), made.size(), graph_, name.c_str(), handles.data(), handles.size(),
                              arguments.get(), e);
    });
    return std::vector<Value>(made.begin(), made.end());
  }
  // A list of tensors, as an argument of call().
  Value list(const std::vector<Value>& values) {
    const std::vector<tonnx_value*> handles = handles_of(values);
    tonnx_value* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_graph_list(&made, graph_, handles.data(), handles.size(), e); });
    return Value(made);
  }

  // Adds a sub-graph: a branch of an If, the body of a Loop, Scan or SequenceMap, or any attribute of an operator of
  // another domain. Add nodes, call set_results(), then Attributes::set_graph. See tonnx_graph_add_subgraph.
  Graph add_subgraph() {
    tonnx_graph* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_graph_add_subgraph(&made, graph_, e); });
    return Graph(made);
  }
  // Adds an input to a sub-graph.
  Value add_input() {
    tonnx_value* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_graph_add_input(&made, graph_, e); });
    return Value(made);
  }
  // Ends a sub-graph. A symbolic returns its own results instead.
  void set_results(const std::vector<Value>& values) {
    const std::vector<tonnx_value*> handles = handles_of(values);
    detail::call([&](tonnx_error** e) { return tonnx_graph_set_results(graph_, handles.data(), handles.size(), e); });
  }
  tonnx_graph* get() const { return graph_; }
  friend bool operator==(const Graph& a, const Graph& b) { return a.graph_ == b.graph_; }
  friend bool operator!=(const Graph& a, const Graph& b) { return a.graph_ != b.graph_; }

 private:
  template <class Item, class Count, class At>
  std::vector<Item> all(Count count, At at) const {
    std::vector<Item> items;
    for (std::size_t i = 0; i < count(graph_); ++i) items.emplace_back(at(graph_, i));
    return items;
  }
  static std::vector<tonnx_value*> handles_of(const std::vector<Value>& values) {
    std::vector<tonnx_value*> handles;
    for (const Value& v : values) handles.push_back(v.get());
    return handles;
  }
  tonnx_graph* graph_;
};

inline std::optional<Node> Value::producer() const {
  const tonnx_node* node = tonnx_value_producer(value_);
  return node ? std::optional<Node>(node) : std::nullopt;
}

inline std::vector<Use> Value::uses() const {
  std::vector<Use> all;
  for (std::size_t i = 0; i < tonnx_value_use_count(value_); ++i)
    all.push_back({Node(tonnx_value_user(value_, i)), tonnx_value_use_index(value_, i)});
  return all;
}

inline std::vector<Graph> Node::graphs() const {
  std::vector<Graph> all;
  for (std::size_t i = 0; i < tonnx_node_graph_count(node_); ++i) all.emplace_back(tonnx_node_graph(node_, i));
  return all;
}

inline std::optional<Graph> Node::parent() const {
  const tonnx_graph* graph = tonnx_node_parent(node_);
  return graph ? std::optional<Graph>(graph) : std::nullopt;
}

inline Attributes& Attributes::set_graph(const std::string& name, const Graph& graph) {
  return run([&](auto* a, auto** e) { return tonnx_attributes_set_graph(a, name.c_str(), graph.get(), e); });
}

inline Attributes& Attributes::set_suffixed(const std::string& suffixed_name, const Value& value) {
  return run(
      [&](auto* a, auto** e) { return tonnx_attributes_set_suffixed(a, suffixed_name.c_str(), value.get(), e); });
}

}  // namespace tonnx

#endif
