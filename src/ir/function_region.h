#pragma once

#include <string>

#include "ir/graph.h"

// A region of a recording that the host has named as one function, such as an autograd function. Two nodes of the
// program's outermost block mark it; the operators that the host ran in it are between them:
//   %x1, %w1 = tonnx::function_begin.NAME(%x, %w)
//   ... operators on %x and %w ...
//   %y1 = tonnx::function.NAME(%y, %x1, %w1, SCALARS...)
// The results of both nodes are their first inputs. Code after the region reads %y1 instead of %y.
namespace tonnx::ir {

inline constexpr const char* kFunctionBegin = "tonnx::function_begin";
inline constexpr const char* kFunctionEnd = "tonnx::function";
// The operator that symbolics convert. NAME is its overload, and its last argument kFunctionName.
inline constexpr const char* kFunction = "prim::PythonOp";
inline constexpr const char* kFunctionName = "name";

// Attribute of both marks: whether the tensors that they return require gradients. Of the operator: the same of its
// inputs.
inline constexpr const char* kRequiresGrad = "requires_grad";
// Attribute of the end: outputs that share memory with tensors of the program that it writes to.
inline constexpr const char* kSharedOutputs = "shared_outputs";
// Attribute of the operator: the same of its outputs.
inline constexpr const char* kOutputsRequireGrad = "outputs_require_grad";

inline bool is_function_mark(const Node& node) { return node.is(kFunctionBegin) || node.is(kFunctionEnd); }

// The name of the function that the mark, or the operator, is of.
inline std::string function_name(const Node& node) { return node.schema() ? node.schema()->overload : std::string(); }

}  // namespace tonnx::ir
