#include "program/strings/spelling.h"

#include <charconv>
#include <span>
#include <utility>

#include "aten/containers.h"
#include "ir/constant_facts.h"

namespace tonnx::program {

using ir::Node;
using ir::Type;
using ir::Value;

void StringPattern::add(Value* integer) {
  integers.push_back(integer);
  literals.push_back("");
}

namespace {

bool is_integer(const Value* value) { return value->type().is(Type::Kind::Int); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// True if the integers can be recovered from the string.
bool is_invertible(const StringPattern& pattern) {
  for (std::size_t i = 1; i < pattern.literals.size(); ++i) {
    const bool is_last = i + 1 == pattern.literals.size();
    if (pattern.literals[i].empty() ? !is_last : is_digit(pattern.literals[i].front())) return false;
  }
  return true;
}

// Appends a string or an integer to the pattern. False if it has no pattern.
bool append_value(Value* value, StringPattern& pattern);

// `arguments`: a format string and its arguments. Each placeholder begins with `mark` and has two characters.
bool append_format(std::span<Value* const> arguments, std::string_view mark, StringPattern& pattern) {
  constexpr std::size_t kLength = 2;
  const std::string* format = arguments.empty() ? nullptr : ir::constant_text(arguments[0]);
  if (!format) return false;
  std::size_t next = 1, begin = 0;
  for (std::size_t at = format->find(mark); at != std::string::npos; at = format->find(mark, begin)) {
    pattern.add(std::string_view(*format).substr(begin, at - begin));
    begin = at + kLength;
    if ((*format)[at] == '%') {
      const char kind = begin > format->size() ? ' ' : (*format)[at + 1];
      if (kind == '%') {
        pattern.add("%");
        continue;
      }
      if (kind != 'd' && kind != 's' && kind != 'i') return false;
      if (kind != 's' && next < arguments.size() && !is_integer(arguments[next])) return false;
    }
    if (next >= arguments.size() || !append_value(arguments[next++], pattern)) return false;
  }
  pattern.add(std::string_view(*format).substr(begin));
  return next == arguments.size();
}

bool append_sum(const Node& node, StringPattern& pattern) {
  if (!node.is("aten::add") || node.input_count() != 2 || !is_string(node.input(0))) return false;
  return append_value(node.input(0), pattern) && append_value(node.input(1), pattern);
}

bool append_formatted(const Node& node, StringPattern& pattern) {
  if (node.is("aten::format")) return append_format(node.inputs(), "{}", pattern);
  if (!node.is("aten::percentFormat")) return false;
  std::vector<Value*> arguments(node.inputs().begin(), node.inputs().end());
  if (arguments.size() == 2 && arguments[1]->type().is(Type::Kind::Tuple) &&
      aten::acts_as(*arguments[1]->node(), aten::Container::Tuple)) {
    const auto items = arguments[1]->node()->inputs();
    arguments.erase(arguments.begin() + 1);
    arguments.insert(arguments.end(), items.begin(), items.end());
  }
  return append_format(arguments, "%", pattern);
}

bool append_value(Value* value, StringPattern& pattern) {
  if (is_integer(value)) {
    if (const auto known = ir::constant_integer(value)) {
      pattern.add(std::to_string(*known));
    } else {
      pattern.add(value);
    }
    return true;
  }
  if (const std::string* known = ir::constant_text(value)) {
    pattern.add(*known);
    return true;
  }
  const Node* node = value->node();
  if (!is_string(value) || !node) return false;
  if (node->is("aten::str")) return is_integer(node->input()) && append_value(node->input(), pattern);
  return append_sum(*node, pattern) || append_formatted(*node, pattern);
}

}  // namespace

std::optional<StringPattern> pattern_of(Value* string) {
  StringPattern pattern;
  if (!append_value(string, pattern) || !is_invertible(pattern)) return std::nullopt;
  return pattern;
}

std::optional<std::vector<std::int64_t>> integers_matching(const StringPattern& pattern, std::string_view string) {
  std::vector<std::int64_t> integers;
  for (std::size_t i = 0; i < pattern.literals.size(); ++i) {
    if (!string.starts_with(pattern.literals[i])) return std::nullopt;
    string.remove_prefix(pattern.literals[i].size());
    if (i == pattern.integers.size()) break;
    std::int64_t integer = 0;
    const auto [end, error] = std::from_chars(string.data(), string.data() + string.size(), integer);
    if (error != std::errc() || std::to_string(integer) != std::string_view(string.data(), end)) return std::nullopt;
    integers.push_back(integer);
    string = std::string_view(end, string.data() + string.size());
  }
  return string.empty() ? std::optional(std::move(integers)) : std::nullopt;
}

bool may_be_equal(const StringPattern& a, const StringPattern& b) {
  const bool is_longer = a.literals.front().size() > b.literals.front().size();
  const std::string& longer = (is_longer ? a : b).literals.front();
  const std::string& shorter = (is_longer ? b : a).literals.front();
  if (!longer.starts_with(shorter)) return false;
  // Both integers end before the first character that is not a digit.
  if (longer.size() == shorter.size()) return a.literals.back() == b.literals.back();
  const char next = longer[shorter.size()];
  return next == '-' || is_digit(next);
}

}  // namespace tonnx::program
