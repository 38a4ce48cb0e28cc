#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace tonnx::program {

inline bool is_string(const ir::Value* value) { return value->type().is(ir::Type::Kind::String); }

// A string that alternates constant strings and dynamic integers: `literals` has one item more than `integers`, and its
// items are before, between and after them. Different integers yield different strings.
struct StringPattern {
  std::vector<std::string> literals = {""};
  std::vector<ir::Value*> integers;

  void add(std::string_view literal) { literals.back() += literal; }
  void add(ir::Value* integer);
};

// The pattern of a string that str(), format(), % or + build from integers and constants. Empty for other strings, and
// if the integers cannot be recovered: an integer must not be followed by a digit or by another integer.
std::optional<StringPattern> pattern_of(ir::Value* string);

// The integers that yield this string; empty if there are none.
std::optional<std::vector<std::int64_t>> integers_matching(const StringPattern& pattern, std::string_view string);

// True if some integers yield the same string in both patterns, which must have one integer each.
bool may_be_equal(const StringPattern& a, const StringPattern& b);

}  // namespace tonnx::program
