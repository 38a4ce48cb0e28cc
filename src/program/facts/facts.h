#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ir/evaluator.h"
#include "ir/graph.h"
#include "program/facts/marks.h"
#include "program/facts/sample_hints.h"
#include "program/facts/symbols.h"

namespace tonnx::program {

// Infers dtype, dims and constant of every value in all blocks. The facts hold in every run of the model.
//
// Graph inputs of tensor type must have a dtype and fixed dims (those of the example). Scalar inputs are dynamic and
// get no constant. `examples`, if not empty, has one item per graph input; scalars are evaluated at these values.
//
// The program is evaluated at several samples side by side: the example sizes, and other sizes of the dynamic axes. A
// dim that is equal in all samples is fixed; other dims become integer polynomials of the symbols, or unknown. If the
// program fails whenever one symbol alone changes, relations with other symbols are tried (relate_symbols.h): in x + y
// the axes of both get the symbol of x; x.reshape(y.shape) makes the symbol of x the product of those of y. A value
// computed from dynamic sizes or from tensor data is not a constant. If a condition depends on one, both branches are
// evaluated and their results joined.
//
// Works with and without writing operators. If a program has any, nodes that may return a view (reshape, to,
// contiguous, ...) get the attribute "shares_memory" for functionalise(): 1, 0, or -1 if runs differ. Operators that
// read storage by strides (as_strided) get "memory_offset": the offset of the argument in its storage if it is
// contiguous in every run, or -1. The argument is replaced by the contiguous tensor that it is a view of, if there is
// one.
//
// `hints`, if not null, is read and updated. Pass that of an earlier call for the same program; its `allow_fixed`
// decides whether an axis that cannot change is fixed. Returns the dynamic axes with the relations among their sizes.
// Throws Error(Code::Program) if the program fails at the example sizes, and Error(Code::Argument), naming the node, if
// it fails at every other size of a dynamic axis.
//
// Sets the facts of the values, and the attributes, only if the inference succeeds. `marks`, if not null, is replaced.
std::vector<InputAxis> infer_facts(ir::Graph& graph, ir::Evaluator& evaluator, const std::vector<InputAxis>& dynamic,
                                   std::span<const ir::Constant> examples = {}, SampleHints* hints = nullptr,
                                   FactMarks* marks = nullptr);

// Returns "dynamic axis n (axis 0 of 'x') keeps the example's size 4: WHY".
std::string fixed_axis_text(const InputAxis& axis, const std::string& input, const std::string& why);

// Sets missing example sizes of axes from the inputs' facts. Throws Error(Code::Argument) if an axis does not exist or
// a symbol has two sizes.
void resolve_sizes(const ir::Graph& graph, std::vector<InputAxis>& dynamic);

}  // namespace tonnx::program
