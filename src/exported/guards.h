#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "exported/json.h"
#include "ir/polynomial.h"
#include "ir/raw_program.h"

namespace tonnx::exported {

// The size of an axis of an input, by the input's name in the program; without an axis, the value of a number input.
// Not valid if it is unknown.
using InputSize = std::function<ir::Polynomial(const std::string& input, std::optional<std::size_t> axis)>;

struct GuardInputs {
  InputSize size;
  std::vector<std::string> names =
      {};  // names of all inputs in order, including fixed ones: L['flat_args'][2] is the third one
};

// Returns the guards of a document, conditions on inputs in Python ("L['x'].size()[0] % 2 == 0"), that do not hold at
// all sizes in `ranges`, as text for people ("x.size()[0] % 2 == 0"). Omits guards that follow from others, and those
// that exclude single sizes as PyTorch always does (0 and 1, and sizes at which two strides of a tensor are equal).
// Guards that exclude other single sizes come last.
std::vector<std::string> open_guards(const Json& guards, const GuardInputs& inputs,
                                     const std::map<std::string, ir::SizeRange>& ranges);

// Returns the first guard without dynamic sizes that does not hold, except for those that exclude single sizes as
// above.
std::optional<std::string> broken_guard(const Json& guards, const GuardInputs& inputs);

}  // namespace tonnx::exported
