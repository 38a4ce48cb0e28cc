#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tonnx.hpp"

// Parsing of flag values.
namespace tonnx::cli {

[[noreturn]] inline void misuse(const std::string& text) { throw Error(TONNX_STATUS_ARGUMENT, text); }

// Parses the whole text as a number; returns false if it is not one.
template <class Number>
bool read(std::string_view text, Number& number) {
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failed == std::errc() && end == text.data() + text.size();
}

// Spellings and their values.
using Choices = std::vector<std::pair<std::string, std::int32_t>>;

// Lists the spellings: "auto, yes, no".
inline std::string spellings(const Choices& choices) {
  std::string text;
  for (const auto& [name, value] : choices) text += (text.empty() ? "" : ", ") + name;
  return text;
}

inline std::int32_t choose(const std::string& flag, const std::string& given, const Choices& choices) {
  for (const auto& [name, value] : choices)
    if (given == name) return value;
  misuse(flag + " '" + given + "': one of " + spellings(choices));
}

}  // namespace tonnx::cli
