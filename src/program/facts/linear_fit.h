#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tonnx::program {

// The coefficients c with sum(c[k] * basis[k][i]) = values[i] for as many i as there are unknowns, taken from the first
// runs that are independent; empty if too few are. The caller checks the others.
std::optional<std::vector<double>> linear_fit(std::span<const std::vector<double>> basis,
                                              std::span<const double> values);

}  // namespace tonnx::program
