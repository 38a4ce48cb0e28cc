// Texts that branches choose, loops carry or a run picks from a list are told by their numbers where they are compared.
//
// Needs texts that are constants; the texts themselves go as dead where nothing else reads them:
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
#include "aten/traits.h"
#include "ir/constant_facts.h"
#include "program/edit.h"
#include "program/simplify.h"

namespace tonnx::program {

using aten::Container;
using ir::Block;
using ir::Constant;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

bool is_text(const Value* value) { return value->type().is(Type::Kind::String); }

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

// A text that a branch or a loop gives.
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
    for (Node* pick : picks_) {
      Inserter insert(pick);
      Value* numbers = numbers_in(pick->input(), insert);
      numbers_[pick->output()] = insert.call("aten::__getitem__.t", {numbers, pick->input(1)});
      numbers_[pick->output()]->set_type(Type::of(Type::Kind::Int));
    }
    for (const Carried& carried : carried_) add(carried);
    for (const Carried& carried : carried_) feed(carried);
    for (Node* reader : readers_) answer(*reader);
    return true;
  }

 private:
  void find(const Block& block) {
    for (Node* node : block.nodes()) {
      for (const Block* inner : node->blocks()) find(*inner);
      if (node->is("prim::If") || node->is("prim::Loop")) {
        for (std::size_t i = 0; i < node->output_count(); ++i) {
          if (!is_text(node->output(i))) continue;
          carried_.push_back({node, i});
          members_.insert(node->output(i));
          if (node->is("prim::Loop")) members_.insert(node->block(0)->inputs()[i + 1]);
        }
      } else if (aten::acts_as(*node, Container::Item) && is_text(node->output()) && texts_in(node->input())) {
        picks_.push_back(node);
        members_.insert(node->output());
      } else if (node->input_count() > 0 && node->output_count() == 1 && std::any_of(node->inputs().begin(), node->inputs().end(), is_text)) {
        readers_.push_back(node);
      }
    }
  }

  bool is_known(const Value* value) const {
    return members_.contains(value) || constant_text(value) || (value->node() && value->node()->is("prim::Uninitialized"));
  }

  bool drop_unknown() {
    return std::erase_if(carried_, [&](const Carried& carried) {
      const auto [node, index] = carried;
      const bool is_loop = node->is("prim::Loop");
      bool known = !is_loop || is_known(node->input(index + 2));
      for (const Block* block : node->blocks()) known = known && is_known(block->outputs()[is_loop ? index + 1 : index]);
      if (known) return false;
      members_.erase(node->output(index));
      if (is_loop) members_.erase(node->block(0)->inputs()[index + 1]);
      return true;
    }) > 0;
  }

  bool can_answer(const Node& node) const {
    const auto known = [&](std::size_t i) { return is_text(node.input(i)) && is_known(node.input(i)); };
    if (aten::acts_as(node, Container::Length)) return members_.contains(node.input());
    if (node.input_count() != 2) return false;
    if (aten::acts_as(node, Container::Contains)) return members_.contains(node.input(1)) && texts_in(node.input());
    if (!node.is("aten::eq") && !node.is("aten::ne")) return false;
    return known(0) && known(1) && (members_.contains(node.input(0)) || members_.contains(node.input(1)));
  }

  std::int64_t number_of(const std::string& text) {
    const auto found = std::find(texts_.begin(), texts_.end(), text);
    const std::int64_t number = found - texts_.begin();
    if (found == texts_.end()) texts_.push_back(text);
    return number;
  }

  Value* numbers_in(const Value* list, Inserter& insert) {
    const std::vector<std::string> texts = texts_in(list).value();
    std::vector<std::int64_t> numbers;
    for (const std::string& text : texts) numbers.push_back(number_of(text));
    return insert.integers(numbers);
  }

  Value* number(const Value* text, Inserter& insert) {
    if (const auto found = numbers_.find(text); found != numbers_.end()) return found->second;
    return insert.integer(constant_text(text) ? number_of(*constant_text(text)) : 0);
  }

  void add(const Carried& carried) {
    const auto [node, index] = carried;
    const auto beside = [&](Node& maker, const Value* old) {
      Value* number = maker.add_output();
      number->set_type(Type::of(Type::Kind::Int));
      number->set_facts({ir::DType::Int64, std::vector<ir::Dim>(), nullptr});
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
    if (aten::acts_as(reader, Container::Length)) {
      Value* text = number(reader.input(), insert);
      std::vector<std::int64_t> lengths;
      for (const std::string& known : texts_) lengths.push_back(static_cast<std::int64_t>(known.size()));
      result = insert.call("aten::__getitem__.t", {insert.integers(lengths), text});
    } else if (aten::acts_as(reader, Container::Contains)) {
      result = insert.call("aten::__contains__.int_list", {numbers_in(reader.input(), insert), number(reader.input(1), insert)});
    } else {
      const char* compare = reader.is("aten::eq") ? "aten::eq.int" : "aten::ne.int";
      result = insert.call(compare, {number(reader.input(0), insert), number(reader.input(1), insert)});
    }
    result->set_type(reader.output()->type());
    reader.output()->replace_uses(result);
    reader.erase();
  }

  std::vector<Carried> carried_;
  std::vector<Node*> picks_;
  std::vector<Node*> readers_;
  std::unordered_set<const Value*> members_;
  std::unordered_map<const Value*, Value*> numbers_;
  std::vector<std::string> texts_;  // by their numbers
};

}  // namespace

bool number_texts(ir::Graph& graph) { return Numberer(graph).run(); }

}  // namespace tonnx::program
