// Lists that own their items: a write to an item, at whatever index, is a write to the list.
#include <algorithm>

#include "aten/containers.h"
#include "ir/constant_facts.h"
#include "ir/control_flow.h"
#include "ir/writes.h"
#include "program/references/alias.h"
#include "program/writes/views.h"

namespace tonnx::program {

using aten::Container;
using ir::Block;
using ir::Node;
using ir::Type;
using ir::Use;
using ir::Value;

namespace {

bool is_iteration_index(const Value& value) {
  const Block* body = value.node()->edge_of();
  return value.index() == 0 && body && body->owner();
}

// True if the operator moves, replaces or removes items.
bool moves_items(Container operation) {
  switch (operation) {
    case Container::Insert:
    case Container::SetItem:
    case Container::Pop:
    case Container::Delete:
    case Container::Clear:
    case Container::Reverse: return true;
    default: return false;
  }
}

bool adds_items(Container operation) { return operation == Container::Append || operation == Container::Extend; }

}  // namespace

// Decides whether a list owns its items, from the results of a complete pass.
class AliasForest::Ownership {
 public:
  // The names of each root, without the root itself.
  using Names = std::unordered_map<const Value*, std::vector<const Value*>>;
  static Names names_in(const AliasForest& forest) {
    Names names;
    const auto add = [&](const auto& entry) {
      for (const Value* root : forest.roots(const_cast<Value*>(entry.first))) names[root].push_back(entry.first);
    };
    std::ranges::for_each(forest.aliases_, add);
    std::ranges::for_each(forest.selections_, add);
    return names;
  }

  Ownership(AliasForest& forest, const Names& names, Value* list) : forest_(forest), names_of_(names), list_(list) {}

  bool holds() {
    const Node* maker = list_->node();
    const Type& item = list_->type().elements.at(0);
    if (!aten::acts_as(*maker, Container::List) || (!item.is(Type::Kind::Tensor) && !item.is(Type::Kind::List)))
      return false;
    pops_ = std::ranges::any_of(names_of(list_), [](const Value* name) {
      return std::ranges::any_of(name->uses(), [](const Use& use) { return aten::acts_as(*use.node, Container::Pop); });
    });
    for (Value* held : maker->inputs())
      if (!is_moved_into_list(held, *maker)) return false;
    for (const Value* name : names_of(list_)) {
      if (forest_.object_of(const_cast<Value*>(name)) != list_) continue;
      for (const Use& use : name->uses())
        if (!is_known(use)) return false;
    }
    return std::ranges::all_of(reads_, [&](const Node* read) { return stays_in_place(*read); });
  }

 private:
  std::vector<const Value*> names_of(const Value* root) const {
    std::vector<const Value*> names = {root};
    if (const auto found = names_of_.find(root); found != names_of_.end())
      names.insert(names.end(), found->second.begin(), found->second.end());
    return names;
  }

  bool is_known(const Use& use) {
    const Node& node = *use.node;
    if (&node == forest_.graph_.block().return_node()) return true;
    if (node.is("prim::Loop") || node.edge_of()) {
      const std::vector<Value*> results = handed_to(use);
      return !results.empty() && is_list(results.back());
    }
    if (!node.schema() && aten::traits_of(node).container == Container::None) return false;
    const Container operation = aten::traits_of(node).container;
    if ((moves_items(operation) || adds_items(operation)) && !forest_.known_.contains(&node)) changes_.push_back(&node);
    switch (operation) {
      case Container::List:
      case Container::Tuple:
      case Container::Dict:
      case Container::Length:
      case Container::Contains: return true;
      case Container::Item:
      case Container::ListUnpack: reads_.push_back(&node); return use.index == 0;
      case Container::Append: return use.index == 0 && is_moved_into_list(node.input(1), node);
      case Container::Insert:
      case Container::SetItem:
        return use.index == 0 && node.input_count() == 3 && is_moved_into_list(node.input(2), node);
      case Container::Extend: {
        const Node* more = node.input(1)->node();
        if (use.index != 0 || !aten::acts_as(*more, Container::List) || node.input(1)->uses().size() != 1) return false;
        return std::ranges::all_of(more->inputs(), [&](Value* item) { return is_moved_into_list(item, *more); });
      }
      case Container::Pop:
      case Container::Delete:
      case Container::Clear:
      case Container::Reverse: return use.index == 0;
      case Container::None: return returns_fresh(node) && !ir::writes(node);
      default: return false;
    }
  }

  bool is_list(Value* value) const { return forest_.object_of(value) == list_; }

  // True if the item is fresh in the iteration of `put`, which stores it, and dead after that except through the list.
  bool is_moved_into_list(Value* item, const Node& put) const {
    const Value* root = forest_.root(item);
    const Node* maker = root->node();
    if (!maker || !maker->parent() || !is_fresh_item(*maker, *root)) return false;
    for (const Block* block = put.parent(); block != maker->parent(); block = block->owner()->parent())
      if (!block || !block->owner() || !block->owner()->is("prim::If")) return false;
    std::size_t puts = 0;
    for (const Value* name : names_of(root)) {
      for (const Use& use : name->uses()) {
        if (use.node == &put) {
          if (forest_.object_of(const_cast<Value*>(name)) != root || ++puts > 1) return false;
        } else if (!(does_not_escape(use) || is_other_put(use, put)) ||
                   ((pops_ || !is_read_from_list(name)) && !is_before_move(*use.node, item))) {
          return false;
        }
      }
    }
    return true;
  }

  // True if the use stores the value in the list instead of `put`, in the other block of an If.
  bool is_other_put(const Use& use, const Node& put) const {
    const Node& node = *use.node;
    const Container operation = aten::traits_of(node).container;
    const bool stores =
        operation == Container::Append || operation == Container::Insert || operation == Container::SetItem;
    if (!stores || use.index + 1 != node.input_count() || !is_list(node.input())) return false;
    for (const Block* block = put.parent(); block && block->owner(); block = block->owner()->parent())
      if (is_inside(node, *block->owner())) return block->owner()->is("prim::If") && !is_inside(node, *block);
    return false;
  }

  bool is_fresh_item(const Node& maker, const Value& value) const {
    if (maker.is("prim::Constant")) return value.uses().size() == 1;
    const bool is_new_list = maker.schema() && aten::gives_new_list(maker) &&
                             relation_of(maker, value.index()).kind == Relation::Kind::Fresh;
    const bool is_popped = aten::acts_as(maker, Container::Pop) && forest_.owns_items(forest_.root(maker.input()));
    return aten::acts_as(maker, Container::List) || is_new_list || is_popped || is_fresh(value);
  }

  // True if the item is in no dynamic list before `node` is executed.
  bool is_before_move(const Node& node, const Value* item) const {
    const auto moved = forest_.moved_.find(item);
    return moved == forest_.moved_.end() || forest_.positions_.at(&node).begin < moved->second;
  }

  // True if the value was read from the list while its items were known, or is a view of such an item.
  bool is_read_from_list(const Value* name) const {
    for (; name; name = forest_.of(name).parent) {
      const Node* node = name->node();
      const Container operation = node ? aten::traits_of(*node).container : Container::None;
      if ((operation == Container::Item || operation == Container::ListUnpack) && is_list(node->input())) return true;
    }
    return false;
  }

  // True if the value does not escape through the reader, except under a name that is checked as well.
  bool does_not_escape(const Use& use) const {
    const Node& node = *use.node;
    if (!node.parent() || !node.schema() || !node.blocks().empty()) return false;
    const Container operation = aten::traits_of(node).container;
    if (use.index > 0 && (adds_items(operation) || moves_items(operation))) return false;
    for (std::size_t i = 0; i < node.output_count(); ++i) {
      Value* out = node.output(i);
      const bool is_name = is_memory(out->type()) && forest_.root(out) == forest_.root(node.input(use.index));
      const bool reads =
          operation == Container::Item || operation == Container::Length || operation == Container::Contains;
      if (!is_memory(out->type()) || is_name || reads) continue;
      const Relation relation = relation_of(node, i);
      const bool is_of_other = relation.kind != Relation::Kind::Unknown && relation.input != use.index;
      if (operation != Container::None || (relation.kind != Relation::Kind::Fresh && !is_of_other)) return false;
    }
    return true;
  }

  // True if the item keeps its index, counted from the front, while it is live. Pins the index if it is not counted so
  // and the list grows.
  bool stays_in_place(const Node& read) {
    const std::int64_t begin = forest_.positions_.at(&read).begin;
    std::int64_t last = begin;
    for (const Value* out : read.outputs())
      for (const Value* name : names_of(list_))
        if (is_view_of(name, out))
          for (const Use& use : name->uses()) last = std::max(last, end_of(*name, use, read));
    const bool from_front = aten::acts_as(read, Container::ListUnpack) ||
                            ir::constant_integer(read.input(1)).value_or(-1) >= 0 || is_iteration_index(*read.input(1));
    bool grows = false, moves = false;
    for (const Node* change : changes_) {
      const std::int64_t at = forest_.positions_.at(change).begin;
      if (begin < at && at < last) (moves_items(aten::traits_of(*change).container) ? moves : grows) = true;
    }
    // The last use may apply them before it writes to the item.
    if (const auto applied = forest_.applied_.find(list_); applied != forest_.applied_.end())
      for (const Application& one : applied->second)
        if (begin < one.position && one.position <= last) (one.moves ? moves : grows) = true;
    if (grows && !from_front) forest_.pinned_.insert(&read);
    return !moves;
  }

  bool is_view_of(const Value* name, const Value* item) const {
    while (name != item && forest_.of(name).parent) name = forest_.of(name).parent;
    return name == item || forest_.selection(name);
  }

  // The position after which the use is over: the end of the outermost loop around it that does not contain `read`, or
  // the last read of the container that it stores the value in.
  std::int64_t end_of(const Value& name, const Use& use, const Node& read) const {
    std::int64_t position = forest_.positions_.at(use.node).begin;
    const auto last_read = forest_.last_view_read_.find(&name);
    const Container operation = aten::traits_of(*use.node).container;
    const bool is_stored =
        use.index > 0 || operation == Container::List || operation == Container::Tuple || operation == Container::Dict;
    if (operation != Container::None && is_stored && last_read != forest_.last_view_read_.end())
      position = std::max(position, last_read->second);
    const Node* owner = use.node->edge_of() ? use.node->edge_of()->owner() : nullptr;
    const Block* block = owner ? owner->parent() : use.node->parent();
    if (owner) position = forest_.positions_.at(owner).end;
    for (; block && block->owner() && !is_inside(read, *block); block = block->owner()->parent())
      if (block->owner()->is("prim::Loop")) position = forest_.positions_.at(block->owner()).end;
    return position;
  }

  AliasForest& forest_;
  const Names& names_of_;
  Value* list_;
  bool pops_ = false;
  std::vector<const Node*> reads_, changes_;
};

void AliasForest::note_moved(const Value* item, std::int64_t position) {
  const auto [first, is_new] = moved_.emplace(item, position);
  if (!is_new) first->second = std::min(first->second, position);
}

// Notes that the items of a list that become unknown, or that its delayed changes store, are its own from there on.
void AliasForest::note_applied(const Value* list, const Contents::State& state, std::int64_t position) {
  const auto note = [&](const Items& items, const Node*) {
    for (const Value* item : items) note_moved(item, position);
  };
  if (state.content) return for_each_leaf(*state.content, note);
  if (!state.changes) return;
  bool moves = false;
  for_each_leaf(*state.changes, [&](const std::vector<Change>& delayed, const Node* by) {
    for (const Change& change : delayed) {
      note(change.items, by);
      moves = moves || !change.adds_at_end();
    }
  });
  applied_[list].push_back({position, moves});
}

bool AliasForest::owns_items(const Value* list) const {
  const auto owner = owners_.find(const_cast<Value*>(list));
  return owner != owners_.end() && owner->second;
}

bool AliasForest::is_owned_item(const Value* value) const {
  const Value* list = root(const_cast<Value*>(value));
  return list->type().is(Type::Kind::List) && object_of(const_cast<Value*>(value)) != list;
}

void AliasForest::find_owners() {
  if (owners_.empty()) return;
  const Ownership::Names names = Ownership::names_in(*this);
  for (auto& [list, owns] : owners_) {
    if (!owns || Ownership(*this, names, list).holds()) continue;
    owns = false;
    changed_ = true;
  }
}

}  // namespace tonnx::program
