#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace tonnx::program {

inline bool is_string(const ir::Value* value) { return value->type().is(ir::Type::Kind::String); }

// A string that alternates constant strings and integers: `texts` has one item more than `numbers`, and its items come
// before, between and after them. Different integers yield different strings.
struct Spelling {
  std::vector<std::string> texts = {""};
  std::vector<ir::Value*> numbers;

  void add(std::string_view text) { texts.back() += text; }
  void add(ir::Value* number);
};

// The form of a string that str(), format() and similar operators build from integers and constants. Empty if it has
// another form, or if the integers cannot be recovered: an integer must not be followed by a digit.
std::optional<Spelling> spelling_of(ir::Value* text);

// The integers that yield this string; empty if there are none.
std::optional<std::vector<std::int64_t>> numbers_in(const Spelling& made, std::string_view text);

// True if some integers yield the same string in both forms, which have one integer each.
bool may_be_equal(const Spelling& a, const Spelling& b);

}  // namespace tonnx::program
