// Texts that are made of integers, by str(), format() and the like, are compared by the integers. Read as an integer, the text of
// one is this.
//
//   %s = aten::str(%n)                       %q = aten::eq(%n, 12)
//   %t = aten::add("layer", %s)
//   %q = aten::eq(%t, "layer12")
//
// Needs a text behind each integer that starts with something else than a digit, so that what it is made of can be told.
#include "program/compare_texts.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "aten/containers.h"
#include "ir/constant_facts.h"
#include "ir/writes.h"
#include "program/edit.h"

namespace tonnx::program {

using ir::Node;
using ir::Type;
using ir::Value;

namespace {

bool is_text(const Value* value) { return value->type().is(Type::Kind::String); }
bool is_integer(const Value* value) { return value->type().is(Type::Kind::Int); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Texts and integers in turns: `texts` has one more than `numbers`, and stands before, between and behind them.
struct Spelling {
  std::vector<std::string> texts = {""};
  std::vector<Value*> numbers;

  void add(std::string_view text) { texts.back() += text; }
  void add(Value* number) {
    numbers.push_back(number);
    texts.push_back("");
  }
  // Whether no two runs of other integers give one text.
  bool can_be_told() const {
    for (std::size_t i = 1; i < texts.size(); ++i) {
      const bool is_last = i + 1 == texts.size();
      if (texts[i].empty() ? !is_last : is_digit(texts[i].front())) return false;
    }
    return true;
  }
};

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
  if (!node.is("aten::add") || node.input_count() != 2 || !is_text(node.input(0))) return false;
  return spell(node.input(0), made) && spell(node.input(1), made);
}

bool spell_formatted(const Node& node, Spelling& made) {
  if (node.is("aten::format")) return spell_pattern(node.inputs(), "{}", made);
  if (!node.is("aten::percentFormat")) return false;
  std::vector<Value*> given(node.inputs().begin(), node.inputs().end());
  if (given.size() == 2 && given[1]->type().is(Type::Kind::Tuple) && aten::acts_as(*given[1]->node(), aten::Container::Tuple)) {
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
  if (!is_text(value) || !node) return false;
  if (node->is("aten::str")) return is_integer(node->input()) && spell(node->input(), made);
  return spell_sum(*node, made) || spell_formatted(*node, made);
}

std::optional<Spelling> spelling_of(Value* text) {
  Spelling made;
  if (!spell(text, made) || !made.can_be_told()) return std::nullopt;
  return made;
}

// The integers that give this text; nothing where none do.
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

// Whether two texts are equal, as a bool; null where their integers do not tell.
Value* are_equal(Inserter& insert, const Spelling& a, const Spelling& b) {
  if (a.numbers.empty()) return insert.boolean(a.texts == b.texts);
  std::vector<Value*> others = b.numbers;
  if (b.numbers.empty()) {
    const auto wanted = numbers_in(a, b.texts.front());
    if (!wanted) return insert.boolean(false);
    for (const std::int64_t number : *wanted) others.push_back(insert.integer(number));
  } else if (a.texts != b.texts) {
    return nullptr;
  }
  Value* all = nullptr;
  for (std::size_t i = 0; i < others.size(); ++i) {
    Value* one = insert.call("aten::eq.int", {a.numbers[i], others[i]});
    all = all ? insert.call("aten::__and__.bool", {all, one}) : one;
  }
  return all;
}

Value* compared(Inserter& insert, Value* left, Value* right) {
  auto a = spelling_of(left), b = spelling_of(right);
  if (!a || !b) return nullptr;
  if (a->numbers.empty()) std::swap(a, b);
  return are_equal(insert, *a, *b);
}

// What a list of texts is built of; nothing if that is not known.
std::vector<Value*> items_of(const Value& list, Inserter& insert) {
  std::vector<Value*> items;
  if (const ir::Constant* known = list.constant()) {
    const auto* texts = known->get<ir::Constant::List>();
    for (const ir::Constant& text : texts ? texts->items : std::vector<ir::Constant>()) items.push_back(insert.constant(text));
  } else if (list.node() && aten::acts_as(*list.node(), aten::Container::List)) {
    items.assign(list.node()->inputs().begin(), list.node()->inputs().end());
  }
  return items;
}

// Whether the text is one of those of a list.
Value* contained(Inserter& insert, const Node& node) {
  Value* any = nullptr;
  for (Value* item : items_of(*node.input(0), insert)) {
    Value* one = compared(insert, item, node.input(1));
    if (!one) return nullptr;
    any = any ? insert.call("aten::__or__.bool", {any, one}) : one;
  }
  return any;
}

Value* answer(const Node& node, Inserter& insert) {
  const bool looks = aten::acts_as(node, aten::Container::Contains);
  if (looks) return node.input(0)->type().is(Type::Kind::List) ? contained(insert, node) : nullptr;
  if (node.is("aten::eq")) return compared(insert, node.input(0), node.input(1));
  if (!node.is("aten::ne")) return nullptr;
  Value* equal = compared(insert, node.input(0), node.input(1));
  return equal ? insert.call("aten::__not__", {equal}) : nullptr;
}

// The integer that a text of it alone is read as.
Value* read_again(const Node& node) {
  if (!node.is("aten::Int") || !is_text(node.input())) return nullptr;
  const auto made = spelling_of(node.input());
  return made && made->texts == std::vector<std::string>{"", ""} ? made->numbers.front() : nullptr;
}

}  // namespace

bool compare_texts(ir::Graph& graph) {
  if (has_writes(graph)) return false;
  std::vector<Node*> readers;
  for_each_node(graph.block(), [&](Node* node) {
    const bool may_ask = node->input_count() > 0 && node->input_count() < 3 && node->output_count() == 1 && node->schema();
    if (may_ask && is_text(node->inputs().back())) readers.push_back(node);
  });
  bool changed = false;
  for (Node* node : readers) {
    Inserter insert(node);
    Value* result = node->input_count() == 1 ? read_again(*node) : answer(*node, insert);
    if (!result) continue;
    node->output()->replace_uses(result);
    node->erase();
    changed = true;
  }
  return changed;
}

}  // namespace tonnx::program
