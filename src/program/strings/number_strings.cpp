// Texts that branches choose, loops carry or a run picks from a list, and lists of such, are told by their numbers
// where they are compared, counted and looked for.
//
// Needs texts that are constants, or made of one integer each; the texts themselves go as dead where nothing else reads
// them:
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

// The texts of a list that are all constants.
std::optional<std::vector<std::string>> texts_in(const Value* list) {
  std::vector<std::string> texts;
  if (const Constant* constant = list->constant()) {
    const auto* items = constant->get<Constant::List>();
    for (const Constant& item : items ? items->items : std::vector<Constant>()) {
      if (!item.get<std::string>()) return std::nullopt;
      texts.push_back(*item.get<std::string>());
    }
  } else if (list->node() && aten::acts_as(*list->node(), Container::List)) {
    for (const Value* item : list->node()->inputs()) {
      if (!constant_text(item)) return std::nullopt;
      texts.push_back(*constant_text(item));
    }
  }
  return texts.empty() ? std::nullopt : std::optional(std::move(texts));
}

// Whether the length of a text is read beside it alone, as `"a" in s` does; who does so knows the text.
bool is_read_beside(const Node& length) {
  return is_string(length.input()) && std::ranges::all_of(length.output()->uses(), [&](const ir::Use& use) {
           return std::ranges::find(use.node->inputs(), length.input()) != use.node->inputs().end();
         });
}

// Whether the node gives a list of texts of those of others.
bool makes_list(const Node& node) {
  switch (aten::traits_of(node).container) {
    case Container::List:
    case Container::Concat:
    case Container::Part:
    case Container::Copy: return node.output_count() == 1 && is_list(node.output());
    default: return false;
  }
}

bool picks_text(const Node& node) {
  return aten::acts_as(node, Container::Item) && is_string(node.output()) && is_list(node.input());
}

// Whether the node looks for a text in a list.
bool searches(const Node& node) {
  if (!is_list(node.input())) return false;
  return aten::acts_as(node, Container::Contains) || node.is("aten::count") || node.is("aten::index");
}

// Whether the answer of an operator that reads two texts, or lists of such, follows from which of them are equal.
bool asks_for_equals(const Node& node) { return node.is("aten::eq") || node.is("aten::ne") || searches(node); }

// The same operator for numbers; null if there is none.
ir::SchemaPtr form_for_numbers(const Node& node) {
  return aten::overload_for(node.kind(), {number_type(node.input(0)), number_type(node.input(1))});
}

// A text, or a list of texts, that a branch or a loop gives.
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
    std::erase_if(readers_, [&](const Node* node) { return !can_answer(*node); });
    if (readers_.empty()) return false;
    for (const Carried& carried : carried_) add(carried);
    for (Node* maker : makers_) make(*maker);
    for (const Carried& carried : carried_) feed(carried);
    for (Node* reader : readers_) answer(*reader);
    return true;
  }

 private:
  void find(const Block& block) {
    for (Node* node : block.nodes()) {
      for (Value* out : node->outputs()) note_spelling(out);
      for (const Block* inner : node->blocks()) find(*inner);
      if (node->is("prim::If") || node->is("prim::Loop")) {
        for (std::size_t i = 0; i < node->output_count(); ++i) {
          if (!is_string(node->output(i)) && !is_list(node->output(i))) continue;
          carried_.push_back({node, i});
          members_.insert(node->output(i));
          if (node->is("prim::Loop")) members_.insert(node->block(0)->inputs()[i + 1]);
        }
      } else if (makes_list(*node) || picks_text(*node)) {
        makers_.push_back(node);
        members_.insert(node->output());
      } else if (node->input_count() > 0 && node->output_count() == 1 &&
                 (reads(*node, is_string) || reads(*node, is_list))) {
        readers_.push_back(node);
      }
    }
  }

  // Texts of one integer: those that are spelled alike are of one class. Where another one may be equal it is of none.
  std::optional<std::size_t> class_of(const Spelling& made) const {
    const auto found = std::ranges::find(classes_, made.texts, &Spelling::texts);
    return found == classes_.end() ? std::nullopt : std::optional<std::size_t>(found - classes_.begin());
  }

  void note_spelling(Value* text) {
    if (text->constant() || !is_string(text)) return;
    const auto made = spelling_of(text);
    if (!made || made->numbers.size() != 1) return;
    if (std::ranges::none_of(classes_, [&](const Spelling& other) { return may_be_equal(other, *made); }))
      classes_.push_back(*made);
    if (class_of(*made)) spelled_.insert({text, *made});
  }

  static bool reads(const Node& node, bool (*of_kind)(const Value*)) {
    return std::ranges::any_of(node.inputs(), of_kind);
  }

  bool is_known(const Value* value) const {
    if (members_.contains(value) || spelled_.contains(value) || is_never(value)) return true;
    if (!is_list(value)) return constant_text(value) != nullptr;
    return value->constant() && (texts_in(value) || is_empty(*value->constant()));
  }

  static bool is_empty(const Constant& list) {
    return list.get<Constant::List>() && list.get<Constant::List>()->items.empty();
  }

  bool is_made_of_known(const Node& maker) const {
    return std::ranges::all_of(maker.inputs(),
                               [&](const Value* in) { return (!is_string(in) && !is_list(in)) || is_known(in); });
  }

  bool drop_unknown() {
    const auto drops_maker = [&](const Node* maker) {
      return !is_made_of_known(*maker) && members_.erase(maker->output()) > 0;
    };
    const bool dropped = std::erase_if(makers_, drops_maker) > 0;
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

  bool can_answer(const Node& node) const {
    if (aten::acts_as(node, Container::Length)) return can_tell_length(node);
    if (node.input_count() != 2 || !asks_for_equals(node) || !is_made_of_known(node) || !form_for_numbers(node))
      return false;
    return std::ranges::any_of(node.inputs(),
                               [&](const Value* in) { return members_.contains(in) && !is_settled(in); });
  }

  bool can_tell_length(const Node& node) const {
    const Value* of = node.input();
    if (!members_.contains(of) || is_settled(of)) return false;
    return is_list(of) || (classes_.empty() && !is_read_beside(node));
  }

  // Whether the value is a list that is built where it is read of texts that are constants, which needs no numbers.
  static bool is_settled(const Value* value) { return is_list(value) && texts_in(value); }

  // Numbers of one remainder are those of a class, behind them those of all other constants.
  std::int64_t number_in_class(std::int64_t number, std::size_t of_class) const {
    return number * (std::ssize(classes_) + 1) + static_cast<std::int64_t>(of_class);
  }

  std::int64_t number_of(const std::string& text) {
    for (std::size_t i = 0; i < classes_.size(); ++i)
      if (const auto made = numbers_in(classes_[i], text)) return number_in_class(made->front(), i);
    const auto found = std::find(texts_.begin(), texts_.end(), text);
    const std::int64_t number = found - texts_.begin();
    if (found == texts_.end()) texts_.push_back(text);
    return number_in_class(number, classes_.size());
  }

  Value* number_of(const Spelling& made, Inserter& insert) {
    Value* steps = insert.call("aten::mul.int", {made.numbers.front(), insert.integer(number_in_class(1, 0))});
    return insert.call("aten::add.int", {steps, insert.integer(static_cast<std::int64_t>(*class_of(made)))});
  }

  Value* number(const Value* text, Inserter& insert) {
    if (const auto found = numbers_.find(text); found != numbers_.end()) return found->second;
    if (is_never(text)) return insert.never(number_type(text));
    if (const auto found = spelled_.find(text); found != spelled_.end()) return number_of(found->second, insert);
    if (!is_list(text)) return insert.integer(number_of(*constant_text(text)));
    std::vector<std::int64_t> numbers;
    for (const std::string& item : texts_in(text).value_or(std::vector<std::string>()))
      numbers.push_back(number_of(item));
    return insert.integers(numbers);
  }

  // The node over again, with numbers.
  void make(Node& maker) {
    Inserter insert(&maker);
    ValueMap map;
    for (Value* in : maker.inputs())
      if (is_string(in) || is_list(in)) map[in] = number(in, insert);
    Node* copy = copy_node(maker, map);
    copy->output()->set_type(number_type(maker.output()));
    copy->output()->set_facts({});
    insert.insert(copy);
    numbers_[maker.output()] = copy->output();
  }

  void add(const Carried& carried) {
    const auto [node, index] = carried;
    const auto beside = [&](Node& maker, const Value* old) {
      Value* number = maker.add_output();
      number->set_type(number_type(old));
      if (is_string(old)) number->set_facts({ir::DType::Int64, std::vector<ir::Dim>(), nullptr});
      numbers_[old] = number;
    };
    beside(*node, node->output(index));
    if (node->is("prim::Loop")) beside(*node->block(0)->params(), node->block(0)->inputs()[index + 1]);
  }

  void feed(const Carried& carried) {
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

  void answer(Node& reader) {
    Inserter insert(&reader);
    Value* result = nullptr;
    if (aten::acts_as(reader, Container::Length) && is_list(reader.input())) {
      result = insert.call("aten::len.t", {number(reader.input(), insert)});
    } else if (aten::acts_as(reader, Container::Length)) {
      Value* text = number(reader.input(), insert);
      std::vector<std::int64_t> lengths;
      for (const std::string& known : texts_) lengths.push_back(static_cast<std::int64_t>(known.size()));
      result = insert.call("aten::__getitem__.t", {insert.integers(lengths), text});
    } else {
      Value* const numbers[] = {number(reader.input(0), insert), number(reader.input(1), insert)};
      result = insert.call(form_for_numbers(reader)->full_name(), numbers);
    }
    result->set_type(reader.output()->type());
    reader.output()->replace_uses(result);
    reader.erase();
  }

  std::vector<Carried> carried_;
  std::vector<Node*> makers_;  // of lists, and what picks texts from lists
  std::vector<Node*> readers_;
  std::unordered_set<const Value*> members_;
  std::unordered_map<const Value*, Value*> numbers_;
  std::vector<std::string> texts_;  // by their numbers
  std::vector<Spelling> classes_;   // of which no two give one text
  std::unordered_map<const Value*, Spelling> spelled_;
};

}  // namespace

bool number_strings(ir::Graph& graph) { return Numberer(graph).run(); }

}  // namespace tonnx::program
