#pragma once

#include "ir/facts_view.h"
#include "ir/graph.h"

// Rules that infer the facts of an operator's tensor result from the known facts of its arguments. The table in
// result_facts.cpp names one for each operator. Known facts hold in every run; the node has at least one input.
namespace tonnx::aten::rules {

using ir::Facts;

// Dtype and shape of the first argument, or only some of these. Operators with a `dtype` have no facts if it is set.
Facts like_first(const ir::Node& node, const ir::FactsView& known);
Facts resized_first(const ir::Node& node, const ir::FactsView& known);  // the same dtype and rank
Facts dtype_of_first(const ir::Node& node, const ir::FactsView& known);
Facts like_second_in_dtype_of_first(const ir::Node& node, const ir::FactsView& known);
Facts in_dtype_of_second(const ir::Node& node, const ir::FactsView& known);
Facts cast(const ir::Node& node, const ir::FactsView& known);  // to the argument `dtype` or the dtype of `other`
// A new tensor of dynamic size. Its dtype is specified, or that of the tensor it is modelled on, or that of the fill
// value.
Facts created(const ir::Node& node, const ir::FactsView& known);

// Reductions.
Facts part_of_all(const ir::Node& node,
                  const ir::FactsView& known);  // one of all elements; LibTorch refuses an empty tensor
Facts index_of_element(const ir::Node& node, const ir::FactsView& known);  // of all elements, or along `dim`
Facts total(const ir::Node& node, const ir::FactsView& known);             // integers and bools as int64

// Pieces and joins.
Facts narrowed(const ir::Node& node, const ir::FactsView& known);  // a slice along one axis
Facts sliced(const ir::Node& node, const ir::FactsView& known);    // the same; no facts if the rank is unknown
Facts selected(const ir::Node& node, const ir::FactsView& known);  // at one index of an axis
Facts reshaped(const ir::Node& node,
               const ir::FactsView& known);  // one size may be -1; it and computed sizes are unknown
// A concatenation. All tensors have the same rank, except empty vectors, and the same sizes along other axes.
Facts joined(const ir::Node& node, const ir::FactsView& known);
Facts stacked(const ir::Node& node, const ir::FactsView& known);  // tensors of one shape along a new axis
Facts padded(const ir::Node& node,
             const ir::FactsView& known);  // axes without padding keep their sizes; the list begins with the last axis

// Layers and products. A convolution has the batch of its input, the channels of its weight, and unknown other sizes.
Facts convolved(const ir::Node& node, const ir::FactsView& known);
Facts transposed_convolved(const ir::Node& node, const ir::FactsView& known);
Facts either_convolved(const ir::Node& node, const ir::FactsView& known);  // as the argument `transposed` says
Facts linear(const ir::Node& node, const ir::FactsView& known);
Facts matrix_product(const ir::Node& node, const ir::FactsView& known);  // of any ranks
Facts product_of_matrices(const ir::Node& node, const ir::FactsView& known);
Facts product_of_batches(const ir::Node& node, const ir::FactsView& known);
Facts added_product_of_matrices(const ir::Node& node, const ir::FactsView& known);
Facts added_product_of_batches(const ir::Node& node, const ir::FactsView& known);
Facts attended(const ir::Node& node,
               const ir::FactsView& known);  // one row of the values' width for each query; batches broadcast

// Losses and distances. A reduced loss is a scalar.
Facts loss_of_elements(const ir::Node& node, const ir::FactsView& known);
Facts loss_of_rows(const ir::Node& node, const ir::FactsView& known);
Facts reduced_loss(const ir::Node& node, const ir::FactsView& known);  // no facts if the loss is not reduced
Facts distance(const ir::Node& node, const ir::FactsView& known);
Facts row_similarity(const ir::Node& node, const ir::FactsView& known);
Facts row_distance(const ir::Node& node, const ir::FactsView& known);

}  // namespace tonnx::aten::rules
