// What goes into a container and is written to behind that goes there behind the writes, where nobody meets the
// container in between:
//
//   %_ = aten::append(%l, %t)                %v = aten::select(%t, 0, 1)
//   %v = aten::select(%t, 0, 1)              %_ = aten::fill_(%v, 2)
//   %_ = aten::fill_(%v, 2)                  %_ = aten::append(%l, %t)
//
// Who asks for the length of a list in between counts what has not come yet. Out of a way of a branch it goes into a
// branch of its own:
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

// Whether a value of the type may be, or hold, a container of the other one.
bool may_hold(const Type& type, const Type& container) {
  if (type == container || type.is(Type::Kind::Any) || type.is(Type::Kind::Object) || type.is(Type::Kind::Other))
    return true;
  return std::ranges::any_of(type.elements, [&](const Type& element) { return may_hold(element, container); });
}

// What shares memory is told of containers of tensors alone.
bool holds_tensors(const Type& type) {
  return type.is(Type::Kind::Tensor) || std::ranges::any_of(type.elements, holds_tensors);
}

bool is_mutable(const Type& type) {
  return type.is(Type::Kind::Tensor) || type.is(Type::Kind::List) || type.is(Type::Kind::Dict) ||
         type.is(Type::Kind::Object);
}

// What the node puts into the container that it changes, and can be written to.
std::vector<const Value*> put_by(const Node& node) {
  const Container form = aten::traits_of(node).container;
  if (form != Container::Append && form != Container::Insert && form != Container::SetItem && form != Container::Extend)
    return {};
  std::vector<const Value*> put;
  const auto note = [&](const Value* value) {
    if (is_mutable(value->type())) put.push_back(value);
  };
  for (const Value* in : node.inputs().subspan(1)) {
    note(in);
    if (!in->node()) continue;
    const Container maker = aten::traits_of(*in->node()).container;
    if (maker != Container::Tuple && maker != Container::Dict && maker != Container::List) continue;
    for (const Value* item : in->node()->inputs()) note(item);
  }
  return put;
}

// By how much the list becomes longer; nothing where that is not known.
std::optional<std::int64_t> growth_of(const Node& change) {
  if (!change.input()->type().is(Type::Kind::List)) return std::nullopt;
  switch (aten::traits_of(change).container) {
    case Container::Append:
    case Container::Insert: return 1;
    case Container::SetItem: return 0;
    default: return std::nullopt;
  }
}

// A change of a container on its way behind the writes to what it puts there.
class Change {
 public:
  Change(Node& change, const Sharing& sharing)
      : at_(&change), container_(change.input()), put_(put_by(change)), growth_(growth_of(change)), sharing_(sharing) {}

  void run() {
    // It gives the container itself.
    for (Value* out : at_->outputs())
      if (!out->is_unused()) out->replace_uses(container_);
    if (Node* last = last_write(*at_)) {
      at_->move_before(last);
      last->move_before(at_);
      count_ahead();
    }
    if (enter_branch()) return;
    while (leave_branch()) {
    }
  }

 private:
  bool is_met(const Value* value) const {
    if (!may_hold(value->type(), container_->type())) return false;
    return !holds_tensors(container_->type()) || sharing_.may_share(value, container_);
  }

  bool meets(const Node& node) {
    if (growth_ && aten::acts_as(node, Container::Length) && node.input() == container_) {
      lengths_.push_back(node.output());
      return false;
    }
    if (std::ranges::any_of(node.inputs(), [&](const Value* in) { return is_met(in); })) return true;
    if (std::ranges::any_of(node.outputs(), [&](const Value* out) { return is_met(out); })) return true;
    bool any = false;
    for (const Block* block : node.blocks()) {
      any = any || std::ranges::any_of(block->outputs(), [&](const Value* out) { return is_met(out); });
      for (const Node* inner : block->nodes()) any = any || meets(*inner);
    }
    return any;
  }

  bool writes_to_put(const Node& node) const {
    bool any = false;
    const auto note = [&](const Node& writer) {
      for (std::size_t i = 0; i < writer.input_count(); ++i) {
        const Value* target = writer.input(i);
        any = any || (is_mutable(target->type()) && target != container_ && writes_argument(writer, i) &&
                      std::ranges::any_of(put_, [&](const Value* put) { return sharing_.may_share(target, put); }));
      }
    };
    note(node);
    for (const Block* block : node.blocks()) for_each_node(*block, [&](const Node* inner) { note(*inner); });
    return any;
  }

  // The last write behind `from`, in its block, before the container is met again; null if there is none. `meeting_` is
  // who meets it.
  Node* last_write(const Node& from) {
    Node* last = nullptr;
    lengths_.clear();
    std::size_t asked = 0;
    for (meeting_ = from.next(); meeting_; meeting_ = meeting_->next()) {
      if (meets(*meeting_)) break;
      if (!writes_to_put(*meeting_)) continue;
      last = meeting_;
      asked = lengths_.size();
    }
    lengths_.resize(asked);
    return last;
  }

  // The lengths asked for in between are those of the list that has grown.
  void count_ahead() {
    if (growth_.value_or(0) == 0) return;
    for (Value* length : lengths_) {
      Node* asks = length->node();
      Inserter insert = Inserter::behind(*asks);
      const std::vector<Use> uses(length->uses().begin(), length->uses().end());
      Value* grown = insert.call("aten::add.int", {length, grown_ ? grown_ : insert.integer(*growth_)});
      for (const Use& use : uses) use.node->set_input(use.index, grown);
    }
  }

  // What makes the list longer, into each way of a branch that writes, and meets the list, too.
  bool enter_branch() {
    if (growth_ == 0) return false;
    last_write(*at_);
    Node* branch = meeting_;
    if (!branch || !branch->is("prim::If") || !writes_to_put(*branch)) return false;
    if (std::ranges::any_of(branch->inputs(), [&](const Value* in) { return is_met(in); })) return false;
    lengths_.clear();
    for (const Node* node = at_->next(); node != branch; node = node->next()) meets(*node);
    count_ahead();
    for (Block* way : branch->blocks()) {
      ValueMap map;
      Node* copy = copy_node(*at_, map);
      way->prepend(copy);
      Change(*copy, sharing_).run();
    }
    at_->erase();
    return true;
  }

  // Whether what the change reads and the way of the branch makes can follow it: makers of what it puts, which go
  // along, and what the branch can give.
  bool can_follow(Value& value, const Block& way, const Node& reader) {
    Node* maker = value.node();
    if (maker->parent() != &way) return true;
    if (std::ranges::find(makers_, maker) != makers_.end() || std::ranges::find(given_, &value) != given_.end())
      return true;
    const bool is_constant = maker->is("prim::Constant");
    const Container form = aten::traits_of(*maker).container;
    const bool builds = form == Container::Tuple || form == Container::Dict || form == Container::List;
    if (is_constant || (builds && value.uses().size() == 1 && value.uses()[0].node == &reader)) {
      if (!std::ranges::all_of(maker->inputs(), [&](Value* in) { return can_follow(*in, way, *maker); })) return false;
      makers_.push_back(maker);
      return true;
    }
    if (!value.type().is(Type::Kind::Tensor) && !value.type().is_scalar()) return false;
    given_.push_back(&value);
    return true;
  }

  // Whether anything behind the node writes to what is put, out of how many ways of branches whatever.
  bool is_written_behind(const Node& branch) {
    if (last_write(branch)) return true;
    const Node* around = branch.parent()->owner();
    return !meeting_ && around && around->is("prim::If") && gives_no_container(*around, *branch.parent()) &&
           is_written_behind(*around);
  }

  bool gives_no_container(const Node& branch, const Block& way) const {
    const auto is_container = [&](const Value* value) { return is_met(value); };
    return std::ranges::none_of(way.outputs(), is_container) && std::ranges::none_of(branch.outputs(), is_container);
  }

  // Behind the branch, in one of its own; false where that is of no use.
  bool leave_branch() {
    Block* way = at_->parent();
    Node* branch = way->owner();
    if (!branch || !branch->is("prim::If") || !gives_no_container(*branch, *way)) return false;
    lengths_.clear();
    for (const Node* node = at_->next(); node; node = node->next())
      if (meets(*node)) return false;
    const std::vector<Value*> in_way = lengths_;
    makers_.clear();
    given_.clear();
    bool can_leave = true;
    const auto note = [&](const Node& node) {
      for (Value* in : node.inputs()) can_leave = can_leave && can_follow(*in, *way, node);
    };
    note(*at_);
    for (const Block* block : at_->blocks()) for_each_node(*block, [&](const Node* inner) { note(*inner); });
    if (!can_leave || !is_written_behind(*branch)) return false;
    lengths_ = in_way;
    count_ahead();
    ValueMap map;
    for (Value* value : given_) map[value] = hand_out(*branch, *way, *value);
    if (growth_.value_or(0) != 0) {
      Inserter end(way, branch->location());
      grown_ = hand_out(*branch, *way, grown_ ? *grown_ : *end.integer(*growth_));
    }
    Node* last = last_write(*branch);
    count_ahead();
    Node* made = at_->graph().create("prim::If", std::vector<Value*>{branch->input()}, 0);
    made->set_location(branch->location());
    for (const Block* side : branch->blocks()) {
      Block* block = made->add_block();
      if (side != way) continue;
      for (const Node* maker : makers_) block->append(copy_node(*maker, map));
      block->append(copy_node(*at_, map));
    }
    made->insert_after(last ? last : branch);
    at_->erase();
    at_ = made;
    return true;
  }

  // The branch gives the value of one way; nobody reads it where another one is taken, but what the list has grown by.
  static Value* hand_out(const Node& branch, Block& way, Value& value) {
    Inserter other(branch.block(branch.block(0) == &way ? 1 : 0), branch.location());
    Value* out = add_result_of(way, &value, value.type().is(Type::Kind::Int) ? other.integer(0) : nullptr);
    if (!value.type().is(Type::Kind::Tensor)) out->set_facts({});
    return out;
  }

  Node* at_;  // the change, or the branch that it is in by now
  Value* container_;
  const std::vector<const Value*> put_;
  std::optional<std::int64_t> growth_;
  Value* grown_ = nullptr;  // outside of a branch that it has left
  std::vector<Value*> lengths_;
  Node* meeting_ = nullptr;
  std::vector<Node*> makers_;
  std::vector<Value*> given_;
  const Sharing& sharing_;
};

}  // namespace

void delay_appends(ir::Graph& graph) {
  const std::vector<Node*> changes =
      nodes_where(graph, [&](const Node* node) { return node->input_count() > 1 && !put_by(*node).empty(); });
  if (changes.empty()) return;
  const Sharing sharing(graph);
  // The last first, so that it is out of the way of those before it.
  for (auto change = changes.rbegin(); change != changes.rend(); ++change) Change(**change, sharing).run();
}

}  // namespace tonnx::program
