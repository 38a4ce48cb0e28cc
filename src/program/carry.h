#pragma once

#include "ir/graph.h"
#include "program/edit.h"

// Results of Ifs and loop-carried values, added after those that a node has.
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

}  // namespace tonnx::program
