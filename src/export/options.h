#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tonnx::exporting {

// Made from options.json by scripts/options.py.
enum class Training : std::int32_t { Eval, Preserve, Train };
enum class Mode : std::int32_t { Auto, Script, Trace };
enum class InitializersAsInputs : std::int32_t { Auto, Always, Never };
enum class FixedDynamicAxes : std::int32_t { Error, Warn };
// Made until here.

// One dynamic axis of a model input or output. Without a name it is NAME_dynamic_axes_K, K counting the axes given for
// that input or output from 1. One name on several axes is one symbol.
struct DynamicAxis {
  std::string value;
  std::int64_t axis = 0;  // negative: from the end
  std::string symbol;
};

// How to export. Plain data.
struct Options {
  // Made from options.json by scripts/options.py.
  // Opset of the default ONNX domain, from the oldest to the newest supported one.
  std::int32_t opset = 17;
  // Method of the archive.
  std::string method = "forward";
  // Whether a scripted program's control flow is kept, or the program is run and what it does is recorded, loops
  // unrolled.
  Mode mode = Mode::Auto;
  // Whether dropout and batch norm are exported in inference or training form.
  Training training = Training::Eval;
  // Replace operators on weights by their results, and normalisations by fixed statistics by other weights of the layer
  // before them (from opset 9, in eval mode); operators on constants alone are always replaced.
  std::optional<bool> constant_folding;
  // Store the weights' values; otherwise weights become inputs after the user's.
  bool export_params = true;
  // List initializers among the graph's inputs.
  InitializersAsInputs initializers_as_inputs = InitializersAsInputs::Auto;
  // Run the ONNX checker on the result.
  bool check = true;
  // Write each node's source line as its doc_string.
  bool doc_strings = false;
  // Class of modules, without its Python module ('Linear'), whose calls become local functions of the model; '*' for
  // all classes. From opset 15.
  std::vector<std::string> module_functions;
  // Add the new values of all that the program writes to and that outlives the call (inputs, buffers, parameters,
  // attributes, captured tensors) as outputs NAME_written after its own. Without it, a warning names each write.
  bool written_outputs = false;
  // An export that warns fails with status warning (class WarningError); the warnings are its reasons.
  bool warnings_as_errors = false;
  // A list of tensors that a script takes (List[Tensor]) is one sequence input, called as the argument, of any length
  // but for code that needs another; an axis named of it is one of every item. From opset 11. Without it, each item of
  // the example is an input, NAME.0, NAME.1.
  bool sequence_inputs = false;
  // Name of the next input: user inputs first, then weights in state-dict order. An empty one keeps the default name of
  // that input. A quantised input has one name here; its scale and zero point are NAME_scale and NAME_zero_point.
  std::vector<std::string> input_names;
  // Name of the next output: one for each tensor, number or list that the program returns, those of tuples and dicts
  // one by one. An empty one keeps the default name of that output. A quantised output has one name here; its scale and
  // zero point are NAME_scale and NAME_zero_point.
  std::vector<std::string> output_names;
  // Axis of an input or output that is dynamic; negative axes count from the end. Without a symbol it is called
  // NAME_dynamic_axes_K.
  std::vector<DynamicAxis> dynamic_axes;
  // What becomes of a dynamic axis that the program fixes: one whose size a weight, a count or a check of the program
  // decides, so that it runs at the example's size only, one that torch.export exported with a fixed size, or one of an
  // output that has a known size. The other dynamic axes stay dynamic.
  FixedDynamicAxes fixed_dynamic_axes = FixedDynamicAxes::Error;
  // An open size of a program of torch.export that is a number in the model: NAME:AXIS=SIZE of an input (negative axes
  // count from the end), NAME=SIZE of a number among the arguments, which is no input then, SYMBOL=SIZE as the model
  // calls it, without =SIZE at the size of the example (the archive's inputs, where none are given); '*' for all that
  // no dynamic axis names. All sizes that follow from it are numbers, too. Refused where the program's ranges and
  // conditions do not allow it. Of a script, whose axes are fixed anyway: NAME of a number among the arguments, which
  // has the example's value in the model and is no input; '*' for all of them.
  std::vector<std::string> fixed_axes;
  // Version of a custom domain in the model's opset imports.
  std::vector<std::pair<std::string, std::int64_t>> custom_opsets;
  // Made until here.
};

}  // namespace tonnx::exporting
