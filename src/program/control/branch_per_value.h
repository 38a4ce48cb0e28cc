#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "program/edit.h"

namespace tonnx::program {

// Selects one of several candidates at run time, by nested Ifs. If there is only one, no condition checks it.
class Selector {
 public:
  struct Range {
    std::size_t begin, end;
  };
  // A partition of a range of candidates.
  struct Split {
    ir::Value* condition;  // selects `first`
    Range first, second;
  };

  // Selects the first of two candidates if the flag is true.
  static Selector by_flag(ir::Value* flag) { return {By::Flag, flag, {}}; }
  // By an index in the range of the candidates.
  static Selector by_index(ir::Value* index) { return {By::Index, index, {}}; }
  // By the key of a candidate; all keys are constants. The model fails if it is none of them, as the program
  // does, unless the branches of the last two are equal.
  static Selector by_key(Inserter& insert, ir::Value* key, std::span<ir::Value* const> keys);
  // The same for a key that is one of them in every run.
  static Selector by_valid_key(Inserter& insert, ir::Value* key, std::span<ir::Value* const> keys);

  // Splits a range of two candidates or more, and inserts the condition. Ranges of indices are split in halves, so that
  // Ifs are not nested deeply: a protobuf parser reads messages nested at most 100 deep, which is 33 Ifs.
  Split split(Inserter& insert, Range range) const;
  // Returns a bool: whether the candidate is selected, if no earlier one is.
  ir::Value* is(Inserter& insert, std::size_t at) const;

  bool is_by_key() const { return by_ == By::Key; }

 private:
  enum class By { Flag, Index, Key };
  Selector(By by, ir::Value* operand, std::span<ir::Value* const> keys) : by_(by), operand_(operand), keys_(keys) {}

  By by_;
  ir::Value* operand_;
  std::span<ir::Value* const> keys_;
  bool is_valid_ = false;  // the key is one of them
};

// True for types of keys that a model can compare.
bool takes_key(const ir::Type& key);
// Returns a bool: whether the value is equal to a constant of its type.
ir::Value* equals_key(Inserter& insert, ir::Value* value, const ir::Value* key);

// Inserts Ifs with the number, types and facts of the results of a node, and its location: a branch for each of `count`
// candidates, in which `each` inserts nodes and returns the results. Returns the results of the outermost If.
using CandidateResults = std::function<std::vector<ir::Value*>(Inserter&, std::size_t)>;
std::vector<ir::Value*> branch_per_candidate(Inserter& insert, const ir::Node& node, const Selector& selector,
                                             std::size_t count, const CandidateResults& each);

// Replaces the node by a branch for each candidate for a value that it reads, with a copy of the node in each. If the
// node itself defines the replaced value, it is not copied: the branches return the candidates.
void branch_per_value(ir::Node& node, const ir::Value* replaced, std::span<ir::Value* const> values,
                      const Selector& selector);

}  // namespace tonnx::program
