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

  Ownership(const AliasForest& forest, const Names& names, Value* list)
      : forest_(forest), names_of_(names), list_(list) {}

  bool holds() {
    const Node* maker = list_->node();
    const Type& item = list_->type().elements.at(0);
    if (!aten::acts_as(*maker, Container::List) || (!item.is(Type::Kind::Tensor) && !item.is(Type::Kind::List)))
      return false;
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
    if (moves_items(operation) || operation == Container::Append || operation == Container::Extend)
      changes_.push_back(&node);
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

  // True if the item is fresh in the block of `put`, which stores it, and dead after that except through the list.
  bool is_moved_into_list(Value* item, const Node& put) const {
    const Value* root = forest_.root(item);
    const Node* maker = root->node();
    if (!maker || !maker->parent() || maker->parent() != put.parent() || !is_fresh_item(*maker, *root)) return false;
    std::size_t puts = 0;
    for (const Value* name : names_of(root)) {
      for (const Use& use : name->uses()) {
        if (use.node == &put) {
          if (forest_.object_of(const_cast<Value*>(name)) != root || ++puts > 1) return false;
        } else if (!does_not_escape(use) || (!is_read_from_list(name) && !is_before(*use.node, put))) {
          return false;
        }
      }
    }
    return true;
  }

  static bool is_fresh_item(const Node& maker, const Value& value) {
    if (maker.is("prim::Constant")) return value.uses().size() == 1;
    const bool is_new_list = maker.schema() && aten::gives_new_list(maker) &&
                             relation_of(maker, value.index()).kind == Relation::Kind::Fresh;
    return aten::acts_as(maker, Container::List) || is_new_list || is_fresh(value);
  }

  bool is_before(const Node& node, const Node& put) const {
    return forest_.positions_.at(&node).begin < forest_.positions_.at(&put).begin;
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
    if (use.index > 0 && (operation == Container::Append || moves_items(operation) || operation == Container::Extend))
      return false;
    for (std::size_t i = 0; i < node.output_count(); ++i) {
      Value* out = node.output(i);
      const bool is_name = is_memory(out->type()) && forest_.root(out) == forest_.root(node.input(use.index));
      const bool reads =
          operation == Container::Item || operation == Container::Length || operation == Container::Contains;
      if (!is_memory(out->type()) || is_name || reads) continue;
      if (operation != Container::None || relation_of(node, i).kind != Relation::Kind::Fresh) return false;
    }
    return true;
  }

  // True if the item keeps its index while it is live.
  bool stays_in_place(const Node& read) const {
    const std::int64_t begin = forest_.positions_.at(&read).begin;
    std::int64_t last = begin;
    for (const Value* out : read.outputs())
      for (const Value* name : names_of(list_))
        if (is_view_of(name, out))
          for (const Use& use : name->uses()) last = std::max(last, end_of(use, read));
    const bool from_front = aten::acts_as(read, Container::ListUnpack) ||
                            ir::constant_integer(read.input(1)).value_or(-1) >= 0 || is_iteration_index(*read.input(1));
    return std::ranges::none_of(changes_, [&](const Node* change) {
      const std::int64_t at = forest_.positions_.at(change).begin;
      return begin < at && at < last && (!from_front || moves_items(aten::traits_of(*change).container));
    });
  }

  bool is_view_of(const Value* name, const Value* item) const {
    while (name != item && forest_.of(name).parent) name = forest_.of(name).parent;
    return name == item || forest_.selection(name);
  }

  // The position after which the use is over: the end of the outermost loop around it that does not contain `read`.
  std::int64_t end_of(const Use& use, const Node& read) const {
    std::int64_t position = forest_.positions_.at(use.node).begin;
    const Node* owner = use.node->edge_of() ? use.node->edge_of()->owner() : nullptr;
    const Block* block = owner ? owner->parent() : use.node->parent();
    if (owner) position = forest_.positions_.at(owner).end;
    for (; block && block->owner() && !is_inside(read, *block); block = block->owner()->parent())
      if (block->owner()->is("prim::Loop")) position = forest_.positions_.at(block->owner()).end;
    return position;
  }

  const AliasForest& forest_;
  const Names& names_of_;
  Value* list_;
  std::vector<const Node*> reads_, changes_;
};

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
