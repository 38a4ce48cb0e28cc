#pragma once

#include <string>
#include <vector>

#include "export/axes.h"
#include "export/exporter.h"

namespace tonnx::exporting {

// The input axes among these.
std::vector<InputAxis> program_axes(const std::vector<BoundAxis>& bound);

// Takes the input axes that were found to have one size only from `axes` and `open`.
void drop_fixed_axes(std::vector<BoundAxis>& axes, std::vector<InputAxis>& open);

// The model's open axes: those bound, with what their sizes were found to follow from (`open`, of the input axes in
// their order). Axes that have one size wherever the program runs have one symbol.
void keep_axes(Model& model, const std::vector<BoundAxis>& axes, const std::vector<InputAxis>& open);

// The model's open axes, of a program whose facts are told. Warns of sizes that the program is not made for and the
// model takes.
void keep_told_axes(Model& model, const ir::RawProgram& program, std::vector<std::string>& warnings);

}  // namespace tonnx::exporting
