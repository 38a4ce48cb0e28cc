#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ir/constant.h"
#include "ir/graph.h"

namespace tonnx::exporting {

// Throws Error(Code::Unsupported) if the program has no outputs.
void require_outputs(const ir::Graph& graph, const std::string& method);

// Declares outputs whose rank is unknown or differs between runs with the example's rank, since a model must declare
// one. `results` runs the example.
void declare_ranks(ir::Graph& model, const ir::Graph& program, const std::function<std::vector<ir::Tensor>()>& results,
                   std::vector<std::string>& warnings);

// The names of the operators that make the program's outputs, for each of them: as the program calls it, if tonnx reads
// it as another one, and its own full name. Those before views of their results.
using OperatorNames = std::vector<std::string>;
std::vector<OperatorNames> output_operators(const ir::Graph& program);

// Warns about inputs and outputs that are complex in the program and real in the model.
void warn_complex(const ir::Graph& program, const std::vector<std::string>& output_names,
                  std::vector<std::string>& warnings);

}  // namespace tonnx::exporting
