#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "ir/graph.h"

// Marks the inputs and outputs of a program that are parts of one quantised value. A model has three tensors for it:
// integers, scale and zero point (quantised_tensor.h).
namespace tonnx::ir {

// Whole: an ordinary value, or the integers of a quantised one; its scale and zero point follow it.
enum class Part : std::int64_t { Whole, Scale, ZeroPoint };

// The suffix of a part's name: "", "_scale", "_zero_point".
std::string_view ending_of(Part part);

// The part of each input or output.
std::vector<Part> input_parts(const Graph& program);
std::vector<Part> output_parts(const Graph& program);

void set_output_parts(Graph& program, const std::vector<Part>& parts);

// Marks the input and the two after it as one quantised value.
void mark_quantised_input(Graph& program, std::size_t first);

// Removes an unused input; preserves the marks of the others.
void remove_input(Graph& program, std::size_t i);

}  // namespace tonnx::ir
