#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "ir/state_write.h"

namespace tonnx::program {

// Declares that constant tensors are created once, with the program, so that a write to one outlives the call.
void own_constants(ir::Graph& graph);

// Finds writes to weights and inputs. With `as_outputs`, adds each of them that is or may be written to as an output,
// which functionalise() replaces by the new value. A later call adds what earlier ones did not find. Needs what
// AliasForest needs.
void find_state_writes(ir::Graph& graph, ir::StateWrites& writes);

// All names of the state that is written to, its own name first.
std::vector<std::string> names_of(const ir::StateWrite& write, const ir::StateWrites& writes);

// If the program writes to a weight that overlaps others (state.overlapping), makes all of them views of the one that
// contains the others, and reports the write for each of them as find_state_writes() does. Weights of different dtypes,
// or without one that contains the others, do not change. Returns true if the graph changed. Needs what AliasForest
// needs.
bool join_weights(ir::Graph& graph, ir::StateWrites& state);

// Removes the outputs of find_state_writes() that functionalise() left unchanged.
void drop_unwritten_outputs(ir::Graph& graph, ir::StateWrites& writes);

// True if the node is a normalisation that updates statistics that its schema does not mark as written.
bool writes_unmarked_statistics(const ir::Node& node);

// Makes the writes of normalisations in training to running statistics explicit, which their schema does not mark. If
// the statistics are read elsewhere, and with `as_outputs`, replaces a batch normalisation by the operator that returns
// new statistics, and writes these: aten::batch_norm(x, ..., mean, variance, True, ...) becomes
// aten::_native_batch_norm_legit_functional and two aten::copy_. Instance normalisation loses the statistics; other
// operators compute and write them. Notes the others as left out. Needs dtype and rank of the normalised tensor.
void write_statistics(ir::Graph& graph, ir::StateWrites& writes);

}  // namespace tonnx::program
