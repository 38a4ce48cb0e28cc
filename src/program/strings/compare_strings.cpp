// Texts that are made of integers, by str(), format() and the like, are compared by the integers. Read as an integer,
// the text of one is this.
//
//   %s = aten::str(%n)                       %q = aten::eq(%n, 12)
//   %t = aten::add("layer", %s)
//   %q = aten::eq(%t, "layer12")
//
// Needs a text behind each integer that starts with something else than a digit, so that what it is made of can be
// told.
#include "program/strings/compare_strings.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "aten/containers.h"
#include "ir/constant_facts.h"
#include "ir/writes.h"
#include "program/edit.h"
#include "program/nodes_where.h"
#include "program/strings/spelling.h"

namespace tonnx::program {

using ir::Node;
using ir::Type;
using ir::Value;

namespace {

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
    for (const ir::Constant& text : texts ? texts->items : std::vector<ir::Constant>())
      items.push_back(insert.constant(text));
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
  if (!node.is("aten::Int") || !is_string(node.input())) return nullptr;
  const auto made = spelling_of(node.input());
  return made && made->texts == std::vector<std::string>{"", ""} ? made->numbers.front() : nullptr;
}

}  // namespace

bool compare_strings(ir::Graph& graph) {
  if (has_writes(graph)) return false;
  const std::vector<Node*> readers = nodes_where(graph, [&](const Node* node) {
    const bool may_ask =
        node->input_count() > 0 && node->input_count() < 3 && node->output_count() == 1 && node->schema();
    return may_ask && is_string(node->inputs().back());
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
