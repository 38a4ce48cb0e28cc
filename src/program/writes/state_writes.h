#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "ir/state_write.h"

namespace tonnx::program {

// Notes that constant tensors are made once, with the program, so that a write to one outlives the call.
void own_constants(ir::Graph& graph);

// Finds writes to weights and inputs. With `as_outputs` what is or may be written to becomes an output: functionalise()
// makes it the new value. Called again, adds what it did not find before. Needs what AliasForest does.
void find_state_writes(ir::Graph& graph, ir::StateWrites& writes);

// The name of what is written to, and its further names.
std::vector<std::string> names_of(const ir::StateWrite& write, const ir::StateWrites& writes);

// If the program writes to a weight that overlaps others (state.overlapping), makes all of them views of the one that
// contains the others, and reports the write for each of them, or adds outputs; see find_state_writes(). Returns
// whether it changed anything. Leaves weights of different dtypes, and those that none contains. Needs what AliasForest
// does.
bool join_weights(ir::Graph& graph, ir::StateWrites& state);

// Removes those of these outputs that functionalise() has left as they were.
void drop_unwritten_outputs(ir::Graph& graph, ir::StateWrites& writes);

// True if the node is a normalisation that updates statistics that its schema does not mark as written.
bool writes_unmarked_statistics(const ir::Node& node);

// Normalisations in training write to their running statistics, which their schema does not tell. Where these are read
// elsewhere, and with `as_outputs`, a batch normalisation becomes the operator that returns new statistics and copies
// that write these: aten::batch_norm(x, ..., mean, variance, True, ...) -> aten::_native_batch_norm_legit_functional
// and two aten::copy_. aten::instance_norm is left without them, beside operators that compute what they hold
// afterwards. The others are noted as left out. Needs the dtypes and ranks of what is normalised.
void write_statistics(ir::Graph& graph, ir::StateWrites& writes);

}  // namespace tonnx::program
