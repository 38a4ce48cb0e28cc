#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace tonnx::program {

// Makes one output an item of outputs that are tuples, lists or dicts whose items are known, as those that the importer
// knows have become; numbers in a list stay one output. What is None or a string goes, and `warnings` says so.
// `names` has the outputs' names, "" or none for those without, and is kept in step: the items of a named output are
// NAME.0, NAME.1, and a dict's are NAME.KEY. Returns true if it changed something.
bool flatten_outputs(ir::Graph& graph, std::vector<std::string>& names, std::vector<std::string>& warnings);

// Behind all else: an output that is a list of tuples of tensors and numbers, or of dicts of them with the same
// constant keys, whose length a run decides, becomes a list an item, NAME.0 and NAME.1, or NAME.KEY. Returns true if it
// changed something.
bool part_outputs(ir::Graph& graph, std::vector<std::string>& names);

// What an output holds of the items of a list that the program gives: an output is the list's `part` of every item.
// `list` counts such lists; below 0 for other outputs.
struct ListPart {
  std::int64_t list = -1;
  std::int64_t part = 0;
};

// Of each output, in order; empty where there are none.
std::vector<ListPart> list_parts(const ir::Graph& graph);

}  // namespace tonnx::program
