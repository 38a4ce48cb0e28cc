#pragma once

#include <string>
#include <vector>

#include "ir/error.h"
#include "ir/graph.h"

namespace tonnx::ir {

// What the refusals depend on, for messages that advise the user.
struct Dependence {
  std::vector<std::string> numbers;  // inputs of the program that are scalars
  std::vector<std::string> untyped;  // sites (describe_site) of operators whose results have an unknown dtype
};

// Searches the program for the operators of the reasons, and backward from each. An operator without a lowering depends
// only on the conditions of the branches around it.
Dependence dependence_of(const Graph& program, const Error& refused);

}  // namespace tonnx::ir
