#pragma once

#include "ir/graph.h"
#include "program/edit.h"

// Lists of views of one tensor: the results of split, chunk, unbind, tensor_split and similar operators.
namespace tonnx::program {

// The number of pieces that a split returns; -1 if it is not known.
std::int64_t piece_count(const ir::Node& split, const ir::Facts& base_facts);

// Identifies a piece of a list.
struct Piece {
  std::int64_t place = 0;          // the index from the front, if `item` is null
  const ir::Node* item = nullptr;  // otherwise the operator that reads an item of the list
};

// Returns the new value of `base` after `value` is written to a piece that `split` returned. `base_facts` are the facts
// of `base` before the write. A dynamic offset of the piece is computed from the sizes. Throws Error(Code::Unsupported)
// at `writer` if the offset cannot be determined.
ir::Value* scatter_piece(Inserter& insert, const ir::Node& split, Piece piece, ir::Value* base,
                         const ir::Facts& base_facts, ir::Value* value, const ir::Node& writer);

}  // namespace tonnx::program
