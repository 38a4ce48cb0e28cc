#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "backend/recording.h"
#include "ir/graph.h"

namespace tonnx::exporting {

// The signature of backend::Backend::run_graph().
using RunGraph =
    std::function<std::vector<ir::Tensor>(const ir::Graph& program, const std::vector<ir::Tensor>& inputs)>;

// Throws Error(Code::Unsupported) if `run` takes another path than `first`, the recording at other sizes. `run` was
// recorded at sizes, printed as "n = 1", that do not determine the arithmetic. The path may differ at size 0.
void check_path(const ir::Graph& first, const std::string& first_sizes, const backend::Traced& run,
                const std::string& sizes);

// Throws Error(Code::Unsupported) if the program of all runs does not compute the results of this run. If the program
// has random numbers or undefined elements, only dtypes and dims are compared. A program with an operator that
// `run_graph` does not support is not compared.
void check_results(const ir::Graph& program, const backend::Traced& run, const std::string& sizes,
                   const RunGraph& run_graph);

}  // namespace tonnx::exporting
