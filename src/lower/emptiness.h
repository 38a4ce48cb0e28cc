#pragma once

#include <cstdint>
#include <functional>

#include "ir/graph.h"

// Finds axes that may be empty (of size 0) in some runs, by a backward search through the nodes.
namespace tonnx::lower {

using ir::Value;

// Returns a lower bound of a size.
using LeastSize = std::function<std::int64_t(const ir::Dim&)>;

// Replaces a fixed size in `facts`, those of the program for x, by an unknown one if x gets it from a slice that may be
// shorter: x[:1] has one row, but none if x is empty.
void open_empty_slices(ir::Facts& facts, const Value& x, const LeastSize& least_size);

// Makes those fixed sizes in `facts` unknown that differ in the program if a dynamic axis is empty (ir::kEmptiedAxes).
void open_emptied_axes(ir::Facts& facts, const Value& value);

// True if the axis may be empty in some run. False if a convolution, pool or resize made it. The rank must be known.
bool may_be_emptied(const Value* x, std::int64_t axis);
// True if any axis may be empty, except batch and channel axes after such a layer, even if axes were split or merged
// since: that is, if data selected the elements or an input of dynamic size was empty.
bool may_be_emptied(const Value* x);

// True if x is the output of Softmax along this axis, possibly transposed or with elements masked out.
bool is_attention_along(const Value* x, std::int64_t axis);

}  // namespace tonnx::lower
