#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "lower/op.h"

// Operators that work on the parts of complex tensors by themselves, views and sums for example, take the lowering that
// they have for real tensors, once for each part.
namespace tonnx::lower {

enum class Part {
  Real,
  Imaginary,  // zeros of a real tensor's sizes, 0 for a real number
  Given,      // the value of the choice
  Nothing,    // None
};

// What stands for an argument; of a list of tensors `items` may choose for each item.
struct Choice {
  std::string_view argument;
  Part part;
  Value* given = nullptr;
  std::vector<Part> items = {};
};

// What the real lowering of the node gives with its arguments so chosen. The other arguments stay; the dtype of complex
// results, and of an argument `dtype`, is that of their parts. Refuses a complex argument that is not chosen.
Outputs call_with(Op& op, std::span<const Choice> choices);
inline Outputs call_with(Op& op, std::initializer_list<Choice> choices) {
  return call_with(op, std::span(choices.begin(), choices.size()));
}

// The complex results of two such calls, of the real and of the imaginary part of all these arguments. `arguments` are
// names with a blank between them; of one behind a ~ both calls get the real part, for they read its sizes alone.
Outputs on_each_part(Op& op, std::string_view arguments);

}  // namespace tonnx::lower
