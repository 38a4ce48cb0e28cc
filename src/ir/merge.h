#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/facts.h"

namespace tonnx::ir {

// Adds to `facts` what `other` tells of the same value: fixed beats symbolic beats unknown, and of two expressions that
// of `facts` stays. Returns how the two contradict each other ("rank 2 and rank 3"), nothing where they do not; `facts`
// is left alone then. The one place where two sources of facts meet.
[[nodiscard]] std::optional<std::string> merge(Facts& facts, const Facts& other);

// The same of facts that cannot contradict each other: throws Error(Code::Internal) where they do.
void merge_agreeing(Facts& facts, const Facts& other);

// What holds of a value that is either a's or b's: dims and constants that differ are dropped.
Facts join(const Facts& a, const Facts& b);

// Whether two shapes are surely the same, axis by axis.
bool same_dims(const std::vector<Dim>& a, const std::vector<Dim>& b);

// "(2, batch, ?)"
std::string to_string(const std::vector<Dim>& dims);

}  // namespace tonnx::ir
