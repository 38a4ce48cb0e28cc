#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ir/evaluator.h"
#include "ir/graph.h"
#include "program/facts/sample_hints.h"
#include "program/facts/symbols.h"

namespace tonnx::program {

// Infers the facts of every value in all blocks: dtype, dims and constant, true for every run of the model.
//
// Graph inputs of tensor type carry dtype and fixed dims (the example's); numbers are run-time values and get no
// constant. `examples`, if not empty, has one item per graph input: numbers are then evaluated at the example's value.
// The program is evaluated at the example sizes and, for dynamic axes, at several others side by side: dims that agree
// are fixed, others become integer polynomials of the symbols, or unknown. Where a program runs at no other size of a
// symbol alone, relations with other symbols are tried (relate_symbols.h): in x + y the axes of both get the symbol of
// x in all facts; x.reshape(y.shape) makes the symbol of x the product of those of y. Values computed from dynamic
// sizes or from tensor data are not constants; a condition on them evaluates both branches and joins the results.
//
// Works on programs with and without writing operators. Where a program has any, nodes that may or may not return a
// view (reshape, to, contiguous, ...) get the attribute "shares_memory" (1, 0, or -1 where runs disagree) for
// functionalise(), and operators that read storage by strides (as_strided) the attribute "memory_offset": the offset of
// their argument in its storage if it is contiguous in every run, or -1. Their argument is replaced by the contiguous
// tensor whose view it is, if there is one. Throws Error(Code::Program) if the program fails at the
// example sizes, and Error(Code::Argument), naming the node, if it fails at every other size of a dynamic axis.
// `hints`, if any, are those that an earlier call for the same program left there; they say whether such an axis is
// fixed instead. Returns the dynamic axes with the relations found among their sizes.
std::vector<InputAxis> infer_facts(ir::Graph& graph, ir::Evaluator& evaluator, const std::vector<InputAxis>& dynamic,
                                   std::span<const ir::Constant> examples = {}, SampleHints* hints = nullptr);

// "dynamic axis n (axis 0 of 'x') keeps the example's size 4: WHY".
std::string fixed_axis_text(const InputAxis& axis, const std::string& input, const std::string& why);

// Fills in the missing example sizes of axes from the inputs' facts, and checks them: positions that exist, one size a
// symbol. Throws Error(Code::Argument).
void resolve_sizes(const ir::Graph& graph, std::vector<InputAxis>& dynamic);

}  // namespace tonnx::program
