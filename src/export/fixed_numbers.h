#pragma once

#include <memory>
#include <string>
#include <vector>

#include "export/loaded_program.h"

namespace tonnx::exporting {

// Returns a script in which the number arguments of these names are constants, not inputs; '*' for all of them. It
// borrows the script. Its import() throws Error(Code::Argument) for an unknown name, and for an axis or a size.
std::unique_ptr<const LoadedProgram> with_fixed_numbers(const LoadedProgram& script, std::vector<std::string> names);

}  // namespace tonnx::exporting
