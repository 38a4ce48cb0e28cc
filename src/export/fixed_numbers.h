#pragma once

#include <memory>
#include <string>
#include <vector>

#include "export/loaded_program.h"

namespace tonnx::exporting {

// A script whose numbers of these names among the arguments are constants and no inputs; '*' for all of them. It
// borrows the script. Its import() throws Error(Code::Argument) for a name that no number has, and for an axis or a
// size.
std::unique_ptr<const LoadedProgram> with_fixed_numbers(const LoadedProgram& script, std::vector<std::string> names);

}  // namespace tonnx::exporting
