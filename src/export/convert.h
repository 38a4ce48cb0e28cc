#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "export/exporter.h"
#include "ir/opset.h"

namespace tonnx::exporting {

// The operators that a model of these options may have.
std::shared_ptr<const ir::Opset> opset_of(const Options& options, const lower::Registry& registry);

// Converts a program to a model in all stages. `prepared`, if not null, receives the program that was lowered, with the
// inputs of the source. Throws ir::Error.
std::unique_ptr<Model> convert(const LoadedProgram& source, const ir::Arguments& args, const Options& options,
                               const lower::Registry& registry, Report& report, ir::RawProgram* prepared = nullptr);

// Converts a part of a program that meets the contract, like the whole. Inputs and outputs keep their names; the
// checker does not run. `opset`: that of these options. `results` runs the part in LibTorch. Throws ir::Error.
std::unique_ptr<Model> convert_part(const ir::Graph& part, const Options& options, const lower::Registry& registry,
                                    const ir::Opset& opset, const std::function<std::vector<ir::Tensor>()>& results);

}  // namespace tonnx::exporting
