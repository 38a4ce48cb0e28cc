#pragma once

// Attributes of nodes that infer_facts() sets for later passes.
namespace tonnx::program {

// An operator for which choose_axes() has chosen an axis: this axis, and whether the operator ran in any sample (absent
// if it never failed).
inline constexpr const char* kChosenAxis = "chosen_axis";
inline constexpr const char* kRuns = "runs";
// A loop that changes the dtype of a loop-carried tensor.
inline constexpr const char* kDtypeChanges = "dtype_changes";
// A loop: the loop-carried tensors whose rank it changes.
inline constexpr const char* kRankChanges = "rank_changes";
// A node that no run executes, because an operand is undefined in every run.
inline constexpr const char* kUnreached = "unreached";
// A loop: its trip count if that is the same in every run; -1 if dynamic.
inline constexpr const char* kTripCount = "turns";

}  // namespace tonnx::program
