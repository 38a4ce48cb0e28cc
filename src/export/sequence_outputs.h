#pragma once

#include <string>
#include <vector>

#include "ir/raw_program.h"

// Turns a list of tensors among the results into one output.
namespace tonnx::exporting {

// Replaces the outputs for the items of a list by one output of list type with the name of the list. The program passes
// keep this output, and those of lists whose length they find.
void join_output_lists(ir::RawProgram& program);

// Warns of empty lists of tensors, which have no output.
void warn_of_empty_lists(ir::RawProgram& program);

}  // namespace tonnx::exporting
