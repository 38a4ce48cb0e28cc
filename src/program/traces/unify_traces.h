#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "program/facts/facts.h"

namespace tonnx::program {

// Recordings of one code at several sizes of its inputs: raw programs whose facts hold, for every value of the
// outermost block that is a tensor, its dims in that run.
struct TracedRuns {
  std::vector<const ir::Graph*> graphs;  // the example's first; at least three
  std::vector<std::string> symbols;
  std::vector<std::vector<std::int64_t>> sizes;    // sizes[run][symbol], no two of a symbol alike
  std::vector<InputAxis> axes;                     // the axes of the graphs' inputs that have these sizes
  std::vector<std::int64_t> multiples;             // by symbol: the code runs at multiples of this alone
  std::vector<std::vector<std::int64_t>> refused;  // by symbol: sizes at which the code does not run
  std::int64_t largest = std::numeric_limits<std::int64_t>::max();  // size that may be asked for
};

struct UnifiedTrace {
  std::unique_ptr<ir::Graph> graph;  // null: one more run is needed
  // Then: by symbol, the size to run next, 0 for any new one.
  std::vector<std::int64_t> wanted;
};

// The one raw program that does what each run did at its sizes. An integer or float that differs among the runs becomes
// arithmetic of sizes (aten::size and what the importer makes of a program's own arithmetic), of the inputs where it
// can be, else of values on the way. Input facts are those of the first run; other values have none.
// Throws Error(Code::Unsupported), naming place, argument and values, where the runs do something else than another or
// where no arithmetic that more runs than it has parameters confirm gives a number; with `may_ask`, the latter asks for
// more runs where those could tell.
UnifiedTrace unify_traces(const TracedRuns& runs, bool may_ask);

// Whether an integer or float differs among the runs. Throws Error(Code::Unsupported) where they do something else than
// another.
bool numbers_differ(const TracedRuns& runs);

// A weight of few elements without a name of the host's, each of which may follow the sizes as a number does.
bool is_captured_numbers(const ir::Value& weight);

// Takes the dims of a run from every value but the inputs, weights and constants.
void forget_sizes(ir::Graph& graph);

}  // namespace tonnx::program
