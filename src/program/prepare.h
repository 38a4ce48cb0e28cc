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
// value. `examples` has one item per graph input (numbers as rank-0 tensors or as numbers), or is empty. Names of graph
// outputs stay; `output_names` are the importer's names, and follow the outputs (outputs.h). Returns the
// dynamic axes with what their sizes were found to be. Operators in `kept` are not replaced by the passes'
// own form for quantised tensors. `state` gets what the program writes to state, and output_names the names of outputs
// that it adds. What cannot be exported is added to `refusals` (functionalise.h, contract.h); then the remaining
// program only serves to find further refusals. Throws what its passes throw (facts.h). With `allow_fixed`, an axis
// along which the program runs only at the example's size is fixed to that size, with a warning that has the reason.
// pipeline.h has the order of the passes. `options` selects what is reported about them, `statistics` counts them.
std::vector<InputAxis> prepare(ir::Graph& graph, ir::Evaluator& evaluator, std::vector<InputAxis> dynamic,
                               std::span<const ir::Constant> examples, std::vector<std::string>& output_names,
                               std::vector<std::string>& warnings, ir::Refusals& refusals, ir::StateWrites& state,
                               const Kept& kept = {}, bool allow_fixed = false, const PassOptions& options = {},
                               PassStatistics* statistics = nullptr);

// The same for a program whose importer has set the facts of its values (complete_facts.h). They are not changed.
void prepare(ir::Graph& graph, std::vector<std::string>& output_names, std::vector<std::string>& warnings,
             ir::Refusals& refusals, ir::StateWrites& state, const Kept& kept = {}, const PassOptions& options = {},
             PassStatistics* statistics = nullptr);

}  // namespace tonnx::program
