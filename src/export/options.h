#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/observer.h"

namespace tonnx::exporting {

// Made from options.json by scripts/options.py.
enum class Training : std::int32_t { Eval, Preserve, Train };
enum class Mode : std::int32_t { Auto, Script, Trace };
enum class OperatorExportType : std::int32_t { Onnx, Fallthrough, Aten, AtenFallback };
enum class InitializersAsInputs : std::int32_t { Auto, Always, Never };
enum class FixedDynamicAxes : std::int32_t { Error, Warn };
enum class Target : std::int32_t { Onnxruntime, Onnx };
// Made until here.

// A dynamic axis of a model input or output. Without a symbol it is called NAME_dynamic_axes_K, where K counts the axes
// specified for that input or output from 1. Axes with the same symbol have the same size.
struct DynamicAxis {
  std::string value;
  std::int64_t axis = 0;  // negative: from the end
  std::string symbol;
};

// How to export. Plain data.
struct Options {
  // Made from options.json by scripts/options.py.
  // Opset version of the default ONNX domain, within the range that tonnx supports.
  std::int32_t opset = 17;
  // The runtime whose missing kernels and defects the model avoids.
  Target target = Target::Onnxruntime;
  // Method of the archive to export.
  std::string method = "forward";
  // Whether a script's branches and loops are kept, or the script is run and recorded, with its loops unrolled.
  Mode mode = Mode::Auto;
  // Export dropout and batch norm in inference or training form.
  Training training = Training::Eval;
  // Compute operators on weights at export time, and fold normalisations with fixed statistics into the weights of the
  // layer before them (opset 9 on). In training mode this changes parameters, so it is a warning there. Operators on
  // constants are always folded. An operator with an operand or result above 8 MiB stays, unless it is an elementwise
  // operator on floating-point weights, a reduction, a Concat along the first axis, or a view of a weight. So does a
  // product of large matrices, and an operator on a weight with other uses if the model would grow.
  std::optional<bool> constant_folding;
  // Store weights of equal dtype, shape and content once, under the name of the first one. Only in eval mode with
  // stored weights that are not inputs of the graph.
  bool merge_equal_weights = false;
  // Store the values of the weights. If off, weights become inputs after the user's inputs.
  bool export_params = true;
  // List initializers among the graph's inputs, too.
  InitializersAsInputs initializers_as_inputs = InitializersAsInputs::Auto;
  // Whether operators stay unconverted in the model, which then needs a runtime that has them. Each one that stays
  // although it should be converted is a warning.
  OperatorExportType operator_export_type = OperatorExportType::Onnx;
  // Convert the operators of a function that the host named in its trace and that has no symbolic. If off, such a
  // function is one operator prim::PythonOp, which is an error, or stays unconverted as operator_export_type says.
  // Archives have no such functions.
  std::optional<bool> autograd_inlining;
  // Run the ONNX checker on the result.
  bool check = true;
  // File to which the model is written if the ONNX checker rejects it. The export fails all the same. Empty: none is
  // written.
  std::string invalid_model = "";
  // Write each node's source line as its doc_string.
  bool doc_strings = false;
  // Write the names of nodes. Values keep their names.
  bool node_names = true;
  // Call weights by their state-dict keys. If off, they are called weight_0, weight_1 in the order of the state dict,
  // unless input names replace them.
  bool weight_names = true;
  // Write the type and the shape of each intermediate value. A dynamic size has its expression as dim_param; a size
  // that is known only at run time has the name of its value and axis, and so has a size of 1 that may be 0.
  bool value_info = true;
  // Class of modules whose calls become local functions of the model: its name without its Python module ('Linear') or
  // with it ('torch.nn.modules.linear.Linear'), or '*' for all classes. The Python module is the domain of the
  // function. Opset 15 on.
  std::vector<std::string> module_functions;
  // Add outputs NAME_written with the new values of everything that the program writes to and that outlives the call:
  // inputs, buffers, parameters, attributes, captured tensors. If off, each such write is a warning.
  bool written_outputs = false;
  // Fail with status warning (class WarningError) if the export warns; the warnings are the reasons of the error.
  bool warnings_as_errors = false;
  // Export a List[Tensor] argument of a script as one ONNX sequence input with the name of the argument (opset 11 on).
  // It may have any length that the code accepts, and a dynamic axis of it applies to every item. If off, each item of
  // the example becomes an input: NAME.0, NAME.1.
  bool sequence_inputs = false;
  // Export a List[Tensor] result of a script as one ONNX sequence output with the name of the list (opset 11 on), also
  // if its length is known. An empty list is a sequence of float32. If off, each item of a list of known length becomes
  // an output, NAME.0, NAME.1 if the list is an entry NAME of a dict, and an empty list has none.
  bool sequence_outputs = false;
  // Name of the next input: first the user's inputs, then the weights in state-dict order. An empty name keeps the
  // default. A quantised input has one name here; its scale and zero point are called NAME_scale and NAME_zero_point.
  std::vector<std::string> input_names;
  // Name of the next output: one for each tensor, number, list of numbers or list of dynamic length that the program
  // returns; tuples, dicts and other lists count item by item. An empty name keeps the default. A quantised output has
  // one name here; its scale and zero point are called NAME_scale and NAME_zero_point.
  std::vector<std::string> output_names;
  // A dynamic axis of an input or output. Negative axes count from the end. Without a symbol the axis is called
  // NAME_dynamic_axes_K.
  std::vector<DynamicAxis> dynamic_axes;
  // Make every axis of every input dynamic. Axes that the program fixes keep the example's size, with a warning (as
  // with fixed_dynamic_axes). Axes of a torch.export program that its archive fixes stay fixed; so do those of a trace
  // that were not declared to it.
  bool all_axes_dynamic = false;
  // What to do with a dynamic axis that the program fixes: its size is decided by a weight, a count or a check in the
  // program, so the program runs only at the example's size; or torch.export exported it with a fixed size; or it is an
  // axis of an output whose size is known. Other dynamic axes stay dynamic.
  FixedDynamicAxes fixed_dynamic_axes = FixedDynamicAxes::Error;
  // Fix a dynamic size of a torch.export program to a constant: NAME:AXIS=SIZE for an axis of an input (negative axes
  // count from the end), NAME=SIZE for an integer argument, which is then not an input, or SYMBOL=SIZE for a symbol of
  // the model. Without =SIZE the size is the example's (the archive's own inputs if no arguments are given). '*' fixes
  // all sizes that no dynamic axis names. Sizes derived from fixed sizes become constants, too. Refused if the ranges
  // and conditions of the program do not allow the size. For a script, whose axes are fixed unless declared dynamic,
  // NAME fixes an integer argument at the example's value and removes the input; '*' fixes all of them.
  std::vector<std::string> fixed_axes;
  // Version of a custom domain in the opset imports of the model.
  std::vector<std::pair<std::string, std::int64_t>> custom_opsets;
  // Seconds after which the export ends with status cancelled, at most 0.2 s later unless one operator of LibTorch, or
  // its compilation of a long script, takes longer; 0: no limit.
  std::int32_t max_seconds = 0;
  // Operators that the export may run in LibTorch or import before it is cancelled; each iteration of a loop that is
  // unrolled or recorded counts. 0: no limit.
  std::int32_t max_steps = 0;
  // MiB that one constant may take that LibTorch computes from the constants of the program; if it is larger, the
  // export is cancelled before it is computed. 0: no limit.
  std::int32_t max_constant_mib = 0;
  // Nested calls that a TorchScript program may make, from 1 to 400. A program with more ends the export with status
  // cancelled if the limit is below 400, else with status unsupported.
  std::int32_t max_call_depth = 400;
  // Program pass after which the program is printed to standard error, whether the pass changed it or not; 'all' for
  // every pass. docs/passes.md lists the passes.
  std::vector<std::string> print_after;
  // Print the program to standard error after each program pass that changed it.
  bool print_changes = false;
  // Add to the report how often each program pass ran, how often it changed the program and how many seconds it took
  // ('passes'), and which bounds of repeated passes were reached ('bounds'). The export is slower.
  bool pass_statistics = false;
  // Made until here.
  // Receives the events of the calls with these options; may be null.
  std::shared_ptr<ir::Observer> observer;
};

}  // namespace tonnx::exporting
