#pragma once

#include <functional>

#include "ir/graph.h"

// The names of a tensor: operators that return what they write to, and views that can be created again.
namespace tonnx::program {

// True if the program changes the shape or storage of a tensor in place. Then a view of it that is created later may
// differ, and two names of it may have different facts.
bool reshapes_in_place(const ir::Graph& graph);

// True if the node only returns a view of its first argument. Created again later, it is the same view.
bool is_view(const ir::Node& node);
// True if the value is a list of integers that nothing changes.
bool is_fixed_list(const ir::Value& value);

// The argument that a value is identical to, because a writing operator returns it (y = x.add_(1) is x); null: none.
ir::Value* written_by(const ir::Value& value);
// The value itself, or what it is after any number of such steps.
ir::Value* written_first(ir::Value* value);

// True if a node for which `counts` holds writes to the tensor by this name or through a view of it.
bool is_written_by_name(const ir::Value& tensor, const std::function<bool(const ir::Node&)>& counts);

}  // namespace tonnx::program
