#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/value_table.h"

namespace tonnx::program {

// The attribute of an operator for which choose_axes() has chosen this axis.
inline constexpr const char* kChosenAxis = "chosen_axis";

// What infer_facts() finds out about a loop.
struct LoopFacts {
  std::optional<std::int64_t> trip_count;  // if it is the same in every run; -1: dynamic
  bool changes_dtype = false;              // of a loop-carried tensor
  std::vector<std::uint32_t> other_ranks;  // the ids of the loop-carried tensors, in the body, whose rank it changes
};

// What infer_facts() finds out beside the facts of values, for later passes. A pass that makes an entry untrue removes
// it.
struct FactMarks {
  ir::ValueTable<LoopFacts> loops;           // by the iteration number in the body
  ir::ValueTable<bool> runs;                 // by the first result: an operator along a chosen axis ran in some sample
  ir::ValueTable<std::int64_t> item_counts;  // of lists that the program returns, if they are the same in every run
  ir::ValueSet unreached;  // the first results of nodes that no run executes: an operand is undefined in every run
};

}  // namespace tonnx::program
