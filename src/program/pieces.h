#pragma once

#include "ir/graph.h"
#include "program/edit.h"

// Lists of views of one tensor: what split, chunk, unbind, tensor_split and their kin give.
namespace tonnx::program {

// The number of pieces a split makes; -1 if it is not known.
std::int64_t piece_count(const ir::Node& split, const ir::Facts& base_facts);

// Which piece of a list is meant.
struct Piece {
  std::int64_t place = 0;          // from the front, where `item` is null
  const ir::Node* item = nullptr;  // else the operator that takes an item of the list
};

// The tensor that `base` becomes when `value` is written through a piece of what `split` makes of it. `base_facts` are
// those of the memory before. Where the piece lies is computed of the sizes if it is not known. Throws
// Error(Code::Unsupported) at `writer` where its place cannot be told.
ir::Value* scatter_piece(Inserter& insert, const ir::Node& split, Piece piece, ir::Value* base,
                         const ir::Facts& base_facts, ir::Value* value, const ir::Node& writer);

}  // namespace tonnx::program
