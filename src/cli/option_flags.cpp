#include "cli/option_flags.h"

#include "cli/usage.h"

namespace tonnx::cli {
namespace {

// Splits at commas. CLI11's own delimiter drops empty items.
std::vector<std::string> items_of(const std::string& list) {
  std::vector<std::string> items;
  for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
    end = list.find(',', begin);
    items.push_back(list.substr(begin, end == std::string::npos ? end : end - begin));
  }
  return items;
}

// Parses NAME:AXIS[=SYMBOL], or "all"; the name may contain colons.
void add_dynamic_axis(Options& options, const std::string& text) {
  if (text == "all") {
    options.all_axes_dynamic(true);
    return;
  }
  const std::string flag = "--dynamic-axes '" + text + "': ";
  const std::size_t equals = text.find('=');
  const std::string where = text.substr(0, equals);
  const std::string symbol = equals == std::string::npos ? "" : text.substr(equals + 1);
  const std::size_t colon = where.rfind(':');
  if (colon == std::string::npos || colon == 0) misuse(flag + "write NAME:AXIS, NAME:AXIS=SYMBOL or all");
  if (equals != std::string::npos && symbol.empty()) misuse(flag + "the symbol is empty");
  std::int64_t axis = 0;
  if (!read(std::string_view(where).substr(colon + 1), axis)) misuse(flag + "the axis is not an integer");
  options.dynamic_axis(where.substr(0, colon), axis, symbol);
}

// Parses DOMAIN=VERSION.
void set_custom_opset(Options& options, const std::string& text) {
  const std::size_t equals = text.rfind('=');
  std::int64_t version = 0;
  if (equals == std::string::npos || !read(std::string_view(text).substr(equals + 1), version))
    misuse("--custom-opsets '" + text + "': write DOMAIN=VERSION");
  options.custom_opset(text.substr(0, equals), version);
}

}  // namespace

void OptionFlags::integer(CLI::App& command, const char* flag, const char* text, Setter<std::int32_t> set) {
  command.add_option_function<std::int32_t>(
      flag, [this, set](std::int32_t v) { given_.push_back([=](Options& o) { (o.*set)(v); }); }, text);
}

void OptionFlags::text(CLI::App& command, const char* flag, const char* text, Setter<const std::string&> set) {
  command.add_option_function<std::string>(
      flag, [this, set](const std::string& v) { given_.push_back([=](Options& o) { (o.*set)(v); }); }, text);
}

void OptionFlags::toggle(CLI::App& command, const char* flags, const char* text, Setter<bool> set) {
  command
      .add_flag_function(
          flags, [this, set](std::int64_t count) { given_.push_back([=](Options& o) { (o.*set)(count > 0); }); }, text)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

void OptionFlags::choice(CLI::App& command, const char* flags, const char* text, Setter<std::int32_t> set,
                         const Choices& choices) {
  const std::string all = flags, flag = all.substr(0, all.find(','));
  const auto keep = [=, this](const std::string& given) {
    given_.push_back([=](Options& o) { (o.*set)(choose(flag, given, choices)); });
  };
  command.add_option_function<std::string>(flags, keep, std::string(text) + " One of " + spellings(choices) + ".");
}

void OptionFlags::each(CLI::App& command, const char* flag, const char* text,
                       std::function<void(Options&, const std::string&)> add, const char* item, bool with_empty) {
  const auto keep = [this, add = std::move(add), with_empty](const std::vector<std::string>& lists) {
    given_.push_back([=](Options& o) {
      for (const std::string& list : lists)
        for (const std::string& item : items_of(list))
          if (with_empty || !item.empty()) add(o, item);
    });
  };
  command.add_option_function<std::vector<std::string>>(flag, keep, text)
      ->take_all()
      ->expected(1)
      ->type_name(std::string(item) + ",...");
}

void OptionFlags::each_in_place(CLI::App& command, const char* flag, const char* text,
                                std::function<void(Options&, const std::string&)> add, const char* item) {
  each(command, flag, text, std::move(add), item, true);
}

void OptionFlags::add_to(CLI::App& command) {
  // Made from options.json by scripts/options.py.
  integer(command, "--opset",
          "Opset version of the default ONNX domain, within the range that tonnx supports. Default: 17.",
          &Options::opset);
  choice(command, "--target", "The runtime whose missing kernels and defects the model avoids. Default: onnxruntime.",
         &Options::target, {{"onnxruntime", TONNX_TARGET_ONNXRUNTIME}, {"onnx", TONNX_TARGET_ONNX}});
  text(command, "--method", "Method of the archive to export. Default: forward.", &Options::method);
  choice(command, "--mode",
         "Whether a script's branches and loops are kept, or the script is run and recorded, with its loops unrolled. "
         "Default: auto.",
         &Options::mode, {{"auto", TONNX_MODE_AUTO}, {"script", TONNX_MODE_SCRIPT}, {"trace", TONNX_MODE_TRACE}});
  choice(command, "--training", "Export dropout and batch norm in inference or training form. Default: eval.",
         &Options::training,
         {{"eval", TONNX_TRAINING_EVAL},
          {"preserve", TONNX_TRAINING_PRESERVE},
          {"train", TONNX_TRAINING_TRAIN},
          {"true", TONNX_TRAINING_TRAIN},
          {"false", TONNX_TRAINING_EVAL}});
  toggle(
      command, "--constant-folding,!--no-constant-folding",
      "Compute operators on weights at export time, and fold normalisations with fixed statistics into the weights of "
      "the layer before them (opset 9 on). In training mode this changes parameters, so it is a warning there. "
      "Operators on constants are always folded. An operator with an operand or result above 8 MiB stays, unless it is "
      "an elementwise operator on floating-point weights, a reduction, a Concat along the first axis, or a view of a "
      "weight. So does a product of large matrices, and an operator on a weight with other uses if the model would "
      "grow. Default: on in eval mode, off in other modes.",
      &Options::constant_folding);
  toggle(
      command, "--merge-equal-weights,!--no-merge-equal-weights",
      "Store weights of equal dtype, shape and content once, under the name of the first one. Only in eval mode with "
      "stored weights that are not inputs of the graph. Default: off.",
      &Options::merge_equal_weights);
  toggle(command, "--export-params,!--no-export-params,!--no-params",
         "Store the values of the weights. If off, weights become inputs after the user's inputs. Default: on.",
         &Options::export_params);
  choice(command, "--initializers-as-inputs,--keep-initializers-as-inputs",
         "List initializers among the graph's inputs, too. Default: auto.", &Options::initializers_as_inputs,
         {{"auto", TONNX_INITIALIZERS_AS_INPUTS_AUTO},
          {"always", TONNX_INITIALIZERS_AS_INPUTS_ALWAYS},
          {"never", TONNX_INITIALIZERS_AS_INPUTS_NEVER},
          {"yes", TONNX_INITIALIZERS_AS_INPUTS_ALWAYS},
          {"no", TONNX_INITIALIZERS_AS_INPUTS_NEVER}});
  choice(
      command, "--operator-export-type,--operators",
      "Whether operators stay unconverted in the model, which then needs a runtime that has them. Each one that stays "
      "although it should be converted is a warning. Default: onnx.",
      &Options::operator_export_type,
      {{"onnx", TONNX_OPERATOR_EXPORT_TYPE_ONNX},
       {"fallthrough", TONNX_OPERATOR_EXPORT_TYPE_FALLTHROUGH},
       {"aten", TONNX_OPERATOR_EXPORT_TYPE_ATEN},
       {"aten_fallback", TONNX_OPERATOR_EXPORT_TYPE_ATEN_FALLBACK},
       {"aten-fallback", TONNX_OPERATOR_EXPORT_TYPE_ATEN_FALLBACK},
       {"ONNX", TONNX_OPERATOR_EXPORT_TYPE_ONNX},
       {"ONNX_FALLTHROUGH", TONNX_OPERATOR_EXPORT_TYPE_FALLTHROUGH},
       {"ONNX_ATEN", TONNX_OPERATOR_EXPORT_TYPE_ATEN},
       {"ONNX_ATEN_FALLBACK", TONNX_OPERATOR_EXPORT_TYPE_ATEN_FALLBACK}});
  toggle(
      command, "--autograd-inlining,!--no-autograd-inlining",
      "Convert the operators of a function that the host named in its trace and that has no symbolic. If off, such a "
      "function is one operator prim::PythonOp, which is an error, or stays unconverted as operator_export_type says. "
      "Archives have no such functions. Default: on; off if operator_export_type is fallthrough or aten_fallback.",
      &Options::autograd_inlining);
  toggle(command, "--check,!--no-check", "Run the ONNX checker on the result. Default: on.", &Options::check);
  text(
      command, "--invalid-model",
      "File to which the model is written if the ONNX checker rejects it. The export fails all the same. Empty: none is"
      " written. Default: none.",
      &Options::invalid_model);
  toggle(command, "--doc-strings,!--no-doc-strings", "Write each node's source line as its doc_string. Default: off.",
         &Options::doc_strings);
  toggle(command, "--node-names,!--no-node-names", "Write the names of nodes. Values keep their names. Default: on.",
         &Options::node_names);
  toggle(command, "--weight-names,!--no-weight-names",
         "Call weights by their state-dict keys. If off, they are called weight_0, weight_1 in the order of the state "
         "dict, unless input names replace them. Default: on.",
         &Options::weight_names);
  toggle(
      command, "--value-info,!--no-value-info",
      "Write the type and the shape of each intermediate value. A dynamic size has its expression as dim_param; a size "
      "that is known only at run time has the name of its value and axis, and so has a size of 1 that may be 0. "
      "Default: on.",
      &Options::value_info);
  each(
      command, "--module-functions",
      "Class of modules whose calls become local functions of the model: its name without its Python module ('Linear') "
      "or with it ('torch.nn.modules.linear.Linear'), or '*' for all classes. The Python module is the domain of the "
      "function. Opset 15 on. Default: none: the model is one graph.",
      &Options::module_function, "NAME");
  toggle(
      command, "--written-outputs,!--no-written-outputs",
      "Add outputs NAME_written with the new values of everything that the program writes to and that outlives the "
      "call: inputs, buffers, parameters, attributes, captured tensors. If off, each such write is a warning. Default: "
      "off.",
      &Options::written_outputs);
  toggle(
      command, "--warnings-as-errors,!--no-warnings-as-errors",
      "Fail with status warning (class WarningError) if the export warns; the warnings are the reasons of the error. "
      "Default: off.",
      &Options::warnings_as_errors);
  toggle(
      command, "--sequence-inputs,!--no-sequence-inputs",
      "Export a List[Tensor] argument of a script as one ONNX sequence input with the name of the argument (opset 11 "
      "on). It may have any length that the code accepts, and a dynamic axis of it applies to every item. If off, each "
      "item of the example becomes an input: NAME.0, NAME.1. Default: off.",
      &Options::sequence_inputs);
  toggle(
      command, "--sequence-outputs,!--no-sequence-outputs",
      "Export a List[Tensor] result of a script as one ONNX sequence output with the name of the list (opset 11 on), "
      "also if its length is known. An empty list is a sequence of float32. If off, each item of a list of known length"
      " becomes an output, NAME.0, NAME.1 if the list is an entry NAME of a dict, and an empty list has none. Default: "
      "off.",
      &Options::sequence_outputs);
  each_in_place(
      command, "--input-names",
      "Name of the next input: first the user's inputs, then the weights in state-dict order. An empty name keeps the "
      "default. A quantised input has one name here; its scale and zero point are called NAME_scale and "
      "NAME_zero_point. Default: the argument names of forward, and state-dict keys.",
      &Options::input_name, "NAME");
  each_in_place(
      command, "--output-names",
      "Name of the next output: one for each tensor, number, list of numbers or list of dynamic length that the program"
      " returns; tuples, dicts and other lists count item by item. An empty name keeps the default. A quantised output "
      "has one name here; its scale and zero point are called NAME_scale and NAME_zero_point. Default: the program's "
      "names, or output_N.",
      &Options::output_name, "NAME");
  each(command, "--dynamic-axes,--dynamic",
       "A dynamic axis of an input or output. Negative axes count from the end. Without a symbol the axis is called "
       "NAME_dynamic_axes_K. Default: every axis is fixed to the example's size.",
       add_dynamic_axis, "NAME:AXIS[=SYMBOL]");
  toggle(
      command, "--all-axes-dynamic,!--no-all-axes-dynamic",
      "Make every axis of every input dynamic. Axes that the program fixes keep the example's size, with a warning (as "
      "with fixed_dynamic_axes). Axes of a torch.export program that its archive fixes stay fixed; so do those of a "
      "trace that were not declared to it. Default: off.",
      &Options::all_axes_dynamic);
  choice(
      command, "--fixed-dynamic-axes",
      "What to do with a dynamic axis that the program fixes: its size is decided by a weight, a count or a check in "
      "the program, so the program runs only at the example's size; or torch.export exported it with a fixed size; or "
      "it is an axis of an output whose size is known. Other dynamic axes stay dynamic. Default: error.",
      &Options::fixed_dynamic_axes,
      {{"error", TONNX_FIXED_DYNAMIC_AXES_ERROR}, {"warn", TONNX_FIXED_DYNAMIC_AXES_WARN}});
  each(
      command, "--fixed-axes",
      "Fix a dynamic size of a torch.export program to a constant: NAME:AXIS=SIZE for an axis of an input (negative "
      "axes count from the end), NAME=SIZE for an integer argument, which is then not an input, or SYMBOL=SIZE for a "
      "symbol of the model. Without =SIZE the size is the example's (the archive's own inputs if no arguments are "
      "given). '*' fixes all sizes that no dynamic axis names. Sizes derived from fixed sizes become constants, too. "
      "Refused if the ranges and conditions of the program do not allow the size. For a script, whose axes are fixed "
      "unless declared dynamic, NAME fixes an integer argument at the example's value and removes the input; '*' fixes "
      "all of them. Default: none: dynamic sizes of torch.export stay dynamic.",
      &Options::fixed_axis, "NAME");
  each(command, "--custom-opsets,--custom-opset",
       "Version of a custom domain in the opset imports of the model. Default: 1.", set_custom_opset, "DOMAIN=VERSION");
  integer(
      command, "--max-seconds",
      "Seconds after which the export ends with status cancelled, at most 0.2 s later unless one operator of LibTorch, "
      "or its compilation of a long script, takes longer; 0: no limit. Default: 0.",
      &Options::max_seconds);
  integer(
      command, "--max-steps",
      "Operators that the export may run in LibTorch or import before it is cancelled; each iteration of a loop that is"
      " unrolled or recorded counts. 0: no limit. Default: 0.",
      &Options::max_steps);
  integer(
      command, "--max-constant-mib",
      "MiB that one constant may take that LibTorch computes from the constants of the program; if it is larger, the "
      "export is cancelled before it is computed. 0: no limit. Default: 0.",
      &Options::max_constant_mib);
  integer(
      command, "--max-call-depth",
      "Nested calls that a TorchScript program may make, from 1 to 400. A program with more ends the export with status"
      " cancelled if the limit is below 400, else with status unsupported. Default: 400.",
      &Options::max_call_depth);
  each(
      command, "--print-after",
      "Program pass after which the program is printed to standard error, whether the pass changed it or not; 'all' for"
      " every pass. docs/passes.md lists the passes. Default: none.",
      &Options::print_after, "NAME");
  toggle(command, "--print-changes,!--no-print-changes",
         "Print the program to standard error after each program pass that changed it. Default: off.",
         &Options::print_changes);
  toggle(
      command, "--pass-statistics,!--no-pass-statistics",
      "Add to the report how often each program pass ran, how often it changed the program and how many seconds it took"
      " ('passes'), and which bounds of repeated passes were reached ('bounds'). The export is slower. Default: off.",
      &Options::pass_statistics);
  // Made until here.
}

Options OptionFlags::make() const {
  Options options;
  for (const auto& set : given_) set(options);
  return options;
}

}  // namespace tonnx::cli
