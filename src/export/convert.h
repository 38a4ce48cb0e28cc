#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "export/exporter.h"

namespace tonnx::exporting {

// Converts a program to a model in all stages. `prepared`, if not null, receives the program that was lowered, with the
// inputs of the source. Throws ir::Error.
std::unique_ptr<Model> convert(const LoadedProgram& source, const ir::Arguments& args, const Options& options,
                               const lower::Registry& registry, Report& report, ir::RawProgram* prepared = nullptr);

// Converts a part of a program that meets the contract, like the whole. Inputs and outputs keep their names; the
// checker does not run. `results` runs the part in LibTorch. Throws ir::Error.
std::unique_ptr<Model> convert_part(const ir::Graph& part, const Options& options, const lower::Registry& registry,
                                    const std::function<std::vector<ir::Tensor>()>& results);

}  // namespace tonnx::exporting
