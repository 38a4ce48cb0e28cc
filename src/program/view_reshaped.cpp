// A tensor whose shape changes in place, and that is a view or has one, goes on as a view of what it was.
//
// Needs facts, as for what shares memory, a change in the block where the tensor is made, and that no container, branch or loop
// has the tensor before it:
//
//   %y = aten::select.int(%x, 0, 0)      %y = aten::select.int(%x, 0, 0)
//   %z = aten::unsqueeze_(%y, 1)         %v = aten::unsqueeze(%y, 1)
//   return (%x, %y, %z)                  return (%x, %v, %v)
#include <algorithm>
#include <unordered_map>
#include <vector>

#include "aten/functional_form.h"
#include "aten/identity.h"
#include "aten/traits.h"
#include "ir/writes.h"
#include "program/edit.h"
#include "program/simplify.h"
#include "program/views.h"

namespace tonnx::program {

using aten::Container;
using ir::Node;
using ir::Type;
using ir::Use;
using ir::Value;

namespace {

bool changes_shape(const Node& node) {
  return writes_argument(node, 0) && node.output_count() == 1 && aten::write_of(node) == aten::Write::Shape;
}

// Whether the value is a piece of a tensor that an operator took apart, and nobody has the list.
bool is_piece(const Value& value) {
  const Node& unpack = *value.node();
  if (!unpack.is("prim::ListUnpack") || unpack.input()->uses().size() != 1) return false;
  const Node& maker = *unpack.input()->node();
  return maker.schema() && maker.domain() == "aten" && maker.input()->type().is(Type::Kind::Tensor);
}

bool keeps_nothing(const Node& node) {
  if (!node.schema() || !node.blocks().empty() || aten::traits_of(node).container != Container::None) return false;
  return std::ranges::all_of(node.outputs(), [](const Value* out) { return is_new_tensor(*out); });
}

bool only_asks(const Node& node) {
  return !node.edge_of() && node.blocks().empty() && !writes(node) && node.output_count() == 1 && node.output()->type().is_scalar();
}

// Whether the result is the argument itself (Same), or another tensor of its memory (View).
Relation relation_to(const Node& node, std::size_t output) {
  Relation relation = relation_of(node, output);
  if (aten::may_give_argument(node.full_name())) relation.kind = Relation::Kind::Unknown;
  const bool is_other = node.is("aten::alias") || (aten::traits_of(node).gradient == aten::Gradient::None && !writes(node));
  if (relation.kind == Relation::Kind::Same && is_other) relation.kind = Relation::Kind::View;
  return relation;
}

class Reshaper {
 public:
  explicit Reshaper(ir::Graph& graph) : graph_(graph) { number(graph.block()); }

  void run() {
    std::vector<Node*> changes;
    for_each_node(graph_.block(), [&](Node* node) {
      if (changes_shape(*node)) changes.push_back(node);
    });
    for (Node* node : changes) change(*node);
  }

 private:
  struct Names {
    std::vector<Value*> all;
    bool has_view = false;
  };

  void number(ir::Block& block) {
    for (Node* node : block.nodes()) {
      positions_[node] = ++position_;
      for (ir::Block* inner : node->blocks()) number(*inner);
    }
    positions_[block.return_node()] = ++position_;
  }

  void change(Node& node) {
    Names names;
    Value* origin = origin_of(node.input(), names);
    if (!origin || origin->node()->home() != node.parent() || !find(origin, node, names) || !names.has_view) return;
    const aten::FunctionalForm form = aten::functional_form(*node.schema(), 0);
    if (!form.schema) return;
    std::vector<Value*> inputs(node.inputs().begin(), node.inputs().end());
    inputs.resize(std::min(inputs.size(), form.arguments));
    Node* view = graph_.create(form.schema->name, inputs, 1);
    view->set_schema(form.schema);
    Value* now = view->output();
    now->set_type(node.output()->type());
    now->set_facts(node.output()->facts());
    Inserter(&node).insert(view);
    if (relation_of(*view, 0).kind != Relation::Kind::View) return view->erase();
    positions_[view] = positions_.at(&node);
    for (const Value* name : names.all) {
      const std::vector<Use> uses(name->uses().begin(), name->uses().end());
      for (const Use& use : uses)
        if (positions_.at(use.node) > positions_.at(&node)) use.node->set_input(use.index, now);
    }
    node.erase();
  }

  // The tensor as it was made; null where it may have other names.
  Value* origin_of(Value* value, Names& names) const {
    for (;;) {
      const Node& maker = *value->node();
      if (&maker == graph_.block().params()) return value->weight() ? nullptr : value;
      const bool is_view = is_piece(*value);
      if (!is_view && (!maker.schema() || !maker.blocks().empty() || aten::traits_of(maker).container != Container::None))
        return nullptr;
      const Relation relation = is_view ? Relation{Relation::Kind::View} : relation_to(maker, value->index());
      if (relation.kind == Relation::Kind::Unknown) return nullptr;
      names.has_view |= relation.kind == Relation::Kind::View;
      if (relation.kind != Relation::Kind::Same) return value;
      value = maker.input(relation.input);
    }
  }

  // All names of the tensor; false where something has it before `node`.
  bool find(Value* origin, const Node& node, Names& names) const {
    names.all = {origin};
    for (std::size_t i = 0; i < names.all.size(); ++i)
      for (const Use& use : names.all[i]->uses())
        if (positions_.at(use.node) <= positions_.at(&node) && !add_reader(use, names)) return false;
    return true;
  }

  static bool add_reader(const Use& use, Names& names) {
    const Node& reader = *use.node;
    if (reader.is("prim::ListConstruct"))
      return std::ranges::all_of(reader.output()->uses(), [](const Use& of) { return keeps_nothing(*of.node) && !writes(*of.node); });
    if (only_asks(reader)) return true;
    if (!reader.schema() || !reader.blocks().empty() || aten::traits_of(reader).container != Container::None) return false;
    for (Value* out : reader.outputs()) {
      const Relation relation = relation_to(reader, out->index());
      if (relation.kind == Relation::Kind::Fresh || relation.input != use.index) continue;
      if (relation.kind == Relation::Kind::Unknown && !out->type().is_tensor_list()) return false;
      if (relation.kind == Relation::Kind::Same) names.all.push_back(out);
      else names.has_view = true;
    }
    return true;
  }

  ir::Graph& graph_;
  std::unordered_map<const Node*, std::size_t> positions_;
  std::size_t position_ = 0;
};

}  // namespace

void view_reshaped(ir::Graph& graph) { Reshaper(graph).run(); }

}  // namespace tonnx::program
