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

void Spelling::add(Value* number) {
  numbers.push_back(number);
  texts.push_back("");
}

namespace {

bool is_integer(const Value* value) { return value->type().is(Type::Kind::Int); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool can_be_told(const Spelling& made) {
  for (std::size_t i = 1; i < made.texts.size(); ++i) {
    const bool is_last = i + 1 == made.texts.size();
    if (made.texts[i].empty() ? !is_last : is_digit(made.texts[i].front())) return false;
  }
  return true;
}

bool spell(Value* value, Spelling& made);

// `given`: a pattern, and what stands at its places, which begin with `mark` and take two characters each.
bool spell_pattern(std::span<Value* const> given, std::string_view mark, Spelling& made) {
  constexpr std::size_t kLength = 2;
  const std::string* pattern = given.empty() ? nullptr : ir::constant_text(given[0]);
  if (!pattern) return false;
  std::size_t next = 1, begin = 0;
  for (std::size_t at = pattern->find(mark); at != std::string::npos; at = pattern->find(mark, begin)) {
    made.add(std::string_view(*pattern).substr(begin, at - begin));
    begin = at + kLength;
    if ((*pattern)[at] == '%') {
      const char kind = begin > pattern->size() ? ' ' : (*pattern)[at + 1];
      if (kind == '%') {
        made.add("%");
        continue;
      }
      if (kind != 'd' && kind != 's' && kind != 'i') return false;
      if (kind != 's' && next < given.size() && !is_integer(given[next])) return false;
    }
    if (next >= given.size() || !spell(given[next++], made)) return false;
  }
  made.add(std::string_view(*pattern).substr(begin));
  return next == given.size();
}

bool spell_sum(const Node& node, Spelling& made) {
  if (!node.is("aten::add") || node.input_count() != 2 || !is_string(node.input(0))) return false;
  return spell(node.input(0), made) && spell(node.input(1), made);
}

bool spell_formatted(const Node& node, Spelling& made) {
  if (node.is("aten::format")) return spell_pattern(node.inputs(), "{}", made);
  if (!node.is("aten::percentFormat")) return false;
  std::vector<Value*> given(node.inputs().begin(), node.inputs().end());
  if (given.size() == 2 && given[1]->type().is(Type::Kind::Tuple) &&
      aten::acts_as(*given[1]->node(), aten::Container::Tuple)) {
    const auto items = given[1]->node()->inputs();
    given.erase(given.begin() + 1);
    given.insert(given.end(), items.begin(), items.end());
  }
  return spell_pattern(given, "%", made);
}

bool spell(Value* value, Spelling& made) {
  if (is_integer(value)) {
    if (const auto known = ir::constant_integer(value)) {
      made.add(std::to_string(*known));
    } else {
      made.add(value);
    }
    return true;
  }
  if (const std::string* known = ir::constant_text(value)) {
    made.add(*known);
    return true;
  }
  const Node* node = value->node();
  if (!is_string(value) || !node) return false;
  if (node->is("aten::str")) return is_integer(node->input()) && spell(node->input(), made);
  return spell_sum(*node, made) || spell_formatted(*node, made);
}

}  // namespace

std::optional<Spelling> spelling_of(Value* text) {
  Spelling made;
  if (!spell(text, made) || !can_be_told(made)) return std::nullopt;
  return made;
}

std::optional<std::vector<std::int64_t>> numbers_in(const Spelling& made, std::string_view text) {
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < made.texts.size(); ++i) {
    if (!text.starts_with(made.texts[i])) return std::nullopt;
    text.remove_prefix(made.texts[i].size());
    if (i == made.numbers.size()) break;
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || std::to_string(number) != std::string_view(text.data(), end)) return std::nullopt;
    numbers.push_back(number);
    text = std::string_view(end, text.data() + text.size());
  }
  return text.empty() ? std::optional(std::move(numbers)) : std::nullopt;
}

bool may_be_equal(const Spelling& a, const Spelling& b) {
  const bool is_longer = a.texts.front().size() > b.texts.front().size();
  const std::string& longer = (is_longer ? a : b).texts.front();
  const std::string& shorter = (is_longer ? b : a).texts.front();
  if (!longer.starts_with(shorter)) return false;
  // The integer of one ends before the first character that is no digit, as does that of the other.
  if (longer.size() == shorter.size()) return a.texts.back() == b.texts.back();
  const char next = longer[shorter.size()];
  return next == '-' || is_digit(next);
}

}  // namespace tonnx::program
