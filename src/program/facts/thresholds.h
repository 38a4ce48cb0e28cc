#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "program/facts/symbols.h"

namespace tonnx::program {

// Collects the comparisons and divisions that sizes depend on in the samples, and proposes further samples near the
// sizes at which their outcome changes: where a difference (of a bound and a size it cuts, or of two numbers that are
// compared) changes its sign, and where a remainder changes.
class Thresholds {
 public:
  // Cut: the result is continuous at a difference of 0, as with a slice that cuts an axis. CutByConstant: the same, and
  // the bound is a constant of the program, so larger sizes are searched. Jump: the result may jump there.
  enum class Kind { Cut, CutByConstant, Jump };
  // Notes a difference, one value per sample.
  void note(std::vector<double> by_sample, Kind kind);
  // Notes a number, one value per sample, if its remainder or quotient by `divisor` is used.
  void note_divided(std::vector<double> by_sample, double divisor);
  // Returns further sizes of each free symbol, the most useful first; the other symbols keep their example sizes. First
  // come sizes around each sign change of a difference, by linear interpolation between adjacent samples or
  // extrapolation beyond them. Then come consecutive sizes that show other remainders, also for a difference that is
  // not linear in the symbol. The samples may already have some of them.
  std::vector<std::vector<std::int64_t>> further(const SymbolTable& table) const;

 private:
  std::map<std::vector<double>, Kind> differences_;
  std::set<std::vector<double>> divided_;
};

}  // namespace tonnx::program
