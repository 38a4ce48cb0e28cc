#pragma once

#include <string>

#include "ir/graph.h"

namespace tonnx::program::test {

// Runs functionalise() on a graph with facts; throws Error(Code::Unsupported) if the program is refused.
void functionalise_or_throw(ir::Graph& graph);

// The functional form of a program in the syntax of parse(). Checks that both compute the same results, for both values
// of a bool input.
std::string functional(const std::string& text);

// The message with which functionalise() refuses the program; empty, with a test failure, if it does not.
std::string refused(const std::string& text);

}  // namespace tonnx::program::test
