#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/attribute.h"
#include "ir/facts.h"
#include "ir/location.h"
#include "ir/schema.h"
#include "ir/type.h"

namespace tonnx::ir {

class Block;
class Graph;
class Node;
class Value;
struct Meaning;  // what src/aten knows about an operator; defined there

// A use of a value: input `index` of `node`. A block's outputs are the inputs of its return node.
struct Use {
  Node* node;
  std::size_t index;
};

// The weight of the program that a model's weight is, or was computed from.
struct Origin {
  std::size_t weight;       // its index among the program's weights, which are in the order of the state dict
  bool is_changed = false;  // in another layout, or computed
};

// A result of a node, an input of a block, or a weight. Owned by its graph; valid until its node is erased.
class Value {
 public:
  std::uint32_t id() const { return id_; }
  // The chosen name; empty until one is set. Writer and printer then use the id.
  const std::string& name() const { return name_; }
  void set_name(std::string name, bool made_up = false) {
    name_ = std::move(name);
    has_made_up_name_ = made_up;
  }
  // True if neither the program nor the user chose the name.
  bool has_made_up_name() const { return has_made_up_name_; }
  const Type& type() const { return type_; }
  void set_type(Type type) { type_ = std::move(type); }
  const Facts& facts() const { return facts_; }
  Facts& facts() { return facts_; }
  void set_facts(Facts facts) { facts_ = std::move(facts); }

  Node* node() const { return node_; }          // the producer; a param or weight node for inputs and weights
  std::size_t index() const { return index_; }  // the index of the output
  std::span<const Use> uses() const { return uses_; }
  bool is_unused() const { return uses_.empty(); }
  const Constant* constant() const { return facts_.constant.get(); }
  // The weight's tensor, or null. Only values made by Graph::add_weight have one.
  const Tensor* weight() const { return weight_.get(); }
  void set_weight(Tensor tensor) { weight_ = std::make_shared<Tensor>(std::move(tensor)); }

  const std::optional<Origin>& origin() const { return origin_; }
  void set_origin(std::optional<Origin> origin) { origin_ = origin; }

  // Replaces every use of this value by `other`.
  void replace_uses(Value* other);

 private:
  friend class Graph;
  friend class Node;
  friend class Block;
  std::uint32_t id_ = 0;
  std::size_t slot_ = 0;  // its index in Graph::values_
  std::size_t index_ = 0;
  Node* node_ = nullptr;
  std::string name_;
  bool has_made_up_name_ = false;
  Type type_;
  Facts facts_;
  std::vector<Use> uses_;
  std::shared_ptr<const Tensor> weight_;
  std::optional<Origin> origin_;
};

// An operator call. `kind` is "domain::name": "aten::add", "prim::If", "onnx::Conv" (the default ONNX domain),
// "custom_domain::Foo". Blocks are the branches of prim::If / onnx::If and the bodies of prim::Loop / onnx::Loop /
// Scan.
class Node {
 public:
  const std::string& kind() const { return kind_; }
  void set_kind(std::string kind) {
    kind_ = std::move(kind);
    set_meaning(nullptr);
  }
  std::string_view domain() const;  // "aten"
  std::string_view op() const;      // "add"
  bool is(std::string_view kind) const { return kind_ == kind; }
  // The schema of an operator of the torch dialect; null for prim:: operators without one and for ONNX nodes.
  const Schema* schema() const { return schema_.get(); }
  const SchemaPtr& schema_ptr() const { return schema_; }
  void set_schema(SchemaPtr schema);
  // True if the schema says that the operator writes to an argument.
  bool is_writing() const { return is_writing_; }
  // "aten::add.Tensor" with a schema, else kind().
  std::string full_name() const { return schema_ ? schema_->full_name() : kind_; }
  // A cache for src/aten, which looks a meaning up once for each node; null if the node has none yet. It lives as long
  // as the process.
  const Meaning* meaning() const { return meaning_.load(std::memory_order_acquire); }
  void set_meaning(const Meaning* meaning) const { meaning_.store(meaning, std::memory_order_release); }
  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  const Location& location() const { return location_; }
  void set_location(Location location) { location_ = std::move(location); }

  std::span<Value* const> inputs() const { return inputs_; }
  Value* input(std::size_t i = 0) const { return inputs_.at(i); }
  std::size_t input_count() const { return inputs_.size(); }
  // The input for a schema argument; null if there is no such argument.
  Value* input(std::string_view argument) const;
  std::span<Value* const> outputs() const { return outputs_; }
  Value* output(std::size_t i = 0) const { return outputs_.at(i); }
  std::size_t output_count() const { return outputs_.size(); }

  // A null value is an absent optional input (ONNX dialect only).
  void add_input(Value* value);
  void set_input(std::size_t i, Value* value);
  void insert_input(std::size_t i, Value* value);
  void remove_input(std::size_t i);
  void remove_inputs();
  Value* add_output();
  // The output must be unused.
  void remove_output(std::size_t i);

  const std::vector<NamedAttribute>& attributes() const { return attributes_; }
  const Attribute* attribute(std::string_view name) const;
  template <class T>
  const T* attribute_as(std::string_view name) const {
    const Attribute* a = attribute(name);
    return a ? std::get_if<T>(a) : nullptr;
  }
  void set_attribute(std::string name, Attribute value);
  void remove_attribute(std::string_view name);

  std::span<Block* const> blocks() const { return blocks_; }
  Block* block(std::size_t i) const { return blocks_.at(i); }
  Block* add_block();
  // Moves a block of another node of this graph to the end of this node's blocks.
  void adopt_block(Block* block);

  Graph& graph() const { return *graph_; }
  Block* parent() const { return parent_; }    // null while not inserted, and for params and return nodes
  Block* edge_of() const { return edge_of_; }  // the block whose params or return node this is; else null
  // The block that contains this node, or whose params or return node it is; null while not inserted.
  Block* home() const { return parent_ ? parent_ : edge_of_; }
  Node* next() const { return next_; }  // null at the block's end
  Node* previous() const { return prev_; }

  void insert_before(Node* other);
  void insert_after(Node* other);
  // Moves this node (with its blocks) before `other`.
  void move_before(Node* other);
  // Removes and frees this node with its blocks; its outputs must be unused.
  void erase();

 private:
  friend class Graph;
  friend class Block;
  friend class Value;
  void drop_use(std::size_t i);
  void record_use(std::size_t i);

  // The members that each walk reads come first.
  Node* next_ = nullptr;
  std::vector<Block*> blocks_;
  std::string kind_;
  mutable std::atomic<const Meaning*> meaning_ = nullptr;
  bool is_writing_ = false;
  SchemaPtr schema_;
  std::vector<Value*> inputs_;
  std::vector<Value*> outputs_;
  std::vector<std::size_t> use_slots_;  // the index of this use in inputs_[i]->uses_
  std::vector<NamedAttribute> attributes_;
  Graph* graph_ = nullptr;
  Block* parent_ = nullptr;
  Block* edge_of_ = nullptr;
  Node* prev_ = nullptr;
  std::size_t slot_ = 0;  // its index in Graph::nodes_
  std::string name_;
  Location location_;
};

// A list of nodes with inputs and outputs; values of enclosing blocks are visible in it.
class Block {
 public:
  std::span<Value* const> inputs() const { return params_->outputs(); }
  std::span<Value* const> outputs() const { return return_->inputs(); }
  Value* add_input() { return params_->add_output(); }
  void add_output(Value* value) { return_->add_input(value); }
  Node* params() const { return params_; }       // its outputs are the block's inputs
  Node* return_node() const { return return_; }  // its inputs are the block's outputs
  Node* first() const { return first_; }         // null if empty
  Node* last() const { return last_; }
  Node* owner() const { return owner_; }  // the If or Loop of this block; null for the graph's own block
  Graph& graph() const { return *graph_; }

  void append(Node* node);
  void prepend(Node* node);

  // for (Node* n : block.nodes()): safe if the body erases n itself or inserts before it.
  class Range;
  Range nodes() const;

 private:
  friend class Graph;
  friend class Node;
  Graph* graph_ = nullptr;
  std::size_t slot_ = 0;  // its index in Graph::blocks_
  Node* owner_ = nullptr;
  Node* params_ = nullptr;
  Node* return_ = nullptr;
  Node* first_ = nullptr;
  Node* last_ = nullptr;
};

class Block::Range {
 public:
  class Iterator {
   public:
    explicit Iterator(Node* n) : node_(n), next_(n ? n->next() : nullptr) {}
    Node* operator*() const { return node_; }
    Iterator& operator++() {
      node_ = next_;
      next_ = node_ ? node_->next() : nullptr;
      return *this;
    }
    bool operator!=(const Iterator& o) const { return node_ != o.node_; }

   private:
    Node* node_;
    Node* next_;
  };
  explicit Range(Node* first) : first_(first) {}
  Iterator begin() const { return Iterator(first_); }
  Iterator end() const { return Iterator(nullptr); }

 private:
  Node* first_;
};

inline Block::Range Block::nodes() const { return Range(first_); }

// A program (torch dialect) or a model (ONNX dialect): one block and the weights it uses. Owns all its nodes and
// values. Not copyable; one thread at a time.
class Graph {
 public:
  Graph();
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  Block& block() const { return *block_; }
  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  std::span<Value* const> inputs() const { return block_->inputs(); }
  std::span<Value* const> outputs() const { return block_->outputs(); }

  // Adds a named weight as a value that every block may use. The name is the state-dict key, or made up.
  Value* add_weight(std::string name, Tensor tensor, bool made_up = false);
  std::span<Value* const> weights() const { return weights_->outputs(); }
  // The value must be unused.
  void remove_weight(Value* weight);
  // Returns whether there were any.
  bool remove_unused_weights();
  // True if a node writes to an argument (Node::is_writing).
  bool has_writing_node() const;

  // A node that is not inserted yet, with `outputs` fresh outputs.
  Node* create(std::string kind, std::span<Value* const> inputs, std::size_t outputs = 1);
  // A prim::Constant (not inserted) whose output has the constant in its facts, and the matching type.
  Node* create_constant(Constant constant);

  // How many values were ever created in this graph.
  std::uint32_t created_values() const { return next_id_; }
  // A copy of this graph; weights share their storage.
  std::unique_ptr<Graph> clone() const;

 private:
  friend class Node;
  friend class Block;
  Value* new_value(Node* node, std::size_t index);
  Node* new_node(std::string kind);
  Block* new_block(Node* owner);
  void free_node(Node* node);
  template <class Owned>
  static Owned* keep(std::vector<Owned*>& all, Owned* owned);
  template <class Owned>
  static void free(std::vector<Owned*>& all, Owned* owned);

  std::string name_;
  std::vector<Node*> nodes_;
  std::vector<Value*> values_;
  std::vector<Block*> blocks_;
  Block* block_ = nullptr;
  Node* weights_ = nullptr;
  std::size_t writing_ = 0;  // how many nodes write to an argument, those that are not inserted included
  std::uint32_t next_id_ = 0;
};

// Calls `visit(Node*)` for every node of the block and of all nested blocks, in program order, outer nodes first.
template <class Visit>
void for_each_node(const Block& block, const Visit& visit) {
  for (Node* node : block.nodes()) {
    const std::vector<Block*> blocks(node->blocks().begin(), node->blocks().end());  // `visit` may erase the node
    visit(node);
    for (const Block* inner : blocks) for_each_node(*inner, visit);
  }
}

// True if `holds(const Node&)` is true for a node of the block or of a nested block. Stops at the first one.
template <class Predicate>
bool any_node(const Block& block, const Predicate& holds) {
  for (const Node* node = block.first(); node; node = node->next()) {
    if (holds(*node)) return true;
    for (const Block* inner : node->blocks())
      if (any_node(*inner, holds)) return true;
  }
  return false;
}

// Throws Error(Code::Internal) unless uses, owners and dominance are consistent; `after` names the pass that ran
// before.
void verify(const Graph& graph, std::string_view after);

}  // namespace tonnx::ir
