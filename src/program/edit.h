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
  // After a node, with the location of what follows it, or its own at the end of a block.
  static Inserter behind(ir::Node& node) {
    return node.next() ? Inserter(node.next()) : Inserter(node.parent(), node.location());
  }
  // Before the first node of a block, with its location, or with `otherwise` in an empty one.
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
  // Normalises an index of `count` items to [0, count). The model stops at an index outside, as the program does; below
  // opset 11 from -2 * count on, and only if the result is used.
  ir::Value* normalised_index(ir::Value* index, std::int64_t count);
  // The value, a tensor or a number. The model stops if the index is neither 0 nor -1.
  ir::Value* only_item(ir::Value* value, ir::Value* index);
  // True if `first` holds, false if `second` does. The model stops if neither does, as the program does.
  ir::Value* first_of(ir::Value* first, ir::Value* second);

  // A node with one output, or without (returns null): an operator by its full name ("aten::add.Tensor"). Trailing
  // arguments that are absent take their defaults.
  ir::Value* call(std::string_view full_name, std::span<ir::Value* const> inputs);
  ir::Value* call(std::string_view full_name, std::initializer_list<ir::Value*> inputs) {
    return call(full_name, std::span<ir::Value* const>(inputs.begin(), inputs.size()));
  }
  ir::Value* list(ir::Type type, std::span<ir::Value* const> items);
  ir::Value* tuple(ir::Type type, std::span<ir::Value* const> items);
  ir::Value* dict(ir::Type type, std::span<ir::Value* const> entries);
  // A value that no run reads: is_never().
  ir::Value* never(ir::Type type) { return container("prim::Uninitialized", std::move(type), {}); }
  // 0 or False, of a number's type.
  ir::Value* zero(const ir::Type& type);
  // A branch with one result of `type`: the value that each side returns after inserting its nodes. If both sides
  // return null, the branch has no result, and null is returned.
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

// A copy of `node` with its blocks, not inserted. Inputs found in `map` are replaced; outputs are entered in it.
ir::Node* copy_node(const ir::Node& node, ValueMap& map);
// The same for a node of another graph; `map` must contain every value that it reads.
ir::Node* copy_node(const ir::Node& node, ValueMap& map, ir::Graph& to);

// Creates the node that unpacks a tuple, or a list of `count` items. It is not inserted.
ir::Node* make_unpack(ir::Value* tuple);
ir::Node* make_unpack(ir::Value* list, std::size_t count);

// Replaces an output that is a tuple or a list by one output for each type, at the same index; `node` may be a block's
// params. Returns the node that builds the tuple or list again for its users. It is not inserted.
ir::Node* split_output(ir::Node& node, std::size_t index, std::span<const ir::Type> types);

// Replaces output `index` of a block, a tuple or a list of `count` items, by its items, at the same index.
void unpack_output(ir::Block& block, std::size_t index, std::size_t count);

// The same for a result of a branch or a loop-carried value, of these types.
void split_carried(ir::Node& node, std::size_t index, std::span<const ir::Type> types);

// True if no run reads the value.
bool is_never(const ir::Value* value);

// Moves all nodes of `block` before `node`, in order; block inputs must be unused or replaced by the caller.
void splice_before(ir::Block& block, ir::Node* node);

}  // namespace tonnx::program
