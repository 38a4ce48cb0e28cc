// A list of dicts that all have the same constant keys becomes a list of tuples of what they hold.
//
// Needs dicts of that type that nothing writes to, and lists of them that are only built, changed and read by position,
// and handed on by branches and loops; who reads an item makes a dict of it again:
//
//   %d = prim::DictConstruct(%a, %x)         %t = prim::TupleConstruct(%x)
//   %_ = aten::append(%l, %d)                %_ = aten::append(%l, %t)
//   %e = aten::__getitem__(%l, %i)           %u = aten::__getitem__(%l, %i)
//                                            %y = prim::TupleUnpack(%u)
//                                            %e = prim::DictConstruct(%a, %y)
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/constant_facts.h"
#include "ir/value_groups.h"
#include "ir/writes.h"
#include "program/containers/entries.h"
#include "program/containers/list_splitter.h"
#include "program/containers/passes.h"
#include "program/edit.h"

namespace tonnx::program {

using aten::Container;
using ir::Block;
using ir::Node;
using ir::Type;
using ir::Use;
using ir::Value;

namespace {

bool is_dict_list(const Type& type) { return type.is(Type::Kind::List) && type.elements.at(0).is(Type::Kind::Dict); }

using Group = std::unordered_set<const Value*>;

// The lists of dicts of one type that may meet: one with those that become it, hold its dicts, or are built of it.
class Groups {
 public:
  Groups(const ir::Graph& graph, const Type& list) : list_(list), dict_(list.elements.at(0)) { join_in(graph.block()); }

  std::vector<Group> all() const {
    std::vector<Group> groups;
    std::unordered_map<const Value*, std::size_t> places;
    for (const Value* value : lists_) {
      const auto [place, is_new] = places.emplace(met_.root(value), groups.size());
      if (is_new) groups.emplace_back();
      groups[place->second].insert(value);
    }
    return groups;
  }

 private:
  void join(std::span<Value* const> values) {
    const Value* first = nullptr;
    for (const Value* value : values) {
      if (value->type() != list_ && value->type() != dict_) continue;
      if (value->type() == list_ && seen_.insert(value).second) lists_.push_back(value);
      if (!first) first = value;
      met_.join(value, first);
    }
  }

  void join_in(const Block& block) {
    for (Value* input : block.inputs()) join(std::array{input});
    for (const Node* node : block.nodes()) {
      for (const Block* inner : node->blocks()) join_in(*inner);
      const bool is_loop = node->is("prim::Loop");
      if (!is_loop && !node->is("prim::If")) {
        std::vector<Value*> met(node->inputs().begin(), node->inputs().end());
        met.insert(met.end(), node->outputs().begin(), node->outputs().end());
        join(met);
      }
      for (std::size_t i = 0; !node->blocks().empty() && i < node->output_count(); ++i) {
        std::vector<Value*> names = {node->output(i)};
        for (const Block* inner : node->blocks()) names.push_back(inner->outputs()[i + is_loop]);
        if (is_loop) names.insert(names.end(), {node->input(i + 2), node->block(0)->inputs()[i + 1]});
        join(names);
      }
    }
  }

  const Type list_, dict_;
  std::vector<const Value*> lists_;
  Group seen_;
  ir::ValueGroups met_;
};

// The lists of dicts of one group.
class Converter {
 public:
  Converter(ir::Graph& graph, const Type& list, const Group& group, bool takes_outputs)
      : graph_(graph), group_(group), dict_(list.elements.at(0)), takes_outputs_(takes_outputs) {}

  bool run() {
    if (!all_known(graph_.block(), 0) || !needed_ || keys_.empty()) return false;
    const std::vector<Type> items(keys_.size(), dict_.elements.at(1));
    tuple_ = Type{Type::Kind::Tuple, items, {}};
    for (const Use& use : entering_) enter(use);
    for (Value* dict : leaving_) leave(*dict);
    for (Value* list : lists_) list->set_type(Type::list(tuple_));
    return true;
  }

  std::vector<std::string> keys() const {
    std::vector<std::string> keys;
    for (const Value* key : keys_) {
      const std::string* text = ir::constant_text(key);
      keys.push_back(text ? *text : ir::to_string(*key->constant()));
    }
    return keys;
  }

 private:
  bool is_list(const Value* value) const { return group_.contains(value); }
  bool is_dict(const Value* value) const { return value->type() == dict_; }
  bool touches(std::span<Value* const> values) const {
    return std::ranges::any_of(values, [&](const Value* value) { return is_list(value); });
  }

  bool all_known(const Block& block, int depth) {
    if (!note_lists(block.inputs(), depth)) return false;
    if (depth == 0 && touches(block.outputs())) {
      if (!takes_outputs_) return false;
      needed_ = true;
    }
    for (Node* node : block.nodes()) {
      if (!is_known(*node, depth)) return false;
      for (const Block* inner : node->blocks())
        if (!all_known(*inner, depth + 1)) return false;
    }
    return true;
  }

  bool note_lists(std::span<Value* const> values, int depth) {
    for (Value* value : values) {
      if (!is_list(value)) continue;
      if (depth == 0 && value->node() == graph_.block().params()) return false;
      lists_.push_back(value);
    }
    return true;
  }

  bool is_known(Node& node, int depth) {
    const bool is_changed =
        std::ranges::any_of(node.inputs(), [&](const Value* in) { return is_dict(in); }) && writes_dict(node);
    if (is_changed || !note_lists(node.outputs(), depth)) return false;
    const bool gives = touches(node.outputs()), takes = touches(node.inputs());
    if (!gives && !takes) return true;
    if (node.is("prim::If") || node.is("prim::Loop")) return needed_ = true;
    if (node.is("prim::Uninitialized")) return true;
    const Container form = aten::traits_of(node).container;
    if (!is_by_position(form) || (form == Container::List && !gives)) return false;
    needed_ = needed_ || (depth > 0 && writes(node));
    for (std::size_t i = 0; i < node.input_count(); ++i) {
      if (!is_dict(node.input(i))) continue;
      if (!has_keys(*node.input(i))) return false;
      entering_.push_back({&node, i});
    }
    for (Value* out : node.outputs())
      if (is_dict(out)) leaving_.push_back(out);
    return true;
  }

  bool writes_dict(const Node& node) const {
    for (std::size_t i = 0; i < node.input_count(); ++i)
      if (is_dict(node.input(i)) && writes_argument(node, i)) return true;
    return false;
  }

  // Whether the dict has the keys that all have, in their order.
  bool has_keys(const Value& dict) {
    const Node& maker = *dict.node();
    if (is_never(&dict)) return true;
    if (!aten::acts_as(maker, Container::Dict))
      return maker.input_count() > 0 && is_list(maker.input()) && is_by_position(aten::traits_of(maker).container);
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

  // Whoever reads the dict gets one made of the tuple; who puts it into such a list takes the tuple.
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
  const Group& group_;
  const Type dict_;
  const bool takes_outputs_;
  Type tuple_;
  std::vector<Value*> entries_, keys_, lists_, leaving_;
  std::vector<Use> entering_;
  bool needed_ = false;  // a branch or a loop has to do with such a list
};

}  // namespace

bool tuple_dicts(ir::Graph& graph) {
  std::vector<Type> types;
  for_each_node(graph.block(), [&](const Node* node) {
    for (const Value* out : node->outputs())
      if (is_dict_list(out->type()) && std::ranges::find(types, out->type()) == types.end())
        types.push_back(out->type());
  });
  bool changed = false;
  for (const Type& type : types)
    for (const Group& group : Groups(graph, type).all())
      changed = Converter(graph, type, group, false).run() || changed;
  return changed;
}

std::vector<std::string> tuple_output_dicts(ir::Graph& graph, const Value& list) {
  const Type type = list.type();
  for (const Group& group : Groups(graph, type).all()) {
    if (!group.contains(&list)) continue;
    Converter converter(graph, type, group, true);
    if (converter.run()) return converter.keys();
  }
  return {};
}

}  // namespace tonnx::program
