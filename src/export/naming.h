#pragma once

#include <span>
#include <string>
#include <vector>

#include "export/options.h"
#include "ir/graph.h"

namespace tonnx::exporting {

enum class Side { Input, Output };

// What inputs or outputs are to be called: as the user chose, who may name the first ones alone; else by the program's own
// names (`own`, or where it says nothing the values'); else "input_0", "output" if it is the only one, "output_0".
std::vector<std::string> wanted_names(Side side, std::span<ir::Value* const> values,
                                      const std::vector<std::string>& chosen, const std::vector<std::string>& own = {});

// Names every node and value of a model: inputs and outputs as the user chose, weights by their state-dict key, nodes
// "/module/path/Op", other values "/module/path/Op_output_0". Names are unique in the whole model, blocks included.
// `weight_order` are the program's weights in state-dict order, which input_names reach after the user inputs.
// Throws Error(Code::Argument) for too many, empty or repeated names.
void name_model(ir::Graph& model, const Options& options, const std::vector<std::string>& weight_order);

}  // namespace tonnx::exporting
