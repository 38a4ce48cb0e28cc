#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/archive.h"
#include "export/loaded_program.h"
#include "export/trace_options.h"

namespace tonnx::exporting {

// Runs and records a method of a script: once more for each size of the declared axes, and on other values. Inputs,
// outputs and weights have the names of `script`; with `written_outputs`, attributes that it sets to tensors are
// outputs after them. `script` is a result of LoadedProgram::described; its weights are used. Throws the errors of
// TraceRuns and Archive::record, and Error(Code::Unsupported) if the runs disagree, and for a number argument.
std::shared_ptr<const LoadedProgram> trace_script(backend::Archive& archive, ir::RawProgram script,
                                                  const std::string& method, const ir::Arguments& args,
                                                  Training training, const TraceOptions& wanted, bool written_outputs);

}  // namespace tonnx::exporting
