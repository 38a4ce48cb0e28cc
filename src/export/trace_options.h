#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "export/resize.h"
#include "ir/constant.h"

namespace tonnx::exporting {

// An axis of an input of the code, told to the trace: dynamic in every export.
struct TraceAxis {
  std::size_t input = 0;  // among the tensors and numbers of the arguments, in order
  std::int64_t axis = 0;  // negative: from the end
  std::string symbol;     // empty: one of its own
};

// Arguments of other sizes; the sizes by symbol.
using ResizeFunction = std::function<ir::Arguments(const std::map<std::string, std::int64_t>& sizes)>;

// How a trace is made.
struct TraceOptions {
  // Weights show the caller's memory, which nobody may write to as long as the program or a model of it lives; otherwise
  // they are copied when the run ends.
  bool share_weights = false;
  bool replay = true;  // the first run is run again as recorded, and refused where that does not give what the code returned
  std::vector<TraceAxis> dynamic_axes;                       // with any, the code runs at several sizes
  std::map<std::string, std::vector<std::int64_t>> sizes;    // by symbol: among those to run
  ResizeFunction resize;                                     // empty: what resized() of the example gives
  std::optional<bool> other_values;  // the code runs on other values as well; none: where it runs at several sizes
  bool single_run = false;  // one run whatever the axes: what the code makes of sizes on the host stays the example's
};

}  // namespace tonnx::exporting
