#pragma once

#include <string>
#include <vector>

#include "export/options.h"
#include "ir/graph.h"

namespace tonnx::exporting {

// Names every node and value of a model: inputs and outputs as the user chose, weights by their state-dict key, nodes
// "/module/path/Op", other values "/module/path/Op_output_0". Names are unique in the whole model, blocks included.
// `weight_order` are the program's weights in state-dict order, which input_names reach after the user inputs.
// Throws Error(Code::Argument) for too many, empty or repeated names.
void name_model(ir::Graph& model, const Options& options, const std::vector<std::string>& weight_order);

}  // namespace tonnx::exporting
