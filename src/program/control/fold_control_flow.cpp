// Folds what is known at export: inlines branches, drops branches that raise, unrolls loops, and folds `is`.
#include <algorithm>
#include <string>
#include <unordered_set>
#include <vector>

#include "aten/identity.h"
#include "ir/constant_facts.h"
#include "ir/control_flow.h"
#include "ir/observer.h"
#include "ir/writes.h"
#include "program/control/passes.h"
#include "program/control/raising.h"
#include "program/control/trip_count.h"
#include "program/edit.h"
#include "program/writes/views.h"

namespace tonnx::program {

using ir::Block;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

constexpr std::int64_t kLongest = 256;     // iterations of a loop that is unrolled
constexpr std::int64_t kUnrolled = 20000;  // most nodes an unrolled loop may have

std::int64_t size_of(const Block& block) {
  std::int64_t count = 0;
  for_each_node(block, [&](const Node* node) { count += !node->is("prim::Constant"); });
  return count;
}

void inline_block(Node& node, Block& block) {
  std::vector<Value*> results(block.outputs().begin(), block.outputs().end());
  splice_before(block, &node);
  for (std::size_t i = 0; i < node.output_count(); ++i) node.output(i)->replace_uses(results[i]);
  node.erase();
}

// Replaces the uses of a value in a block and in the blocks inside, block outputs included.
bool replace_in(Block& block, const Value* value, Value* replacement) {
  bool changed = false;
  const auto replace = [&](Node& reader) {
    for (std::size_t i = 0; i < reader.input_count(); ++i) {
      if (reader.input(i) != value) continue;
      reader.set_input(i, replacement);
      changed = true;
    }
  };
  for_each_node(block, [&](Node* node) {
    replace(*node);
    for (Block* inner : node->blocks()) replace(*inner->return_node());
  });
  replace(*block.return_node());
  return changed;
}

// Inside each branch, replaces the condition by a constant; and its operand, if it is a `not`.
bool fold_condition_inside(Node& node) {
  bool changed = false;
  for (const bool holds : {true, false}) {
    Block& block = *node.block(holds ? 0 : 1);
    const Value* condition = node.input();
    bool truth = holds;
    for (;; condition = condition->node()->input(), truth = !truth) {
      Node* constant = node.graph().create_constant({truth});
      if (block.first()) {
        constant->insert_before(block.first());
      } else {
        block.append(constant);
      }
      const bool read = replace_in(block, condition, constant->output());
      if (!read) constant->erase();
      changed = changed || read;
      if (!condition->node() || !condition->node()->is("aten::__not__")) break;
    }
  }
  return changed;
}

// True if a write precedes the node in its block.
bool writes_before(const Node& node) {
  for (const Node* before = node.previous(); before; before = before->previous())
    if (ir::writes(*before) || !before->blocks().empty()) return true;
  return false;
}

// Replaces `x if x.is_contiguous() else x.contiguous()` by `x.contiguous()`, which is x itself if x is contiguous.
bool fold_ordering(Node& node) {
  bool changed = false, holds = true;
  const Value* condition = node.input();
  for (; condition->node() && condition->node()->is("aten::__not__"); condition = condition->node()->input())
    holds = !holds;
  const Node* test = condition->node();
  if (!test || !test->is("aten::is_contiguous") || !names_plain_order(*test) || test->parent() != node.parent())
    return false;
  for (const Node* between = test->next(); between != &node; between = between->next())
    if (ir::writes(*between) || !between->blocks().empty()) return false;
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    Value* tensor = node.block(holds ? 0 : 1)->outputs()[i];
    Node* copy = node.block(holds ? 1 : 0)->outputs()[i]->node();
    if (tensor != test->input() || !copy || !copy->is("aten::contiguous") || copy->input() != tensor ||
        !names_plain_order(*copy))
      continue;
    if (node.output(i)->is_unused() || !ir::is_visible(*tensor, node) || writes_before(*copy)) continue;
    node.output(i)->replace_uses(Inserter(&node).call("aten::contiguous", {tensor, Inserter(&node).integer(0)}));
    changed = true;
  }
  return changed;
}

// True if the value depends on the rank of a tensor whose rank is unknown.
class UnknownRank {
 public:
  bool decides(const Value* value) {
    const Node* node = value->node();
    if (!node || !seen_.insert(value).second) return false;
    if (node->is("aten::dim") || (node->is("aten::size") && node->input_count() == 1))
      return !node->input()->facts().dims;
    if (node->is("prim::If")) {
      const auto in_block = [&](const Block* block) { return decides(block->outputs()[value->index()]); };
      return decides(node->input()) || std::ranges::any_of(node->blocks(), in_block);
    }
    const auto holds = [](const Value& in) { return in.type().is_scalar() || in.type().is(Type::Kind::List); };
    return node->blocks().empty() &&
           std::ranges::any_of(node->inputs(), [&](const Value* in) { return holds(*in) && decides(in); });
  }

 private:
  std::unordered_set<const Value*> seen_;
};

// True if the If only checks a rank that is still unknown. After branch_squeezes() the rank is known in each branch,
// and the check shows which of them raise.
bool checks_unknown_rank(const Node& node, const Block& kept) {
  return node.output_count() == 0 && !kept.first() && UnknownRank().decides(node.input());
}

bool fold_if(Node& node, Raising raising) {
  if (const auto taken = ir::constant_truth(node.input())) {
    ir::log(ir::Level::Debug, node.location(), [&] {
      return std::string("the branch is decided: its condition is always ") + (*taken ? "true" : "false");
    });
    inline_block(node, *node.block(*taken ? 0 : 1));
    return true;
  }
  const bool first = always_raises(*node.block(0));
  const bool second = always_raises(*node.block(1));
  if (first == second || raising == Raising::Keep) {
    const bool folded = fold_condition_inside(node);
    const bool ordered = fold_ordering(node);
    return ordered || folded;
  }
  Block& kept = *node.block(first ? 1 : 0);
  if (raising == Raising::DropSettled && checks_unknown_rank(node, kept)) return false;
  inline_block(node, kept);
  return true;
}

bool unroll(Node& node, const FactMarks& marks) {
  const std::int64_t count = known_trip_count(node, kLongest, marks);
  if (count < 0) return false;
  const Block& body = *node.block(0);
  if (count > 1 && count * size_of(body) > kUnrolled) return false;
  ir::log(ir::Level::Debug, node.location(),
          [&] { return "the loop is unrolled: it has " + std::to_string(count) + " iterations"; });
  Inserter insert(&node);
  std::vector<Value*> carried;
  for (std::size_t i = 2; i < node.input_count(); ++i) carried.push_back(node.input(i));
  for (std::int64_t iteration = 0; iteration < count; ++iteration) {
    ValueMap map;
    map[body.inputs()[0]] = insert.integer(iteration);
    for (std::size_t k = 0; k < carried.size(); ++k) map[body.inputs()[k + 1]] = carried[k];
    for (const Node* inner : body.nodes()) insert.insert(copy_node(*inner, map));
    for (std::size_t k = 0; k < carried.size(); ++k) {
      Value* next = body.outputs()[k + 1];
      const auto found = map.find(next);
      carried[k] = found == map.end() ? next : found->second;
    }
  }
  for (std::size_t k = 0; k < carried.size(); ++k) node.output(k)->replace_uses(carried[k]);
  node.erase();
  return true;
}

// Folds `x is x`, and `x is None` if the type of x decides it.
bool fold_is(Node& node) {
  const aten::Identity question = aten::identity_of(node.kind());
  if (question == aten::Identity::None) return false;
  const bool same = node.input(0) == node.input(1);
  const bool a = is_none(node.input(0));
  const bool b = is_none(node.input(1));
  if (!same && !a && !b) return false;
  if (!same && a != b) {
    switch (node.input(a ? 1 : 0)->type().kind) {
      case Type::Kind::Optional:
      case Type::Kind::Any:
      case Type::Kind::Other: return false;
      default: break;
    }
  }
  Inserter insert(&node);
  node.output()->replace_uses(insert.boolean((same || (a && b)) == (question == aten::Identity::Is)));
  node.erase();
  return true;
}

bool fold(Block& block, Raising raising, const FactMarks& marks) {
  bool changed = false;
  for (Node* node = block.first(); node;) {
    for (Block* inner : node->blocks()) changed = fold(*inner, raising, marks) || changed;
    Node* next = node->next();
    const bool folded = node->is("prim::If")     ? fold_if(*node, raising)
                        : node->is("prim::Loop") ? unroll(*node, marks)
                                                 : fold_is(*node);
    changed = changed || folded;
    node = next;
  }
  return changed;
}

}  // namespace

bool fold_control_flow(ir::Graph& graph, Raising raising, const FactMarks& marks) {
  return fold(graph.block(), raising, marks);
}

}  // namespace tonnx::program
