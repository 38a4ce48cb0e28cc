#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "backend/recording.h"
#include "ir/graph.h"

namespace tonnx::exporting {

// What backend::Backend::run_graph() does.
using RunGraph =
    std::function<std::vector<ir::Tensor>(const ir::Graph& program, const std::vector<ir::Tensor>& inputs)>;

// Throws Error(Code::Unsupported) where `run`, recorded at sizes that gave no arithmetic, as "n = 1" tells them, takes
// another path than `first`, the recording at other sizes; a path may differ at size 0.
void check_path(const ir::Graph& first, const std::string& first_sizes, const backend::Traced& run,
                const std::string& sizes);

// Throws Error(Code::Unsupported) where the program of all runs does not give what the code gave in this one. Of
// programs with random numbers or undefined elements dtypes and dims are compared. A program that `run_graph` does not
// have an operator for is not compared.
void check_results(const ir::Graph& program, const backend::Traced& run, const std::string& sizes,
                   const RunGraph& run_graph);

}  // namespace tonnx::exporting
