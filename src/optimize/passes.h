#pragma once

#include "ir/graph.h"

namespace tonnx::optimize {

// Each pass returns true if it changed the model. All need a verified graph in the ONNX dialect and preserve that
// property.

// Erases dead nodes and unused weights. Inputs of the model are kept (they are its
// signature).
//   %1 = onnx::Neg(%x)            ->
//   return (%x)                        return (%x)
bool remove_dead_code(ir::Graph& model);

// Erases operators that return their input: Identity, Cast to the same dtype, Transpose by the identity permutation,
// Reshape and Expand to the shape the input already has, Reshape to the input's sizes with one -1, Expand by ones and
// the input's sizes, Concat of one part, and pairs that cancel (lossless Cast there and back, Squeeze of Unsqueeze on
// the same axes). An Identity that makes a separate value for a model output is kept.
//   %1 = onnx::Cast[to=1](%x : Float(2))     ->   %2 = onnx::Relu(%x)
//   %2 = onnx::Relu(%1)
bool remove_identities(ir::Graph& model);

// Merges a Reshape of a Reshape that cannot fail, and a Transpose of a Transpose. Turns Unsqueeze, Transpose and
// Squeeze of the added axis into a Transpose. Moves a Gather of one index before a Transpose if the remaining axes keep
// their order (query, key and value of attention, selected from one product).
//   %1 = onnx::Reshape(%x, [6])
//   %2 = onnx::Reshape(%1, [3, 2])     ->     %2 = onnx::Reshape(%x, [3, 2])
//   %3 = onnx::Transpose[perm=[2, 0, 1, 3]](%y)
//   %4 = onnx::Gather[axis=0](%3, 1)   ->     %4 = onnx::Gather[axis=2](%y, 1)
bool join_views(ir::Graph& model);

// Removes an Expand before MatMul if the sizes prove that MatMul broadcasts to the same shape: saves a copy, and a
// weight is not stored once for each batch element. Symbolic sizes count as proof if the program declares them
// (`declared_sizes`), not if they were fitted. `broadcasts_nothing`: MatMul also broadcasts batches without elements.
//   %1 = onnx::Expand(%w : Float(8, 24), [5, 8, 24])
//   %2 = onnx::MatMul(%x : Float(5, 3, 8), %1)     ->     %2 = onnx::MatMul(%x, %w)
bool drop_expansions(ir::Graph& model, bool declared_sizes, bool broadcasts_nothing = false);

// Removes an Expand before elementwise operators, which broadcast. Values computed from it stay unexpanded until an
// operator restores the full shape: saves copies, and layers that use one mask share the values computed from it.
// `declared_sizes` as above. `short_runs`: also if the runs of contiguous elements that are broadcast are short, which
// is slow in ONNX Runtime.
//   %1 = onnx::Expand(%mask : Bool(2, 1, 1, 5), [2, 4, 1, 5])
//   %2 = onnx::Where(%1, %0, %low)                                ->     %2 = onnx::Where(%mask, %0, %low)
//   %3 = onnx::Add(%scores : Float(2, 4, 5, 5), %2)                      %3 = onnx::Add(%scores, %2)
bool broadcast_late(ir::Graph& model, bool declared_sizes, bool short_runs = false);

// Fuses a Transpose of a matrix into Gemm, so that a weight keeps its layout and its name.
//   %1 = onnx::Transpose[perm=[1, 0]](%fc.weight)
//   %2 = onnx::Gemm(%x, %1, %fc.bias)     ->     %2 = onnx::Gemm[transB=1](%x, %fc.weight, %fc.bias)
bool fuse_gemm_transposes(ir::Graph& model);

// Moves DequantizeLinear of int8 after operators that move elements, unless the result is quantised again. For
// Defect::DequantiseMove: the runtime would insert a pair of its own after them, with a dtype that it later removes.
//   %1 = onnx::DequantizeLinear(%q, %scale, %zero)
//   %2 = onnx::Transpose(%1)          ->     %2 = onnx::Transpose(%q)
//   %3 = onnx::MatMul(%2, %w)                %3 = onnx::MatMul(onnx::DequantizeLinear(%2, %scale, %zero), %w)
bool dequantise_late(ir::Graph& model);

// Moves a Transpose of the batch axes of a MatMul operand after its Cast, and after a float16 MatMul with a weight.
// For Defect::TransposeFusion.
//   %1 = onnx::Transpose[perm=[1, 0, 2]](%x : Half(2, 5, 4))     ->   %1 = onnx::MatMul(%x, %fc.weight)
//   %2 = onnx::MatMul(%1, %fc.weight)                                 %2 = onnx::Transpose[perm=[1, 0, 2]](%1)
bool transpose_late(ir::Graph& model);

// Common subexpression elimination: equal nodes (kind, inputs, attributes) of one block or an enclosing one share their
// results, and an If whose branches compute the same is replaced by what they compute. Ignores random operators and
// other nodes with blocks.
//   %1 = onnx::Shape(%x)
//   %2 = onnx::Shape(%x)          ->   %1 = onnx::Shape(%x)
bool share_common_subexpressions(ir::Graph& model);

// Replaces operators whose inputs are all constants (and weights, if `weights`) by their results. A change of layout of
// a weight (Transpose, Reshape, Slice, ...) becomes a strided view of it, named by its key and a suffix, if the weight
// has no other use, so that no weight is stored twice. Elementwise operators and Concat of large weights are computed
// when the result is read; other results have at most 8 MiB.
//   %1 = onnx::Transpose[perm=[1, 0]](%fc.weight)
//   %2 = onnx::MatMul(%x, %1)     ->   %2 = onnx::MatMul(%x, %fc.weight.transposed)
bool fold_constants(ir::Graph& model, bool weights, std::int32_t opset);

// Replaces a weight by an earlier one of the same dtype, shape and content. Needs weights that nothing changes. Reads
// each weight that has the dtype and shape of another one, in pieces.
//   %1 = onnx::Add(%x, %a.bias)
//   %2 = onnx::Add(%1, %b.bias)   ->   %2 = onnx::Add(%1, %a.bias)
bool merge_equal_weights(ir::Graph& model);

// Folds a normalisation with constant statistics into the Conv, ConvTranspose or Gemm before it, if neither its result
// nor its weight has another use. The new weights are computed when they are read. Only float32 and float64, because
// narrower dtypes lose more precision.
//   %1 = onnx::Conv(%x, %conv.weight)
//   %2 = onnx::BatchNormalization(%1, %bn.weight, %bn.bias, %bn.mean, %bn.var)
//                                 ->   %1 = onnx::Conv(%x, %conv.weight.normalised, %bn.bias.normalised)
bool fold_normalisations(ir::Graph& model);

// Turns constants that are not floating-point into initializers, for opsets below 9, where Constant supports
// floating-point only.
//   %1 = onnx::Constant[value=[2, -1]]
//   %2 = onnx::Reshape(%x, %1)    ->   %2 = onnx::Reshape(%x, %constant)
bool store_constants(ir::Graph& model);

}  // namespace tonnx::optimize
