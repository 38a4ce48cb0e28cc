#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ir/error.h"

namespace tonnx::exporting {

// What an export did and found, for people and for programs.
struct Report {
  std::vector<std::string> warnings;  // one line each
  bool exported = false;              // a program of torch.export
  std::string mode;                   // "script": control flow is kept; "trace": of one run; "graph": there is none
  // Of a trace, by symbol of a dynamic axis: the smallest and the largest size at which the code ran, as the model does
  // there.
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> sizes;
  std::map<std::string, std::int64_t> source_operators;  // "aten::conv2d" -> count, before lowering
  std::map<std::string, std::int64_t> model_operators;   // "Conv" -> count, after the passes
  std::string error;                                     // the whole message if it failed
  std::vector<ir::Reason> reasons;                       // why it failed, one at least; empty on success
  std::vector<std::pair<std::string, double>> seconds;   // stage -> wall-clock seconds, in order

  // Takes why it failed; without reasons the message is one.
  void fail(const std::string& message, std::vector<ir::Reason> why);

  // A JSON object with the fields above.
  std::string json() const;
};

}  // namespace tonnx::exporting
