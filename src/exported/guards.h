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

// What an input's size is, by the input's name in the program and an axis; without an axis, the number that an input
// is. Not valid where that is not known.
using InputSize = std::function<ir::Polynomial(const std::string& input, std::optional<std::size_t> axis)>;

struct GuardInputs {
  InputSize size;
  std::vector<std::string> names = {};  // of all inputs in their order, fixed ones too: L['flat_args'][2] is the third
};

// Those of a document's guards, conditions on inputs in Python ("L['x'].size()[0] % 2 == 0"), that do not hold at all
// sizes in `ranges`, as texts for a person ("x.size()[0] % 2 == 0"). A guard that follows from others is left out, and
// so is one that keeps single sizes out as PyTorch does of its own accord (0 and 1, those at which two strides of a
// tensor are the same). Those that keep other single sizes out stand last.
std::vector<std::string> open_guards(const Json& guards, const GuardInputs& inputs,
                                     const std::map<std::string, ir::SizeRange>& ranges);

// The first guard that no open size has a part in and that does not hold, but for those that keep single sizes out as
// above.
std::optional<std::string> broken_guard(const Json& guards, const GuardInputs& inputs);

}  // namespace tonnx::exported
