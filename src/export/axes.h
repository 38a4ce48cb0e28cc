#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "export/options.h"
#include "export/trace_sizes.h"
#include "ir/graph.h"

namespace tonnx::exporting {

// A dynamic axis found in a program: which input (or output), which axis from the front, which symbol.
struct BoundAxis {
  bool is_input = true;
  std::size_t index = 0;
  std::int64_t axis = 0;
  std::string symbol;
  std::string value;  // the name that the options have for the input or output; empty for an axis told to a trace
};

// The axes told to a trace, and those of the inputs and outputs that the options' dynamic axes name: by the user's
// names, else by the program's own (`output_names`: those of its outputs, where they are not the values' names; "" or
// too few: the value's). Options that name a told axis give all axes of its symbol their own symbol; of a trace that
// was not recorded in a single run they may name no other input axis. `traced`: null unless the program is a trace.
// Wraps negative axes and makes up missing symbols. Throws Error(Code::Argument) for an unknown name (telling the known
// ones), an axis out of range, one axis given twice, one symbol on input axes whose example sizes differ, and a symbol
// that is not UTF-8.
std::vector<BoundAxis> bind_axes(const ir::Graph& program, const Options& options,
                                 const std::vector<std::string>& output_names = {},
                                 const TracedProgram* traced = nullptr);

// An input's axis by name: the input among those of the program, and the axis from the front. Throws
// Error(Code::Argument) for an unknown name or an axis out of range, as `what`.
std::pair<std::size_t, std::size_t> find_axis(const ir::Graph& program, const Options& options, const std::string& name,
                                              std::int64_t axis, const std::string& what);

// The outputs of a program after its passes, which may have made several of one (`output_names` in step with them).
void find_outputs(std::vector<BoundAxis>& axes, const ir::Graph& program, const Options& options,
                  const std::vector<std::string>& output_names);

// Declares the symbols of inputs, and those of outputs where the facts do not contradict them: an output's symbol may
// name an unknown size, or give a known one another name. Throws Error(Code::Argument), naming output, axis and size,
// for an output's axis that has a fixed size, or another size than the symbol has elsewhere in the model; with `warn`,
// the axis keeps its size and a warning says so.
void apply_axes(ir::Graph& model, const std::vector<BoundAxis>& axes, bool warn, std::vector<std::string>& warnings);

}  // namespace tonnx::exporting
