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

// Of each input or output, whether it is a part of a quantised one; those beyond the end are not.
using Parts = std::vector<ir::Part>;

struct PartsOfModel {
  Parts inputs;
  Parts outputs;
};

// The names of inputs or outputs: as the user chose, where a name is neither missing nor ""; else the program's own
// (`own`, or where that has none the values'); else "input_0", "output" if it is the only one, "output_0". The scale
// and the zero point of a quantised value count as no value of their own: they are named after it, "q_scale" and
// "q_zero_point".
std::vector<std::string> wanted_names(Side side, std::span<ir::Value* const> values, const Parts& parts,
                                      const std::vector<std::string>& chosen, const std::vector<std::string>& own = {});

// Throws Error(Code::Argument) for a text that no model may hold, telling it as `what`.
void check_utf8(std::string_view text, const std::string& what);

// Names every node and value of a model: inputs and outputs as wanted_names() says, weights by their state-dict key,
// nodes
// "/module/path/Op", other values "/module/path/Op_output_0". Names are unique in the whole model, blocks included.
// input_names reach the weights, in order, after the user's inputs; "" leaves a weight its key.
// Throws Error(Code::Argument) for too many or repeated names, for a chosen one that the scale or the zero point of a
// quantised value has, for an output's that is the own name of an input, and for a name of whatever that is not UTF-8.
// Returns a warning for each input and weight whose own name a chosen one has taken.
std::vector<std::string> name_model(ir::Graph& model, const Options& options, const PartsOfModel& parts = {});

}  // namespace tonnx::exporting
