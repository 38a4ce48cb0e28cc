// Replaces a tensor whose shape changes in place, and that is a view or has one, by a new view of it. The same for a
// tensor that takes the storage of another one (replace_memory.h).
//
// Needs facts that decide aliases, a change in the block that defines the tensor, and no container, branch or loop that
// has the tensor before the change:
//
//   %y = aten::select.int(%x, 0, 0)      %y = aten::select.int(%x, 0, 0)
//   %z = aten::unsqueeze_(%y, 1)         %v = aten::unsqueeze(%y, 1)
//   return (%x, %y, %z)                  return (%x, %v, %v)
#include <algorithm>
#include <vector>

#include "aten/functional_form.h"
#include "aten/identity.h"
#include "aten/traits.h"
#include "ir/observer.h"
#include "ir/refusal.h"
#include "ir/writes.h"
#include "program/edit.h"
#include "program/nodes_where.h"
#include "program/order.h"
#include "program/writes/passes.h"
#include "program/writes/replace_memory.h"
#include "program/writes/views.h"
#include "program/writes/write_rewriter.h"

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

bool replaces_memory(const Node& node) {
  return writes_argument(node, 0) && node.output_count() == 1 && aten::write_of(node) == aten::Write::Memory;
}

// True if the value is a piece of a tensor that an operator split, and the list of pieces has no other user.
bool is_piece(const Value& value) {
  const Node& unpack = *value.node();
  if (!unpack.is("prim::ListUnpack") || unpack.input()->uses().size() != 1) return false;
  const Node& maker = *unpack.input()->node();
  return maker.schema() && maker.domain() == "aten" && maker.input()->type().is(Type::Kind::Tensor);
}

bool nothing_escapes(const Node& node) {
  if (!node.schema() || !node.blocks().empty() || aten::traits_of(node).container != Container::None) return false;
  return !writes(node) && std::ranges::all_of(node.outputs(), [](const Value* out) { return is_new_tensor(*out); });
}

bool returns_scalar(const Node& node) {
  return !node.edge_of() && node.blocks().empty() && !writes(node) && node.output_count() == 1 &&
         node.output()->type().is_scalar();
}

// Like relation_of(), but Same only if the result is the argument itself, and View if it is another tensor.
Relation relation_to(const Node& node, std::size_t output) {
  Relation relation = relation_of(node, output);
  if (aten::may_give_argument(node.full_name())) relation.kind = Relation::Kind::Unknown;
  const bool is_other =
      node.is("aten::alias") || (aten::traits_of(node).gradient == aten::Gradient::None && !writes(node));
  if (relation.kind == Relation::Kind::Same && is_other) relation.kind = Relation::Kind::View;
  return relation;
}

class Reshaper {
 public:
  explicit Reshaper(ir::Graph& graph) : graph_(graph), positions_(graph) {}

  void reshape() {
    for (Node* node : all(changes_shape)) change(*node);
  }

  bool replace(std::vector<std::string>& warnings) {
    bool changed = false;
    for (Node* node : all(replaces_memory)) changed = replace_memory(*node, warnings) || changed;
    return changed;
  }

 private:
  struct Names {
    std::vector<Value*> all;
    bool has_view = false;
  };

  std::vector<Node*> all(bool (*wanted)(const Node&)) const {
    return nodes_where(graph_, [&](const Node* node) { return wanted(*node); });
  }

  void change(Node& node) {
    Names names;
    if (!find_names(node, names) || !names.has_view) return;
    const aten::FunctionalForm form = aten::functional_form(*node.schema(), 0);
    if (!form.schema) return;
    Inserter insert(&node);
    Node* view = graph_.create(form.schema->name, functional_arguments(form, node.inputs(), insert), 1);
    view->set_schema(form.schema);
    insert.insert(view);
    view->output()->set_type(node.output()->type());
    view->output()->set_facts(node.output()->facts());
    if (relation_of(*view, 0).kind != Relation::Kind::View) return view->erase();
    replace_after(node, names, view->output());
  }

  // set_(self), set_.source_Tensor(self, source), set_.source_Tensor_storage_offset(self, source, storage_offset, size,
  // stride)
  bool replace_memory(Node& node, std::vector<std::string>& warnings) {
    Names names;
    Value* source = node.input("source");
    if (node.input()->facts().dtype == ir::DType::Undefined || !find_names(node, names)) return false;
    if (source && !source->type().is(Type::Kind::Tensor)) return false;
    Inserter insert(&node);
    const std::int64_t none[] = {0};
    Value* now = !source ? insert.call("aten::new_empty", {node.input(), insert.integers(none)})
                 : node.input("storage_offset")
                     ? insert.call("aten::as_strided",
                                   {source, node.input("size"), node.input("stride"), node.input("storage_offset")})
                     : insert.call("aten::alias", {source});
    now->set_facts(node.output()->facts());
    if (const Value* origin = names.all.front(); origin->node() == graph_.block().params())
      ir::warn(warnings, ir::Category::State, node.location(),
               ir::describe_site(node) + ": replaces the storage of the argument '" + origin->name() +
                   "'; the program changes the caller's tensor, which a model cannot do");
    replace_after(node, names, now);
    return true;
  }

  // Finds all names of the tensor that the node changes; false if it may have others.
  bool find_names(const Node& node, Names& names) const {
    Value* origin = origin_of(node.input(), names);
    return origin && origin->node()->home() == node.parent() && find(origin, node, names);
  }

  // Replaces the tensor by `now` in all nodes after `node`, and erases `node`.
  void replace_after(Node& node, const Names& names, Value* now) {
    positions_.place(now->node(), &node);
    for (const Value* name : names.all) {
      const std::vector<Use> uses(name->uses().begin(), name->uses().end());
      for (const Use& use : uses)
        if (positions_.at(use.node).begin > positions_.at(&node).begin) use.node->set_input(use.index, now);
    }
    node.erase();
  }

  // The value that defines the tensor; null if it may have other names.
  Value* origin_of(Value* value, Names& names) const {
    for (;;) {
      const Node& maker = *value->node();
      if (&maker == graph_.block().params()) return value->weight() ? nullptr : value;
      const bool is_view = is_piece(*value);
      if (!is_view &&
          (!maker.schema() || !maker.blocks().empty() || aten::traits_of(maker).container != Container::None))
        return nullptr;
      const Relation relation = is_view ? Relation{Relation::Kind::View} : relation_to(maker, value->index());
      if (relation.kind == Relation::Kind::Unknown) return nullptr;
      names.has_view |= relation.kind == Relation::Kind::View;
      if (relation.kind != Relation::Kind::Same) return value;
      value = maker.input(relation.input);
    }
  }

  // Finds all names of the tensor; false if it escapes before `node`.
  bool find(Value* origin, const Node& node, Names& names) const {
    names.all = {origin};
    for (std::size_t i = 0; i < names.all.size(); ++i)
      for (const Use& use : names.all[i]->uses())
        if (positions_.at(use.node).begin <= positions_.at(&node).begin && !add_reader(use, names)) return false;
    return true;
  }

  static bool add_reader(const Use& use, Names& names) {
    const Node& reader = *use.node;
    if (reader.is("prim::ListConstruct"))
      return std::ranges::all_of(reader.output()->uses(),
                                 [](const Use& of) { return nothing_escapes(*of.node) && !writes(*of.node); });
    if (returns_scalar(reader)) return true;
    if (!reader.schema() || !reader.blocks().empty() || aten::traits_of(reader).container != Container::None)
      return false;
    for (Value* out : reader.outputs()) {
      const Relation relation = relation_to(reader, out->index());
      if (relation.kind == Relation::Kind::Fresh || relation.input != use.index) continue;
      if (relation.kind == Relation::Kind::Unknown && !out->type().is_tensor_list()) return false;
      if (relation.kind == Relation::Kind::Same)
        names.all.push_back(out);
      else
        names.has_view = true;
    }
    return true;
  }

  ir::Graph& graph_;
  Order positions_;
};

}  // namespace

void view_reshaped(ir::Graph& graph) { Reshaper(graph).reshape(); }

bool replace_memory(ir::Graph& graph, std::vector<std::string>& warnings) { return Reshaper(graph).replace(warnings); }

}  // namespace tonnx::program
