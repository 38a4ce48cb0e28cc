#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "ir/evaluator.h"
#include "ir/graph.h"
#include "program/facts/inferred_facts.h"
#include "program/facts/sample_hints.h"
#include "program/facts/symbols.h"

namespace tonnx::program {

// Evaluates the program apart from the samples. All these axes have a fixed size, and some of them size 0. Adds what
// differs from the facts in `found`: sizes to `found.emptied`, numbers and a failure to `empty`. `imported`: the facts
// of the values before the first inference.
void note_empty_axes(const ir::Graph& graph, ir::Evaluator& evaluator, const std::vector<InputAxis>& axes,
                     std::span<const ir::Constant> examples, const ir::ValueTable<ir::Facts>& imported,
                     InferredFacts& found, EmptyAxes& empty);

// Returns the sets of free symbols, two or more, that make a size of the program 0 together though none does alone, and
// the set of all.
std::set<std::set<std::string>> emptied_together(const std::set<std::string>& symbols, const InferredFacts& found);

// Sets the attribute ir::kNonemptyAxes of the program that is lowered: the axes at whose size 0 the model would compute
// something else than the program, instead of failing. Where the program fails and the model's outputs have no
// elements, the model need not fail.
void require_nonempty_axes(ir::Graph& program, const std::vector<InputAxis>& axes, const SampleHints& hints);

}  // namespace tonnx::program
