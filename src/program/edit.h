#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <string_view>
#include <unordered_map>

#include "ir/graph.h"

namespace tonnx::program {

// Inserts new nodes at one position of a block, with `location`. Cheap to create.
class Inserter {
 public:
  explicit Inserter(ir::Node* before) : block_(before->parent()), before_(before), location_(before->location()) {}
  // After a node, with the location of the next node, or of the node itself if it is the last.
  static Inserter after(ir::Node& node) {
    return node.next() ? Inserter(node.next()) : Inserter(node.parent(), node.location());
  }
  // Before the first node of a block, with its location; `otherwise` is the location in an empty block.
  static Inserter at_start(ir::Block& block, ir::Location otherwise) {
    return block.first() ? Inserter(block.first()) : Inserter(&block, std::move(otherwise));
  }
  // At the end of a block.
  Inserter(ir::Block* block, ir::Location location) : block_(block), location_(std::move(location)) {}

  void set_location(ir::Location location) { location_ = std::move(location); }

  ir::Value* constant(ir::Constant constant);
  ir::Value* none() { return constant({ir::Constant::None{}}); }
  ir::Value* integer(std::int64_t v) { return constant({v}); }
  ir::Value* boolean(bool v) { return constant({v}); }
  ir::Value* integers(std::span<const std::int64_t> values);
  // Maps an index of `count` items, negative ones included, to [0, count). The model stops at an invalid index, as the
  // program does, but only if the result is used; below opset 11 it accepts [-2 * count, -count).
  ir::Value* normalised_index(ir::Value* index, std::int64_t count);
  // Returns a copy of the value, a tensor or a scalar. The model stops if the index is neither 0 nor -1.
  ir::Value* only_item(ir::Value* value, ir::Value* index);
  // Returns a bool: true if `first` is true, false if `second` is. The model stops if both are false.
  ir::Value* first_of(ir::Value* first, ir::Value* second);

  // Inserts an operator by its full name ("aten::add.Tensor"); missing trailing arguments get their defaults. Returns
  // its output, or null if it has none. Throws Error(Code::Internal) if there is no such operator.
  ir::Value* call(std::string_view full_name, std::span<ir::Value* const> inputs);
  ir::Value* call(std::string_view full_name, std::initializer_list<ir::Value*> inputs) {
    return call(full_name, std::span<ir::Value* const>(inputs.begin(), inputs.size()));
  }
  ir::Value* list(ir::Type type, std::span<ir::Value* const> items);
  ir::Value* tuple(ir::Type type, std::span<ir::Value* const> items);
  ir::Value* dict(ir::Type type, std::span<ir::Value* const> entries);
  // An undefined value (is_never()), which no run may read.
  ir::Value* never(ir::Type type) { return container("prim::Uninitialized", std::move(type), {}); }
  // 0, 0.0 or False, by the type.
  ir::Value* zero(const ir::Type& type);
  // Inserts an If. `yes` and `no` insert the nodes of their branch and return its result, which has `type`. If both
  // return null, the If has no result, and branch() returns null.
  using Side = std::function<ir::Value*(Inserter&)>;
  ir::Value* branch(ir::Value* condition, const ir::Type& type, const Side& yes, const Side& no);
  // The same for two existing values.
  ir::Value* either(ir::Value* condition, const ir::Type& type, ir::Value* yes, ir::Value* no);
  void insert(ir::Node* node);

 private:
  ir::Value* container(std::string kind, ir::Type type, std::span<ir::Value* const> items);

  ir::Block* block_;
  ir::Node* before_ = nullptr;  // null: at the end
  ir::Location location_;
};

using ValueMap = std::unordered_map<const ir::Value*, ir::Value*>;

// Copies `node` with its blocks; the copy is not inserted. Replaces inputs by `map`, and adds the outputs to it.
ir::Node* copy_node(const ir::Node& node, ValueMap& map);
// The same for a node of another graph; `map` must contain every value that it reads.
ir::Node* copy_node(const ir::Node& node, ValueMap& map, ir::Graph& to);

// Creates the node that unpacks a tuple, or a list of `count` items. It is not inserted.
ir::Node* make_unpack(ir::Value* tuple);
ir::Node* make_unpack(ir::Value* list, std::size_t count);

// Sets the type of `to` to that of `from`, and its facts except for the constant. Constants have facts of their own.
void copy_shape(const ir::Value& from, ir::Value& to);

// True if the value is undefined: the result of prim::Uninitialized.
bool is_never(const ir::Value* value);

// Moves all nodes of `block` before `node`, in order; block inputs must be unused or replaced by the caller.
void splice_before(ir::Block& block, ir::Node* node);

}  // namespace tonnx::program
