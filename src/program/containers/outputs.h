#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "program/facts/marks.h"

namespace tonnx::program {

// Replaces an output that is a tuple, list or dict with known items by one output for each item; a list of numbers
// stays one output. Removes outputs that are None or a string, and adds a warning. `names` has the names of the
// outputs, "" or missing for those without, and is updated: the items of a named output are NAME.0, NAME.1, those of a
// dict NAME.KEY. Returns true if it changed something.
// Lists of tensors stay one output after keep_output_lists().
bool flatten_outputs(ir::Graph& graph, const FactMarks& marks, std::vector<std::string>& names,
                     std::vector<std::string>& warnings);

// Marks the program: its outputs that are lists of tensors become sequences, whatever their length.
void keep_output_lists(ir::Graph& graph);

// The warning for a list of tensors that is empty, so that it has no output.
std::string empty_list_text();

// Last of `settle`: replaces an output that is a list, of dynamic length, of tuples of tensors and numbers by one
// list for each item, NAME.0 and NAME.1; a list of dicts with the same constant keys by one for each key, NAME.KEY.
// Returns true if it changed something.
bool part_outputs(ir::Graph& graph, std::vector<std::string>& names);

// The relation of an output to a list that the program returns: the output contains item `part` of each tuple of list
// number `list`; `list` < 0 for other outputs.
struct ListPart {
  std::int64_t list = -1;
  std::int64_t part = 0;
};

// One element for each output, in order; empty if there are no such lists.
std::vector<ListPart> list_parts(const ir::Graph& graph);

// Marks an output that is a list of numbers, which the program returns one by one.
void mark_list_output(ir::Graph& graph, std::size_t index);

}  // namespace tonnx::program
