#pragma once

#include <string>

#include "program/control/raising.h"
#include "program/pass_driver.h"

namespace tonnx::program {

// The order of the passes (pass_table.h). They make a raw program meet the contract (contract.h).
const Step& pipeline();

// The group `simplify` alone; the pipeline contains it, too.
const Step& simplify_steps(Raising raising);

// Prints a step, one indented line for each pass and group, as in docs/passes.md.
std::string to_text(const Step& step);

}  // namespace tonnx::program
