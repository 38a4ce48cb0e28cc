#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "program/facts/symbols.h"

namespace tonnx::program {

// What decides which size something takes, in the samples of a program: the signs of differences, of a bound and what
// it cuts or of two numbers that are compared, and the remainders of sizes that are divided.
class Thresholds {
 public:
  // What the sign decides may be another size at once, or is the same on both sides of a difference of 0, as what is
  // cut off is. CutByConstant: the program itself holds the number, so that larger sizes are looked at.
  enum class Kind { Cut, CutByConstant, Jump };
  // One difference per sample.
  void note(std::vector<double> by_sample, Kind kind);
  // One number per sample, of which the remainder by `divisor`, or how often that goes into it, decides.
  void note_divided(std::vector<double> by_sample, double divisor);
  // Further sizes of each symbol, all others as in the example, those first that tell most: around those at which a
  // difference changes its sign, as the samples next to it tell, if sizes follow the symbol in straight lines there;
  // then some that show other remainders, also where a difference follows the symbol in no straight line. Samples may
  // have some of them.
  std::vector<std::vector<std::int64_t>> further(const SymbolTable& table) const;

 private:
  std::map<std::vector<double>, Kind> differences_;
  std::set<std::vector<double>> divided_;
};

}  // namespace tonnx::program
