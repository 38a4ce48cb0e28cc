#pragma once

#include "ir/facts_view.h"
#include "ir/graph.h"
#include "program/edit.h"

namespace tonnx::program {

// How the storage of an output relates to the inputs of its node.
struct Relation {
  enum class Kind {
    Fresh,    // new storage
    Same,     // identical to the input
    View,     // a view of the input: a write to it writes to the input
    Unknown,  // may be an alias of any input
  };
  Kind kind = Kind::Fresh;
  std::size_t input = 0;
};

// Decided by the alias marks of the schema. For operators that return a view only sometimes (reshape, to, contiguous,
// dropout), by the attribute "shares_memory", constants and dtypes; else Unknown.
Relation relation_of(const ir::Node& node, std::size_t output);

// For contiguous() and is_contiguous(): true if the memory format is the default one, row-major.
bool names_plain_order(const ir::Node& node);

// True if the elements of the tensor are in row-major order at all sizes, in programs that do not change strides in
// place: for inputs of the model, and for views of these that preserve the order.
bool lies_in_order(const ir::Value& tensor, const ir::FactsView& known = {});

// For such a tensor: true if its strides are products of its sizes at all sizes. The stride of an axis of size 0 or 1
// may be another number, because no element depends on it.
bool has_strides_in_order(const ir::Value& tensor);

// True if the value is fresh: the result of an operator that neither builds nor reads a container, in storage of its
// own.
bool is_fresh(const ir::Value& value);
bool is_new_tensor(const ir::Value& value);  // a fresh tensor
// True if the value is distinct from all earlier objects: fresh, or a list or dict that its node creates.
bool is_new_object(const ir::Value& value);

// True if no result of the node may share memory with its inputs.
bool returns_fresh(const ir::Node& node);

// True for operators whose result is a list of new tensors.
bool is_fresh_list(const ir::Node& node);

// True if two elements of an as_strided() view may be one of its operand. Strides that are not constants are assumed to
// be distinct.
bool shares_elements(const ir::Node& view);

// Inserts the content of `base` after `value` is written through `view`, a node that created a view of it. `base_facts`
// are the facts before the write. Throws Error(Code::Unsupported) at `writer` if the view has no inverse.
ir::Value* scatter(Inserter& insert, const ir::Node& view, ir::Value* base, const ir::Facts& base_facts,
                   ir::Value* value, const ir::Facts& value_facts, const ir::Node& writer);

}  // namespace tonnx::program
