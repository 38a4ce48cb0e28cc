// Moves an append of a value after later writes to that value, if nothing accesses the container in between:
//
//   %_ = aten::append(%l, %t)                %v = aten::select(%t, 0, 1)
//   %v = aten::select(%t, 0, 1)              %_ = aten::fill_(%v, 2)
//   %_ = aten::fill_(%v, 2)                  %_ = aten::append(%l, %t)
//
// Reads of the list's length in between are increased by the items that follow. An append in a branch of an If moves
// into a new If after it:
//
//   prim::If(%c)                             prim::If(%c)
//     block0: %_ = aten::append(%l, %t)        block0:
//     block1:                                  block1:
//   %_ = aten::fill_(%t, 2)                  %_ = aten::fill_(%t, 2)
//                                            prim::If(%c)
//                                              block0: %_ = aten::append(%l, %t)
//                                              block1:
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/writes.h"
#include "program/control/carry.h"
#include "program/edit.h"
#include "program/nodes_where.h"
#include "program/references/passes.h"
#include "program/references/sharing.h"

namespace tonnx::program {

using aten::Container;
using ir::Block;
using ir::Node;
using ir::Type;
using ir::Use;
using ir::Value;

namespace {

// True if a value of the type may be or contain a container of type `container`.
bool may_hold(const Type& type, const Type& container) {
  if (type == container || type.is(Type::Kind::Any) || type.is(Type::Kind::Object) || type.is(Type::Kind::Other))
    return true;
  return std::ranges::any_of(type.elements, [&](const Type& element) { return may_hold(element, container); });
}

// Sharing knows only containers of tensors.
bool holds_tensors(const Type& type) {
  return type.is(Type::Kind::Tensor) || std::ranges::any_of(type.elements, holds_tensors);
}

bool is_mutable(const Type& type) {
  return type.is(Type::Kind::Tensor) || type.is(Type::Kind::List) || type.is(Type::Kind::Dict) ||
         type.is(Type::Kind::Object);
}

// The mutable values that the node stores in the container that it changes.
std::vector<const Value*> stored_by(const Node& node) {
  const Container operation = aten::traits_of(node).container;
  if (operation != Container::Append && operation != Container::Insert && operation != Container::SetItem &&
      operation != Container::Extend)
    return {};
  std::vector<const Value*> stored;
  const auto note = [&](const Value* value) {
    if (is_mutable(value->type())) stored.push_back(value);
  };
  for (const Value* in : node.inputs().subspan(1)) {
    note(in);
    if (!in->node()) continue;
    const Container maker = aten::traits_of(*in->node()).container;
    if (maker != Container::Tuple && maker != Container::Dict && maker != Container::List) continue;
    for (const Value* item : in->node()->inputs()) note(item);
  }
  return stored;
}

// The number of items by which the list grows; none if unknown.
std::optional<std::int64_t> growth_of(const Node& change) {
  if (!change.input()->type().is(Type::Kind::List)) return std::nullopt;
  switch (aten::traits_of(change).container) {
    case Container::Append:
    case Container::Insert: return 1;
    case Container::SetItem: return 0;
    default: return std::nullopt;
  }
}

// A change of a container that moves after the writes to the values that it stores.
class Change {
 public:
  Change(Node& change, const Sharing& sharing)
      : node_(&change),
        container_(change.input()),
        stored_(stored_by(change)),
        growth_(growth_of(change)),
        sharing_(sharing) {}

  void run() {
    for (Value* out : node_->outputs())
      if (!out->is_unused()) out->replace_uses(container_);
    if (Node* last = last_write(*node_)) {
      node_->move_before(last);
      last->move_before(node_);
      adjust_lengths();
    }
    if (enter_branch()) return;
    while (leave_branch()) {
    }
  }

 private:
  bool may_be_container(const Value* value) const {
    if (!may_hold(value->type(), container_->type())) return false;
    return !holds_tensors(container_->type()) || sharing_.may_share(value, container_);
  }

  bool accesses(const Node& node) {
    if (growth_ && aten::acts_as(node, Container::Length) && node.input() == container_) {
      lengths_.push_back(node.output());
      return false;
    }
    if (std::ranges::any_of(node.inputs(), [&](const Value* in) { return may_be_container(in); })) return true;
    if (std::ranges::any_of(node.outputs(), [&](const Value* out) { return may_be_container(out); })) return true;
    bool any = false;
    for (const Block* block : node.blocks()) {
      any = any || std::ranges::any_of(block->outputs(), [&](const Value* out) { return may_be_container(out); });
      for (const Node* inner : block->nodes()) any = any || accesses(*inner);
    }
    return any;
  }

  bool writes_to_stored(const Node& node) const {
    bool any = false;
    const auto note = [&](const Node& writer) {
      for (std::size_t i = 0; i < writer.input_count(); ++i) {
        const Value* target = writer.input(i);
        any = any ||
              (is_mutable(target->type()) && target != container_ && writes_argument(writer, i) &&
               std::ranges::any_of(stored_, [&](const Value* stored) { return sharing_.may_share(target, stored); }));
      }
    };
    note(node);
    for (const Block* block : node.blocks()) for_each_node(*block, [&](const Node* inner) { note(*inner); });
    return any;
  }

  // The last write after `from` in its block, before the next access to the container; null: none. Sets `barrier_` to
  // the node of that access.
  Node* last_write(const Node& from) {
    Node* last = nullptr;
    lengths_.clear();
    std::size_t count = 0;
    for (barrier_ = from.next(); barrier_; barrier_ = barrier_->next()) {
      if (accesses(*barrier_)) break;
      if (!writes_to_stored(*barrier_)) continue;
      last = barrier_;
      count = lengths_.size();
    }
    lengths_.resize(count);
    return last;
  }

  // Adds the growth to the lengths that are read before the new position.
  void adjust_lengths() {
    if (growth_.value_or(0) == 0) return;
    for (Value* length : lengths_) {
      Node* read = length->node();
      Inserter insert = Inserter::after(*read);
      const std::vector<Use> uses(length->uses().begin(), length->uses().end());
      Value* grown =
          insert.call("aten::add.int", {length, dynamic_growth_ ? dynamic_growth_ : insert.integer(*growth_)});
      for (const Use& use : uses) use.node->set_input(use.index, grown);
    }
  }

  // Moves the change into both branches of an If that writes to the values and accesses the container.
  bool enter_branch() {
    if (growth_ == 0) return false;
    last_write(*node_);
    Node* branch = barrier_;
    if (!branch || !branch->is("prim::If") || !writes_to_stored(*branch)) return false;
    if (std::ranges::any_of(branch->inputs(), [&](const Value* in) { return may_be_container(in); })) return false;
    lengths_.clear();
    for (const Node* node = node_->next(); node != branch; node = node->next()) accesses(*node);
    adjust_lengths();
    for (Block* path : branch->blocks()) {
      ValueMap map;
      Node* copy = copy_node(*node_, map);
      path->prepend(copy);
      Change(*copy, sharing_).run();
    }
    node_->erase();
    return true;
  }

  // True if a value that the change reads is available after the If: its node can move along, or the If can return it.
  bool can_follow(Value& value, const Block& path, const Node& reader) {
    Node* maker = value.node();
    if (maker->parent() != &path) return true;
    if (std::ranges::find(makers_, maker) != makers_.end() || std::ranges::find(exported_, &value) != exported_.end())
      return true;
    const bool is_constant = maker->is("prim::Constant");
    const Container operation = aten::traits_of(*maker).container;
    const bool builds = operation == Container::Tuple || operation == Container::Dict || operation == Container::List;
    if (is_constant || (builds && value.uses().size() == 1 && value.uses()[0].node == &reader)) {
      if (!std::ranges::all_of(maker->inputs(), [&](Value* in) { return can_follow(*in, path, *maker); })) return false;
      makers_.push_back(maker);
      return true;
    }
    if (!value.type().is(Type::Kind::Tensor) && !value.type().is_scalar()) return false;
    exported_.push_back(&value);
    return true;
  }

  // True if the stored values are written to after the If, or after an If around it.
  bool is_written_after(const Node& branch) {
    if (last_write(branch)) return true;
    const Node* around = branch.parent()->owner();
    return !barrier_ && around && around->is("prim::If") && returns_no_container(*around, *branch.parent()) &&
           is_written_after(*around);
  }

  bool returns_no_container(const Node& branch, const Block& path) const {
    const auto is_container = [&](const Value* value) { return may_be_container(value); };
    return std::ranges::none_of(path.outputs(), is_container) && std::ranges::none_of(branch.outputs(), is_container);
  }

  // Moves the change into a new If after its If; false if it cannot, or nothing is gained.
  bool leave_branch() {
    Block* path = node_->parent();
    Node* branch = path->owner();
    if (!branch || !branch->is("prim::If") || !returns_no_container(*branch, *path)) return false;
    lengths_.clear();
    for (const Node* node = node_->next(); node; node = node->next())
      if (accesses(*node)) return false;
    const std::vector<Value*> own_lengths = lengths_;
    makers_.clear();
    exported_.clear();
    bool can_leave = true;
    const auto note = [&](const Node& node) {
      for (Value* in : node.inputs()) can_leave = can_leave && can_follow(*in, *path, node);
    };
    note(*node_);
    for (const Block* block : node_->blocks()) for_each_node(*block, [&](const Node* inner) { note(*inner); });
    if (!can_leave || !is_written_after(*branch)) return false;
    lengths_ = own_lengths;
    adjust_lengths();
    ValueMap map;
    for (Value* value : exported_) map[value] = export_value(*branch, *path, *value);
    if (growth_.value_or(0) != 0) {
      Inserter end(path, branch->location());
      dynamic_growth_ = export_value(*branch, *path, dynamic_growth_ ? *dynamic_growth_ : *end.integer(*growth_));
    }
    Node* last = last_write(*branch);
    adjust_lengths();
    Node* moved = node_->graph().create("prim::If", std::vector<Value*>{branch->input()}, 0);
    moved->set_location(branch->location());
    for (const Block* old : branch->blocks()) {
      Block* block = moved->add_block();
      if (old != path) continue;
      for (const Node* maker : makers_) block->append(copy_node(*maker, map));
      block->append(copy_node(*node_, map));
    }
    moved->insert_after(last ? last : branch);
    node_->erase();
    node_ = moved;
    return true;
  }

  // Adds a result to the If: the value; in the other branch 0, because the list does not grow there, or undefined.
  static Value* export_value(const Node& branch, Block& path, Value& value) {
    Inserter other(branch.block(branch.block(0) == &path ? 1 : 0), branch.location());
    Value* out = add_result_of(path, &value, value.type().is(Type::Kind::Int) ? other.integer(0) : nullptr);
    if (!value.type().is(Type::Kind::Tensor)) out->set_facts({});
    return out;
  }

  Node* node_;  // the change, or the new If that contains it
  Value* container_;
  const std::vector<const Value*> stored_;
  std::optional<std::int64_t> growth_;
  Value* dynamic_growth_ = nullptr;  // the dynamic growth after the change left an If
  std::vector<Value*> lengths_;
  Node* barrier_ = nullptr;
  std::vector<Node*> makers_;
  std::vector<Value*> exported_;
  const Sharing& sharing_;
};

}  // namespace

void delay_appends(ir::Graph& graph) {
  const std::vector<Node*> changes =
      nodes_where(graph, [&](const Node* node) { return node->input_count() > 1 && !stored_by(*node).empty(); });
  if (changes.empty()) return;
  const Sharing sharing(graph);
  // In reverse, so that a later change does not block an earlier one.
  for (auto change = changes.rbegin(); change != changes.rend(); ++change) Change(**change, sharing).run();
}

}  // namespace tonnx::program
