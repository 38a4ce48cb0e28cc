#include "export/convert.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "aten/training_flags.h"
#include "backend/libtorch.h"
#include "export/axes.h"
#include "export/call_adapter.h"
#include "export/contents.h"
#include "export/exported_axes.h"
#include "export/model_axes.h"
#include "export/model_outputs.h"
#include "export/naming.h"
#include "export/open_opset.h"
#include "export/policy.h"
#include "export/sequence_inputs.h"
#include "export/sequence_outputs.h"
#include "export/stopwatch.h"
#include "export/symbolic_types.h"
#include "export/traced_ranges.h"
#include "ir/dependence.h"
#include "ir/function_region.h"
#include "ir/observer.h"
#include "ir/refusal.h"
#include "ir/source_line.h"
#include "ir/state_write.h"
#include "ir/weight_order.h"
#include "lower/lower.h"
#include "lower/missing_kernels.h"
#include "onnx/check.h"
#include "onnx/opset.h"
#include "onnx/used_functions.h"
#include "onnx/writer.h"
#include "optimize/optimize.h"
#include "program/containers/outputs.h"
#include "program/function_regions.h"
#include "program/prepare.h"
#include "program/traces/find_fixed_sizes.h"
#include "program/writes/state_writes.h"

namespace tonnx::exporting {
namespace {

using ir::Code;
using ir::Error;

static_assert(static_cast<int>(OperatorExportType::Onnx) == static_cast<int>(lower::Operators::Onnx) &&
              static_cast<int>(OperatorExportType::Fallthrough) == static_cast<int>(lower::Operators::Fallthrough) &&
              static_cast<int>(OperatorExportType::Aten) == static_cast<int>(lower::Operators::Aten) &&
              static_cast<int>(OperatorExportType::AtenFallback) == static_cast<int>(lower::Operators::AtenFallback));

constexpr std::int32_t kSequences = 11;  // first opset with sequences

ModelSummary summary_of(const ir::Graph& graph, int opset) {
  ModelSummary summary;
  summary.opset = opset;
  for (const ir::Value* weight : graph.weights()) {
    summary.parameters += weight->weight()->numel();
    summary.weight_bytes += static_cast<std::int64_t>(weight->weight()->bytes());
  }
  for (const ir::Value* input : graph.inputs()) {
    if (!input->facts().has_rank()) continue;
    for (std::size_t axis = 0; axis < input->facts().dims->size(); ++axis)
      if (const ir::Dim& dim = (*input->facts().dims)[axis]; dim.is_symbolic())
        summary.dynamic_axes[dim.text()].push_back(input->name() + ':' + std::to_string(axis));
  }
  return summary;
}

std::int64_t count_nodes(const ir::Graph& graph) {
  std::int64_t count = 0;
  ir::for_each_node(graph.block(), [&](const ir::Node*) { ++count; });
  return count;
}

void number_weights(ir::Graph& program) {
  std::size_t count = 0;
  for (ir::Value* weight : program.weights()) weight->set_origin(ir::Origin{count++});
}

// Turns the program's weights into inputs of the model, after the user's inputs.
void weights_to_inputs(ir::Graph& model) {
  for (ir::Value* weight : ir::weights_in_order(model)) {
    ir::Value* input = model.block().add_input();
    input->set_name(weight->name());
    input->set_facts(weight->facts());
    weight->replace_uses(input);
    model.remove_weight(weight);
  }
}

void add_functions(Model& model, const Options& options, const ir::Functions& functions,
                   std::vector<std::string>& warnings) {
  onnx::UsedFunctions used = onnx::used_functions(*model.graph, functions, options.opset, options.custom_opsets);
  model.info.functions = std::move(used.messages);
  model.info.domains = used_domains(*model.graph, options, used.domains, warnings);
  for (const std::string& call : used.missing_calls)
    ir::warn(warnings, ir::Category::Symbolic,
             "the function " + call + ", which is not registered: the model needs a runtime that has this operator");
}

void describe(Model& model, const Options& options, const Policy& policy, const lower::Registry& registry,
              std::vector<std::string>& warnings) {
  model.method = options.method;
  model.written_outputs = options.written_outputs;
  model.sequence_inputs = options.sequence_inputs;
  model.training = options.training;
  model.info.opset = options.opset;
  model.info.target = policy.target;
  model.info.ir_version = onnx::ir_version(options.opset);
  model.info.producer_name = "tonnx";
  model.info.producer_version = TONNX_VERSION;
  model.info.initializers_as_inputs = policy.initializers_as_inputs;
  model.info.doc_strings = options.doc_strings;
  model.info.node_names = options.node_names;
  model.info.value_infos = options.value_info;
  model.info.module_functions = options.module_functions;
  add_functions(model, options, registry.functions(), warnings);
  warn_unused_classes(*model.graph, options, warnings);
}

// Warns if the training flags of modules contradict the option: the flag was fixed when the code ran, or by the code.
void warn_kept_mode(const ir::Graph& program, bool is_exported, Training wanted, std::vector<std::string>& warnings) {
  if (wanted == Training::Preserve) return;
  const bool training = wanted == Training::Train;
  if (const std::string text = aten::kept_mode(program, !training); !text.empty())
    ir::warn(warnings, ir::Category::Training,
             text + (is_exported ? "; export" : "; record") + " the model after " + (training ? "train()" : "eval()"));
}

bool has_symbolic(const std::vector<const lower::Registry::Entry*>& entries) {
  return std::ranges::any_of(entries, [](const auto* entry) { return entry->is_custom(); });
}

// True if a traced function without a symbolic is to be converted operator by operator.
bool inlines_functions(const Options& options) {
  const OperatorExportType type = options.operator_export_type;
  return options.autograd_inlining.value_or(type != OperatorExportType::Fallthrough &&
                                            type != OperatorExportType::AtenFallback);
}

// True if the result of a program of torch.export has a list.
bool returns_list(const ir::RawProgram& program) {
  if (!program.form) return false;
  const std::vector<std::string> inputs(program.graph->inputs().size()), outputs(program.graph->outputs().size());
  const std::string text = program.form->json(inputs, outputs);
  return text.find(R"("kind":"list")", text.find(R"("result":)")) != std::string::npos;
}

ir::RawProgram import(const LoadedProgram& source, const ir::Arguments& args, const Options& options,
                      const lower::Registry& registry, Report& report) {
  ir::RawProgram program = source.import(options.method, args, options.training);
  program::resolve_functions(*program.graph, [&](const std::string& function) {
    return !inlines_functions(options) || has_symbolic(registry.find(ir::kFunction, function, options.opset));
  });
  program.state.as_outputs = options.written_outputs;
  if (!source.has_facts() && !source.traced()) program::own_constants(*program.graph);
  warn_kept_mode(*program.graph, source.has_facts(), options.training, program.warnings);
  const auto require_sequences = [&](const std::vector<ir::TensorList>& lists, const std::string& what) {
    if (options.opset < kSequences && !lists.empty())
      throw Error(Code::Unsupported, what + " as a sequence needs opset " + std::to_string(kSequences) +
                                         " or newer; the target is " + std::to_string(options.opset));
  };
  if (options.sequence_outputs) {
    const std::string name = program.output_lists.empty() ? "" : program.output_lists.front().name;
    require_sequences(program.output_lists, name.empty() ? "a list output" : "the list output '" + name + "'");
    if (source.has_facts() && returns_list(program))
      program.warnings.push_back("option sequence_outputs is for scripts: the items of a list are outputs here");
    join_output_lists(program);
  } else {
    warn_of_empty_lists(program);
  }
  if (options.sequence_inputs) {
    require_sequences(program.lists, program.lists.empty() ? "" : "the list '" + program.lists.front().name + "'");
    join_lists(program);
  } else {
    program.lists.clear();
  }
  require_outputs(*program.graph, options.method);
  ir::report_warnings(program.warnings, source.traced() ? ir::Category::Trace : ir::Category::Program);
  report.warnings.insert(report.warnings.end(), program.warnings.begin(), program.warnings.end());
  count_operators(*program.graph, report.source_operators);
  return program;
}

void name_ranges(ir::RawProgram& program, const std::map<std::string, ir::Polynomial>& names) {
  for (const auto& [symbol, name] : names)
    if (auto range = program.ranges.extract(symbol)) {
      range.key() = *name.symbol();
      program.ranges.insert(std::move(range));
    }
}

// `uses_libtorch`: LibTorch's rules are asked where symbolics call built-in lowerings.
lower::LowerOptions lowering_of(const Options& options, bool uses_libtorch) {
  lower::LowerOptions made{.target = target_of(options), .training = options.training == Training::Train};
  made.weights_change = weights_change(options);
  made.inline_functions = inlines_functions(options);
  if (uses_libtorch)
    made.evaluator = [] { return std::shared_ptr<ir::Evaluator>(backend::libtorch().make_evaluator()); };
  return made;
}

program::PassOptions pass_options(const Options& options) {
  program::PassOptions made;
  made.print_after = options.print_after;
  made.print_changes = options.print_changes;
  made.count = options.pass_statistics;
  return made;
}

// Runs the program passes. Removes axes that the program fixes from `axes`. Returns the dynamic axes of inputs, with
// the relations found between their sizes, unless the program has declared them.
std::vector<InputAxis> prepare(const LoadedProgram& source, ir::RawProgram& program, std::vector<BoundAxis>& axes,
                               const lower::Registry& registry, const ir::Opset& opset,
                               const lower::LowerOptions& lowering, const Options& options, Report& report,
                               ir::Refusals& refused) {
  const bool allow_fixed = options.fixed_dynamic_axes == FixedDynamicAxes::Warn;
  if (options.pass_statistics) report.passes.emplace();
  program::PassStatistics* const statistics = report.passes ? &*report.passes : nullptr;
  const auto kept = [&](const ir::Node& node) { return has_symbolic(registry.find(node, opset.version())); };
  if (source.has_facts()) {
    if (allow_fixed) drop_fixed_axes(*program.graph, axes, report.warnings);
    name_ranges(program, rename_symbols(*program.graph, axes));
    program::prepare(*program.graph, program.output_names, report.warnings, refused, program.state, kept,
                     pass_options(options), statistics);
    return {};
  }
  const auto evaluator = with_symbolic_types(backend::libtorch().make_evaluator(), registry, opset, lowering);
  const std::vector<ir::Constant> examples = example_constants(program);
  std::vector<InputAxis> open =
      program::prepare(*program.graph, *evaluator, program_axes(axes), examples, program.output_names, report.warnings,
                       refused, program.state, kept, allow_fixed, pass_options(options), statistics);
  drop_fixed_axes(axes, open);
  // Constants of a recording at several sizes do not depend on the sizes.
  const bool is_varied = source.traced() && !source.traced()->single_run;
  if (!is_varied)
    for (std::string& line : program::find_fixed_sizes(*program.graph, open))
      ir::warn(report.warnings, ir::Category::Sizes, std::move(line));
  return open;
}

bool is_untyped(const ir::Value* output) {
  return output->type().is(ir::Type::Kind::Tensor) && output->facts().dtype == ir::DType::Undefined &&
         !output->uses().empty();
}

bool has_untyped_results(const ir::Graph& model) {
  bool found = false;
  ir::for_each_node(model.block(), [&](const ir::Node* node) {
    found |= node->domain() != "onnx" && std::ranges::any_of(node->outputs(), is_untyped);
  });
  return found;
}

// Nodes with results without a type whose symbolics should set it, or that stay in the model (sites `stayed`).
std::vector<const ir::Node*> untyped_nodes(const ir::Graph& program, const lower::Registry& registry,
                                           std::int32_t opset, const std::vector<std::string>& stayed = {}) {
  std::vector<const ir::Node*> found;
  ir::for_each_node(program.block(), [&](const ir::Node* node) {
    if (!std::ranges::any_of(node->outputs(), is_untyped)) return;
    if (has_symbolic(registry.find(*node, opset)) ||
        std::ranges::find(stayed, ir::describe_site(*node)) != stayed.end())
      found.push_back(node);
  });
  return found;
}

// Warns about operators whose function is registered for newer opsets only.
void warn_newer_functions(const ir::Graph& program, const lower::Registry& registry, std::int32_t opset,
                          std::vector<std::string>& warnings) {
  if (registry.functions().empty()) return;
  std::set<std::string> lines;
  ir::for_each_node(program.block(), [&](const ir::Node* node) {
    const auto* entry = registry.newer_function(*node, opset);
    if (entry)
      lines.insert("the function " + entry->function + " is registered for " + entry->name + " from opset " +
                   std::to_string(entry->since) + " on and is not called at opset " + std::to_string(opset) +
                   "; export for opset " + std::to_string(entry->since) + ", or register it for older ones");
  });
  for (const std::string& line : lines) ir::warn(warnings, ir::Category::Symbolic, line);
}

// One line for each site. Nodes that read such results may be refused, and the checker requires types of outputs.
std::vector<std::string> untyped_lines(const std::vector<std::string>& sites,
                                       const std::vector<std::string>& stayed = {}) {
  std::vector<std::string> lines;
  for (const std::string& site : sites) {
    std::string line =
        std::ranges::find(stayed, site) == stayed.end()
            ? "the symbolic for " + site + " does not set the type of its results; set it there (tonnx_value_set_type)"
            : "the type of the results of " + site +
                  ", which stays in the model, is unknown; load the library of the operator (--library, "
                  "tonnx_operators_load_library), or register a symbolic that sets the type";
    if (std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> sites_of(const std::vector<const ir::Node*>& nodes) {
  std::vector<std::string> sites;
  for (const ir::Node* node : nodes) sites.push_back(ir::describe_site(*node));
  return sites;
}

// Sites of nodes whose results are outputs of the program.
std::vector<std::string> output_sites(const std::vector<const ir::Node*>& nodes) {
  const auto is_output = [](const ir::Node* node) {
    return std::ranges::any_of(node->outputs(), [](const ir::Value* out) {
      return is_untyped(out) && std::ranges::any_of(out->uses(), [](const ir::Use& use) {
               return use.node == use.node->graph().block().return_node();
             });
    });
  };
  std::vector<const ir::Node*> found;
  std::ranges::copy_if(nodes, std::back_inserter(found), is_output);
  return sites_of(found);
}

[[noreturn]] void throw_with(const Error& error, const std::vector<std::string>& lines) {
  std::string text = error.what();
  for (const std::string& line : lines) text += "\n" + line;
  throw Error(error.code(), text, error.reasons());
}

// Calls `body`. If a refusal depends on number arguments of a script, on untyped results of the symbolics in
// `untyped`, adds what to do about it.
template <class Body>
auto advised(const LoadedProgram& source, const ir::Graph& program, const std::vector<std::string>& untyped,
             const Body& body) {
  try {
    return body();
  } catch (const Error& error) {
    if (error.code() != Code::Unsupported) throw;
    const ir::Dependence found = ir::dependence_of(program, error);
    std::vector<std::string> sites;
    std::ranges::copy_if(found.untyped, std::back_inserter(sites),
                         [&](const std::string& site) { return std::ranges::find(untyped, site) != untyped.end(); });
    std::vector<std::string> lines = untyped_lines(sites);
    std::string names;
    for (const std::string& name : found.numbers) names += (names.empty() ? "" : ",") + name;
    if (!names.empty() && !source.traced() && !source.has_facts())
      lines.push_back(
          "number arguments are inputs of the model; if they are the same in every run, they can be fixed "
          "(--fixed-axes " +
          names + ")");
    if (lines.empty()) throw;
    throw_with(error, lines);
  }
}

void optimize(ir::Graph& model, std::int32_t opset, const Policy& policy, bool has_sizes) {
  optimize::optimize(model, {.target = policy.target,
                             .opset = opset,
                             .declared_sizes = has_sizes,
                             .fold_constants = true,
                             .integer_constants = policy.integer_constants,
                             .merge_equal_weights = policy.merge_equal_weights,
                             .fold_weights = policy.fold_weights,
                             .fold_normalisations = policy.fold_normalisations});
}

// Makes the SourceLine of each operator a distinct object. The model's nodes share it with the operator that they were
// made for; mismatch_text.cpp finds them by it.
void separate_lines(const ir::Graph& program) {
  ir::for_each_node(program.block(), [](ir::Node* node) {
    const ir::Location& at = node->location();
    node->set_location({at.scope, std::make_shared<const ir::SourceLine>(at.line, ir::reason_of(*node, {}).op)});
  });
}

std::string mode_of(const LoadedProgram& source, const ir::Graph& program) {
  if (source.traced()) return "trace";
  const bool branches = ir::any_node(program.block(), [](const ir::Node& node) { return !node.blocks().empty(); });
  return branches ? "script" : "graph";
}

// Why operators stay unconverted, once for each site.
std::vector<std::string> stayed_lines(const std::vector<std::string>& sites, const Options& options) {
  std::vector<std::string> lines;
  if (options.operator_export_type == OperatorExportType::Aten) return lines;
  for (const std::string& site : sites) {
    std::string line = site + " stays an operator of LibTorch in the model, which a runtime must provide";
    if (std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
  }
  return lines;
}

// Why a dynamic axis keeps the example's size, by its symbol.
using FixedAxes = std::map<std::string, std::string>;

void fix_axes(const ir::Graph& program, const FixedAxes& fixed, std::vector<BoundAxis>& axes,
              std::vector<std::string>& warnings) {
  std::erase_if(axes, [&](const BoundAxis& axis) {
    const auto why = fixed.find(axis.symbol);
    if (why == fixed.end()) return false;
    if (!axis.is_input) return true;
    const ir::Value* input = program.inputs()[axis.index];
    const auto position = static_cast<std::size_t>(axis.axis);
    const InputAxis named{axis.index, position, axis.symbol, input->facts().dims->at(position).size()};
    ir::warn(warnings, ir::Category::Sizes, program::fixed_axis_text(named, input->name(), why->second));
    return true;
  });
}

// Runs every stage once, with these axes fixed at the example's sizes. `symbols` receives the symbols of the dynamic
// axes of inputs.
std::unique_ptr<Model> convert_once(const LoadedProgram& source, const ir::Arguments& args, const Options& given,
                                    const lower::Registry& registry, Report& report, ir::RawProgram* prepared,
                                    const FixedAxes& fixed, std::set<std::string>& symbols) {
  const auto opset = opset_of(given, registry);
  Stopwatch watch(report);
  ir::Stage stage("import");
  ir::RawProgram program = import(source, args, given, registry, report);
  const Options options = with_all_axes(given, *program.graph, source.traced(), source.has_facts());
  report.mode = mode_of(source, *program.graph);
  watch.lap("import");
  ir::log(ir::Level::Info, [&] { return "imported " + std::to_string(count_nodes(*program.graph)) + " nodes"; });
  stage.next("program passes");

  const bool allow_fixed = options.fixed_dynamic_axes == FixedDynamicAxes::Warn;
  std::vector<BoundAxis> axes = bind_axes(*program.graph, options, program.output_names, source.traced());
  for (const BoundAxis& axis : axes)
    if (axis.is_input) symbols.insert(axis.symbol);
  fix_axes(*program.graph, fixed, axes, report.warnings);
  refuse_channel_axes(*program.graph, axes);
  lower::LowerOptions lowering = lowering_of(options, !source.has_facts());
  ir::Refusals refused = program.refused;
  // After a refusal, later failures are consequences: report the refusals only.
  const auto refuse = [&](const Error& error) {
    if (!refused.empty() && error.code() != Code::Callback)
      lower::refuse_all(*program.graph, registry, *opset, refused);
  };
  const std::vector<InputAxis> open = advised(source, *program.graph, {}, [&] {
    try {
      return prepare(source, program, axes, registry, *opset, lowering, options, report, refused);
    } catch (const Error& error) {
      if (error.code() == Code::Unsupported) refused.add(error);
      refuse(error);
      throw;
    }
  });
  require_outputs(*program.graph, options.method);
  for (ir::StateWarning& warning : ir::state_warnings(program.state.left_out, options.written_outputs))
    ir::warn(report.warnings, ir::Category::State, std::move(warning.text), std::move(warning.module),
             std::move(warning.source));
  find_outputs(axes, *program.graph, options, program.output_names);
  number_weights(*program.graph);
  watch.lap("program passes");
  stage.next("lowering", ir::is_observed() ? count_nodes(*program.graph) : 0);

  auto model = std::make_unique<Model>();
  model->state_outputs = program.state.outputs;
  model->output_operators = output_operators(*program.graph);
  if (source.has_facts()) {
    store_exported_axes(*model, program, report.warnings);
  } else {
    store_axes(*model, axes, open);
  }
  lowering.ranges = program.ranges;
  lowering.operators = static_cast<lower::Operators>(options.operator_export_type);
  std::vector<std::string> stayed;
  lowering.stayed = &stayed;
  lowering.edge = program.edge;
  warn_newer_functions(*program.graph, registry, options.opset, report.warnings);
  std::vector<const ir::Node*> untyped = untyped_nodes(*program.graph, registry, options.opset);
  if (prepared) separate_lines(*program.graph);
  model->graph = advised(source, *program.graph, sites_of(untyped), [&] {
    try {
      return lower::lower_program(*program.graph, registry, *opset, lowering, refused);
    } catch (const Error& error) {
      if (error.code() != Code::Unsupported) refuse(error);
      throw;
    }
  });
  for (std::string& line : stayed_lines(stayed, options))
    ir::warn(report.warnings, ir::Category::Program, std::move(line));
  untyped = untyped_nodes(*program.graph, registry, options.opset, stayed);
  if (has_untyped_results(*model->graph))
    for (std::string& line : untyped_lines(sites_of(untyped), stayed))
      ir::warn(report.warnings, ir::Category::Symbolic, std::move(line));
  warn_complex(*program.graph, program.output_names, report.warnings);
  watch.lap("lowering");
  stage.next("model passes");

  const Policy policy = make_policy(options, report.warnings);
  if (!policy.store_weights) {
    model->weights_stored = ir::weights_in_order(*model->graph).empty();
    weights_to_inputs(*model->graph);
  }
  optimize(*model->graph, options.opset, policy, source.has_facts());
  watch.lap("model passes");
  ir::log(ir::Level::Info, [&] { return "the model has " + std::to_string(count_nodes(*model->graph)) + " nodes"; });
  stage.next("names and checker");

  // Done last: before, an output may be an input, or occur twice.
  for (std::size_t i = 0; i < program.output_names.size(); ++i)
    if (!program.output_names[i].empty()) model->graph->outputs()[i]->set_name(program.output_names[i]);
  const auto results = [&] { return source.run(options.method, args, options.training, model->state_outputs); };
  declare_ranks(*model->graph, *program.graph, results, report.warnings);
  ir::checkpoint();
  for (std::string& warning :
       name_model(*model->graph, options, {ir::input_parts(*program.graph), ir::output_parts(*program.graph)}))
    ir::warn(report.warnings, ir::Category::Options, std::move(warning));
  ir::checkpoint();
  apply_axes(*model->graph, axes, allow_fixed, report.warnings);
  describe(*model, options, policy, registry, report.warnings);
  if (!options.module_functions.empty()) model->info.module_attributes = program.module_attributes;
  store_call(*model, program.form);
  if (source.traced()) store_ranges(*model, *source.traced(), axes, report);
  model->list_parts = program::list_parts(*program.graph);
  count_operators(*model->graph, report.model_operators);
  if (policy.target.is_onnxruntime())
    for (std::string& warning : lower::missing_kernels(*model->graph, *opset))
      ir::warn(report.warnings, ir::Category::Kernel, std::move(warning));
  ir::checkpoint();
  if (options.check) {
    try {
      onnx::check(*model->graph, model->info);
    } catch (const Error& error) {
      std::vector<std::string> lines = untyped_lines(output_sites(untyped), stayed);
      if (error.code() == Code::Checker && !options.invalid_model.empty()) {
        try {
          onnx::write_file(*model->graph, model->info, options.invalid_model, {.sync = false});
          lines.push_back("the invalid model is in '" + options.invalid_model + "'");
        } catch (const Error& unwritten) {
          lines.push_back("the invalid model was not written: " + std::string(unwritten.what()));
        }
      }
      throw_with(error, lines);
    }
  }
  report.model = summary_of(*model->graph, model->info.opset);
  watch.lap("names and checker");
  stage.finish();
  if (prepared) *prepared = std::move(program);
  return model;
}

// The model with as few of the axes fixed as the refusal needs; null if it is refused with all of them fixed.
std::unique_ptr<Model> convert_fixed(const LoadedProgram& source, const ir::Arguments& args, const Options& options,
                                     const lower::Registry& registry, const Error& refusal,
                                     const std::set<std::string>& symbols, Report& report, ir::RawProgram* prepared) {
  const std::string why = refusal.reasons().empty() ? refusal.what() : ir::to_string(refusal.reasons().front());
  const Report before = report;
  std::unique_ptr<Model> best;
  const auto attempt = [&](const FixedAxes& fixed) {
    std::set<std::string> ignored;
    Report own = before;
    ir::RawProgram program;
    try {
      best = convert_once(source, args, options, registry, own, prepared ? &program : nullptr, fixed, ignored);
    } catch (const Error& error) {
      if (error.code() != Code::Unsupported) throw;
      return false;
    }
    report = std::move(own);
    if (prepared) *prepared = std::move(program);
    return true;
  };
  FixedAxes fixed;
  for (const std::string& symbol : symbols) fixed[symbol] = why;
  if (!attempt(fixed)) return nullptr;
  for (const std::string& symbol : symbols) {
    FixedAxes fewer = fixed;
    fewer.erase(symbol);
    if (!fewer.empty() && attempt(fewer)) fixed = std::move(fewer);
  }
  return best;
}

}  // namespace

std::shared_ptr<const ir::Opset> opset_of(const Options& options, const lower::Registry& registry) {
  auto opset = onnx::opset(options.opset, registry.functions());
  return options.check ? opset : open_opset(std::move(opset));
}

std::unique_ptr<Model> convert(const LoadedProgram& source, const ir::Arguments& args, const Options& options,
                               const lower::Registry& registry, Report& report, ir::RawProgram* prepared) {
  std::set<std::string> symbols;
  const Report before = report;
  try {
    return convert_once(source, args, options, registry, report, prepared, {}, symbols);
  } catch (const Error& refusal) {
    // The sizes of an exported program are fixed by fixed_axes, where it is read.
    const bool allowed = options.fixed_dynamic_axes == FixedDynamicAxes::Warn || options.all_axes_dynamic;
    const bool may_fix = allowed && !source.has_facts();
    if (refusal.code() != Code::Unsupported || !may_fix || symbols.empty()) throw;
    Report own = before;
    auto model = convert_fixed(source, args, options, registry, refusal, symbols, own, prepared);
    if (!model) throw;
    report = std::move(own);
    return model;
  }
}

std::unique_ptr<Model> convert_part(const ir::Graph& part, const Options& options, const lower::Registry& registry,
                                    const ir::Opset& opset, const std::function<std::vector<ir::Tensor>()>& results) {
  Options own = options;
  own.input_names.clear();
  own.output_names.clear();
  own.module_functions.clear();
  own.weight_names = true;
  std::vector<std::string> ignored;
  auto model = std::make_unique<Model>();
  lower::LowerOptions lowering = lowering_of(own, true);  // the results that are compared come from LibTorch
  lowering.operators = static_cast<lower::Operators>(own.operator_export_type);
  model->graph = lower::lower_program(part, registry, opset, lowering);
  const Policy policy = make_policy(own, ignored);
  optimize(*model->graph, own.opset, policy, false);
  declare_ranks(*model->graph, part, results, ignored);
  name_model(*model->graph, own);
  describe(*model, own, policy, registry, ignored);
  return model;
}

}  // namespace tonnx::exporting
