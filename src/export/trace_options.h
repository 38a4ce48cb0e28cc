#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "export/resize.h"
#include "ir/constant.h"
#include "ir/observer.h"

namespace tonnx::exporting {

// An axis of an input that is declared to the trace: dynamic in every export.
struct TraceAxis {
  std::size_t input = 0;  // index among the tensors and numbers of the arguments
  std::int64_t axis = 0;  // negative: from the end
  std::string symbol;     // empty: the axis has its own symbol
};

// Returns arguments of other sizes, by symbol.
using ResizeFunction = std::function<ir::Arguments(const std::map<std::string, std::int64_t>& sizes)>;

// How to trace; sizes are by symbol.
struct TraceOptions {
  // Made from options.json by scripts/options.py.
  // Weights share the storage of the declared or captured tensors. The caller must not write to it while the program or
  // a model of it lives. If off, weights are copied when the run ends.
  bool share_weights = false;
  // Run the first recording again on its inputs before it becomes a program. The trace is refused if the results differ
  // from what the code returned; the error names the first operator that differs. Further runs are compared with the
  // first one. If off, a trace takes only the time of the code itself.
  bool replay = true;
  // An axis that is dynamic in every export, declared before the code runs, so that the code runs at several sizes. The
  // input is an index into the tensors and numbers of the arguments. Negative axes count from the end. Axes with the
  // same symbol have the same size; an axis without a symbol has its own.
  std::vector<TraceAxis> dynamic_axes;
  // A size to run the code at, in addition to those that tonnx chooses. The trace fails if the code does not run at it.
  // Size 0 is run only if it is specified here, since the code may divide by the size; the results must equal those of
  // the program recorded by the other runs.
  std::map<std::string, std::vector<std::int64_t>> sizes;
  // If the code runs only at the example's size of a dynamic axis, or takes another path at other sizes, fix this axis
  // in every export, and warn with the axis, the size and the reason. If off, the trace is refused.
  bool allow_fixed_axes = false;
  // The largest size at which tonnx runs the code on its own: first near the example, then at powers of two and sizes
  // next to them, one dynamic axis at a time, while these runs are cheap compared with the others (large networks are
  // run at fewer sizes). This finds thresholds in the code (n > 512): the model follows them, or the trace is refused
  // and the error names the operator and the size. The smallest and largest size that were run are in the report and in
  // the model's metadata (tonnx.sizes). If the example is larger, sizes near it and below are run. 1: only sizes near
  // the example.
  std::int32_t largest_size = 4096;
  // Run the code once, even with dynamic axes. Numbers that the code computes from sizes are then constants of the
  // model, and exports may declare any axis dynamic.
  bool single_run = false;
  // Also run the code on other values of the same sizes: the example's values in another order, negated, and zeros; if
  // the code reads numbers by item(), equal() or similar operators, also three variants of the example with low, high
  // and no numbers in their place. The trace is refused if the code behaves differently; the error names the operator
  // and the reads. A warning is reported if the code runs on none of these values. If the code is run only once,
  // warnings name each read of a number, each value to whose elements the code took a pointer (data_ptr(), an accessor,
  // DLPack), and each operator whose output sizes depend on data (nonzero, unique), since the model keeps what the code
  // computed from them. Reads through pointers to const elements (const_data_ptr()) are found only by this option.
  std::optional<bool> other_values;
  // Creates the inputs of further runs: arguments like the example's, with the given size of each symbol.
  ResizeFunction resize;
  // Made until here.
  // Receives the events of the calls with these options; may be null.
  std::shared_ptr<ir::Observer> observer;
};

}  // namespace tonnx::exporting
