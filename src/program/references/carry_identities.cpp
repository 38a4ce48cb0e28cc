// Resolves tests whether two names are the same object for results of Ifs and loop-carried values: tests the value of
// each branch or iteration where it is yielded, and carries the answer beside it:
//
//   %y = prim::If(%c)                        %y, %q = prim::If(%c)
//     block0: -> (%a)                          block0: -> (%a, %true)
//     block1: -> (%b)                          block1: %p = aten::__is__(%b, %a) -> (%b, %p)
//   %q = aten::__is__(%y, %a)
//
// Runs before objects become values. Does not change comparisons with None.
#include <cstddef>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "aten/identity.h"
#include "ir/constant_facts.h"
#include "ir/control_flow.h"
#include "ir/writes.h"
#include "program/control/carry.h"
#include "program/edit.h"
#include "program/nodes_where.h"
#include "program/order.h"
#include "program/references/names.h"
#include "program/references/passes.h"
#include "program/writes/views.h"

namespace tonnx::program {

using ir::Block;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

bool is_object(const Value& value) {
  const Type& type = value.type();
  return !ir::is_none(&value) &&
         (type.is(Type::Kind::Tensor) || type.is(Type::Kind::List) || type.is(Type::Kind::Dict));
}

class IdentityTests {
 public:
  explicit IdentityTests(ir::Graph& graph) : order_(graph) {}

  static bool is_passed_through(Value* value) { return !handed_from(*written_first(value)).empty(); }

  // False if resolve() would insert the same test again, because the later value comes from neither an If nor a Loop.
  bool can_resolve(Value* a, Value* b) const {
    std::tie(a, b) = in_order(a, b);
    return a == b || is_passed_through(a) || is_new_object(*a);
  }

  // Returns a bool that dominates `at`: whether the values are the same object.
  Value* resolve(Value* a, Value* b, Inserter& at) {
    std::tie(a, b) = in_order(a, b);
    if (a == b) return at.boolean(true);
    if (const auto known = answers_.find({a, b}); known != answers_.end()) return known->second;
    Node* maker = a->node();
    if (maker->is("prim::If")) return branch(*maker, a, b);
    if (maker->is("prim::Loop")) return loop(*maker, a->index(), b), answers_.at({a, b});
    if (is_passed_through(a)) return loop(*maker->edge_of()->owner(), a->index() - 1, b), answers_.at({a, b});
    if (is_new_object(*a)) return at.boolean(false);
    return at.call("aten::__is__", {a, b});
  }

 private:
  // The objects that the values are identical to, the later one first.
  std::pair<Value*, Value*> in_order(Value* a, Value* b) const {
    a = written_first(a);
    b = written_first(b);
    if (std::pair(order_.defined_at(*a), a->id()) < std::pair(order_.defined_at(*b), b->id())) std::swap(a, b);
    return {a, b};
  }

  Value* branch(Node& node, Value* a, Value* b) {
    const std::size_t i = a->index(), j = b->index();
    const bool both = b->node() == &node;
    const auto add_false = [&](std::size_t block) {
      return Inserter(node.block(block), node.location()).boolean(false);
    };
    Value* answer = answers_[{a, b}] = add_result(node, Type::of(Type::Kind::Bool), add_false(0), add_false(1));
    // After the answer is added, because resolve() may add further results to this If.
    for (Block* block : node.blocks()) {
      Inserter end(block, node.location());
      Value* same = resolve(block->outputs()[i], both ? block->outputs()[j] : b, end);
      block->return_node()->set_input(answer->index(), same);
    }
    return answer;
  }

  // Carries the answer for loop-carried value `i` and `b`, which is defined before the loop or loop-carried as well.
  void loop(Node& node, std::size_t i, Value* b) {
    Block& body = *node.block(0);
    std::optional<std::size_t> j;
    if (b->node() == &node) j = b->index();
    if (b->node() == body.params()) j = b->index() - 1;
    const auto key = [&](Value* x, Value* y) { return x->id() < y->id() ? std::pair(y, x) : std::pair(x, y); };
    const std::size_t input = node.input_count(), output = body.outputs().size();
    Inserter before(&node);
    const auto [inside, after] = add_loop_value(node, Type::of(Type::Kind::Bool), before.boolean(false));
    body.add_output(inside);
    answers_[j ? key(body.inputs()[i + 1], body.inputs()[*j + 1]) : std::pair(body.inputs()[i + 1], b)] = inside;
    answers_[j ? key(node.output(i), node.output(*j)) : std::pair(node.output(i), b)] = after;
    node.set_input(input, resolve(node.input(i + 2), j ? node.input(*j + 2) : b, before));
    Inserter end(&body, node.location());
    body.return_node()->set_input(output, resolve(body.outputs()[i + 1], j ? body.outputs()[*j + 1] : b, end));
  }

  const Order order_;
  std::map<std::pair<Value*, Value*>, Value*> answers_;
};

}  // namespace

bool carry_identities(ir::Graph& graph) {
  const std::vector<Node*> nodes = nodes_where(graph, [&](const Node* node) {
    const bool is_test = aten::identity_of(node->kind()) != aten::Identity::None;
    return is_test && is_object(*node->input(0)) && is_object(*node->input(1));
  });
  if (nodes.empty()) return false;
  IdentityTests tests(graph);
  bool changed = false;
  for (Node* node : nodes) {
    if (!IdentityTests::is_passed_through(node->input(0)) && !IdentityTests::is_passed_through(node->input(1)))
      continue;
    if (!tests.can_resolve(node->input(0), node->input(1))) continue;
    Inserter insert(node);
    Value* answer = tests.resolve(node->input(0), node->input(1), insert);
    if (aten::identity_of(node->kind()) == aten::Identity::IsNot) answer = insert.call("aten::__not__", {answer});
    node->output()->replace_uses(answer);
    node->erase();
    changed = true;
  }
  return changed;
}

}  // namespace tonnx::program
