#pragma once

#include <memory>
#include <span>
#include <string>

#include "export/exporter.h"

namespace tonnx::exporting {

// Where two models are first built otherwise, for people: another operator, attribute, constant or weight, or a value
// that is read from elsewhere. Empty where they are built alike. Sizes that are written beside values, which follow the
// example inputs, and names that nobody chose are not compared; elements of weights are, but for those that are the
// same memory or place.
std::string difference(const Model& first, const Model& second);

// The same of the models that a program comes to for each group of example inputs, compared with that for the first
// one: what differs depends on the inputs. The text names the group. Throws what export_program() throws, and
// Error(Code::Argument) for fewer than two groups and for a trace, which is of its own inputs alone.
std::string export_difference(const LoadedProgram& source, std::span<const ir::Arguments* const> groups,
                              const Options& options, const lower::Registry& registry);

}  // namespace tonnx::exporting
