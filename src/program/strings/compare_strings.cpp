// Compares strings that str(), format() and similar operators build from integers (pattern_of()) by the integers, and
// replaces int(str(n)) by n. `x in list` becomes one comparison per item.
//
//   %s = aten::str(%n)                       %q = aten::eq(%n, 12)
//   %t = aten::add("layer", %s)
//   %q = aten::eq(%t, "layer12")
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
#include "program/strings/passes.h"
#include "program/strings/spelling.h"

namespace tonnx::program {

using ir::Node;
using ir::Type;
using ir::Value;

namespace {

// Returns a bool; null if the integers do not decide it.
Value* patterns_equal(Inserter& insert, const StringPattern& a, const StringPattern& b) {
  if (a.integers.empty()) return insert.boolean(a.literals == b.literals);
  std::vector<Value*> others = b.integers;
  if (b.integers.empty()) {
    const auto integers = integers_matching(a, b.literals.front());
    if (!integers) return insert.boolean(false);
    for (const std::int64_t integer : *integers) others.push_back(insert.integer(integer));
  } else if (a.literals != b.literals) {
    return nullptr;
  }
  Value* all = nullptr;
  for (std::size_t i = 0; i < others.size(); ++i) {
    Value* one = insert.call("aten::eq.int", {a.integers[i], others[i]});
    all = all ? insert.call("aten::__and__.bool", {all, one}) : one;
  }
  return all;
}

Value* strings_equal(Inserter& insert, Value* left, Value* right) {
  auto a = pattern_of(left), b = pattern_of(right);
  if (!a || !b) return nullptr;
  if (a->integers.empty()) std::swap(a, b);
  return patterns_equal(insert, *a, *b);
}

// The items of a list of strings; empty if they are not known.
std::vector<Value*> items_of(const Value& list, Inserter& insert) {
  std::vector<Value*> items;
  if (const ir::Constant* known = list.constant()) {
    const auto* list_items = known->get<ir::Constant::List>();
    for (const ir::Constant& item : list_items ? list_items->items : std::vector<ir::Constant>())
      items.push_back(insert.constant(item));
  } else if (list.node() && aten::acts_as(*list.node(), aten::Container::List)) {
    items.assign(list.node()->inputs().begin(), list.node()->inputs().end());
  }
  return items;
}

// Returns a bool that is true if the list has the string; null if that is not known.
Value* list_contains(Inserter& insert, const Node& node) {
  Value* any = nullptr;
  for (Value* item : items_of(*node.input(0), insert)) {
    Value* one = strings_equal(insert, item, node.input(1));
    if (!one) return nullptr;
    any = any ? insert.call("aten::__or__.bool", {any, one}) : one;
  }
  return any;
}

Value* comparison_result(const Node& node, Inserter& insert) {
  const bool is_search = aten::acts_as(node, aten::Container::Contains);
  if (is_search) return node.input(0)->type().is(Type::Kind::List) ? list_contains(insert, node) : nullptr;
  if (node.is("aten::eq")) return strings_equal(insert, node.input(0), node.input(1));
  if (!node.is("aten::ne")) return nullptr;
  Value* equal = strings_equal(insert, node.input(0), node.input(1));
  return equal ? insert.call("aten::__not__", {equal}) : nullptr;
}

// n for int(str(n)), else null.
Value* parsed_integer(const Node& node) {
  if (!node.is("aten::Int") || !is_string(node.input())) return nullptr;
  const auto pattern = pattern_of(node.input());
  return pattern && pattern->literals == std::vector<std::string>{"", ""} ? pattern->integers.front() : nullptr;
}

}  // namespace

bool compare_strings(ir::Graph& graph) {
  if (has_writes(graph)) return false;
  const std::vector<Node*> readers = nodes_where(graph, [&](const Node* node) {
    const bool may_compare =
        node->input_count() > 0 && node->input_count() < 3 && node->output_count() == 1 && node->schema();
    return may_compare && is_string(node->inputs().back());
  });
  bool changed = false;
  for (Node* node : readers) {
    Inserter insert(node);
    Value* result = node->input_count() == 1 ? parsed_integer(*node) : comparison_result(*node, insert);
    if (!result) continue;
    node->output()->replace_uses(result);
    node->erase();
    changed = true;
  }
  return changed;
}

}  // namespace tonnx::program
