#include "program/facts/linear_fit.h"

#include <cmath>
#include <cstddef>
#include <utility>

namespace tonnx::program {

std::optional<std::vector<double>> linear_fit(std::span<const std::vector<double>> basis,
                                              std::span<const double> values) {
  const std::size_t unknowns = basis.size();
  // Rows in echelon form: [coefficients..., value], the pivot of row r in column pivots[r].
  std::vector<std::vector<double>> rows;
  std::vector<std::size_t> pivots;
  for (std::size_t sample = 0; sample < values.size() && rows.size() < unknowns; ++sample) {
    std::vector<double> row;
    double scale = 0;
    for (const std::vector<double>& column : basis) row.push_back(column[sample]);
    for (const double c : row) scale = std::max(scale, std::abs(c));
    row.push_back(values[sample]);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const double factor = row[pivots[r]] / rows[r][pivots[r]];
      for (std::size_t k = 0; k <= unknowns; ++k) row[k] -= factor * rows[r][k];
      row[pivots[r]] = 0;
    }
    std::size_t pivot = 0;
    for (std::size_t k = 1; k < unknowns; ++k)
      if (std::abs(row[k]) > std::abs(row[pivot])) pivot = k;
    if (std::abs(row[pivot]) <= 1e-9 * scale) continue;
    rows.push_back(std::move(row));
    pivots.push_back(pivot);
  }
  if (rows.size() < unknowns) return std::nullopt;
  std::vector<double> solution(unknowns, 0);
  for (std::size_t r = rows.size(); r-- > 0;) {
    double rest = rows[r][unknowns];
    for (std::size_t k = 0; k < unknowns; ++k)
      if (k != pivots[r]) rest -= rows[r][k] * solution[k];
    solution[pivots[r]] = rest / rows[r][pivots[r]];
  }
  return solution;
}

}  // namespace tonnx::program
