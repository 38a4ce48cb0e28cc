// Who reads a text that a run decides, or a list of such, does so in a branch for each text that it may be.
//
// Needs a program without writes and texts that are constants, a few of them. What number_strings() tells by numbers is
// left to it, and so are the conditions made here:
//
//   %s = aten::add(%t, %b)                  %q = aten::eq(%t, %x)
//                                           %s = prim::If(%q)
//                                             block0: %u = aten::add(%x, %b) -> (%u)
//                                             block1: %v = aten::add(%y, %b) -> (%v)
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/constant_facts.h"
#include "ir/writes.h"
#include "program/edit.h"
#include "program/nodes_where.h"
#include "program/strings/passes.h"
#include "program/strings/possible_strings.h"
#include "program/strings/spelling.h"

namespace tonnx::program {

using aten::Container;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

constexpr std::size_t kMostTexts = 16;   // that one value may be
constexpr std::size_t kMostCopies = 64;  // of a reader

// A list of texts that is built of items, of which a run decides some.
bool is_built(const Value* value) {
  return value->type() == Type::list(Type::of(Type::Kind::String)) && !value->constant() &&
         aten::acts_as(*value->node(), Container::List);
}

bool may_be_copied(const Node& node) {
  return node.schema() && node.blocks().empty() && node.output_count() == 1 && !ir::writes(node) &&
         !aten::is_random(node) && aten::traits_of(node).effect == aten::Effect::None;
}

class Reader {
 public:
  explicit Reader(Node& node) : node_(node) {}

  bool run() {
    if (!may_be_copied(node_)) return false;
    for (Value* in : node_.inputs()) {
      if (is_string(in) && !note(in)) return false;
      if (!is_built(in)) continue;
      for (Value* item : in->node()->inputs())
        if (!note(item)) return false;
    }
    if (open_.empty()) return false;
    Inserter insert(&node_);
    node_.output()->replace_uses(choose(insert, 0));
    node_.erase();
    return true;
  }

 private:
  struct Open {
    Value* text;
    std::vector<std::string> may_be;
  };

  bool note(Value* text) {
    if (text->constant() || std::ranges::any_of(open_, [&](const Open& known) { return known.text == text; }))
      return true;
    auto may_be = possible_strings(*text, kMostTexts);
    if (!may_be || may_be->empty()) return false;
    copies_ *= may_be->size();
    open_.push_back({text, std::move(*may_be)});
    return copies_ <= kMostCopies;
  }

  // The reader's result, where all texts before the open one at `at` are known.
  Value* choose(Inserter& insert, std::size_t at) { return at == open_.size() ? copy(insert) : choose(insert, at, 0); }

  Value* choose(Inserter& insert, std::size_t at, std::size_t which) {
    const Open& open = open_[at];
    const bool is_last = which + 1 == open.may_be.size();
    if (is_last) {
      known_[open.text] = insert.constant({open.may_be[which]});
      return choose(insert, at + 1);
    }
    Value* condition = insert.call("aten::eq.str", {open.text, insert.constant({open.may_be[which]})});
    const auto is_this = [&](Inserter& inside) {
      known_[open.text] = inside.constant({open.may_be[which]});
      return choose(inside, at + 1);
    };
    return insert.branch(condition, node_.output()->type(), is_this,
                         [&](Inserter& other) { return choose(other, at, which + 1); });
  }

  Value* copy(Inserter& insert) {
    ValueMap map = known_;
    for (Value* in : node_.inputs()) {
      const bool is_length =
          in->node() && aten::acts_as(*in->node(), Container::Length) && known_.contains(in->node()->input());
      if (is_length) map[in] = insert.integer(std::ssize(*ir::constant_text(known_.at(in->node()->input()))));
      if (!is_built(in)) continue;
      std::vector<Value*> items;
      for (Value* item : in->node()->inputs()) items.push_back(known_.contains(item) ? known_.at(item) : item);
      map[in] = insert.list(in->type(), items);
    }
    Node* made = copy_node(node_, map);
    made->output()->set_facts({});
    insert.insert(made);
    return made->output();
  }

  Node& node_;
  std::vector<Open> open_;
  std::size_t copies_ = 1;
  ValueMap known_;  // of the texts, where the walk is
};

// Whether texts are compared, counted and looked for by their numbers.
bool is_told_by_numbers(const Node& node) {
  return aten::acts_as(node, Container::Length) || aten::acts_as(node, Container::Contains) || node.is("aten::eq") ||
         node.is("aten::ne");
}

}  // namespace

bool branch_strings(ir::Graph& graph) {
  if (has_writes(graph)) return false;
  const std::vector<Node*> nodes = nodes_where(graph, [&](const Node* node) {
    const auto is_open = [](const Value* in) { return is_string(in) ? !in->constant() : is_built(in); };
    const bool reads = std::ranges::any_of(node->inputs(), is_open);
    return reads && !aten::acts_as(*node, Container::List) && !is_told_by_numbers(*node);
  });
  bool changed = false;
  for (Node* node : nodes) changed = Reader(*node).run() || changed;
  return changed;
}

}  // namespace tonnx::program
