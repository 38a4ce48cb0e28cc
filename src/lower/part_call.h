#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "lower/op.h"

// Operators that apply to the parts of complex tensors separately, such as views and sums: calls their real lowering
// once for each part.
namespace tonnx::lower {

enum class Part {
  Real,
  Imaginary,  // zeros of a real tensor's shape; 0 for a real scalar
  Given,      // the value in the choice
  Nothing,    // None
};

// What an argument is replaced by; for a list of tensors `items` may choose for each item.
struct Choice {
  std::string_view argument;
  Part part;
  Value* given = nullptr;
  std::vector<Part> items = {};
};

// Calls the node's real lowering with these choices for its arguments. Other arguments are unchanged; the dtype of
// complex results, and of an argument `dtype`, becomes that of the parts. Refuses a complex argument without a choice.
Outputs call_with(Op& op, std::span<const Choice> choices);
inline Outputs call_with(Op& op, std::initializer_list<Choice> choices) {
  return call_with(op, std::span(choices.begin(), choices.size()));
}

// Calls the real lowering for the real and for the imaginary parts of all these arguments, and returns complex results.
// `arguments` are names separated by blanks; an argument after ~ is its real part in both calls, because only its shape
// is used.
Outputs on_each_part(Op& op, std::string_view arguments);

}  // namespace tonnx::lower
