#pragma once

#include <functional>
#include <span>
#include <vector>

#include "ir/graph.h"
#include "program/edit.h"

// Results of Ifs and loop-carried values, appended after the existing ones.
namespace tonnx::program {

// Adds a result of an If: what its blocks return.
ir::Value* add_result(ir::Node& branch, const ir::Type& type, ir::Value* yes, ir::Value* no);

// Adds a result that has the type and the facts of a value of `block`, one of the two, which returns that value. The
// other one returns `otherwise`; null: an undefined value.
ir::Value* add_result_of(ir::Block& block, ir::Value* value, ir::Value* otherwise = nullptr);

// A loop-carried value: its parameter in the body, and its result after the loop.
struct LoopValue {
  ir::Value* inside;
  ir::Value* after;
};

// Adds a loop-carried value. The caller appends its value at the end of an iteration to the outputs of the body, in the
// order of these calls.
LoopValue add_loop_value(ir::Node& loop, const ir::Type& type, ir::Value* start);

// Carries the values of a container that a loop carries, instead of the container: `starts` before the loop, `ends` at
// the end of an iteration. `remake` builds the container again, at the start of the body and after the loop.
using Remake = std::function<ir::Value*(Inserter& insert, const std::vector<ir::Value*>& values)>;
void carry_values(ir::Node& loop, std::size_t index, std::span<ir::Value* const> starts,
                  std::span<ir::Value* const> ends, const Remake& remake);

}  // namespace tonnx::program
