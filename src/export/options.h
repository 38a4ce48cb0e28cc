#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tonnx::exporting {

enum class Training : std::int32_t { Eval = 0, Preserve = 1, Train = 2 };

constexpr std::int32_t kDefaultOpset = 17;

// One dynamic axis of a model input or output. Without a name it is NAME_dynamic_axes_K, K counting the axes given for
// that input or output from 1. One name on several axes is one symbol.
struct DynamicAxis {
  std::string value;
  std::int64_t axis = 0;  // negative: from the end
  std::string symbol;
};

// How to export. Plain data; every field's default is the documented one.
struct Options {
  std::int32_t opset = kDefaultOpset;
  std::string method = "forward";
  Training training = Training::Eval;
  bool constant_folding = true;                       // in Eval, from opset 9 on
  bool export_params = true;                          // false: weights become inputs after the user's
  std::optional<bool> keep_initializers_as_inputs;    // nullopt: false; always true below opset 9
  bool check = true;                                  // run the ONNX checker on the result
  bool doc_strings = false;                           // source line of each node as its doc_string
  std::vector<std::string> input_names;               // user inputs first, then weights
  std::vector<std::string> output_names;
  std::vector<DynamicAxis> dynamic_axes;
  std::vector<std::pair<std::string, std::int64_t>> custom_opsets;  // domain, version
};

}  // namespace tonnx::exporting
