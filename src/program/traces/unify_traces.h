#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "program/facts/facts.h"

namespace tonnx::program {

// Recordings of one code at several sizes of its inputs: raw programs. The facts of each tensor of the outermost block
// have its dims in that run.
struct TracedRuns {
  std::vector<const ir::Graph*> graphs;  // at least three; the first is the example's
  std::vector<std::string> symbols;
  std::vector<std::vector<std::int64_t>> sizes;    // sizes[run][symbol], distinct for a symbol
  std::vector<InputAxis> axes;                     // the axes of the graphs' inputs that have these sizes
  std::vector<std::int64_t> multiples;             // by symbol: the code runs only at multiples of this
  std::vector<std::vector<std::int64_t>> refused;  // by symbol: sizes at which the code does not run
  std::int64_t largest = std::numeric_limits<std::int64_t>::max();  // of a size in UnifiedTrace::wanted
};

struct UnifiedTrace {
  std::unique_ptr<ir::Graph> graph;  // null if one more run is needed
  std::vector<std::int64_t> wanted;  // if so, its sizes by symbol, 0 for any new one
};

// Merges the runs into one raw program that computes the same as each of them at its sizes. An integer or float that
// differs among the runs becomes arithmetic of sizes (aten::size and scalar operators): of the inputs if possible, else
// of computed values. Inputs have the facts of the first run; other values have none.
// Throws Error(Code::Unsupported), with location, argument and values, if the runs differ in more than numbers, or if
// no arithmetic yields a number and has fewer parameters than there are runs. In the second case, with `may_ask`, it
// requests one more run instead if that could decide.
UnifiedTrace unify_traces(const TracedRuns& runs, bool may_ask);

// True if a number differs among the runs. Throws Error(Code::Unsupported) if they differ in more than numbers.
bool numbers_differ(const TracedRuns& runs);

// True for a weight of few elements that the host did not name; each may follow from the sizes, as a number does.
bool is_captured_numbers(const ir::Value& weight);

// Removes the facts of all values except inputs, weights and constants.
void forget_sizes(ir::Graph& graph);

}  // namespace tonnx::program
