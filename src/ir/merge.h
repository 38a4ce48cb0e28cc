#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/facts.h"

namespace tonnx::ir {

// Merges `other`, which are facts of the same value, into `facts`: fixed beats symbolic, symbolic beats unknown, and of
// two expressions that of `facts` is kept. Returns a description of a contradiction ("rank 2 and rank 3"), else
// nullopt; a contradiction leaves `facts` unchanged. All sources of facts are combined here.
[[nodiscard]] std::optional<std::string> merge(Facts& facts, const Facts& other);

// The same for facts that must agree: throws Error(Code::Internal) if they contradict each other.
void merge_agreeing(Facts& facts, const Facts& other);

// The facts of a value that is either a or b: drops dims and constants that differ.
Facts join(const Facts& a, const Facts& b);

// True if two shapes are known to be the same, axis by axis.
bool same_dims(const std::vector<Dim>& a, const std::vector<Dim>& b);

// "(2, batch, ?)"
std::string to_string(const std::vector<Dim>& dims);

}  // namespace tonnx::ir
