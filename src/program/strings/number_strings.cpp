// Numbers dynamic strings, those that branches or list reads select or loops carry, and lists of them. Comparisons,
// searches and lengths use the numbers.
//
// Needs sources that are constants or patterns of one integer (pattern_of()). Strings without other users are dead:
//
//   %s : str = prim::Loop(%n, %c, %a)        %m : int = prim::Loop(%n, %c, %0)
//     block0(%i, %t): ... -> (%c, %b)          block0(%i, %k): ... -> (%c, %1)
//   %q = aten::eq(%s, %b)                    %q = aten::eq(%m, %1)
#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "aten/containers.h"
#include "aten/schemas.h"
#include "aten/traits.h"
#include "ir/checked.h"
#include "ir/constant_facts.h"
#include "ir/control_flow.h"
#include "program/edit.h"
#include "program/strings/passes.h"
#include "program/strings/spelling.h"

namespace tonnx::program {

using aten::Container;
using ir::Block;
using ir::Constant;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

bool is_list(const Value* value) { return value->type() == Type::list(Type::of(Type::Kind::String)); }
Type number_type(const Value* of) {
  return is_list(of) ? Type::list(Type::of(Type::Kind::Int)) : Type::of(Type::Kind::Int);
}

// The strings of a list, if it is not empty and all are constants.
std::optional<std::vector<std::string>> strings_in(const Value* list) {
  std::vector<std::string> strings;
  if (const Constant* constant = list->constant()) {
    const auto* items = constant->get<Constant::List>();
    for (const Constant& item : items ? items->items : std::vector<Constant>()) {
      if (!item.get<std::string>()) return std::nullopt;
      strings.push_back(*item.get<std::string>());
    }
  } else if (list->node() && aten::acts_as(*list->node(), Container::List)) {
    for (const Value* item : list->node()->inputs()) {
      if (!constant_text(item)) return std::nullopt;
      strings.push_back(*constant_text(item));
    }
  }
  return strings.empty() ? std::nullopt : std::optional(std::move(strings));
}

// True if all users of the length also use the string, as `"a" in s` does: branch_strings() makes both constant there.
bool is_read_with_string(const Node& length) {
  return is_string(length.input()) && std::ranges::all_of(length.output()->uses(), [&](const ir::Use& use) {
           return std::ranges::find(use.node->inputs(), length.input()) != use.node->inputs().end();
         });
}

// True if the node returns a list of strings that are items of its operands.
bool builds_list(const Node& node) {
  switch (aten::traits_of(node).container) {
    case Container::List:
    case Container::Concat:
    case Container::Part:
    case Container::Copy: return node.output_count() == 1 && is_list(node.output());
    default: return false;
  }
}

bool selects_string(const Node& node) {
  return aten::acts_as(node, Container::Item) && is_string(node.output()) && is_list(node.input());
}

// True if the node searches a list for a string.
bool searches(const Node& node) {
  if (!is_list(node.input())) return false;
  return aten::acts_as(node, Container::Contains) || node.is("aten::count") || node.is("aten::index");
}

// True if the result of an operator on strings, or lists of them, depends only on which strings are equal.
bool depends_on_equality(const Node& node) { return node.is("aten::eq") || node.is("aten::ne") || searches(node); }

// The overload of the operator for integers; null if there is none.
ir::SchemaPtr overload_for_numbers(const Node& node) {
  return aten::overload_for(node.kind(), {number_type(node.input(0)), number_type(node.input(1))});
}

// A result of an If or Loop that is a string or a list of strings.
struct Carried {
  Node* node;
  std::size_t index;
};

class Numberer {
 public:
  explicit Numberer(ir::Graph& graph) { find(graph.block()); }

  bool run() {
    while (drop_unknown()) {
    }
    std::erase_if(readers_, [&](const Node* node) { return !can_replace(*node); });
    if (readers_.empty()) return false;
    for (const Carried& carried : carried_) add_outputs(carried);
    for (Node* producer : producers_) copy_for_numbers(*producer);
    for (const Carried& carried : carried_) connect(carried);
    for (Node* reader : readers_) replace(*reader);
    return true;
  }

 private:
  void find(const Block& block) {
    for (Node* node : block.nodes()) {
      for (Value* out : node->outputs()) note_pattern(out);
      for (const Block* inner : node->blocks()) find(*inner);
      if (node->is("prim::If") || node->is("prim::Loop")) {
        for (std::size_t i = 0; i < node->output_count(); ++i) {
          if (!is_string(node->output(i)) && !is_list(node->output(i))) continue;
          carried_.push_back({node, i});
          members_.insert(node->output(i));
          if (node->is("prim::Loop")) members_.insert(node->block(0)->inputs()[i + 1]);
        }
      } else if (builds_list(*node) || selects_string(*node)) {
        producers_.push_back(node);
        members_.insert(node->output());
      } else if (node->input_count() > 0 && node->output_count() == 1 &&
                 (reads(*node, is_string) || reads(*node, is_list))) {
        readers_.push_back(node);
      }
    }
  }

  // The class of a pattern; strings of two classes are never equal. Empty for a pattern that may equal another class.
  std::optional<std::size_t> class_of(const StringPattern& pattern) const {
    const auto found = std::ranges::find(classes_, pattern.literals, &StringPattern::literals);
    return found == classes_.end() ? std::nullopt : std::optional<std::size_t>(found - classes_.begin());
  }

  void note_pattern(Value* string) {
    if (string->constant() || !is_string(string)) return;
    const auto pattern = pattern_of(string);
    if (!pattern || pattern->integers.size() != 1) return;
    if (std::ranges::none_of(classes_, [&](const StringPattern& other) { return may_be_equal(other, *pattern); }))
      classes_.push_back(*pattern);
    if (class_of(*pattern)) patterns_.insert({string, *pattern});
  }

  static bool reads(const Node& node, bool (*of_kind)(const Value*)) {
    return std::ranges::any_of(node.inputs(), of_kind);
  }

  bool is_known(const Value* value) const {
    if (members_.contains(value) || patterns_.contains(value) || is_never(value)) return true;
    if (!is_list(value)) return constant_text(value) != nullptr;
    return value->constant() && (strings_in(value) || is_empty(*value->constant()));
  }

  static bool is_empty(const Constant& list) {
    return list.get<Constant::List>() && list.get<Constant::List>()->items.empty();
  }

  bool has_known_operands(const Node& producer) const {
    return std::ranges::all_of(producer.inputs(),
                               [&](const Value* in) { return (!is_string(in) && !is_list(in)) || is_known(in); });
  }

  bool drop_unknown() {
    const auto drops_producer = [&](const Node* producer) {
      return !has_known_operands(*producer) && members_.erase(producer->output()) > 0;
    };
    const bool dropped = std::erase_if(producers_, drops_producer) > 0;
    return dropped | drop_unknown_carried();
  }

  bool drop_unknown_carried() {
    return std::erase_if(carried_, [&](const Carried& carried) {
             const auto [node, index] = carried;
             if (std::ranges::all_of(ir::handed_from(*node->output(index)),
                                     [&](Value* from) { return is_known(from); }))
               return false;
             members_.erase(node->output(index));
             if (node->is("prim::Loop")) members_.erase(node->block(0)->inputs()[index + 1]);
             return true;
           }) > 0;
  }

  bool can_replace(const Node& node) const {
    if (aten::acts_as(node, Container::Length)) return can_replace_length(node);
    if (node.input_count() != 2 || !depends_on_equality(node) || !has_known_operands(node) ||
        !overload_for_numbers(node))
      return false;
    return std::ranges::any_of(node.inputs(),
                               [&](const Value* in) { return members_.contains(in) && !is_constant_list(in); });
  }

  bool can_replace_length(const Node& node) const {
    const Value* of = node.input();
    if (!members_.contains(of) || is_constant_list(of)) return false;
    return is_list(of) || (classes_.empty() && !is_read_with_string(node));
  }

  // True for a list of constants that is not a result of an If or Loop; it needs no numbers.
  static bool is_constant_list(const Value* value) { return is_list(value) && strings_in(value); }

  // The remainder of a number identifies the class; the last remainder is that of all other constants.
  std::int64_t number_in_class(std::int64_t number, std::size_t of_class) const {
    return ir::wrapping_add(ir::wrapping_multiply(number, std::ssize(classes_) + 1),
                            static_cast<std::int64_t>(of_class));
  }

  std::int64_t number_of(const std::string& string) {
    for (std::size_t i = 0; i < classes_.size(); ++i)
      if (const auto integers = integers_matching(classes_[i], string)) return number_in_class(integers->front(), i);
    const auto found = std::find(strings_.begin(), strings_.end(), string);
    const std::int64_t number = found - strings_.begin();
    if (found == strings_.end()) strings_.push_back(string);
    return number_in_class(number, classes_.size());
  }

  Value* number_of(const StringPattern& pattern, Inserter& insert) {
    Value* steps = insert.call("aten::mul.int", {pattern.integers.front(), insert.integer(number_in_class(1, 0))});
    return insert.call("aten::add.int", {steps, insert.integer(static_cast<std::int64_t>(*class_of(pattern)))});
  }

  Value* number(const Value* string, Inserter& insert) {
    if (const auto found = numbers_.find(string); found != numbers_.end()) return found->second;
    if (is_never(string)) return insert.never(number_type(string));
    if (const auto found = patterns_.find(string); found != patterns_.end()) return number_of(found->second, insert);
    if (!is_list(string)) return insert.integer(number_of(*constant_text(string)));
    std::vector<std::int64_t> numbers;
    for (const std::string& item : strings_in(string).value_or(std::vector<std::string>()))
      numbers.push_back(number_of(item));
    return insert.integers(numbers);
  }

  void copy_for_numbers(Node& producer) {
    Inserter insert(&producer);
    ValueMap map;
    for (Value* in : producer.inputs())
      if (is_string(in) || is_list(in)) map[in] = number(in, insert);
    Node* copy = copy_node(producer, map);
    copy->output()->set_type(number_type(producer.output()));
    copy->output()->set_facts({});
    insert.insert(copy);
    numbers_[producer.output()] = copy->output();
  }

  // Adds the numbers as results of the If or Loop, and as parameters of the loop's body.
  void add_outputs(const Carried& carried) {
    const auto [node, index] = carried;
    const auto add_number = [&](Node& producer, const Value* old) {
      Value* number = producer.add_output();
      number->set_type(number_type(old));
      if (is_string(old)) number->set_facts({ir::DType::Int64, std::vector<ir::Dim>(), nullptr});
      numbers_[old] = number;
    };
    add_number(*node, node->output(index));
    if (node->is("prim::Loop")) add_number(*node->block(0)->params(), node->block(0)->inputs()[index + 1]);
  }

  // Adds the initial values and the block outputs that the added results need.
  void connect(const Carried& carried) {
    const auto [node, index] = carried;
    if (node->is("prim::Loop")) {
      Inserter before(node);
      node->add_input(number(node->input(index + 2), before));
    }
    for (Block* block : node->blocks()) {
      Inserter end(block, node->location());
      block->add_output(number(block->outputs()[node->is("prim::Loop") ? index + 1 : index], end));
    }
  }

  void replace(Node& reader) {
    Inserter insert(&reader);
    Value* result = nullptr;
    if (aten::acts_as(reader, Container::Length) && is_list(reader.input())) {
      result = insert.call("aten::len.t", {number(reader.input(), insert)});
    } else if (aten::acts_as(reader, Container::Length)) {
      Value* string_number = number(reader.input(), insert);
      std::vector<std::int64_t> lengths;
      for (const std::string& known : strings_) lengths.push_back(static_cast<std::int64_t>(known.size()));
      result = insert.call("aten::__getitem__.t", {insert.integers(lengths), string_number});
    } else {
      Value* const numbers[] = {number(reader.input(0), insert), number(reader.input(1), insert)};
      result = insert.call(overload_for_numbers(reader)->full_name(), numbers);
    }
    result->set_type(reader.output()->type());
    reader.output()->replace_uses(result);
    reader.erase();
  }

  std::vector<Carried> carried_;
  std::vector<Node*> producers_;  // of lists, and reads of their items
  std::vector<Node*> readers_;
  std::unordered_set<const Value*> members_;  // dynamic strings and lists that get numbers
  std::unordered_map<const Value*, Value*> numbers_;
  std::vector<std::string> strings_;    // by number
  std::vector<StringPattern> classes_;  // no two of them match one string
  std::unordered_map<const Value*, StringPattern> patterns_;
};

}  // namespace

bool number_strings(ir::Graph& graph) { return Numberer(graph).run(); }

}  // namespace tonnx::program
