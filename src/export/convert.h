#pragma once

#include <memory>

#include "export/exporter.h"

namespace tonnx::exporting {

// The model of a program as it stands: every stage of the road. Throws ir::Error.
std::unique_ptr<Model> convert(const LoadedProgram& source, const ir::Arguments& args, const Options& options,
                               const lower::Registry& registry, Report& report);

}  // namespace tonnx::exporting
