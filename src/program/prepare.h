#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/evaluator.h"
#include "ir/graph.h"
#include "ir/refusal.h"
#include "ir/state_write.h"
#include "program/facts/facts.h"
#include "program/pass_driver.h"
#include "program/quantised/replace_quantised.h"

namespace tonnx::program {

// Makes a raw program meet the contract (contract.h): functional, without tuples and objects, with facts on every
// value. pipeline.h has the order of the passes. Returns the dynamic axes with their inferred sizes.
// - `examples` has one item per graph input (numbers as rank-0 tensors or as numbers), or is empty.
// - `output_names` are the importer's names. They follow the outputs (outputs.h); names of graph outputs are preserved.
// - Everything that cannot be exported is added to `refusals` (functionalise.h, contract.h). The remaining program then
//   only serves to find further refusals.
// - `state` receives the writes to state, and `output_names` the names of the outputs that are added for them.
// - Nodes in `kept` are not replaced. `options` selects what is reported on passes, `statistics` counts them.
// - With `allow_fixed`, an axis along which the program runs only at the example's size is fixed, with a warning.
// Throws the errors of the passes (facts.h).
std::vector<InputAxis> prepare(ir::Graph& graph, ir::Evaluator& evaluator, std::vector<InputAxis> dynamic,
                               std::span<const ir::Constant> examples, std::vector<std::string>& output_names,
                               std::vector<std::string>& warnings, ir::Refusals& refusals, ir::StateWrites& state,
                               const Kept& kept = {}, bool allow_fixed = false, const PassOptions& options = {},
                               PassStatistics* statistics = nullptr);

// The same for a program whose importer has set the facts of its values (complete_facts.h); these are not changed.
void prepare(ir::Graph& graph, std::vector<std::string>& output_names, std::vector<std::string>& warnings,
             ir::Refusals& refusals, ir::StateWrites& state, const Kept& kept = {}, const PassOptions& options = {},
             PassStatistics* statistics = nullptr);

}  // namespace tonnx::program
