#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "export/loaded_program.h"
#include "export/options.h"

namespace tonnx::exporting {

// The numbers that the options' fixed axes come to, by the program's symbols. `args` are the example where it is asked
// for; without them the program's own. Throws Error(Code::Argument) for a text that is none, an unknown name, an axis
// that has another size or follows from sizes that stay open, a size that an expression never has, and an axis that is
// dynamic as well.
std::map<std::string, std::int64_t> fixed_sizes(const LoadedProgram& source, const ir::Arguments& args,
                                                const Options& options);

}  // namespace tonnx::exporting
