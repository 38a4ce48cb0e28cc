#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ir/constant.h"
#include "ir/graph.h"

namespace tonnx::exporting {

// Throws Error(Code::Unsupported) of a program without outputs.
void require_outputs(const ir::Graph& graph, const std::string& method);

// An output whose rank is not the same in every run, or not known, is declared with the example's, as a model must
// declare one. `results` runs the example.
void declare_ranks(ir::Graph& model, const ir::Graph& program, const std::function<std::vector<ir::Tensor>()>& results,
                   std::vector<std::string>& warnings);

// Tells which inputs and outputs are complex in the program and real in the model.
void tell_complex(const ir::Graph& program, const std::vector<std::string>& output_names,
                  std::vector<std::string>& warnings);

}  // namespace tonnx::exporting
