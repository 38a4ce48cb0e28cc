#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace tonnx::program {

// A text that is made of texts and integers in turns: `texts` has one more than `numbers`, and stands before, between
// and behind them. No two runs of other integers give one text.
struct Spelling {
  std::vector<std::string> texts = {""};
  std::vector<ir::Value*> numbers;

  void add(std::string_view text) { texts.back() += text; }
  void add(ir::Value* number);
};

// How str(), format() and the like make the text of integers and of constants; nothing where they do not, or where what
// it is made of cannot be told: behind an integer must stand something else than a digit.
std::optional<Spelling> spelling_of(ir::Value* text);

// The integers that give this text; nothing where none do.
std::optional<std::vector<std::int64_t>> numbers_in(const Spelling& made, std::string_view text);

// Whether some integers give a text of both, each of which has one.
bool may_be_equal(const Spelling& a, const Spelling& b);

}  // namespace tonnx::program
