// Moves users of a dynamic string, or of a list of them, into a branch for each possible string.
//
// Needs a program without writes and a few possible strings (possible_strings()). Comparisons are left to
// number_strings(), also the conditions inserted here:
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

constexpr std::size_t kMostStrings = 16;  // of one value
constexpr std::size_t kMostCopies = 64;   // of a user

// True for a list of strings that is built from items and not constant.
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
      if (is_string(in) && !collect(in)) return false;
      if (!is_built(in)) continue;
      for (Value* item : in->node()->inputs())
        if (!collect(item)) return false;
    }
    if (dynamic_.empty()) return false;
    Inserter insert(&node_);
    node_.output()->replace_uses(branch(insert, 0));
    node_.erase();
    return true;
  }

 private:
  struct Dynamic {
    Value* string;
    std::vector<std::string> candidates;
  };

  bool collect(Value* string) {
    if (string->constant() ||
        std::ranges::any_of(dynamic_, [&](const Dynamic& known) { return known.string == string; }))
      return true;
    auto candidates = possible_strings(*string, kMostStrings);
    if (!candidates || candidates->empty()) return false;
    copies_ *= candidates->size();
    dynamic_.push_back({string, std::move(*candidates)});
    return copies_ <= kMostCopies;
  }

  // The user's result if all strings before `index` are constant.
  Value* branch(Inserter& insert, std::size_t index) {
    return index == dynamic_.size() ? copy(insert) : branch(insert, index, 0);
  }

  Value* branch(Inserter& insert, std::size_t index, std::size_t candidate) {
    const Dynamic& dynamic = dynamic_[index];
    const bool is_last = candidate + 1 == dynamic.candidates.size();
    if (is_last) {
      constants_[dynamic.string] = insert.constant({dynamic.candidates[candidate]});
      return branch(insert, index + 1);
    }
    Value* condition = insert.call("aten::eq.str", {dynamic.string, insert.constant({dynamic.candidates[candidate]})});
    const auto yes = [&](Inserter& inside) {
      constants_[dynamic.string] = inside.constant({dynamic.candidates[candidate]});
      return branch(inside, index + 1);
    };
    return insert.branch(condition, node_.output()->type(), yes,
                         [&](Inserter& other) { return branch(other, index, candidate + 1); });
  }

  Value* copy(Inserter& insert) {
    ValueMap map = constants_;
    for (Value* in : node_.inputs()) {
      const bool is_length =
          in->node() && aten::acts_as(*in->node(), Container::Length) && constants_.contains(in->node()->input());
      if (is_length) map[in] = insert.integer(std::ssize(*ir::constant_text(constants_.at(in->node()->input()))));
      if (!is_built(in)) continue;
      std::vector<Value*> items;
      for (Value* item : in->node()->inputs()) items.push_back(constants_.contains(item) ? constants_.at(item) : item);
      map[in] = insert.list(in->type(), items);
    }
    Node* clone = copy_node(node_, map);
    clone->output()->set_facts({});
    insert.insert(clone);
    return clone->output();
  }

  Node& node_;
  std::vector<Dynamic> dynamic_;
  std::size_t copies_ = 1;
  ValueMap constants_;  // of the strings, in the current branch
};

// True if number_strings() handles the node.
bool is_compared_by_numbers(const Node& node) {
  return aten::acts_as(node, Container::Length) || aten::acts_as(node, Container::Contains) || node.is("aten::eq") ||
         node.is("aten::ne");
}

}  // namespace

bool branch_strings(ir::Graph& graph) {
  if (has_writes(graph)) return false;
  const std::vector<Node*> nodes = nodes_where(graph, [&](const Node* node) {
    const auto is_dynamic = [](const Value* in) { return is_string(in) ? !in->constant() : is_built(in); };
    const bool reads = std::ranges::any_of(node->inputs(), is_dynamic);
    return reads && !aten::acts_as(*node, Container::List) && !is_compared_by_numbers(*node);
  });
  bool changed = false;
  for (Node* node : nodes) changed = Reader(*node).run() || changed;
  return changed;
}

}  // namespace tonnx::program
