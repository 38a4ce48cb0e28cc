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

// How a trace is made; sizes are by symbol.
struct TraceOptions {
  // Made from options.json by scripts/options.py.
  // Weights share the memory of the tensors that were declared or captured, and nobody may write to it as long as the
  // program or a model of it lives; otherwise they are copied when the run ends.
  bool share_weights = false;
  // Run the first recording again on its inputs before it becomes a program, and refuse it where it does not give what
  // the code returned; the error names the first operator that differs. Further runs are compared with the first one.
  // Without it a trace takes the time of the code alone.
  bool replay = true;
  // An axis that is dynamic in every export, told before the code runs: it then runs at several sizes. The input is
  // counted among the tensors and numbers of the arguments; an axis below 0 counts from the end. Axes of one symbol
  // have one size; without a symbol an axis has one of its own.
  std::vector<TraceAxis> dynamic_axes;
  // One of the sizes to run; tonnx chooses further ones. Where the code does not run at it the trace fails. At 0 tonnx
  // runs no code that is not told to, for it may divide by the size; what the code gives there must be what the program
  // of the other runs gives.
  std::map<std::string, std::vector<std::int64_t>> sizes;
  // A dynamic axis along which the code runs at the example's size only, or takes another path at other sizes, is fixed
  // in every export, and a warning names the axis, the size and the reason. Without it the trace is refused.
  bool allow_fixed_axes = false;
  // The largest size at which tonnx runs the code by itself: first near the example, then at powers of two and numbers
  // beside them, one dynamic axis at a time, as long as these runs cost little beside the others (a large network is
  // run at fewer of them). So a threshold of the code (n > 512) is found, and the model follows it or the trace is
  // refused, naming operator and size. The smallest and the largest size that were run are in the report and in the
  // model's metadata (tonnx.sizes). An example that is larger is run at sizes near it and below. 1: near the example
  // alone.
  std::int32_t largest_size = 4096;
  // One run, whatever the axes: numbers that the code computes from sizes stay the example's, and exports may name any
  // axis dynamic.
  bool single_run = false;
  // Run the code on other values of the same sizes as well: the example's in another order, of the other sign, and
  // zeros; where it reads numbers by item(), equal() and their like, on the example's three times more, with low, high
  // and no numbers in their place. Where it does not do the same, the trace is refused, naming operator and reads;
  // where it runs on none of these values, a warning says so. Where the code runs once, warnings name each read of a
  // number and each operator whose result's sizes depend on data (nonzero, unique): the model keeps what the code made
  // of them. Reads by an accessor or data_ptr() are found on other values only.
  std::optional<bool> other_values;
  // Makes the inputs of the further runs: arguments like the example's, at these sizes by symbol.
  ResizeFunction resize;
  // Made until here.
};

}  // namespace tonnx::exporting
