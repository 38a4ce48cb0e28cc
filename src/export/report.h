#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/error.h"
#include "program/pass_driver.h"

namespace tonnx::exporting {

// Properties of a finished model.
struct ModelSummary {
  int opset = 0;
  std::int64_t parameters = 0;  // elements of all weights
  std::int64_t weight_bytes = 0;
  std::map<std::string, std::vector<std::string>> dynamic_axes;  // size -> axes of inputs, "batch" -> {"x:0"}
};

// What an export did and found, for people and programs.
struct Report {
  std::vector<std::string> warnings;  // one line each
  bool exported = false;              // true for a program of torch.export
  std::string mode;                   // "script": control flow is kept; "trace": recorded run; "graph": no control flow
  // For a trace, by symbol of a dynamic axis: the smallest and largest size at which the code ran and the model was
  // found correct.
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> sizes;
  std::map<std::string, std::int64_t> source_operators;  // "aten::conv2d" -> count, before lowering
  std::map<std::string, std::int64_t> model_operators;   // "Conv" -> count, after the passes
  std::optional<ModelSummary> model;                     // absent if the export failed
  std::string error;                                     // the whole message if the export failed
  std::vector<ir::Reason> reasons;                       // at least one if the export failed; empty on success
  std::vector<std::pair<std::string, double>> seconds;   // stage -> wall-clock seconds, in order
  std::optional<program::PassStatistics> passes;         // of the program passes, if the user wants them

  // Stores a failure; the message is the reason if `why` is empty.
  void fail(const std::string& message, std::vector<ir::Reason> why);

  // A JSON object with the fields above.
  std::string json() const;
};

}  // namespace tonnx::exporting
