#ifndef TONNX_OPTIONS_HPP
#define TONNX_OPTIONS_HPP

#include <cstdint>
#include <string>

#include "tonnx/error.hpp"
#include "tonnx/observer.hpp"
#include "tonnx/options.h"

namespace tonnx {

class Options {
 public:
  Options() {
    tonnx_options* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_options_new(&made, e); });
    handle_.reset(made);
  }

  // Made from options.json by scripts/options.py.

  // Opset version of the default ONNX domain, within the range that tonnx supports. Default: 17.
  Options& opset(std::int32_t v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_opset(o, v, e); });
  }

  // The runtime whose missing kernels and defects the model avoids. Default: TONNX_TARGET_ONNXRUNTIME.
  Options& target(tonnx_target v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_target(o, v, e); });
  }

  // Method of the archive to export. Default: "forward".
  Options& method(const std::string& v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_method(o, v.c_str(), e); });
  }

  // Whether a script's branches and loops are kept, or the script is run and recorded, with its loops unrolled.
  // Default: TONNX_MODE_AUTO.
  Options& mode(tonnx_mode v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_mode(o, v, e); });
  }

  // Export dropout and batch norm in inference or training form. Default: TONNX_TRAINING_EVAL.
  Options& training(tonnx_training v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_training(o, v, e); });
  }

  // Compute operators on weights at export time, and fold normalisations with fixed statistics into the weights of the
  // layer before them (opset 9 on). In training mode this changes parameters, so it is a warning there. Operators on
  // constants are always folded. An operator with an operand or result above 8 MiB stays, unless it is an elementwise
  // operator on floating-point weights, a reduction, a Concat along the first axis, or a view of a weight. So does a
  // product of large matrices, and an operator on a weight with other uses if the model would grow. Default: on in eval
  // mode, off in other modes.
  Options& constant_folding(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_constant_folding(o, v, e); });
  }

  // Store weights of equal dtype, shape and content once, under the name of the first one. Only in eval mode with
  // stored weights that are not inputs of the graph. Default: false.
  Options& merge_equal_weights(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_merge_equal_weights(o, v, e); });
  }

  // Store the values of the weights. If off, weights become inputs after the user's inputs. Default: true.
  Options& export_params(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_export_params(o, v, e); });
  }

  // List initializers among the graph's inputs, too. Default: TONNX_INITIALIZERS_AS_INPUTS_AUTO.
  Options& initializers_as_inputs(tonnx_initializers_as_inputs v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_initializers_as_inputs(o, v, e); });
  }

  // Whether operators stay unconverted in the model, which then needs a runtime that has them. Each one that stays
  // although it should be converted is a warning. Default: TONNX_OPERATOR_EXPORT_TYPE_ONNX.
  Options& operator_export_type(tonnx_operator_export_type v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_operator_export_type(o, v, e); });
  }

  // Convert the operators of a function that the host named in its trace and that has no symbolic. If off, such a
  // function is one operator prim::PythonOp, which is an error, or stays unconverted as operator_export_type says.
  // Archives have no such functions. Default: on; off if operator_export_type is fallthrough or aten_fallback.
  Options& autograd_inlining(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_autograd_inlining(o, v, e); });
  }

  // Run the ONNX checker on the result. Default: true.
  Options& check(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_check(o, v, e); });
  }

  // File to which the model is written if the ONNX checker rejects it. The export fails all the same. Empty: none is
  // written. Default: "".
  Options& invalid_model(const std::string& v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_invalid_model(o, v.c_str(), e); });
  }

  // Write each node's source line as its doc_string. Default: false.
  Options& doc_strings(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_doc_strings(o, v, e); });
  }

  // Write the names of nodes. Values keep their names. Default: true.
  Options& node_names(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_node_names(o, v, e); });
  }

  // Call weights by their state-dict keys. If off, they are called weight_0, weight_1 in the order of the state dict,
  // unless input names replace them. Default: true.
  Options& weight_names(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_weight_names(o, v, e); });
  }

  // Write the type and the shape of each intermediate value. A dynamic size has its expression as dim_param; a size
  // that is known only at run time has the name of its value and axis, and so has a size of 1 that may be 0. Default:
  // true.
  Options& value_info(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_value_info(o, v, e); });
  }

  // Class of modules whose calls become local functions of the model: its name without its Python module ('Linear') or
  // with it ('torch.nn.modules.linear.Linear'), or '*' for all classes. The Python module is the domain of the
  // function. Opset 15 on. Default: none: the model is one graph.
  Options& module_function(const std::string& v) {
    return run([&](auto* o, auto** e) { return tonnx_options_add_module_function(o, v.c_str(), e); });
  }

  // Add outputs NAME_written with the new values of everything that the program writes to and that outlives the call:
  // inputs, buffers, parameters, attributes, captured tensors. If off, each such write is a warning. Default: false.
  Options& written_outputs(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_written_outputs(o, v, e); });
  }

  // Fail with status warning (class WarningError) if the export warns; the warnings are the reasons of the error.
  // Default: false.
  Options& warnings_as_errors(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_warnings_as_errors(o, v, e); });
  }

  // Export a List[Tensor] argument of a script as one ONNX sequence input with the name of the argument (opset 11 on).
  // It may have any length that the code accepts, and a dynamic axis of it applies to every item. If off, each item of
  // the example becomes an input: NAME.0, NAME.1. Default: false.
  Options& sequence_inputs(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_sequence_inputs(o, v, e); });
  }

  // Export a List[Tensor] result of a script as one ONNX sequence output with the name of the list (opset 11 on), also
  // if its length is known. An empty list is a sequence of float32. If off, each item of a list of known length becomes
  // an output, NAME.0, NAME.1 if the list is an entry NAME of a dict, and an empty list has none. Default: false.
  Options& sequence_outputs(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_sequence_outputs(o, v, e); });
  }

  // Name of the next input: first the user's inputs, then the weights in state-dict order. An empty name keeps the
  // default. A quantised input has one name here; its scale and zero point are called NAME_scale and NAME_zero_point.
  // Default: the argument names of forward, and state-dict keys.
  Options& input_name(const std::string& v) {
    return run([&](auto* o, auto** e) { return tonnx_options_add_input_name(o, v.c_str(), e); });
  }

  // Name of the next output: one for each tensor, number, list of numbers or list of dynamic length that the program
  // returns; tuples, dicts and other lists count item by item. An empty name keeps the default. A quantised output has
  // one name here; its scale and zero point are called NAME_scale and NAME_zero_point. Default: the program's names, or
  // output_N.
  Options& output_name(const std::string& v) {
    return run([&](auto* o, auto** e) { return tonnx_options_add_output_name(o, v.c_str(), e); });
  }

  // A dynamic axis of an input or output. Negative axes count from the end. Without a symbol the axis is called
  // NAME_dynamic_axes_K. Default: every axis is fixed to the example's size.
  Options& dynamic_axis(const std::string& name, std::int64_t axis, const std::string& symbol = {}) {
    const char* given = symbol.empty() ? nullptr : symbol.c_str();
    return run([&](auto* o, auto** e) { return tonnx_options_add_dynamic_axis(o, name.c_str(), axis, given, e); });
  }

  // Make every axis of every input dynamic. Axes that the program fixes keep the example's size, with a warning (as
  // with fixed_dynamic_axes). Axes of a torch.export program that its archive fixes stay fixed; so do those of a trace
  // that were not declared to it. Default: false.
  Options& all_axes_dynamic(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_all_axes_dynamic(o, v, e); });
  }

  // What to do with a dynamic axis that the program fixes: its size is decided by a weight, a count or a check in the
  // program, so the program runs only at the example's size; or torch.export exported it with a fixed size; or it is an
  // axis of an output whose size is known. Other dynamic axes stay dynamic. Default: TONNX_FIXED_DYNAMIC_AXES_ERROR.
  Options& fixed_dynamic_axes(tonnx_fixed_dynamic_axes v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_fixed_dynamic_axes(o, v, e); });
  }

  // Fix a dynamic size of a torch.export program to a constant: NAME:AXIS=SIZE for an axis of an input (negative axes
  // count from the end), NAME=SIZE for an integer argument, which is then not an input, or SYMBOL=SIZE for a symbol of
  // the model. Without =SIZE the size is the example's (the archive's own inputs if no arguments are given). '*' fixes
  // all sizes that no dynamic axis names. Sizes derived from fixed sizes become constants, too. Refused if the ranges
  // and conditions of the program do not allow the size. For a script, whose axes are fixed unless declared dynamic,
  // NAME fixes an integer argument at the example's value and removes the input; '*' fixes all of them. Default: none:
  // dynamic sizes of torch.export stay dynamic.
  Options& fixed_axis(const std::string& v) {
    return run([&](auto* o, auto** e) { return tonnx_options_add_fixed_axis(o, v.c_str(), e); });
  }

  // Version of a custom domain in the opset imports of the model. Default: 1.
  Options& custom_opset(const std::string& domain, std::int64_t version) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_custom_opset(o, domain.c_str(), version, e); });
  }

  // Seconds after which the export ends with status cancelled, at most 0.2 s later unless one operator of LibTorch, or
  // its compilation of a long script, takes longer; 0: no limit. Default: 0.
  Options& max_seconds(std::int32_t v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_max_seconds(o, v, e); });
  }

  // Operators that the export may run in LibTorch or import before it is cancelled; each iteration of a loop that is
  // unrolled or recorded counts. 0: no limit. Default: 0.
  Options& max_steps(std::int32_t v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_max_steps(o, v, e); });
  }

  // MiB that one constant may take that LibTorch computes from the constants of the program; if it is larger, the
  // export is cancelled before it is computed. 0: no limit. Default: 0.
  Options& max_constant_mib(std::int32_t v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_max_constant_mib(o, v, e); });
  }

  // Nested calls that a TorchScript program may make, from 1 to 400. A program with more ends the export with status
  // cancelled if the limit is below 400, else with status unsupported. Default: 400.
  Options& max_call_depth(std::int32_t v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_max_call_depth(o, v, e); });
  }

  // Program pass after which the program is printed to standard error, whether the pass changed it or not; 'all' for
  // every pass. docs/passes.md lists the passes. Default: none.
  Options& print_after(const std::string& v) {
    return run([&](auto* o, auto** e) { return tonnx_options_add_print_after(o, v.c_str(), e); });
  }

  // Print the program to standard error after each program pass that changed it. Default: false.
  Options& print_changes(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_print_changes(o, v, e); });
  }

  // Add to the report how often each program pass ran, how often it changed the program and how many seconds it took
  // ('passes'), and which bounds of repeated passes were reached ('bounds'). The export is slower. Default: false.
  Options& pass_statistics(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_pass_statistics(o, v, e); });
  }
  // Made until here.

  // Observes the calls with these options.
  Options& observer(const Observer& v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_observer(o, v.get(), e); });
  }

  const tonnx_options* get() const { return handle_.get(); }

 private:
  template <class Call>
  Options& run(Call&& body) {
    detail::call([&](tonnx_error** e) { return body(handle_.get(), e); });
    return *this;
  }
  detail::Handle<tonnx_options, tonnx_options_free> handle_;
};

inline std::int32_t opset_oldest() { return tonnx_opset_oldest(); }
inline std::int32_t opset_newest() { return tonnx_opset_newest(); }
inline std::int32_t opset_default() { return tonnx_opset_default(); }

}  // namespace tonnx

#endif
