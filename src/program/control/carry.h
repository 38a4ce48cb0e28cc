#pragma once

#include "ir/graph.h"

// Results of Ifs and loop-carried values. New ones are appended after the existing ones.
namespace tonnx::program {

// Adds a result to an If: `yes` of its first block, `no` of its second.
ir::Value* add_result(ir::Node& branch, const ir::Type& type, ir::Value* yes, ir::Value* no);

// Adds a result to the If of `block`, with the type and facts of `value`: `value` of this block, `otherwise` of the
// other one. If `otherwise` is null, the other block returns an undefined value.
ir::Value* add_result_of(ir::Block& block, ir::Value* value, ir::Value* otherwise = nullptr);

// A loop-carried value: its parameter in the body, and its result after the loop.
struct LoopValue {
  ir::Value* inside;
  ir::Value* after;
};

// Adds a loop-carried value. The caller must append its value at the end of an iteration to the outputs of the body, in
// the order of these calls.
LoopValue add_loop_value(ir::Node& loop, const ir::Type& type, ir::Value* start);

}  // namespace tonnx::program
