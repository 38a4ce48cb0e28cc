#pragma once

// Attributes of nodes that infer_facts() sets, and passes read.
namespace tonnx::program {

// Of an operator whose axis choose_axes() has set: the axis, and whether it ran at any sizes at which facts were
// inferred (absent if it never failed).
inline constexpr const char* kChosenAxis = "chosen_axis";
inline constexpr const char* kRuns = "runs";
// Of a loop that changes the dtype of a carried tensor.
inline constexpr const char* kDtypeChanges = "dtype_changes";
// Of a loop: the carried values that are tensors whose rank the loop changes.
inline constexpr const char* kRankChanges = "rank_changes";
// Of a node that is reached in no run, because it reads a value that exists in no run.
inline constexpr const char* kUnreached = "unreached";
// Of a loop whose trip count is the same in every run: the trip count; -1: dynamic.
inline constexpr const char* kTripCount = "turns";

}  // namespace tonnx::program
