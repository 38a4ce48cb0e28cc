#pragma once

#include <vector>

#include "export/axes.h"
#include "export/exporter.h"
#include "export/trace_sizes.h"

namespace tonnx::exporting {

// Stores the smallest and largest size of each dynamic axis at which the traced code ran, by the model's symbols, in
// the report and in the model's metadata, "tonnx.sizes": {"n":{"min":1,"max":4096}}. A single run stores none.
void store_ranges(Model& model, const TracedProgram& traced, const std::vector<BoundAxis>& axes, Report& report);

}  // namespace tonnx::exporting
