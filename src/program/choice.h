#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "ir/control_flow.h"
#include "ir/graph.h"
#include "program/edit.h"

namespace tonnx::program {

// Where nodes stand before the program is changed.
using Positions = std::unordered_map<const ir::Node*, std::size_t>;
Positions positions_in(const ir::Graph& graph);

// Whether anything in the program gives a tensor another shape or other memory in place: a view of it that is made
// later may be another one, and one name of it may have other facts than another.
bool reshapes_in_place(const ir::Graph& graph);

// Whether nothing but a view of its first argument comes of a node; made anew later, it is the same one.
bool is_view(const ir::Node& node);

// The argument that a value is, as what writes to a tensor gives it (y = x.add_(1) is x); null: none.
ir::Value* written_by(const ir::Value& value);

// Whether a node, of those that count, writes to a tensor by this name or by a view that is made of it.
bool is_written_by_name(const ir::Value& tensor, const std::function<bool(const ir::Node&)>& counts);

// What a branch gives as one of its results, on each of its ways.
struct Choice {
  // A tensor that can be read behind the branch, and what makes a view of it there: views, each of the last one, and
  // their operands.
  ir::Value* base = nullptr;
  std::vector<const ir::Node*> nodes;
  ValueMap operands;
  // Or what a branch inside gives.
  ir::Value* condition = nullptr;
  std::unique_ptr<Choice> sides[2];

  // The tensor, or the view of it.
  ir::Value* insert_into(Inserter& insert) const;
};

// Finds what a way of `branch` gives. What it makes is handed out, as a result of the branch that is read on that way
// only.
class ChoiceMaker {
 public:
  explicit ChoiceMaker(ir::Node& branch) : branch_(branch) {}

  // Whether make() can be called; adds the tensors from before the branch that the result may be, or be views of.
  bool can_make(ir::Value* result, std::vector<const ir::Value*>& bases) const;
  std::unique_ptr<Choice> make(ir::Value* result) { return make(result, {}); }
  // The tensor that writes on the way give.
  ir::Value* written(ir::Value* result) const;

 private:
  bool is_inside(const ir::Value* value) const { return ir::is_inside(*value->node(), branch_); }
  bool can_hand_out(const ir::Value* value) const;
  bool can_repeat(const ir::Node& node) const;
  ir::Value* step_back(ir::Value* result, std::vector<ir::Node*>& views) const;
  std::unique_ptr<Choice> make(ir::Value* result, std::vector<ir::Node*> views);
  void repeat(ir::Value* operand, Choice& choice);
  ir::Value* hand_out(ir::Value* value);

  ir::Node& branch_;
  ValueMap handed_out_;
};

}  // namespace tonnx::program
