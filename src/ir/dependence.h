#pragma once

#include <string>
#include <vector>

#include "ir/error.h"
#include "ir/graph.h"

namespace tonnx::ir {

// What the form of refused operators depends on, for messages that say what to do.
struct Dependence {
  std::vector<std::string> numbers;  // inputs of the program that are numbers
  std::vector<std::string> untyped;  // sites (describe_site) of operators whose results have no known dtype
};

// Searches the program for the operators of the reasons, and backward from each. An operator that no row converts
// depends on the conditions of the branches around it alone.
Dependence dependence_of(const Graph& program, const Error& refused);

}  // namespace tonnx::ir
