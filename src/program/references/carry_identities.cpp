// Whether two names are one object, of what branches and loops hand on, is asked where each way gives it, and the
// answer handed on beside:
//
//   %y = prim::If(%c)                        %y, %q = prim::If(%c)
//     block0: -> (%a)                          block0: -> (%a, %true)
//     block1: -> (%b)                          block1: %p = aten::__is__(%b, %a) -> (%b, %p)
//   %q = aten::__is__(%y, %a)
//
// Runs before objects become values. Leaves questions about None.
#include <cstddef>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "aten/containers.h"
#include "aten/identity.h"
#include "aten/traits.h"
#include "ir/constant_facts.h"
#include "ir/control_flow.h"
#include "ir/writes.h"
#include "program/control/carry.h"
#include "program/edit.h"
#include "program/nodes_where.h"
#include "program/references/choice.h"
#include "program/references/passes.h"
#include "program/writes/views.h"

namespace tonnx::program {

using aten::Container;
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

class Asker {
 public:
  explicit Asker(ir::Graph& graph) { number(graph.block()); }

  static bool is_handed_on(Value* value) { return !handed_from(*written_first(value)).empty(); }

  // False if ask() only asks the same question again, because the later value comes from neither a branch nor a loop.
  bool finds_more(Value* a, Value* b) const {
    std::tie(a, b) = in_order(a, b);
    return a == b || is_handed_on(a) || is_new(*a);
  }

  // True where the values are one object; defined at `at`, or before.
  Value* ask(Value* a, Value* b, Inserter& at) {
    std::tie(a, b) = in_order(a, b);
    if (a == b) return at.boolean(true);
    if (const auto known = answers_.find({a, b}); known != answers_.end()) return known->second;
    Node* maker = a->node();
    if (maker->is("prim::If")) return branch(*maker, a, b);
    if (maker->is("prim::Loop")) return loop(*maker, a->index(), b), answers_.at({a, b});
    if (is_handed_on(a)) return loop(*maker->edge_of()->owner(), a->index() - 1, b), answers_.at({a, b});
    if (is_new(*a)) return at.boolean(false);
    return at.call("aten::__is__", {a, b});
  }

 private:
  // The objects, the later one first.
  std::pair<Value*, Value*> in_order(Value* a, Value* b) const {
    a = written_first(a);
    b = written_first(b);
    if (std::pair(order(*a), a->id()) < std::pair(order(*b), b->id())) std::swap(a, b);
    return {a, b};
  }

  // Whether what makes the value makes a new object: nothing that was there before is it.
  static bool is_new(const Value& value) {
    const Node& maker = *value.node();
    return aten::acts_as(maker, Container::List) || aten::acts_as(maker, Container::Dict) || is_fresh(value);
  }

  void number(const Block& block) {
    order_[block.params()] = ++last_;
    for (Node* node : block.nodes()) {
      for (const Block* inner : node->blocks()) number(*inner);
      order_[node] = ++last_;
    }
  }

  // Later ones may be made of earlier ones; weights are there from the start.
  std::size_t order(const Value& value) const {
    const auto found = order_.find(value.node());
    return found == order_.end() ? 0 : found->second;
  }

  Value* branch(Node& node, Value* a, Value* b) {
    const std::size_t i = a->index(), j = b->index();
    const bool both = b->node() == &node;
    const auto no = [&](std::size_t side) { return Inserter(node.block(side), node.location()).boolean(false); };
    Value* answer = answers_[{a, b}] = add_result(node, Type::of(Type::Kind::Bool), no(0), no(1));
    // What is asked in a way may be given by this branch, too.
    for (Block* side : node.blocks()) {
      Inserter end(side, node.location());
      Value* of_side = ask(side->outputs()[i], both ? side->outputs()[j] : b, end);
      side->return_node()->set_input(answer->index(), of_side);
    }
    return answer;
  }

  // What the loop carries `i`th and `b`, which is there before the loop, or which it carries, too: as it comes out, or
  // as a turn gets it.
  void loop(Node& node, std::size_t i, Value* b) {
    Block& body = *node.block(0);
    std::optional<std::size_t> j;
    if (b->node() == &node) j = b->index();
    if (b->node() == body.params()) j = b->index() - 1;
    const auto key = [&](Value* x, Value* y) { return x->id() < y->id() ? std::pair(y, x) : std::pair(x, y); };
    const std::size_t given = node.input_count(), handed = body.outputs().size();
    Inserter before(&node);
    const auto [inside, after] = add_loop_value(node, Type::of(Type::Kind::Bool), before.boolean(false));
    body.add_output(inside);
    answers_[j ? key(body.inputs()[i + 1], body.inputs()[*j + 1]) : std::pair(body.inputs()[i + 1], b)] = inside;
    answers_[j ? key(node.output(i), node.output(*j)) : std::pair(node.output(i), b)] = after;
    node.set_input(given, ask(node.input(i + 2), j ? node.input(*j + 2) : b, before));
    Inserter end(&body, node.location());
    body.return_node()->set_input(handed, ask(body.outputs()[i + 1], j ? body.outputs()[*j + 1] : b, end));
  }

  std::size_t last_ = 0;
  std::unordered_map<const Node*, std::size_t> order_;
  std::map<std::pair<Value*, Value*>, Value*> answers_;
};

}  // namespace

bool carry_identities(ir::Graph& graph) {
  const std::vector<Node*> questions = nodes_where(graph, [&](const Node* node) {
    const bool asks = aten::identity_of(node->kind()) != aten::Identity::None;
    return asks && is_object(*node->input(0)) && is_object(*node->input(1));
  });
  if (questions.empty()) return false;
  Asker asker(graph);
  bool changed = false;
  for (Node* node : questions) {
    if (!Asker::is_handed_on(node->input(0)) && !Asker::is_handed_on(node->input(1))) continue;
    if (!asker.finds_more(node->input(0), node->input(1))) continue;
    Inserter insert(node);
    Value* answer = asker.ask(node->input(0), node->input(1), insert);
    if (aten::identity_of(node->kind()) == aten::Identity::IsNot) answer = insert.call("aten::__not__", {answer});
    node->output()->replace_uses(answer);
    node->erase();
    changed = true;
  }
  return changed;
}

}  // namespace tonnx::program
