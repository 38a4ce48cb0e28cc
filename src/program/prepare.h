#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/evaluator.h"
#include "ir/graph.h"
#include "ir/refusal.h"
#include "ir/state_write.h"
#include "program/facts.h"
#include "program/pass_driver.h"
#include "program/replace_quantised.h"

namespace tonnx::program {

// Makes a raw program meet the contract (contract.h): functional, without tuples and objects, with facts on every
// value. `examples` has one item per graph input (numbers as rank-0 tensors or as numbers), or is empty. Names of graph
// outputs stay; `output_names` are those that the importer gave, which follow the outputs (outputs.h). Returns the
// dynamic axes with what their sizes were found to be. Operators that are `kept` stay where passes have a form of their
// own for quantised tensors. `state` gets what the program writes to state, and output_names the names of outputs that
// it adds. What cannot be exported is added to `refusals` (functionalise.h, contract.h); then the program that is left
// tells only what else cannot be. Throws what its passes throw (facts.h). With `allow_fixed`, an axis along which the
// program runs at the example's size only has that size, and a warning says why. pipeline.h has the order of the
// passes; `options` say what is reported about them, and `statistics` counts them.
std::vector<InputAxis> prepare(ir::Graph& graph, ir::Evaluator& evaluator, std::vector<InputAxis> dynamic,
                               std::span<const ir::Constant> examples, std::vector<std::string>& output_names,
                               std::vector<std::string>& warnings, ir::Refusals& refusals, ir::StateWrites& state,
                               const Kept& kept = {}, bool allow_fixed = false, const PassOptions& options = {},
                               PassStatistics* statistics = nullptr);

// The same for a program whose importer told the facts of its values (complete_facts.h); they stay as they are.
void prepare(ir::Graph& graph, std::vector<std::string>& output_names, std::vector<std::string>& warnings,
             ir::Refusals& refusals, ir::StateWrites& state, const Kept& kept = {}, const PassOptions& options = {},
             PassStatistics* statistics = nullptr);

}  // namespace tonnx::program
