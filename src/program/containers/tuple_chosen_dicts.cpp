// Dicts that branches and loops choose or exchange, and that nobody writes to, become tuples of what they hold.
//
// Needs dicts that are made with the same constant keys, in one order, handed on by branches and loops, and read by
// themselves; who reads one makes a dict of it again:
//
//   %d = prim::DictConstruct(%a, %x)         %t = prim::TupleConstruct(%x)
//   %e = prim::If(%c)                        %u = prim::If(%c)
//     block0: -> (%d)                          block0: -> (%t)
//     block1: -> (%f)                          block1: -> (%g)
//   %y = aten::__getitem__(%e, %a)           %z = prim::TupleUnpack(%u)
//                                            %e = prim::DictConstruct(%a, %z)
//                                            %y = aten::__getitem__(%e, %a)
#include <algorithm>
#include <unordered_set>
#include <vector>

#include "aten/containers.h"
#include "ir/control_flow.h"
#include "program/containers/entries.h"
#include "program/containers/passes.h"
#include "program/edit.h"

namespace tonnx::program {

using aten::Container;
using ir::Node;
using ir::Type;
using ir::Use;
using ir::Value;

namespace {

// The dicts that one may be, or become, under another name.
class Dicts {
 public:
  explicit Dicts(ir::Graph& graph) : graph_(graph) {}

  // False where something else than a name is made of one of them, or they have no keys in common.
  bool find(Value* dict) {
    std::vector<Value*> open = {dict};
    while (!open.empty()) {
      Value* value = open.back();
      open.pop_back();
      if (std::ranges::find(found_, value) != found_.end()) continue;
      found_.push_back(value);
      if (!add_origins(*value, open)) return false;
      for (const Use& use : value->uses())
        if (!add_reader(use, open)) return false;
    }
    return is_handed_on_ && !keys_.empty();
  }

  const std::vector<Value*>& found() const { return found_; }

  void convert() {
    const Type dict = found_.front()->type();
    const Type tuple{Type::Kind::Tuple, std::vector<Type>(keys_.size(), dict.elements.at(1)), {}};
    for (Value* value : found_) {
      const std::vector<Use> uses(value->uses().begin(), value->uses().end());
      if (aten::acts_as(*value->node(), Container::Dict)) {
        Inserter insert(value->node());
        Value* made = insert.tuple(tuple, values_of(*entries_of(value->node()->inputs())));
        for (const Use& use : uses)
          if (!is_reader(use)) use.node->set_input(use.index, made);
        continue;
      }
      value->set_type(tuple);
      value->set_facts({});
      for (const Use& use : uses)
        if (is_reader(use)) use.node->set_input(use.index, again(value, dict, *use.node));
    }
  }

 private:
  bool is_reader(const Use& use) const { return readers_.contains(use.node); }

  Value* again(Value* tuple, const Type& dict, Node& reader) const {
    Node* unpack = make_unpack(tuple);
    unpack->set_location(reader.location());
    Inserter insert = reader.parent() ? Inserter(&reader) : Inserter(&graph_.block(), {});
    insert.insert(unpack);
    return dict_of(insert, dict, keys_, unpack->outputs());
  }

  bool add_handed(const std::vector<Value*>& names, std::vector<Value*>& open) {
    open.insert(open.end(), names.begin(), names.end());
    is_handed_on_ = is_handed_on_ || !names.empty();
    return !names.empty();
  }

  bool add_origins(Value& value, std::vector<Value*>& open) {
    Node* node = value.node();
    if (!node || is_never(&value)) return node != nullptr;
    if (add_handed(handed_from(value), open)) return true;
    const auto entries = aten::acts_as(*node, Container::Dict) ? entries_of(node->inputs()) : std::nullopt;
    if (!entries || entries->empty()) return false;
    if (entries_.empty()) {
      entries_ = *entries;
      keys_ = keys_of(entries_);
    }
    return same_keys(entries_, *entries);
  }

  bool add_reader(const Use& use, std::vector<Value*>& open) {
    if (add_handed(handed_to(use), open)) return true;
    if (use.node != graph_.block().return_node() && !asks_dict(use)) return false;
    readers_.insert(use.node);
    return true;
  }

  ir::Graph& graph_;
  std::vector<Value*> found_, entries_, keys_;
  std::unordered_set<const Node*> readers_;
  bool is_handed_on_ = false;
};

}  // namespace

bool tuple_chosen_dicts(ir::Graph& graph) {
  std::vector<Value*> handed_on;
  for_each_node(graph.block(), [&](Node* node) {
    if (node->blocks().empty()) return;
    for (Value* out : node->outputs())
      if (out->type().is(Type::Kind::Dict)) handed_on.push_back(out);
  });
  std::unordered_set<const Value*> seen;
  bool changed = false;
  for (Value* value : handed_on) {
    if (seen.contains(value)) continue;
    Dicts dicts(graph);
    const bool can_be_had = dicts.find(value);
    seen.insert(dicts.found().begin(), dicts.found().end());
    if (can_be_had) dicts.convert();
    changed = changed || can_be_had;
  }
  return changed;
}

}  // namespace tonnx::program
