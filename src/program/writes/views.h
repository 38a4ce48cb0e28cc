#pragma once

#include "ir/graph.h"
#include "program/edit.h"

namespace tonnx::program {

// How an output's memory relates to a node's inputs.
struct Relation {
  enum class Kind {
    Fresh,    // new memory
    Same,     // the very input
    View,     // part of the input's memory, or another shape of it; writes go through
    Unknown,  // may share memory with any input
  };
  Kind kind = Kind::Fresh;
  std::size_t input = 0;
};

// From the schema's alias marks; operators that return a view only sometimes (reshape, to, contiguous, dropout) are
// decided by the attribute "shares_memory", constants and dtypes, and are Unknown otherwise.
Relation relation_of(const ir::Node& node, std::size_t output);

// Of contiguous() and is_contiguous(): whether the order is that of the axes.
bool names_plain_order(const ir::Node& node);

// Whether a tensor lies in the order of its axes whatever its sizes are, in programs that change no tensor's place in
// memory: inputs of a model do, and what keeps their order.
bool lies_in_order(const ir::Value& tensor);

// Of such a tensor: whether its strides are surely products of its sizes. Those of an axis with one element or none can
// be any others, for nothing lies by them.
bool has_strides_in_order(const ir::Value& tensor);

// True if the value is fresh: the result of an operator that neither builds nor reads a container, in storage of its
// own.
bool is_fresh(const ir::Value& value);
bool is_new_tensor(const ir::Value& value);  // a fresh tensor

// True if no result of the node may share memory with its inputs.
bool gives_fresh(const ir::Node& node);

// True for operators whose result is a list of new tensors.
bool is_fresh_list(const ir::Node& node);

// The tensor that `base` becomes when `value` is written through `view` (a node that made a view of it). `base_facts`
// are those of the memory before. Throws Error(Code::Unsupported) at `writer` where the view has no inverse.
ir::Value* scatter(Inserter& insert, const ir::Node& view, ir::Value* base, const ir::Facts& base_facts,
                   ir::Value* value, const ir::Facts& value_facts, const ir::Node& writer);

}  // namespace tonnx::program
