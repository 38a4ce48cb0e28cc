#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"

namespace tonnx::program {

// The lists that replace a list of tuples or dicts, one for each field; none for another value.
struct FieldLists {
  std::vector<ir::Value*> lists;
  std::vector<std::string> keys;  // of dicts, in the order of the lists
};

// split_record_lists() for outputs of the program whose fields are tensors and numbers. Returns an item for each
// output, in order; the caller replaces the outputs. Empty if none is split.
std::vector<FieldLists> split_output_records(ir::Graph& graph);

}  // namespace tonnx::program
