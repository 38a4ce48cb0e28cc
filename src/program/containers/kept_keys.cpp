#include "program/containers/kept_keys.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "aten/containers.h"
#include "ir/constant_facts.h"
#include "ir/control_flow.h"
#include "program/containers/entries.h"
#include "program/containers/items.h"
#include "program/containers/names.h"
#include "program/edit.h"

namespace tonnx::program {

using aten::Container;
using ir::Block;
using ir::Node;
using ir::Use;
using ir::Value;

namespace {

// A key that is read from a list of keys or of (key, value) pairs.
struct ListedKey {
  const Value* dict;  // whose keys these are
  const Value* list;
  const Node* item;
  bool is_sorted = false;  // the list has another order
};

std::optional<ListedKey> listed_key(const Value& key) {
  const Node* item = key.node();
  const bool is_of_pair = item->is("prim::TupleUnpack") && key.index() == 0;
  if (is_of_pair) item = item->input()->node();
  if (!aten::acts_as(*item, Container::Item)) return std::nullopt;
  ListedKey found{nullptr, item->input(), item};
  for (const Value* list = found.list; std::ranges::all_of(list->uses(), only_asks); list = list->node()->input()) {
    const Container form = aten::traits_of(*list->node()).container;
    if (form == (is_of_pair ? Container::Items : Container::Keys)) {
      found.dict = list->node()->input();
      return found;
    }
    if (form != Container::Copy && form != Container::Sorted) break;
    found.is_sorted = found.is_sorted || form == Container::Sorted;
  }
  return std::nullopt;
}

// The dicts that may become one another, or are copies of one another.
class KeyFamily {
 public:
  // Returns false if they do not all keep the same keys.
  bool find(Value& dict) {
    names_.add(&dict);
    const bool is_known = names_.visit_all([&](Value& name) {
      return add_origins(name) && std::ranges::all_of(name.uses(), [&](const Use& use) { return add_use(name, use); });
    });
    return is_known && !entries_.empty() &&
           std::ranges::all_of(names(), [&](const Value* name) { return keeps_keys(*name); });
  }

  const std::vector<Value*>& names() const { return names_.all(); }
  std::vector<Value*> keys() const { return keys_of(entries_); }

 private:
  bool add_origins(const Value& name) {
    const Node& maker = *name.node();
    if (is_never(&name)) return true;
    if (const std::vector<Value*> origins = ir::handed_from(name); !origins.empty())
      return names_.add_all(origins, name);
    if (aten::acts_as(maker, Container::Copy)) return names_.add_all({maker.input()}, name);
    const auto entries = aten::acts_as(maker, Container::Dict) ? entries_of(maker.inputs()) : std::nullopt;
    if (!entries) return false;
    if (entries_.empty()) entries_ = *entries;
    return entries->empty() || same_keys(entries_, *entries);
  }

  bool add_use(const Value& name, const Use& use) {
    if (const std::vector<Value*> names = ir::handed_to(use); !names.empty()) return names_.add_all(names, name);
    return only_asks(use) || sets_item(use) || use.node->edge_of();
  }

  static bool sets_item(const Use& use) { return use.index == 0 && aten::acts_as(*use.node, Container::SetItem); }

  bool keeps_keys(const Value& name) const {
    const Node* fill = nullptr;
    if (aten::acts_as(*name.node(), Container::Dict) && name.node()->input_count() == 0) {
      fill = filling_loop(name);
      if (!fill) return false;
    }
    return std::ranges::all_of(name.uses(), [&](const Use& use) {
      if (fill && is_inside(*use.node, *fill)) return true;
      if (!sets_item(use)) return true;
      const Value* key = use.node->input(1);
      if (find_entry(entries_, key).value) return true;
      const auto listed = listed_key(*key);
      return listed && names_.contains(listed->dict);
    });
  }

  // The loop that sets an empty dict at each key of one of the others, in their order, before anything else uses it.
  const Node* filling_loop(const Value& dict) const {
    const Block& home = *dict.node()->parent();
    std::unordered_set<const Node*> readers;
    for (const Use& use : dict.uses()) readers.insert(ir::holder_in(home, *use.node));
    const Node* loop = dict.node()->next();
    while (loop && !readers.contains(loop)) loop = loop->next();
    if (!loop || !loop->is("prim::Loop") || ir::constant_truth(loop->input(1)) != true) return nullptr;
    const Block& body = *loop->block(0);
    if (ir::constant_truth(body.outputs()[0]) != true) return nullptr;
    const Node* setter = nullptr;
    for (const Use& use : dict.uses()) {
      if (!is_inside(*use.node, *loop) && use.node != loop) continue;
      if (setter || !sets_item(use) || use.node->parent() != &body) return nullptr;
      setter = use.node;
    }
    const auto listed = setter ? listed_key(*setter->input(1)) : std::nullopt;
    const Node* count = loop->input()->node();
    const bool is_whole = listed && !listed->is_sorted && names_.contains(listed->dict) &&
                          listed->item->input(1) == body.inputs()[0] && aten::acts_as(*count, Container::Length) &&
                          count->input() == listed->list;
    return is_whole ? loop : nullptr;
  }

  Names names_;
  std::vector<Value*> entries_;
};

}  // namespace

std::span<Value* const> KeptKeys::of(Value& dict) {
  if (const auto found = known_.find(&dict); found != known_.end()) return *found->second;
  KeyFamily family;
  const bool is_kept = family.find(dict);
  if (!is_kept) return *(known_[&dict] = std::make_shared<const std::vector<Value*>>());
  const auto keys = std::make_shared<const std::vector<Value*>>(family.keys());
  for (const Value* name : family.names()) known_[name] = keys;
  return *keys;
}

}  // namespace tonnx::program
