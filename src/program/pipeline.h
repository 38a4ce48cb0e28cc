#pragma once

#include <string>

#include "program/control/raising.h"
#include "program/pass_driver.h"

namespace tonnx::program {

// The order of the passes (pass_table.h): from a raw program to one that meets the contract (contract.h).
const Step& pipeline();

// The group `simplify`, also a part of the pipeline.
const Step& simplify_steps(Raising raising);

// A step as text, one line for each pass and group, indented: the order in docs/passes.md.
std::string to_text(const Step& step);

}  // namespace tonnx::program
