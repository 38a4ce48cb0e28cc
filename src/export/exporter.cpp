#include "export/exporter.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>

#include "aten/traits.h"
#include "backend/libtorch.h"
#include "export/axes.h"
#include "export/call_adapter.h"
#include "export/naming.h"
#include "export/policy.h"
#include "export/symbolic_types.h"
#include "export/told_axes.h"
#include "ir/complex.h"
#include "ir/printer.h"
#include "lower/lower.h"
#include "onnx/check.h"
#include "onnx/opset.h"
#include "optimize/optimize.h"
#include "program/prepare.h"

namespace tonnx::exporting {
namespace {

using ir::Code;
using ir::Error;

class Stopwatch {
 public:
  explicit Stopwatch(Report& report) : report_(report), start_(Clock::now()) {}
  void lap(const char* stage) {
    const Clock::time_point now = Clock::now();
    report_.seconds.emplace_back(stage, std::chrono::duration<double>(now - start_).count());
    start_ = now;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Report& report_;
  Clock::time_point start_;
};

void count_operators(const ir::Graph& graph, std::map<std::string, std::int64_t>& counts) {
  ir::for_each_node(graph.block(), [&](ir::Node* node) {
    if (!node->is("prim::Constant")) ++counts[node->domain() == "onnx" ? std::string(node->op()) : node->full_name()];
  });
}

std::vector<InputAxis> program_axes(const std::vector<BoundAxis>& bound) {
  std::vector<InputAxis> axes;
  for (const BoundAxis& b : bound)
    if (b.is_input) axes.push_back({b.index, static_cast<std::size_t>(b.axis), b.symbol});
  return axes;
}

void number_weights(ir::Graph& program) {
  std::size_t count = 0;
  for (ir::Value* weight : program.weights()) weight->set_origin(ir::Origin{count++});
}

// The program's weights become inputs of the model after the user's.
void weights_to_inputs(ir::Graph& model) {
  for (ir::Value* weight : weights_in_order(model)) {
    ir::Value* input = model.block().add_input();
    input->set_name(weight->name());
    input->set_facts(weight->facts());
    weight->replace_uses(input);
    model.remove_weight(weight);
  }
}

void describe(Model& model, const Options& options, const Policy& policy, std::vector<std::string>& warnings) {
  model.method = options.method;
  model.training = options.training;
  model.info.opset = options.opset;
  model.info.ir_version = onnx::ir_version(options.opset);
  model.info.producer_name = "tonnx";
  model.info.producer_version = TONNX_VERSION;
  model.info.initializers_as_inputs = policy.initializers_as_inputs;
  model.info.doc_strings = options.doc_strings;
  model.info.module_functions = options.module_functions;
  model.info.domains = used_domains(*model.graph, options, warnings);
  tell_unused_classes(*model.graph, options, warnings);
}

void require_outputs(const ir::Graph& graph, const std::string& method) {
  if (!graph.outputs().empty()) return;
  throw Error(Code::Unsupported, "method '" + method +
                                     "' returns no tensor and no number: an ONNX model needs an output; return one");
}

ir::RawProgram import(const LoadedProgram& source, const ir::Arguments& args, const Options& options, Report& report) {
  ir::RawProgram program = source.import(options.method, args, options.training);
  require_outputs(*program.graph, options.method);
  report.warnings.insert(report.warnings.end(), program.warnings.begin(), program.warnings.end());
  count_operators(*program.graph, report.source_operators);
  return program;
}

// Nothing where the program cannot be run here.
std::vector<ir::Tensor> results_of(const std::function<std::vector<ir::Tensor>()>& run) {
  try {
    return run();
  } catch (const Error&) {
    return {};
  }
}

// An output whose rank is not the same in every run, or not known, is declared with the example's, as a model must
// declare one. `results` runs the example.
void declare_ranks(ir::Graph& model, const ir::Graph& program, const std::function<std::vector<ir::Tensor>()>& results,
                   std::vector<std::string>& warnings) {
  const auto* ranks = program.block().return_node()->attribute_as<std::vector<std::int64_t>>("example_ranks");
  std::optional<std::vector<ir::Tensor>> example;
  for (std::size_t i = 0; ranks && i < model.outputs().size() && i < ranks->size(); ++i) {
    ir::Value& out = *model.outputs()[i];
    if (out.facts().dims || out.type().is(ir::Type::Kind::List)) continue;
    std::int64_t rank = (*ranks)[i];
    if (rank < 0) {
      if (!example) example = results_of(results);
      if (example->size() != model.outputs().size()) continue;
      rank = (*example)[i].rank();
    }
    out.facts().dims.emplace(static_cast<std::size_t>(rank));
    warnings.push_back("output " + std::to_string(i) +
                       ((*ranks)[i] < 0 ? " may have another number of axes in some runs than the "
                                        : " has another number of axes in some runs than the ") +
                       std::to_string(rank) + " that the model declares");
  }
}

// Tells which inputs and outputs are complex in the program and real in the model.
void tell_complex(const ir::Graph& program, const std::vector<std::string>& output_names, std::vector<std::string>& warnings) {
  const auto tell = [&](const char* what, const ir::Value* value, const std::string& name, std::size_t i, const char* verb) {
    const ir::DType dtype = value->facts().dtype;
    if (!ir::is_complex(dtype)) return;
    warnings.push_back(std::string(what) + " " + (name.empty() ? std::to_string(i) : "'" + name + "'") + " is " +
                       std::string(ir::name_of(dtype)) + ": the model " + verb + " it as " +
                       std::string(ir::name_of(ir::part_dtype(dtype))) + " with a last axis of 2, the real and the imaginary part");
  };
  for (std::size_t i = 0; i < program.inputs().size(); ++i) tell("input", program.inputs()[i], program.inputs()[i]->name(), i, "takes");
  for (std::size_t i = 0; i < program.outputs().size(); ++i)
    tell("output", program.outputs()[i], i < output_names.size() ? output_names[i] : "", i, "gives");
}

// Axes that have one size wherever the program runs have one symbol.
void keep_axes(Model& model, const std::vector<BoundAxis>& axes, const std::vector<InputAxis>& open) {
  auto found = open.begin();
  for (const BoundAxis& axis : axes) {
    if (!axis.is_input) continue;
    InputAxis& kept = model.axes.emplace_back(*found++);
    if (const std::string* same = kept.follows ? kept.follows->symbol() : nullptr) {
      model.same_size[axis.symbol] = *same;
      kept = {kept.input, kept.axis, *same};
    }
  }
}

void name_ranges(ir::RawProgram& program, const std::map<std::string, ir::Polynomial>& names) {
  for (const auto& [symbol, name] : names)
    if (auto range = program.ranges.extract(symbol)) {
      range.key() = *name.symbol();
      program.ranges.insert(std::move(range));
    }
}

// Sizes that the program is not made for and the model takes. That 0 and 1 are left out says nothing: that is how
// PyTorch exports all open sizes.
void keep_told_axes(Model& model, const ir::RawProgram& program, std::vector<std::string>& warnings) {
  model.axes = sized_axes(*program.graph);
  for (const std::string& symbol : symbols_of(model.axes)) {
    const auto range = program.ranges.find(symbol);
    if (range == program.ranges.end()) continue;
    const ir::SizeRange sizes = range->second;
    model.ranges[symbol] = sizes;
    const bool ends = sizes.max < ir::SizeRange().max;
    if (sizes.min <= 2 && !ends) continue;
    warnings.push_back("the program takes sizes of " + symbol + " from " + std::to_string(sizes.min) +
                       (ends ? " to " + std::to_string(sizes.max) : " on") + ", which the model does not check");
  }
}

// The program passes; returns the dynamic axes with what their sizes were found to follow from, unless the program told it.
std::vector<InputAxis> prepare(const LoadedProgram& source, ir::RawProgram& program,
                                       const std::vector<BoundAxis>& axes, const lower::Registry& registry,
                                       const ir::Opset& opset, const lower::LowerOptions& lowering, Report& report) {
  const auto kept = [&](const ir::Node& node) {
    const auto entries = registry.find(node.kind(), node.schema() ? node.schema()->overload : "", opset.version());
    return std::ranges::any_of(entries, [](const auto* entry) { return entry->is_custom(); });
  };
  if (source.tells_facts()) {
    name_ranges(program, name_open_sizes(*program.graph, axes));
    program::prepare(*program.graph, program.output_names, report.warnings, kept);
    return {};
  }
  const auto evaluator = with_symbolic_types(backend::libtorch().make_evaluator(), registry, opset, lowering);
  const std::vector<ir::Constant> examples(program.inputs.begin(), program.inputs.end());
  return program::prepare(*program.graph, *evaluator, program_axes(axes), examples, program.output_names, report.warnings, kept);
}

// The script's method, run and recorded; null where there is no script.
std::shared_ptr<const LoadedProgram> recorded(const LoadedProgram& script, const ir::Arguments& args, const Options& options) {
  std::vector<TraceAxis> told;
  if (!options.dynamic_axes.empty() && !script.tells_facts()) {
    const ir::RawProgram raw = script.described(options.method, args, options.training);
    for (const BoundAxis& axis : bind_axes(*raw.graph, options, raw.output_names, nullptr))
      if (axis.is_input) told.push_back({axis.index, axis.axis, axis.symbol});
  }
  return script.trace(options.method, args, options.training, told);
}

std::string mode_of(const LoadedProgram& source, const ir::Graph& program) {
  if (source.traced()) return "trace";
  bool branches = false;
  for_each_node(program.block(), [&](const ir::Node* node) { branches = branches || !node->blocks().empty(); });
  return branches ? "script" : "graph";
}

// The model of a program as it stands.
std::unique_ptr<Model> convert(const LoadedProgram& source, const ir::Arguments& args, const Options& options,
                               const lower::Registry& registry, Report& report) {
  const auto opset = onnx::opset(options.opset);
  Stopwatch watch(report);
  ir::RawProgram program = import(source, args, options, report);
  report.mode = mode_of(source, *program.graph);
  watch.lap("import");

  const std::vector<BoundAxis> axes = bind_axes(*program.graph, options, program.output_names, source.traced());
  const lower::LowerOptions lowering{.training = options.training == Training::Train};
  std::vector<InputAxis> open;
  try {
    open = prepare(source, program, axes, registry, *opset, lowering, report);
  } catch (const Error& error) {
    if (error.code() == Code::Unsupported) lower::refuse_all(*program.graph, registry, *opset, error);
    throw;
  }
  require_outputs(*program.graph, options.method);
  number_weights(*program.graph);
  watch.lap("program passes");

  auto model = std::make_unique<Model>();
  if (source.tells_facts()) {
    keep_told_axes(*model, program, report.warnings);
  } else {
    keep_axes(*model, axes, open);
  }
  model->graph = lower::lower_program(*program.graph, registry, *opset, lowering);
  tell_complex(*program.graph, program.output_names, report.warnings);
  watch.lap("lowering");

  const Policy policy = make_policy(options, report.warnings);
  if (!policy.store_weights) weights_to_inputs(*model->graph);
  optimize::optimize(*model->graph, {.fold_constants = true,
                                     .integer_constants = policy.integer_constants,
                                     .fold_weights = policy.fold_weights});
  watch.lap("model passes");

  // Only now: in the program an output may be an input, or stand twice.
  for (std::size_t i = 0; i < program.output_names.size(); ++i)
    if (!program.output_names[i].empty()) model->graph->outputs()[i]->set_name(program.output_names[i]);
  declare_ranks(*model->graph, *program.graph, [&] { return source.run(options.method, args, options.training); }, report.warnings);
  name_model(*model->graph, options);
  apply_axes(*model->graph, axes);
  describe(*model, options, policy, report.warnings);
  tell_call(*model, program.form);
  count_operators(*model->graph, report.model_operators);
  if (options.check) onnx::check(*model->graph, model->info);
  watch.lap("names and checker");
  return model;
}

// The model of a script's recording; null where there is no script.
std::unique_ptr<Model> convert_recording(const LoadedProgram& script, const ir::Arguments& args, const Options& options,
                                         const lower::Registry& registry, Report& report) {
  Stopwatch watch(report);
  const auto trace = recorded(script, args, options);
  watch.lap("trace");
  return trace ? convert(*trace, args, options, registry, report) : nullptr;
}

// The model of the recording of a script that is refused; null where that is refused, too.
std::unique_ptr<Model> convert_refused(const LoadedProgram& script, const ir::Arguments& args, const Options& options,
                                       const lower::Registry& registry, const Error& refusal, Report& report) {
  Report second;
  try {
    std::unique_ptr<Model> model = convert_recording(script, args, options, registry, second);
    if (!model) return nullptr;
    second.warnings.push_back("the model is that of a recording, with loops unrolled and branches taken as for the example's sizes, "
                              "since the script cannot be exported: " +
                              (refusal.reasons().empty() ? std::string(refusal.what()) : refusal.reasons().front().text));
    report = std::move(second);
    return model;
  } catch (const Error& error) {
    if (error.code() == Code::Callback || error.code() == Code::Internal || error.code() == Code::File) throw;
    return nullptr;
  }
}

// A recording takes each branch as the example's sizes take it, and nobody sees which ones another size would take; code that
// reaches outside of the program is not run.
bool may_be_recorded(const Options& options, const Error& refusal) {
  if (refusal.code() != Code::Unsupported || !options.dynamic_axes.empty()) return false;
  const auto acts_outside = [](const ir::Reason& reason) { return aten::traits_of(reason.op).effect == aten::Effect::Outside; };
  return std::none_of(refusal.reasons().begin(), refusal.reasons().end(), acts_outside);
}

std::unique_ptr<Model> run(const LoadedProgram& source, const ir::Arguments& args, const Options& options,
                           const lower::Registry& registry, Report& report) {
  check_options(options);
  if (source.traced() || options.mode == Mode::Script) return convert(source, args, options, registry, report);
  if (options.mode == Mode::Trace) {
    if (auto model = convert_recording(source, args, options, registry, report)) return model;
    throw Error(Code::Argument, "mode 'trace' is for TorchScript programs: a program of torch.export is a graph already");
  }
  try {
    return convert(source, args, options, registry, report);
  } catch (const Error& refusal) {
    if (!may_be_recorded(options, refusal)) throw;
    if (auto model = convert_refused(source, args, options, registry, refusal, report)) return model;
    throw;
  }
}

}  // namespace

std::unique_ptr<Model> export_program(const LoadedProgram& source, const ir::Arguments& args, const Options& options,
                                      const lower::Registry& registry, Report* report) {
  Report own;
  Report& target = report ? *report : own;
  try {
    std::unique_ptr<Model> model = run(source, args, options, registry, target);
    model->report = target;
    return model;
  } catch (const std::exception& failure) {
    const auto* error = dynamic_cast<const Error*>(&failure);
    target.fail(failure.what(), error ? error->reasons() : std::vector<ir::Reason>());
    throw;
  }
}

std::string program_text(const LoadedProgram& source, const ir::Arguments& args, const Options& options) {
  const ir::RawProgram program = source.import(options.method, args, options.training);
  return ir::print(*program.graph);
}

}  // namespace tonnx::exporting
