#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "export/options.h"
#include "ir/graph.h"
#include "ir/quantised_parts.h"

namespace tonnx::exporting {

enum class Side { Input, Output };

// For each input or output: which part of a quantised value it is. Missing entries are not parts.
using Parts = std::vector<ir::Part>;

struct PartsOfModel {
  Parts inputs;
  Parts outputs;
};

// Names of inputs or outputs: the user's, unless missing or ""; else the program's own (`own`, or the value's name);
// else "input_0", "output" for a single output, "output_0". The scale and the zero point of a quantised value are not
// counted: they are named after it, "q_scale" and "q_zero_point".
std::vector<std::string> wanted_names(Side side, std::span<ir::Value* const> values, const Parts& parts,
                                      const std::vector<std::string>& chosen, const std::vector<std::string>& own = {});

// Throws Error(Code::Argument), with `what`, if the text is not UTF-8, which models require.
void check_utf8(std::string_view text, const std::string& what);

// Names every node and value of a model: inputs and outputs as in wanted_names(), weights by state-dict key, nodes
// "/module/path/Op", other values "/module/path/Op_output_0". Names are unique in the whole model, including blocks.
// input_names continue with the weights, in order, after the user's inputs; "" keeps the key of a weight. Throws
// Error(Code::Argument) for too many or repeated names, for a chosen name that the scale or the zero point of a
// quantised value has, for an output name that is an input's own name, and for any name that is not UTF-8. Returns a
// warning for each input and weight whose own name is used for another value.
std::vector<std::string> name_model(ir::Graph& model, const Options& options, const PartsOfModel& parts = {});

}  // namespace tonnx::exporting
