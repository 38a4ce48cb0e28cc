#pragma once

#include <string>
#include <vector>

#include "export/axes.h"
#include "export/exporter.h"

namespace tonnx::exporting {

// Returns the input axes among these.
std::vector<InputAxis> program_axes(const std::vector<BoundAxis>& bound);

// Removes the input axes that have only one size from `axes` and `open`.
void drop_fixed_axes(std::vector<BoundAxis>& axes, std::vector<InputAxis>& open);

// Stores the model's dynamic axes: the bound axes, with the relations found between the sizes of input axes (`open`, in
// the same order). Axes that always have the same size have one symbol.
void store_axes(Model& model, const std::vector<BoundAxis>& axes, const std::vector<InputAxis>& open);

// Stores the model's dynamic axes for a program whose facts are known. Warns about sizes that the program excludes but
// the model accepts.
void store_exported_axes(Model& model, const ir::RawProgram& program, std::vector<std::string>& warnings);

}  // namespace tonnx::exporting
