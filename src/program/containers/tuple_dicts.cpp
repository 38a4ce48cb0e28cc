// A list of dicts with the same constant keys becomes a list of tuples of their values.
//
// Needs dicts of one type without writes, and lists of them that are only built, changed and read by index, and passed
// through branches and loops. A reader of an item builds the dict again:
//
//   %d = prim::DictConstruct(%a, %x)         %t = prim::TupleConstruct(%x)
//   %_ = aten::append(%l, %d)                %_ = aten::append(%l, %t)
//   %e = aten::__getitem__(%l, %i)           %u = aten::__getitem__(%l, %i)
//                                            %y = prim::TupleUnpack(%u)
//                                            %e = prim::DictConstruct(%a, %y)
#include <algorithm>
#include <string>
#include <unordered_set>
#include <vector>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/constant_facts.h"
#include "ir/control_flow.h"
#include "ir/writes.h"
#include "program/containers/entries.h"
#include "program/containers/list_splitter.h"
#include "program/containers/passes.h"
#include "program/edit.h"

namespace tonnx::program {

using aten::Container;
using ir::Node;
using ir::Type;
using ir::Use;
using ir::Value;

namespace {

bool is_dict_list(const Type& type) { return type.is(Type::Kind::List) && type.elements.at(0).is(Type::Kind::Dict); }

// The lists that may become or be built from one another, or that may contain the same dicts.
class DictLists {
 public:
  DictLists(ir::Graph& graph, const Type& list, bool takes_outputs)
      : graph_(graph), list_(list), dict_(list.elements.at(0)), takes_outputs_(takes_outputs) {}

  bool run(Value& list) {
    add(&list);
    for (std::size_t i = 0; i < lists_.size(); ++i)
      if (!follow(*lists_[i])) return false;
    if (!needed_ || keys_.empty()) return false;
    const std::vector<Type> items(keys_.size(), dict_.elements.at(1));
    tuple_ = Type{Type::Kind::Tuple, items, {}};
    for (const Use& use : entering_) enter(use);
    for (Value* dict : leaving_) leave(*dict);
    for (Value* name : lists_) name->set_type(Type::list(tuple_));
    return true;
  }

  const std::vector<Value*>& lists() const { return lists_; }

  std::vector<std::string> keys() const {
    std::vector<std::string> keys;
    for (const Value* key : keys_) {
      const std::string* text = ir::constant_text(key);
      keys.push_back(text ? *text : ir::to_string(*key->constant()));
    }
    return keys;
  }

 private:
  bool is_list(const Value* value) const { return value->type() == list_; }
  bool is_dict(const Value* value) const { return value->type() == dict_; }

  void add(Value* list) {
    if (is_known_.insert(list).second) lists_.push_back(list);
  }

  bool add_handed(const std::vector<Value*>& lists) {
    needed_ = true;
    for (Value* list : lists) add(list);
    return std::ranges::all_of(lists, [&](const Value* list) { return is_list(list); });
  }

  // False if the node cannot take a list of tuples instead.
  bool follow(Value& list) {
    const std::vector<Value*> origins = ir::handed_from(list);
    if (origins.empty() ? !is_never(&list) && !follow(*list.node()) : !add_handed(origins)) return false;
    for (const Use& use : list.uses()) {
      const std::vector<Value*> names = ir::handed_to(use);
      if (!names.empty() ? !add_handed(names) : !use.node->edge_of() && !follow(*use.node)) return false;
      if (use.node != graph_.block().return_node()) continue;
      if (!takes_outputs_) return false;
      needed_ = true;
    }
    return true;
  }

  bool follow(Node& node) {
    if (!seen_.insert(&node).second) return true;
    const Container form = aten::traits_of(node).container;
    const bool gives = std::ranges::any_of(node.outputs(), [&](const Value* out) { return is_list(out); });
    if (!is_by_position(form) || (form == Container::List && !gives)) return false;
    needed_ = needed_ || (node.parent() != &graph_.block() && writes(node));
    for (std::size_t i = 0; i < node.input_count(); ++i) {
      if (is_list(node.input(i))) add(node.input(i));
      if (!is_dict(node.input(i))) continue;
      if (!has_keys(*node.input(i))) return false;
      entering_.push_back({&node, i});
    }
    for (Value* out : node.outputs()) {
      if (is_list(out)) add(out);
      if (is_dict(out)) leaving_.push_back(out);
    }
    return true;
  }

  // True if the dict has the common keys, in their order.
  bool has_keys(const Value& dict) {
    const Node& maker = *dict.node();
    if (is_never(&dict)) return true;
    if (!aten::acts_as(maker, Container::Dict)) {
      if (maker.input_count() == 0 || !is_list(maker.input())) return false;
      add(maker.input());
      return is_by_position(aten::traits_of(maker).container);
    }
    const auto entries = entries_of(maker.inputs());
    if (!entries || entries->empty()) return false;
    if (entries_.empty()) {
      entries_ = *entries;
      keys_ = keys_of(*entries);
    }
    return same_keys(entries_, *entries);
  }

  void enter(const Use& use) {
    Value* dict = use.node->input(use.index);
    Inserter insert(use.node);
    const Node& maker = *dict->node();
    if (is_never(dict)) {
      use.node->set_input(use.index, insert.never(tuple_));
    } else if (aten::acts_as(maker, Container::Dict)) {
      use.node->set_input(use.index, insert.tuple(tuple_, values_of(*entries_of(maker.inputs()))));
    }
  }

  // Readers of the dict get one built from the tuple; a write of it to such a list takes the tuple.
  void leave(Value& dict) {
    const std::vector<Use> uses(dict.uses().begin(), dict.uses().end());
    dict.set_type(tuple_);
    Node* unpack = make_unpack(&dict);
    unpack->set_location(dict.node()->location());
    unpack->insert_after(dict.node());
    Inserter behind = Inserter::behind(*unpack);
    Value* again = dict_of(behind, dict_, keys_, unpack->outputs());
    for (const Use& use : uses)
      if (!is_entering(use)) use.node->set_input(use.index, again);
  }

  bool is_entering(const Use& use) const {
    return std::ranges::any_of(entering_,
                               [&](const Use& other) { return other.node == use.node && other.index == use.index; });
  }

  ir::Graph& graph_;
  const Type list_, dict_;
  const bool takes_outputs_;
  Type tuple_;
  std::vector<Value*> entries_, keys_, lists_, leaving_;
  std::vector<Use> entering_;
  std::unordered_set<const Value*> is_known_;
  std::unordered_set<const Node*> seen_;
  bool needed_ = false;  // a branch or a loop has to do with such a list
};

bool writes_dict(const ir::Graph& graph, const Type& dict) {
  return ir::any_node(graph.block(), [&](const Node& node) {
    for (std::size_t i = 0; i < node.input_count(); ++i)
      if (node.input(i)->type() == dict && writes_argument(node, i)) return true;
    return false;
  });
}

}  // namespace

bool tuple_dicts(ir::Graph& graph) {
  std::vector<Value*> lists;
  for_each_node(graph.block(), [&](const Node* node) {
    for (Value* out : node->outputs())
      if (is_dict_list(out->type())) lists.push_back(out);
  });
  std::unordered_set<const Value*> seen;
  bool changed = false;
  for (Value* list : lists) {
    if (!is_dict_list(list->type()) || seen.contains(list)) continue;
    if (writes_dict(graph, list->type().elements[0])) continue;
    DictLists family(graph, list->type(), false);
    changed = family.run(*list) || changed;
    seen.insert(family.lists().begin(), family.lists().end());
  }
  return changed;
}

std::vector<std::string> tuple_output_dicts(ir::Graph& graph, Value& list) {
  if (writes_dict(graph, list.type().elements.at(0))) return {};
  DictLists family(graph, list.type(), true);
  return family.run(list) ? family.keys() : std::vector<std::string>();
}

}  // namespace tonnx::program
