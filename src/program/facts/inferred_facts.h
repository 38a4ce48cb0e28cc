#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "ir/facts.h"
#include "ir/value_table.h"
#include "program/facts/marks.h"

namespace tonnx::program {

// The result of an inference.
struct InferredFacts {
  ir::ValueTable<ir::Facts> values;  // of all values except constants
  FactMarks marks;
  // By the first result of a node; of operators that may return a view, and that read storage by strides: the
  // attributes "shares_memory" and "memory_offset", and the tensor to read instead of the first argument.
  ir::ValueTable<std::int64_t> shares_memory, memory_offsets;
  ir::ValueTable<ir::Value*> read_instead;
  // The axes whose size is another one than the fixed size among the facts if some dynamic axis has size 0.
  ir::ValueTable<std::set<std::size_t>> emptied;
  std::vector<std::int64_t> output_ranks;  // in the samples; -1 if they differ

  // Sets the facts and attributes of the program's values and nodes.
  void apply(ir::Graph& graph) const;
};

}  // namespace tonnx::program
