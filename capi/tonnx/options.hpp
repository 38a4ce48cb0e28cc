#ifndef TONNX_OPTIONS_HPP
#define TONNX_OPTIONS_HPP

#include <cstdint>
#include <string>

#include "tonnx/error.hpp"
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

  // Opset of the default ONNX domain, from the oldest to the newest supported one. Default: 17.
  Options& opset(std::int32_t v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_opset(o, v, e); });
  }

  // Method of the archive. Default: "forward".
  Options& method(const std::string& v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_method(o, v.c_str(), e); });
  }

  // Whether a scripted program's control flow is kept, or the program is run and what it does is recorded, loops
  // unrolled. Default: TONNX_MODE_AUTO.
  Options& mode(std::int32_t v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_mode(o, v, e); });
  }

  // Whether dropout and batch norm are exported in inference or training form. Default: TONNX_TRAINING_EVAL.
  Options& training(std::int32_t v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_training(o, v, e); });
  }

  // Replace operators on weights by their results, and normalisations by fixed statistics by other weights of the layer
  // before them (from opset 9, in eval mode); operators on constants alone are always replaced. Default: on in eval
  // mode, off in the others.
  Options& constant_folding(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_constant_folding(o, v, e); });
  }

  // Store the weights' values; otherwise weights become inputs after the user's. Default: true.
  Options& export_params(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_export_params(o, v, e); });
  }

  // List initializers among the graph's inputs. Default: TONNX_INITIALIZERS_AS_INPUTS_AUTO.
  Options& initializers_as_inputs(std::int32_t v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_initializers_as_inputs(o, v, e); });
  }

  // Run the ONNX checker on the result. Default: true.
  Options& check(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_check(o, v, e); });
  }

  // Write each node's source line as its doc_string. Default: false.
  Options& doc_strings(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_doc_strings(o, v, e); });
  }

  // Class of modules, without its Python module ('Linear'), whose calls become local functions of the model; '*' for
  // all classes. From opset 15. Default: none: the model is one graph.
  Options& module_function(const std::string& v) {
    return run([&](auto* o, auto** e) { return tonnx_options_add_module_function(o, v.c_str(), e); });
  }

  // Add the new values of all that the program writes to and that outlives the call (inputs, buffers, parameters,
  // attributes, captured tensors) as outputs NAME_written after its own. Without it, a warning names each write.
  // Default: false.
  Options& written_outputs(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_written_outputs(o, v, e); });
  }

  // An export that warns fails with status warning (class WarningError); the warnings are its reasons. Default: false.
  Options& warnings_as_errors(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_warnings_as_errors(o, v, e); });
  }

  // A list of tensors that a script takes (List[Tensor]) is one sequence input, called as the argument, of any length
  // but for code that needs another; an axis named of it is one of every item. From opset 11. Without it, each item of
  // the example is an input, NAME.0, NAME.1. Default: false.
  Options& sequence_inputs(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_sequence_inputs(o, v, e); });
  }

  // Name of the next input: user inputs first, then weights in state-dict order. An empty one keeps the default name of
  // that input. A quantised input has one name here; its scale and zero point are NAME_scale and NAME_zero_point.
  // Default: the names of forward's arguments, and state-dict keys.
  Options& input_name(const std::string& v) {
    return run([&](auto* o, auto** e) { return tonnx_options_add_input_name(o, v.c_str(), e); });
  }

  // Name of the next output: one for each tensor, number or list that the program returns, those of tuples and dicts
  // one by one. An empty one keeps the default name of that output. A quantised output has one name here; its scale and
  // zero point are NAME_scale and NAME_zero_point. Default: the program's names, or output_N.
  Options& output_name(const std::string& v) {
    return run([&](auto* o, auto** e) { return tonnx_options_add_output_name(o, v.c_str(), e); });
  }

  // Axis of an input or output that is dynamic; negative axes count from the end. Without a symbol it is called
  // NAME_dynamic_axes_K. Default: every axis is fixed to the example's size.
  Options& dynamic_axis(const std::string& name, std::int64_t axis, const std::string& symbol = {}) {
    const char* given = symbol.empty() ? nullptr : symbol.c_str();
    return run([&](auto* o, auto** e) { return tonnx_options_add_dynamic_axis(o, name.c_str(), axis, given, e); });
  }

  // What becomes of a dynamic axis that the program fixes: one whose size a weight, a count or a check of the program
  // decides, so that it runs at the example's size only, one that torch.export exported with a fixed size, or one of an
  // output that has a known size. The other dynamic axes stay dynamic. Default: TONNX_FIXED_DYNAMIC_AXES_ERROR.
  Options& fixed_dynamic_axes(std::int32_t v) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_fixed_dynamic_axes(o, v, e); });
  }

  // An open size of a program of torch.export that is a number in the model: NAME:AXIS=SIZE of an input (negative axes
  // count from the end), NAME=SIZE of a number among the arguments, which is no input then, SYMBOL=SIZE as the model
  // calls it, without =SIZE at the size of the example (the archive's inputs, where none are given); '*' for all that
  // no dynamic axis names. All sizes that follow from it are numbers, too. Refused where the program's ranges and
  // conditions do not allow it. Of a script, whose axes are fixed anyway: NAME of a number among the arguments, which
  // has the example's value in the model and is no input; '*' for all of them. Default: none: what torch.export left
  // open stays open.
  Options& fixed_axis(const std::string& v) {
    return run([&](auto* o, auto** e) { return tonnx_options_add_fixed_axis(o, v.c_str(), e); });
  }

  // Version of a custom domain in the model's opset imports. Default: 1.
  Options& custom_opset(const std::string& domain, std::int64_t version) {
    return run([&](auto* o, auto** e) { return tonnx_options_set_custom_opset(o, domain.c_str(), version, e); });
  }
  // Made until here.

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
