#pragma once

#include <memory>
#include <span>
#include <string>

#include "export/exporter.h"

namespace tonnx::exporting {

// Describes the first difference of two models, for people: another operator, attribute, constant or weight, or another
// source of a value. Empty if they are equal. Sizes stored in value types, which follow the example inputs, and
// generated names are not compared. Elements of weights are compared, unless they are the same storage or file
// location.
std::string difference(const Model& first, const Model& second);

// Exports a program for each group of example inputs, and compares each model with the first one; a difference depends
// on the inputs. The text names the group. Throws the errors of export_program(), and Error(Code::Argument) for fewer
// than two groups and for a trace, which has its own inputs.
std::string export_difference(const LoadedProgram& source, std::span<const ir::Arguments* const> groups,
                              const Options& options, const lower::Registry& registry);

}  // namespace tonnx::exporting
