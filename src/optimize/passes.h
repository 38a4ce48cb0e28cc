#pragma once

#include "ir/graph.h"

namespace tonnx::optimize {

// Each pass returns whether it changed the model. All need a verified graph in the ONNX dialect and leave one.

// Erases nodes whose results nobody reads, and weights that nobody reads. Inputs of the model stay (they are its
// signature).
//   %1 = onnx::Neg(%x)            ->
//   return (%x)                        return (%x)
bool remove_dead_code(ir::Graph& model);

// Erases operators that return their input: Identity, Cast to the same dtype, Transpose by the identity permutation,
// Reshape and Expand to the shape the input already has, Reshape by sizes that it has and one that is left open, Expand
// by ones and sizes that it has, Concat of one part, and pairs that cancel (lossless Cast there and back, Squeeze of
// Unsqueeze on the same axes). An Identity that gives a model output its own value stays.
//   %1 = onnx::Cast[to=1](%x : Float(2))     ->   %2 = onnx::Relu(%x)
//   %2 = onnx::Relu(%1)
bool remove_identities(ir::Graph& model);

// Lets a Reshape of a Reshape, and a Transpose of a Transpose, read what the first one reads; a Squeeze that takes away
// what an Unsqueeze added before a Transpose be a Transpose; and Gathers of one place each read what is transposed
// before them, where the axes that are left keep their order (the query, key and value that attention takes from one
// product).
//   %1 = onnx::Reshape(%x, [6])
//   %2 = onnx::Reshape(%1, [3, 2])     ->     %2 = onnx::Reshape(%x, [3, 2])
//   %3 = onnx::Transpose[perm=[2, 0, 1, 3]](%y)
//   %4 = onnx::Gather[axis=0](%3, 1)   ->     %4 = onnx::Gather[axis=2](%y, 1)
bool join_views(ir::Graph& model);

// Lets MatMul broadcast what stands expanded before it, where the sizes prove that it comes to the same: no copy is
// made, and no weight stored for each of a batch. Open sizes prove it where the program tells them (`told_sizes`), not
// where they were fitted.
//   %1 = onnx::Expand(%w : Float(8, 24), [5, 8, 24])
//   %2 = onnx::MatMul(%x : Float(5, 3, 8), %1)     ->     %2 = onnx::MatMul(%x, %w)
bool drop_expansions(ir::Graph& model, bool told_sizes);

// Lets elementwise operators broadcast what stands expanded before them, and what they make of it stay as small until
// one of them gives all of it: nothing is copied, and layers that read one mask share what is made of it. `told_sizes`
// as above.
//   %1 = onnx::Expand(%mask : Bool(2, 1, 1, 5), [2, 4, 1, 5])
//   %2 = onnx::Where(%1, %0, %low)                                ->     %2 = onnx::Where(%mask, %0, %low)
//   %3 = onnx::Add(%scores : Float(2, 4, 5, 5), %2)                      %3 = onnx::Add(%scores, %2)
bool broadcast_late(ir::Graph& model, bool told_sizes);

// Lets Gemm read a transposed matrix itself, so that a weight keeps its layout and its name.
//   %1 = onnx::Transpose[perm=[1, 0]](%fc.weight)
//   %2 = onnx::Gemm(%x, %1, %fc.bias)     ->     %2 = onnx::Gemm[transB=1](%x, %fc.weight, %fc.bias)
bool fuse_gemm_transposes(ir::Graph& model);

// Lets what moves elements of signed bytes move the bytes, unless its result is quantised again: ONNX Runtime 1.31 puts
// a pair of its own behind it, which from opset 21 on names a dtype that it takes away again, and refuses to load the
// model.
//   %1 = onnx::DequantizeLinear(%q, %scale, %zero)
//   %2 = onnx::Transpose(%1)          ->     %2 = onnx::Transpose(%q)
//   %3 = onnx::MatMul(%2, %w)                %3 = onnx::MatMul(onnx::DequantizeLinear(%2, %scale, %zero), %w)
bool dequantise_late(ir::Graph& model);

// Casts before the batch axes of a factor are turned, not behind, and multiplies float16 by a weight before as well:
// ONNX Runtime 1.31 makes one operator of turn, cast and product, and crashes when it loads the model.
//   %1 = onnx::Transpose[perm=[1, 0, 2]](%x : Half(2, 5, 4))     ->   %1 = onnx::MatMul(%x, %fc.weight)
//   %2 = onnx::MatMul(%1, %fc.weight)                                 %2 = onnx::Transpose[perm=[1, 0, 2]](%1)
bool transpose_late(ir::Graph& model);

// Lets equal nodes (kind, inputs, attributes) of one block or an enclosing one share their results, and an If whose
// branches compute the same be what they compute. Random operators and other nodes with blocks are left alone.
//   %1 = onnx::Shape(%x)
//   %2 = onnx::Shape(%x)          ->   %1 = onnx::Shape(%x)
bool share_common_subexpressions(ir::Graph& model);

// Replaces operators whose inputs are all constants (and weights, if `weights`) by their results. A change of layout of
// a weight (Transpose, Reshape, Slice, ...) becomes a strided view of it, named by its key and a suffix, provided the
// weight is not read otherwise, so that no weight is stored twice. Computed results are limited in size.
//   %1 = onnx::Transpose[perm=[1, 0]](%fc.weight)
//   %2 = onnx::MatMul(%x, %1)     ->   %2 = onnx::MatMul(%x, %fc.weight.transposed)
bool fold_constants(ir::Graph& model, bool weights);

// Puts a normalisation by fixed statistics into the Conv, ConvTranspose or Gemm before it, where nobody else reads its
// result or its weight. The new weights are computed when they are read. float32 and float64 alone, as narrower dtypes
// lose more.
//   %1 = onnx::Conv(%x, %conv.weight)
//   %2 = onnx::BatchNormalization(%1, %bn.weight, %bn.bias, %bn.mean, %bn.var)
//                                 ->   %1 = onnx::Conv(%x, %conv.weight.normalised, %bn.bias.normalised)
bool fold_normalisations(ir::Graph& model);

// Makes initializers of the constants that are no floating numbers, for opsets below 9, where Constant gives no others.
//   %1 = onnx::Constant[value=[2, -1]]
//   %2 = onnx::Reshape(%x, %1)    ->   %2 = onnx::Reshape(%x, %constant)
bool store_constants(ir::Graph& model);

}  // namespace tonnx::optimize
