#include "program/prepare.h"

#include <algorithm>
#include <utility>

#include "ir/observer.h"
#include "program/contract.h"
#include "program/facts/complete_facts.h"
#include "program/facts/empty_axes.h"
#include "program/facts/refused_sizes.h"
#include "program/pipeline.h"

namespace tonnx::program {

namespace {

std::vector<std::string> value_names(std::span<ir::Value* const> values) {
  std::vector<std::string> names;
  for (const ir::Value* value : values) names.push_back(value->name());
  return names;
}

// Warns of axes that have different names although the program requires a relation between their sizes.
void warn_of_related(const std::vector<InputAxis>& inferred, const std::vector<InputAxis>& dynamic,
                     std::vector<std::string>& warnings) {
  for (std::size_t i = 0; i < inferred.size(); ++i) {
    if (inferred[i].is_fixed()) continue;
    const std::string& name = dynamic[i].symbol;
    const ir::Polynomial size = inferred[i].size();
    const std::string* symbol = size.symbol();
    if (!symbol) {
      ir::warn(warnings, ir::Category::Sizes,
               "dynamic axis " + name + " is " + size.text() + " wherever the program runs" +
                   (inferred[i].is_broadcast ? ", or one of them is 1" : ""));
    } else if (*symbol != name) {
      ir::warn(warnings, ir::Category::Sizes,
               "dynamic axes " + *symbol + " and " + name + " have one size wherever the program runs" +
                   (inferred[i].is_broadcast ? ", or one of them is 1; give both one name if that is never so"
                                             : "; give both one name"));
    }
  }
}

void warn_of_fixed(const ir::Graph& graph, const std::vector<InputAxis>& inferred,
                   const std::vector<InputAxis>& dynamic, const SampleHints& hints,
                   std::vector<std::string>& warnings) {
  for (std::size_t i = 0; i < inferred.size(); ++i) {
    if (!inferred[i].is_fixed()) continue;
    const auto why = hints.fixed.find(dynamic[i].symbol);
    ir::warn(warnings, ir::Category::Sizes,
             fixed_axis_text(dynamic[i], graph.inputs()[dynamic[i].input]->name(),
                             why == hints.fixed.end() ? "it has the size of another fixed axis" : why->second));
  }
}

void restore_names(ir::Graph& graph, const std::vector<std::string>& names, std::size_t added) {
  if (graph.outputs().size() != names.size() + added) return;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (graph.outputs()[i]->name().empty()) graph.outputs()[i]->set_name(names[i]);
}

void run_passes(PassContext& context, const PassOptions& options, PassStatistics* statistics) {
  PassDriver driver(context, options, statistics);
  driver.run(pipeline());
  check_contract(context.graph, driver.last_changed(), *context.refusals);
}

}  // namespace

std::vector<InputAxis> prepare(ir::Graph& graph, ir::Evaluator& evaluator, std::vector<InputAxis> dynamic,
                               std::span<const ir::Constant> examples, std::vector<std::string>& output_names,
                               std::vector<std::string>& warnings, ir::Refusals& refusals, ir::StateWrites& state,
                               const Kept& kept, bool allow_fixed, const PassOptions& options,
                               PassStatistics* statistics) {
  const std::vector<std::string> names = value_names(graph.outputs());
  resolve_sizes(graph, dynamic);
  // Passes before the first facts must not fold the example's sizes.
  for (const InputAxis& axis : dynamic)
    (*graph.inputs()[axis.input]->facts().dims)[axis.axis] = ir::Dim::symbol(axis.symbol);
  std::vector<InputAxis> inferred;
  SampleHints hints;
  hints.allow_fixed = allow_fixed;
  PassContext context{
      .graph = graph,
      .infer = [&] { inferred = infer_facts(graph, evaluator, dynamic, examples, &hints, &context.marks); },
      .output_names = &output_names,
      .warnings = &warnings,
      .refusals = &refusals,
      .state = &state,
      .kept = kept,
      .reports_raising = true};
  run_passes(context, options, statistics);
  complete_open_facts(graph);
  warn_of_fixed(graph, inferred, dynamic, hints, warnings);
  warn_of_related(inferred, dynamic, warnings);
  for (std::string& line : refused_sizes(graph, hints.refusals))
    ir::warn(warnings, ir::Category::Sizes, std::move(line));
  require_nonempty_axes(graph, inferred, hints);
  restore_names(graph, names, state.outputs.size());
  return inferred;
}

void prepare(ir::Graph& graph, std::vector<std::string>& output_names, std::vector<std::string>& warnings,
             ir::Refusals& refusals, ir::StateWrites& state, const Kept& kept, const PassOptions& options,
             PassStatistics* statistics) {
  const std::vector<std::string> names = value_names(graph.outputs());
  PassContext context{.graph = graph,
                      .infer = [&] { complete_facts(graph); },
                      .output_names = &output_names,
                      .warnings = &warnings,
                      .refusals = &refusals,
                      .state = &state,
                      .kept = kept};
  run_passes(context, options, statistics);
  restore_names(graph, names, state.outputs.size());
}

}  // namespace tonnx::program
