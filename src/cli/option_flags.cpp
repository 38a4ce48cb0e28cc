#include "cli/option_flags.h"

#include "cli/usage.h"

namespace tonnx::cli {
namespace {

// What commas separate. CLI11's own delimiter leaves out what is empty.
std::vector<std::string> items_of(const std::string& list) {
  std::vector<std::string> items;
  for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
    end = list.find(',', begin);
    items.push_back(list.substr(begin, end == std::string::npos ? end : end - begin));
  }
  return items;
}

// NAME:AXIS[=SYMBOL]; the name may itself hold colons.
void add_dynamic_axis(Options& options, const std::string& text) {
  const std::string flag = "--dynamic-axes '" + text + "': ";
  const std::size_t equals = text.find('=');
  const std::string where = text.substr(0, equals);
  const std::string symbol = equals == std::string::npos ? "" : text.substr(equals + 1);
  const std::size_t colon = where.rfind(':');
  if (colon == std::string::npos || colon == 0) misuse(flag + "write NAME:AXIS or NAME:AXIS=SYMBOL");
  if (equals != std::string::npos && symbol.empty()) misuse(flag + "the symbol is empty");
  std::int64_t axis = 0;
  if (!read(std::string_view(where).substr(colon + 1), axis)) misuse(flag + "the axis is no whole number");
  options.dynamic_axis(where.substr(0, colon), axis, symbol);
}

// DOMAIN=VERSION
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
  const auto keep = [this, add, with_empty](const std::vector<std::string>& lists) {
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
          "Opset of the default ONNX domain, from the oldest to the newest supported one. Default: 17.",
          &Options::opset);
  text(command, "--method", "Method of the archive. Default: forward.", &Options::method);
  choice(command, "--mode",
         "Whether a scripted program's control flow is kept, or the program is run and what it does is recorded, loops "
         "unrolled. Default: auto.",
         &Options::mode, {{"auto", TONNX_MODE_AUTO}, {"script", TONNX_MODE_SCRIPT}, {"trace", TONNX_MODE_TRACE}});
  choice(command, "--training",
         "Whether dropout and batch norm are exported in inference or training form. Default: eval.",
         &Options::training,
         {{"eval", TONNX_TRAINING_EVAL}, {"preserve", TONNX_TRAINING_PRESERVE}, {"train", TONNX_TRAINING_TRAIN}});
  toggle(
      command, "--constant-folding,!--no-constant-folding",
      "Replace operators on weights by their results, and normalisations by fixed statistics by other weights of the "
      "layer before them (from opset 9, in eval mode); operators on constants alone are always replaced. Default: on in"
      " eval mode, off in the others.",
      &Options::constant_folding);
  toggle(command, "--export-params,!--no-export-params,!--no-params",
         "Store the weights' values; otherwise weights become inputs after the user's. Default: on.",
         &Options::export_params);
  choice(command, "--initializers-as-inputs,--keep-initializers-as-inputs",
         "List initializers among the graph's inputs. Default: auto.", &Options::initializers_as_inputs,
         {{"auto", TONNX_INITIALIZERS_AS_INPUTS_AUTO},
          {"always", TONNX_INITIALIZERS_AS_INPUTS_ALWAYS},
          {"never", TONNX_INITIALIZERS_AS_INPUTS_NEVER},
          {"yes", TONNX_INITIALIZERS_AS_INPUTS_ALWAYS},
          {"no", TONNX_INITIALIZERS_AS_INPUTS_NEVER}});
  toggle(command, "--check,!--no-check", "Run the ONNX checker on the result. Default: on.", &Options::check);
  toggle(command, "--doc-strings,!--no-doc-strings", "Write each node's source line as its doc_string. Default: off.",
         &Options::doc_strings);
  each(
      command, "--module-functions",
      "Class of modules, without its Python module ('Linear'), whose calls become local functions of the model; '*' for"
      " all classes. From opset 15. Default: none: the model is one graph.",
      &Options::module_function, "NAME");
  toggle(
      command, "--written-outputs,!--no-written-outputs",
      "Add the new values of all that the program writes to and that outlives the call (inputs, buffers, parameters, "
      "attributes, captured tensors) as outputs NAME_written after its own. Without it, a warning names each write. "
      "Default: off.",
      &Options::written_outputs);
  toggle(command, "--warnings-as-errors,!--no-warnings-as-errors",
         "An export that warns fails with status warning (class WarningError); the warnings are its reasons. Default: "
         "off.",
         &Options::warnings_as_errors);
  toggle(command, "--sequence-inputs,!--no-sequence-inputs",
         "A list of tensors that a script takes (List[Tensor]) is one sequence input, called as the argument, of any "
         "length but for code that needs another; an axis named of it is one of every item. From opset 11. Without it, "
         "each item of the example is an input, NAME.0, NAME.1. Default: off.",
         &Options::sequence_inputs);
  each_in_place(
      command, "--input-names",
      "Name of the next input: user inputs first, then weights in state-dict order. An empty one keeps the default name"
      " of that input. A quantised input has one name here; its scale and zero point are NAME_scale and "
      "NAME_zero_point. Default: the names of forward's arguments, and state-dict keys.",
      &Options::input_name, "NAME");
  each_in_place(
      command, "--output-names",
      "Name of the next output: one for each tensor, number or list that the program returns, those of tuples and dicts"
      " one by one. An empty one keeps the default name of that output. A quantised output has one name here; its scale"
      " and zero point are NAME_scale and NAME_zero_point. Default: the program's names, or output_N.",
      &Options::output_name, "NAME");
  each(command, "--dynamic-axes,--dynamic",
       "Axis of an input or output that is dynamic; negative axes count from the end. Without a symbol it is called "
       "NAME_dynamic_axes_K. Default: every axis is fixed to the example's size.",
       add_dynamic_axis, "NAME:AXIS[=SYMBOL]");
  choice(
      command, "--fixed-dynamic-axes",
      "What becomes of a dynamic axis that the program fixes: one whose size a weight, a count or a check of the "
      "program decides, so that it runs at the example's size only, one that torch.export exported with a fixed size, "
      "or one of an output that has a known size. The other dynamic axes stay dynamic. Default: error.",
      &Options::fixed_dynamic_axes,
      {{"error", TONNX_FIXED_DYNAMIC_AXES_ERROR}, {"warn", TONNX_FIXED_DYNAMIC_AXES_WARN}});
  each(
      command, "--fixed-axes",
      "An open size of a program of torch.export that is a number in the model: NAME:AXIS=SIZE of an input (negative "
      "axes count from the end), NAME=SIZE of a number among the arguments, which is no input then, SYMBOL=SIZE as the "
      "model calls it, without =SIZE at the size of the example (the archive's inputs, where none are given); '*' for "
      "all that no dynamic axis names. All sizes that follow from it are numbers, too. Refused where the program's "
      "ranges and conditions do not allow it. Of a script, whose axes are fixed anyway: NAME of a number among the "
      "arguments, which has the example's value in the model and is no input; '*' for all of them. Default: none: what "
      "torch.export left open stays open.",
      &Options::fixed_axis, "NAME");
  each(command, "--custom-opsets,--custom-opset",
       "Version of a custom domain in the model's opset imports. Default: 1.", set_custom_opset, "DOMAIN=VERSION");
  // Made until here.
}

Options OptionFlags::make() const {
  Options options;
  for (const auto& set : given_) set(options);
  return options;
}

}  // namespace tonnx::cli
