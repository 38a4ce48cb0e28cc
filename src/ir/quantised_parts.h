#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "ir/graph.h"

// Which inputs and outputs of a program are parts of one quantised value. A model takes and returns three tensors for
// it: its integers, its scale and its zero point (quantised_tensor.h).
namespace tonnx::ir {

// Whole: a value of its own, or the integers of a quantised one, which its scale and its zero point follow.
enum class Part : std::int64_t { Whole, Scale, ZeroPoint };

// What a part's name adds to that of the whole: "", "_scale", "_zero_point".
std::string_view ending_of(Part part);

// One for each input or output.
std::vector<Part> input_parts(const Graph& program);
std::vector<Part> output_parts(const Graph& program);

void set_output_parts(Graph& program, const std::vector<Part>& parts);

// The input and the two after it are a quantised value.
void mark_quantised_input(Graph& program, std::size_t first);

// Removes an unused input. The parts of the others stay.
void remove_input(Graph& program, std::size_t i);

}  // namespace tonnx::ir
