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

// The positions of nodes before the program is changed.
using Positions = std::unordered_map<const ir::Node*, std::size_t>;
Positions positions_in(const ir::Graph& graph);

// True if the program changes the shape or storage of a tensor in place. Then a view of it that is created later may
// differ, and two names of it may have different facts.
bool reshapes_in_place(const ir::Graph& graph);

// True if the node only returns a view of its first argument. Created again later, it is the same view.
bool is_view(const ir::Node& node);

// The argument that a value is identical to, because a writing operator returns it (y = x.add_(1) is x); null: none.
ir::Value* written_by(const ir::Value& value);
// The value itself, or what it is after any number of such steps.
ir::Value* written_first(ir::Value* value);

// True if a node for which `counts` holds writes to the tensor by this name or through a view of it.
bool is_written_by_name(const ir::Value& tensor, const std::function<bool(const ir::Node&)>& counts);

// One result of a branch, on each of its paths.
struct Choice {
  // A tensor that can be read after the branch, and the nodes that create the view of it there: each is a view of the
  // one before. `operands` maps their operands.
  ir::Value* base = nullptr;
  std::vector<const ir::Node*> nodes;
  ValueMap operands;
  // Or the result of a nested branch.
  ir::Value* condition = nullptr;
  std::unique_ptr<Choice> paths[2];

  // The tensor, or the view of it.
  ir::Value* insert_into(Inserter& insert) const;
};

// Finds what a path of `branch` yields. A tensor that the path creates becomes a result of the branch, which is read on
// that path only.
class ChoiceMaker {
 public:
  explicit ChoiceMaker(ir::Node& branch) : branch_(branch) {}

  // True if make() can be called. Adds the tensors from before the branch that the result may be, or be a view of.
  bool can_make(ir::Value* result, std::vector<const ir::Value*>& bases) const;
  std::unique_ptr<Choice> make(ir::Value* result) { return make(result, {}); }
  // The tensor that `result` is identical to, because writes on the path return their argument.
  ir::Value* written(ir::Value* result) const;

 private:
  bool is_inside(const ir::Value* value) const { return ir::is_inside(*value->node(), branch_); }
  bool can_export(const ir::Value* value) const;
  bool can_repeat(const ir::Node& node) const;
  ir::Value* step_back(ir::Value* result, std::vector<ir::Node*>& views) const;
  std::unique_ptr<Choice> make(ir::Value* result, std::vector<ir::Node*> views);
  void repeat(ir::Value* operand, Choice& choice);
  ir::Value* export_value(ir::Value* value);

  ir::Node& branch_;
  ValueMap exported_;
};

}  // namespace tonnx::program
