#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tonnx::program {

// Returns coefficients c with sum(c[k] * basis[k][i]) = values[i], solved from the first independent samples, as many
// as there are unknowns. Empty if there are too few. The caller checks the other samples.
std::optional<std::vector<double>> linear_fit(std::span<const std::vector<double>> basis,
                                              std::span<const double> values);

}  // namespace tonnx::program
