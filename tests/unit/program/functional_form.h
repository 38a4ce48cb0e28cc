#pragma once

#include <string>

#include "ir/graph.h"

namespace tonnx::program::test {

// functionalise() of a graph with facts; throws Error(Code::Unsupported) where something is refused.
void functionalise_or_throw(ir::Graph& graph);

// The functional form of a program in the text of parse(); checked to compute what the program computes, for both
// values of a bool input.
std::string functional(const std::string& text);

// The message with which functionalise() refuses the program; a failure, and empty, where it does not.
std::string refused(const std::string& text);

}  // namespace tonnx::program::test
