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

// After all other passes: an output that is a list of tuples of tensors and numbers, or of dicts of them with the same
// constant keys, of dynamic length, becomes one list for each item: NAME.0 and NAME.1, or NAME.KEY. Returns true if it
// changed something.
bool part_outputs(ir::Graph& graph, std::vector<std::string>& names);

// The relation of an output to a list that the program returns: an output holds `part` of every item of the list.
// `list` counts such lists; below 0 for other outputs.
struct ListPart {
  std::int64_t list = -1;
  std::int64_t part = 0;
};

// One for each output, in order; empty if there are no such lists.
std::vector<ListPart> list_parts(const ir::Graph& graph);

}  // namespace tonnx::program
