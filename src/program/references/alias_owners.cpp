// Lists that alone hold their items: a write to an item, whichever a run picks, is a write to the list.
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

bool is_loop_turn(const Value& value) {
  const Block* body = value.node()->edge_of();
  return value.index() == 0 && body && body->owner();
}

// Whether items stand elsewhere in the list afterwards, or no more.
bool moves_items(Container form) {
  switch (form) {
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

// Needs to know how the program's values share memory.
class AliasForest::Ownership {
 public:
  Ownership(const AliasForest& forest, Value* list) : forest_(forest), list_(list) {
    for (const auto& [value, alias] : forest.aliases_)
      names_of_[forest.root(const_cast<Value*>(value))].push_back(value);
  }

  bool holds() {
    const Node* maker = list_->node();
    const Type& item = list_->type().elements.at(0);
    if (!aten::acts_as(*maker, Container::List) || (!item.is(Type::Kind::Tensor) && !item.is(Type::Kind::List)))
      return false;
    for (Value* held : maker->inputs())
      if (!is_given_away(held, *maker)) return false;
    for (const Value* name : names_of(list_)) {
      if (forest_.plain(const_cast<Value*>(name)) != list_) continue;
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
    const Container form = aten::traits_of(node).container;
    if (moves_items(form) || form == Container::Append || form == Container::Extend) changes_.push_back(&node);
    switch (form) {
      case Container::List:
      case Container::Tuple:
      case Container::Dict:
      case Container::Length:
      case Container::Contains: return true;
      case Container::Item:
      case Container::ListUnpack: reads_.push_back(&node); return use.index == 0;
      case Container::Append: return use.index == 0 && is_given_away(node.input(1), node);
      case Container::Insert:
      case Container::SetItem: return use.index == 0 && node.input_count() == 3 && is_given_away(node.input(2), node);
      case Container::Extend: {
        const Node* more = node.input(1)->node();
        if (use.index != 0 || !aten::acts_as(*more, Container::List) || node.input(1)->uses().size() != 1) return false;
        return std::ranges::all_of(more->inputs(), [&](Value* item) { return is_given_away(item, *more); });
      }
      case Container::Pop:
      case Container::Delete:
      case Container::Clear:
      case Container::Reverse: return use.index == 0;
      case Container::None: return gives_fresh(node) && !ir::writes(node);
      default: return false;
    }
  }

  bool is_list(Value* value) const { return forest_.plain(value) == list_; }

  // Whether a value is new where it is put into the list, and nobody has it behind that.
  bool is_given_away(Value* item, const Node& put) const {
    const Value* root = forest_.root(item);
    const Node* maker = root->node();
    if (!maker || !maker->parent() || maker->parent() != put.parent() || !is_new(*maker, *root)) return false;
    std::size_t puts = 0;
    for (const Value* name : names_of(root)) {
      for (const Use& use : name->uses()) {
        if (use.node == &put) {
          if (forest_.plain(const_cast<Value*>(name)) != root || ++puts > 1) return false;
        } else if (!hands_on_nothing(use) || (!is_read_from_list(name) && !is_before(*use.node, put))) {
          return false;
        }
      }
    }
    return true;
  }

  static bool is_new(const Node& maker, const Value& made) {
    if (maker.is("prim::Constant")) return made.uses().size() == 1;
    const bool is_new_list =
        maker.schema() && aten::gives_new_list(maker) && relation_of(maker, made.index()).kind == Relation::Kind::Fresh;
    return aten::acts_as(maker, Container::List) || is_new_list || is_fresh(made);
  }

  bool is_before(const Node& node, const Node& put) const {
    return forest_.positions_.at(&node).begin < forest_.positions_.at(&put).begin;
  }

  // Whether the value is an item that was read from the list while its items were known, or made of one.
  bool is_read_from_list(const Value* name) const {
    for (; name; name = forest_.of(name).parent) {
      const Node* node = name->node();
      const Container form = node ? aten::traits_of(*node).container : Container::None;
      if ((form == Container::Item || form == Container::ListUnpack) && is_list(node->input())) return true;
    }
    return false;
  }

  // Whether the reader gives the value to nobody, but under a name that is asked for as well.
  bool hands_on_nothing(const Use& use) const {
    const Node& node = *use.node;
    if (!node.parent() || !node.schema() || !node.blocks().empty()) return false;
    const Container form = aten::traits_of(node).container;
    if (use.index > 0 && (form == Container::Append || moves_items(form) || form == Container::Extend)) return false;
    for (std::size_t i = 0; i < node.output_count(); ++i) {
      Value* out = node.output(i);
      const bool is_name = is_memory(out->type()) && forest_.root(out) == forest_.root(node.input(use.index));
      const bool reads = form == Container::Item || form == Container::Length || form == Container::Contains;
      if (!is_memory(out->type()) || is_name || reads) continue;
      if (form != Container::None || relation_of(node, i).kind != Relation::Kind::Fresh) return false;
    }
    return true;
  }

  // Whether an item that is read stays where it is as long as it is read.
  bool stays_in_place(const Node& read) const {
    const std::int64_t begin = forest_.positions_.at(&read).begin;
    std::int64_t last = begin;
    for (const Value* out : read.outputs())
      for (const Value* name : names_of(list_))
        if (is_made_of(name, out))
          for (const Use& use : name->uses()) last = std::max(last, end_of(use, read));
    const bool from_front = aten::acts_as(read, Container::ListUnpack) ||
                            ir::constant_integer(read.input(1)).value_or(-1) >= 0 || is_loop_turn(*read.input(1));
    return std::ranges::none_of(changes_, [&](const Node* change) {
      const std::int64_t at = forest_.positions_.at(change).begin;
      return begin < at && at < last && (!from_front || moves_items(aten::traits_of(*change).container));
    });
  }

  bool is_made_of(const Value* name, const Value* item) const {
    while (name && name != item) name = forest_.of(name).parent;
    return name;
  }

  // Where a use is over; in a loop that the value outlives, where the loop is.
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
  Value* list_;
  std::unordered_map<const Value*, std::vector<const Value*>> names_of_;
  std::vector<const Node*> reads_, changes_;
};

bool AliasForest::is_owned_item(const Value* value) const {
  const Value* list = root(const_cast<Value*>(value));
  return list->type().is(Type::Kind::List) && plain(const_cast<Value*>(value)) != list;
}

void AliasForest::find_owners() {
  for (auto& [list, owns] : owners_) {
    if (!owns || Ownership(*this, list).holds()) continue;
    owns = false;
    changed_ = true;
  }
}

}  // namespace tonnx::program
