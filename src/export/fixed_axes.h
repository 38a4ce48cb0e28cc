#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "export/loaded_program.h"
#include "export/options.h"

namespace tonnx::exporting {

// Evaluates the options' fixed axes: returns a size for each fixed symbol of the program. `args` is the example where
// its sizes are needed; if empty, the program's own example. Throws Error(Code::Argument) for a text that cannot be
// parsed, an unknown name, an axis that has another size or depends on sizes that stay dynamic, a size that an
// expression can never have, and an axis that is also dynamic.
std::map<std::string, std::int64_t> fixed_sizes(const LoadedProgram& source, const ir::Arguments& args,
                                                const Options& options);

}  // namespace tonnx::exporting
