#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "export/exporter.h"

namespace tonnx::exporting {

// The model of a program as it stands: every stage of the road. `prepared`, if not null, gets the program as it was
// lowered, its inputs those of the source. Throws ir::Error.
std::unique_ptr<Model> convert(const LoadedProgram& source, const ir::Arguments& args, const Options& options,
                               const lower::Registry& registry, Report& report, ir::RawProgram* prepared = nullptr);

// The model of a part of a program that meets the contract, made as that of the whole is; inputs and outputs keep their
// names, and the checker does not run. `results` runs the part in LibTorch. Throws ir::Error.
std::unique_ptr<Model> convert_part(const ir::Graph& part, const Options& options, const lower::Registry& registry,
                                    const std::function<std::vector<ir::Tensor>()>& results);

}  // namespace tonnx::exporting
