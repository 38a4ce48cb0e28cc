#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/archive.h"
#include "export/loaded_program.h"
#include "export/trace_options.h"

namespace tonnx::exporting {

// A method of a script, run and recorded: once more for each size that the told axes take, and on other values. Its
// inputs, outputs and weights are called as in `script`; with `written_outputs` attributes that it sets to tensors are
// outputs after them. `script` is what LoadedProgram::described returns, and whose weights it shows. Throws what
// TraceRuns and Archive::record do, and Error(Code::Unsupported) if the runs do not agree, and for an argument that is
// a number.
std::shared_ptr<const LoadedProgram> trace_script(backend::Archive& archive, ir::RawProgram script,
                                                  const std::string& method, const ir::Arguments& args,
                                                  Training training, const TraceOptions& wanted, bool written_outputs);

}  // namespace tonnx::exporting
