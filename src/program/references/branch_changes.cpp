// Replaces writers and readers of a reference that has several candidates by a branch for each candidate: a list or
// dict that is selected from a list or dict by a dynamic index or key, or by a branch, and an entry of a dict that is
// set by a dynamic string whose possible values are all keys. In programs without writes, the same for reads.
//
// Needs a container that is complete where it is built, with constant keys. The model stops at an index or key that the
// container does not have, as the program does. If the container has one item, the model takes it, with a warning:
//
//   %l = aten::__getitem__(%lists, %i)       %p = aten::__getitem__([0, 1], %i)
//   %_ = aten::append(%l, %x)                %c = aten::eq(%p, 0)
//                                            prim::If(%c)
//                                              block0: %_ = aten::append(%a, %x)
//                                              block1: %_ = aten::append(%b, %x)
#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/constant_facts.h"
#include "ir/control_flow.h"
#include "ir/observer.h"
#include "ir/refusal.h"
#include "ir/writes.h"
#include "program/containers/entries.h"
#include "program/containers/items.h"
#include "program/control/branch_per_value.h"
#include "program/edit.h"
#include "program/nodes_where.h"
#include "program/order.h"
#include "program/references/names.h"
#include "program/references/passes.h"
#include "program/strings/possible_strings.h"

namespace tonnx::program {

using aten::Container;
using ir::Block;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

constexpr std::size_t kMostEntries = 64;

bool is_container(const Type& type) { return type.is(Type::Kind::List) || type.is(Type::Kind::Dict); }

bool is_plain_append(const ir::Use& use) {
  return use.index == 0 && aten::acts_as(*use.node, Container::Append) && use.node->output()->is_unused();
}

// The items that an unrolled list comprehension appends: by nodes of the list's block that precede all other users of
// the list. Empty if another user is between.
std::vector<Value*> items_appended(const Node& maker) {
  std::unordered_set<const Node*> others;  // other users, or the nodes of this block that contain them
  for (const ir::Use& use : maker.output()->uses()) {
    const Node* node = ir::holder_in(*maker.parent(), *use.node);
    if (use.node != node || !is_plain_append(use)) others.insert(node);
  }
  std::vector<Value*> appended;
  std::size_t count = 0;
  for (const ir::Use& use : maker.output()->uses()) count += is_plain_append(use) ? 1 : 0;
  for (const Node* node = maker.next(); node && !others.contains(node); node = node->next())
    if (aten::acts_as(*node, Container::Append) && node->input() == maker.output()) appended.push_back(node->input(1));
  return appended.size() == count ? appended : std::vector<Value*>();
}

// A read of an item by a dynamic index or key.
class Pick {
 public:
  Pick(Node& read, bool has_writes) : read_(read), has_writes_(has_writes) {}

  // After run(): the warning if the container has one entry, which no condition checks; else empty.
  const std::string& warning() const { return warning_; }

  bool changes() const {
    const auto& uses = read_.output()->uses();
    return std::any_of(uses.begin(), uses.end(),
                       [](const ir::Use& use) { return writes_argument(*use.node, use.index); });
  }

  bool run() {
    if (!find_entries()) return false;
    if (values_.size() == 1) warning_ = describe_only_entry();
    std::vector<Node*> readers;
    for (const ir::Use& use : read_.output()->uses()) {
      if (!use.node->schema() || !use.node->blocks().empty()) return false;
      if (std::find(readers.begin(), readers.end(), use.node) == readers.end()) readers.push_back(use.node);
    }
    for (Node* reader : readers) branch_per_value(*reader, read_.output(), values_, selector(Inserter(reader)));
    return !readers.empty();
  }

 private:
  bool find_entries() {
    const Value* container = read_.input();
    const Node* maker = container->node();
    if (!maker) return false;
    const auto appended = aten::acts_as(*maker, Container::List) ? items_appended(*maker) : std::vector<Value*>();
    const Node* end = read_.graph().block().return_node();
    const auto is_harmless = [&](const ir::Use& use) {
      return only_asks(use) || use.node == end || (!appended.empty() && is_plain_append(use));
    };
    if (has_writes_ && !std::all_of(container->uses().begin(), container->uses().end(), is_harmless)) return false;
    if (aten::acts_as(*maker, Container::List)) {
      values_.assign(maker->inputs().begin(), maker->inputs().end());
      values_.insert(values_.end(), appended.begin(), appended.end());
    } else if (aten::acts_as(*maker, Container::Dict)) {
      const auto entries = entries_of(maker->inputs());
      if (!entries) return false;
      keys_ = keys_of(*entries);
      values_ = program::values_of(*entries);
    }
    return !values_.empty() && values_.size() <= kMostEntries;
  }

  std::string describe_only_entry() const {
    std::string valid = "0 or -1";
    if (!keys_.empty()) {
      const ir::Constant* key = keys_.front()->constant();
      valid = key ? to_string(*key) : "the key of its only entry";
    }
    return ir::describe_site(read_) + ": the program fails where the " + (keys_.empty() ? "index" : "key") +
           " is not " + valid + "; the model does not check this and takes the only item";
  }

  Selector selector(Inserter insert) const {
    Value* key = read_.input(1);
    if (!keys_.empty()) return Selector::by_key(insert, key, keys_);
    return Selector::by_index(insert.normalised_index(key, static_cast<std::int64_t>(values_.size())));
  }

  Node& read_;
  const bool has_writes_;
  std::vector<Value*> keys_;  // empty for a list
  std::vector<Value*> values_;
  std::string warning_;
};

// A dict whose entries are set by dynamic keys, all of which it has where it is built.
class SetByKey {
 public:
  explicit SetByKey(Node& maker) : maker_(maker) {}

  bool run() {
    const auto entries = entries_of(maker_.inputs());
    if (!entries || entries->empty() || entries->size() > 2 * kMostEntries) return false;
    keys_ = keys_of(*entries);
    std::vector<Node*> readers;
    bool sets = false;
    for (const ir::Use& use : maker_.output()->uses()) {
      Node& node = *use.node;
      if (&node == maker_.graph().block().return_node()) continue;
      const bool is_set = aten::acts_as(node, Container::SetItem);
      if (use.index != 0 || !node.schema() || (writes_argument(node, 0) && !is_set)) return false;
      if (is_set && !is_key(node.input(1))) return false;
      if ((!is_set && !aten::acts_as(node, Container::Item)) || node.input(1)->constant()) continue;
      if (!is_set && is_container(node.output()->type())) return false;
      sets = sets || is_set;
      readers.push_back(&node);
    }
    if (!sets) return false;
    for (Node* reader : readers) {
      Value* key = reader->input(1);
      Inserter insert(reader);
      const bool is_valid = is_key(key);
      branch_per_value(*reader, key, keys_,
                       is_valid ? Selector::by_valid_key(insert, key, keys_) : Selector::by_key(insert, key, keys_));
    }
    return true;
  }

 private:
  // True if every possible value of the string is a key.
  bool is_key(const Value* string) const {
    const auto may_be = possible_strings(*string, keys_.size());
    const auto is_known = [&](const std::string& one) {
      return std::ranges::any_of(
          keys_, [&](const Value* key) { return ir::constant_text(key) && *ir::constant_text(key) == one; });
    };
    return may_be && std::ranges::all_of(*may_be, is_known);
  }

  Node& maker_;
  std::vector<Value*> keys_;
};

// The reads of a list or dict by a dynamic index or key.
std::vector<Node*> picking_reads(ir::Graph& graph) {
  std::vector<Node*> reads;
  for_each_node(graph.block(), [&](Node* node) {
    if (node->input_count() != 2 || node->output_count() != 1 || !aten::acts_as(*node, Container::Item) ||
        node->input(1)->constant())
      return;
    const Type& key = node->input(1)->type();
    if (is_container(node->output()->type()) && (key.is(Type::Kind::Int) || key.is(Type::Kind::String)))
      reads.push_back(node);
  });
  return reads;
}

void note_changed(std::span<Node* const> reads, bool is_written, std::unordered_set<const Value*>& changed_containers) {
  for (Node* read : reads)
    if (Pick(*read, is_written).changes()) changed_containers.insert(read->input());
}

// Replaces one read.
bool run_pick(Node& read, bool is_written, std::vector<std::string>* warnings) {
  Pick pick(read, is_written);
  if (!pick.run()) return false;
  if (warnings && !pick.warning().empty()) ir::warn(*warnings, ir::Category::Sizes, pick.warning());
  return true;
}

bool branch_one(ir::Graph& graph, bool is_written, std::unordered_set<const Value*>& changed_containers,
                std::vector<std::string>* warnings) {
  const std::vector<Node*> reads = picking_reads(graph);
  note_changed(reads, is_written, changed_containers);
  return std::ranges::any_of(reads, [&](Node* read) {
    return (!is_written || changed_containers.contains(read->input())) && run_pick(*read, is_written, warnings);
  });
}

// True if the node writes to the container, or reads a tensor from it that is written to.
bool writes_to_or_into(const ir::Use& use) {
  if (writes_argument(*use.node, use.index)) return true;
  return use.index == 0 && aten::acts_as(*use.node, Container::Item) &&
         use.node->output()->type().is(Type::Kind::Tensor) &&
         is_written_by_name(*use.node->output(), [](const Node&) { return true; });
}

// For a list or dict that a branch selects from two defined before it: replaces each user by a branch, if one of the
// three is written to after the branch.
bool branch_chosen_container(Node& branch, std::size_t index, const Order& order) {
  const Value* selected = branch.output(index);
  std::vector<Value*> values;
  for (const Block* block : branch.blocks()) {
    values.push_back(block->outputs()[index]);
    if (values.back()->node()->parent() == block || is_never(values.back())) return false;
  }
  std::vector<Node*> readers;
  const auto is_later = [&](const ir::Use& use) {
    const Order::Range* position = order.find(use.node);
    return !position || position->begin > order.at(&branch).begin || is_in_loop(branch);
  };
  bool is_written = std::ranges::any_of(values, [&](const Value* value) {
    return std::ranges::any_of(value->uses(),
                               [&](const ir::Use& use) { return is_later(use) && writes_to_or_into(use); });
  });
  for (const ir::Use& use : selected->uses()) {
    if (!use.node->parent() || !use.node->schema() || !use.node->blocks().empty()) return false;
    is_written = is_written || writes_to_or_into(use);
    if (std::ranges::find(readers, use.node) == readers.end()) readers.push_back(use.node);
  }
  if (!is_written) return false;
  for (Node* reader : readers) branch_per_value(*reader, selected, values, Selector::by_flag(branch.input()));
  return true;
}

bool branch_chosen_containers(ir::Graph& graph) {
  const std::vector<Node*> branches = branches_of(graph);
  bool changed = false;
  std::optional<Order> order;
  for (Node* branch : branches) {
    for (std::size_t i = 0; i < branch->output_count(); ++i) {
      if (!is_container(branch->output(i)->type())) continue;
      if (!order) order.emplace(graph);
      if (!branch_chosen_container(*branch, i, *order)) continue;
      order.reset();
      changed = true;
    }
  }
  return changed;
}

}  // namespace

bool branch_changes(ir::Graph& graph, std::vector<std::string>* warnings) {
  const bool is_written = has_writes(graph);
  bool changed = keep_items(graph);
  changed = branch_chosen_containers(graph) || changed;
  const std::vector<Node*> dicts = nodes_where(graph, [&](const Node* node) {
    return aten::acts_as(*node, Container::Dict) && node->output()->type().elements.at(0).is(Type::Kind::String);
  });
  std::unordered_set<const Value*>
      changed_containers;  // containers with a writing reader: all their readers are replaced
  note_changed(picking_reads(graph), is_written, changed_containers);
  for (Node* dict : dicts) changed = SetByKey(*dict).run() || changed;
  // Replacing one read copies others into its branches, where they are new reads.
  while (branch_one(graph, is_written, changed_containers, warnings)) changed = true;
  return changed;
}

}  // namespace tonnx::program
