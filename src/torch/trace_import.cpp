#include "torch/trace_import.h"

#include <torch/csrc/jit/passes/normalize_ops.h>

#include "aten/assigned_values.h"
#include "aten/remove_dead.h"
#include "ir/quantised_tensor.h"
#include "torch/graph_import.h"
#include "torch/recorded_places.h"
#include "torch/weight_table.h"

namespace tonnx::torch {

using ir::FlatInput;
using ir::RawProgram;
using ir::Training;

ImportedTrace import_trace(TraceSession& session, const std::vector<FlatInput>& inputs,
                           const std::vector<std::string>& output_names) {
  ::torch::jit::NormalizeOps(session.graph());
  session.functions().mark_shared();
  RecordedPlaces(*session.graph(), session.memory()).write();
  RawProgram program;
  program.graph = std::make_unique<ir::Graph>();
  program.warnings = session.warnings();
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (session.graph()->inputs()[i]->uses().empty())
      program.warnings.push_back("input '" + inputs[i].name +
                                 "' is not read by a recorded operator: values that the code computed from it with an "
                                 "accessor, data_ptr() or item() are constants of this run");
  StorageMap storages;
  WeightTable weights(*program.graph, storages);
  for (const TraceMemory::Weight& weight : session.memory().weights()) weights.add_name(weight.tensor, weight.name);
  weights.make_named();
  program.state.other_names = weights.other_names();
  for (const TraceMemory::OtherName& other : session.memory().other_names())
    program.state.other_names[other.weight].push_back(other.name);
  program.state.overlapping = ir::overlapping_weights(program.graph->weights());
  GraphImport import(*program.graph, weights, Training::Preserve, /*gradients=*/false, program.warnings);
  import.keep_recorded_dims();
  // A captured tensor is a weight; small ones of integers are sizes and indices, which should be constants.
  import.set_largest_constant(0, 1024);
  import.set_marked_numbers();
  const std::vector<TraceMemory::Captured> captured = session.memory().written_captures();
  for (const TraceMemory::Captured& tensor : captured) import.keep_as_weight(tensor.constant);
  std::vector<Imported> arguments;
  for (const FlatInput& input : inputs) {
    if (ir::is_quantised(input.example)) {
      arguments.push_back(import.add_quantised_input(input.example, input.name, program.inputs));
      continue;
    }
    arguments.push_back(import.add_input(input.example, ir::Type::Kind::Tensor, input.name));
    program.inputs.push_back(input.example);
  }
  for (const TraceMemory::Weight& weight : session.memory().weights())
    arguments.push_back(import.captured(weight.tensor, weight.name));
  const auto results = import.body(*session.graph(), std::move(arguments));
  for (std::size_t i = 0; i < results.size(); ++i) import.add_outputs(results[i], output_names[i], program);
  ImportedTrace result;
  for (const TraceMemory::Captured& tensor : captured)
    if (const ir::Value* weight = weights.find(tensor.constant))
      result.captured.emplace_back(weight->name(), tensor.tensor);
  aten::keep_assigned_ranks(*program.graph);
  aten::remove_dead(*program.graph);
  result.program = std::move(program);
  return result;
}

}  // namespace tonnx::torch
