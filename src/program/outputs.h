#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"

namespace tonnx::program {

// Makes one output an item of outputs that are tuples, lists or dicts whose items are known, as those that the importer
// knows have become; integers in a list stay one output. What is None or a string goes, and `warnings` says so.
// `names` has the outputs' names, "" or none for those without, and is kept in step: the items of a named output are
// NAME.0, NAME.1, and a dict's are NAME.KEY. Returns true if it changed something.
bool flatten_outputs(ir::Graph& graph, std::vector<std::string>& names, std::vector<std::string>& warnings);

}  // namespace tonnx::program
