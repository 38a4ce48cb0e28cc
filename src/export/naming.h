#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "export/options.h"
#include "ir/graph.h"

namespace tonnx::exporting {

enum class Side { Input, Output };

// What inputs or outputs are to be called: as the user chose, who may name the first ones alone; else by the program's own
// names (`own`, or where it says nothing the values'); else "input_0", "output" if it is the only one, "output_0".
std::vector<std::string> wanted_names(Side side, std::span<ir::Value* const> values,
                                      const std::vector<std::string>& chosen, const std::vector<std::string>& own = {});

// Throws Error(Code::Argument) for a text that no model may hold, telling it as `what`.
void check_utf8(std::string_view text, const std::string& what);

// Names every node and value of a model: inputs and outputs as the user chose, weights by their state-dict key, nodes
// "/module/path/Op", other values "/module/path/Op_output_0". Names are unique in the whole model, blocks included.
// input_names reach the weights, in order, after the user's inputs.
// Throws Error(Code::Argument) for too many, empty or repeated names, for an output's that is the own name of an input, and for a
// name of whatever that is not UTF-8. Returns a warning for each input and weight whose own name a chosen one has taken.
std::vector<std::string> name_model(ir::Graph& model, const Options& options);

}  // namespace tonnx::exporting
