#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "export/options.h"
#include "export/trace_sizes.h"
#include "ir/graph.h"

namespace tonnx::exporting {

// A dynamic axis of an input or output: index of the value, axis counted from the front, symbol.
struct BoundAxis {
  bool is_input = true;
  std::size_t index = 0;
  std::int64_t axis = 0;
  std::string symbol;
  std::string value = {};  // name of the input or output in the options; empty for an axis of a trace
};

// Returns the dynamic axes of the trace and those that the options name. Options use the user's names, or else the
// program's names. (`output_names`: the program's names of its outputs if they differ from the names of the values; ""
// or missing: the name of the value.) If the options name an axis of the trace, all axes with its symbol get the new
// symbol. Unless a trace was recorded in a single run, options may not name other input axes. `traced`: null unless the
// program is a trace. Converts negative axes and generates missing symbols. Throws Error(Code::Argument) for an unknown
// name (with the list of known names), an axis out of range, an axis named twice, a symbol of input axes with different
// example sizes, and a symbol that is not UTF-8.
std::vector<BoundAxis> bind_axes(const ir::Graph& program, const Options& options,
                                 const std::vector<std::string>& output_names = {},
                                 const TracedProgram* traced = nullptr);

// If the option all_axes_dynamic is set: the options with every axis of the inputs among the dynamic axes, and with
// warnings for those that the program fixes. Omits axes that the options name, that the trace has declared, and that
// are dynamic in a program with facts. `traced`: null unless the program is a trace.
Options with_all_axes(const Options& options, const ir::Graph& program, const TracedProgram* traced, bool has_facts);

// Throws Error(Code::Unsupported) if one of the axes is the channel axis of a quantised input. Its scales and zero
// points, one for each channel, are inputs of the example's length.
void refuse_channel_axes(const ir::Graph& program, const std::vector<BoundAxis>& axes);

// Finds an input axis by name. Returns the index of the input and the axis counted from the front. Throws
// Error(Code::Argument), with `what`, for an unknown name or an axis out of range.
std::pair<std::size_t, std::size_t> find_axis(const ir::Graph& program, const Options& options, const std::string& name,
                                              std::int64_t axis, const std::string& what);

// Finds the outputs after the program passes, which may have split outputs. `output_names` has one name per output.
void find_outputs(std::vector<BoundAxis>& axes, const ir::Graph& program, const Options& options,
                  const std::vector<std::string>& output_names);

// Sets the symbols of inputs, and those of outputs whose facts do not contradict them: a symbol of an output may name
// an unknown size, or rename a known symbol. Throws Error(Code::Argument), with output, axis and size, for an output
// axis with a fixed size, or with another size than the symbol has elsewhere in the model. With `warn`, such an axis
// keeps its size and is reported as a warning.
void apply_axes(ir::Graph& model, const std::vector<BoundAxis>& axes, bool warn, std::vector<std::string>& warnings);

}  // namespace tonnx::exporting
