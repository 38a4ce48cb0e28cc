// Lists, dicts and tensors that a run picks from a list or a dict of such are changed, and read, in a branch each, as
// are lists and dicts that branches choose. So are the entries of a dict that are set by texts that a run chooses,
// where each of these is a key from the start. Without writes, whatever is picked is read so.
//
// Needs a container built of what it holds for good, by constant keys. The model stops at an index or a key that it has
// not, as the program does; of a container with one item it takes that one, with a warning:
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
#include "ir/observer.h"
#include "ir/refusal.h"
#include "ir/writes.h"
#include "program/containers/entries.h"
#include "program/containers/items.h"
#include "program/control/branch_per_value.h"
#include "program/edit.h"
#include "program/nodes_where.h"
#include "program/references/branch_exchanged.h"
#include "program/references/choice.h"
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

bool adds(const ir::Use& use) {
  return use.index == 0 && aten::acts_as(*use.node, Container::Append) && use.node->output()->is_unused();
}

// What a list comprehension that is written out adds to the list: by nodes of the list's block that come before all
// others that have to do with it. None if there are other such nodes between.
std::vector<Value*> items_added(const Node& maker) {
  std::unordered_set<const Node*> meet;  // nodes of the block that read the list, or have such readers in them
  for (const ir::Use& use : maker.output()->uses()) {
    const Node* node = ir::holder_in(*maker.parent(), *use.node);
    if (use.node != node || !adds(use)) meet.insert(node);
  }
  std::vector<Value*> added;
  std::size_t count = 0;
  for (const ir::Use& use : maker.output()->uses()) count += adds(use) ? 1 : 0;
  for (const Node* node = maker.next(); node && !meet.contains(node); node = node->next())
    if (aten::acts_as(*node, Container::Append) && node->input() == maker.output()) added.push_back(node->input(1));
  return added.size() == count ? added : std::vector<Value*>();
}

class Pick {
 public:
  Pick(Node& read, bool has_writes) : read_(read), has_writes_(has_writes) {}

  // What to report after run() if the container has one entry only, which no condition checks; empty otherwise.
  const std::string& unchecked() const { return unchecked_; }

  bool changes() const {
    if (read_.output()->type().is(Type::Kind::Tensor))
      return is_written_by_name(*read_.output(), [](const Node&) { return true; });
    const auto& uses = read_.output()->uses();
    return std::any_of(uses.begin(), uses.end(),
                       [](const ir::Use& use) { return writes_argument(*use.node, use.index); });
  }

  bool run() {
    if (!find_entries()) return false;
    if (values_.size() == 1) unchecked_ = describe_only_entry();
    const Choices choices{[this](Inserter& insert, std::size_t at) { return is_at(insert, at); }, read_.output(),
                          values_};
    if (read_.output()->type().is(Type::Kind::Tensor)) {
      branch_per_value(read_, choices);
      return true;
    }
    std::vector<Node*> readers;
    for (const ir::Use& use : read_.output()->uses()) {
      if (!use.node->schema() || !use.node->blocks().empty()) return false;
      if (std::find(readers.begin(), readers.end(), use.node) == readers.end()) readers.push_back(use.node);
    }
    for (Node* reader : readers) branch_per_value(*reader, choices);
    return !readers.empty();
  }

 private:
  bool find_entries() {
    const Value* container = read_.input();
    const Node* maker = container->node();
    if (!maker) return false;
    const auto added = aten::acts_as(*maker, Container::List) ? items_added(*maker) : std::vector<Value*>();
    const Node* end = read_.graph().block().return_node();
    const auto stays = [&](const ir::Use& use) {
      return only_asks(use) || use.node == end || (!added.empty() && adds(use));
    };
    if (has_writes_ && !std::all_of(container->uses().begin(), container->uses().end(), stays)) return false;
    if (aten::acts_as(*maker, Container::List)) {
      values_.assign(maker->inputs().begin(), maker->inputs().end());
      values_.insert(values_.end(), added.begin(), added.end());
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

  Value* is_at(Inserter& insert, std::size_t at) {
    Value* key = read_.input(1);
    if (keys_.empty()) {
      Value* normalised = insert.normalised_index(key, static_cast<std::int64_t>(values_.size()));
      return insert.call("aten::eq.int", {normalised, insert.integer(static_cast<std::int64_t>(at))});
    }
    const char* equal = key->type().is(Type::Kind::String) ? "aten::eq.str" : "aten::eq.int";
    Value* is_key = insert.call(equal, {key, keys_[at]});
    return at + 2 < keys_.size() ? is_key : insert.first_of(is_key, insert.call(equal, {key, keys_[at + 1]}));
  }

  Node& read_;
  const bool has_writes_;
  std::vector<Value*> keys_;  // none of a list
  std::vector<Value*> values_;
  std::string unchecked_;
};

// A dict whose entries a run picks and sets, by keys that it has from the start.
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
      branch_per_value(*reader,
                       {[&](Inserter& insert, std::size_t at) { return insert.call("aten::eq.str", {key, keys_[at]}); },
                        key, keys_});
    }
    return true;
  }

 private:
  // Whether a text is one of the keys, whatever a run decides.
  bool is_key(const Value* text) const {
    const auto may_be = possible_strings(*text, keys_.size());
    const auto is_known = [&](const std::string& one) {
      return std::ranges::any_of(
          keys_, [&](const Value* key) { return ir::constant_text(key) && *ir::constant_text(key) == one; });
    };
    return may_be && std::ranges::all_of(*may_be, is_known);
  }

  Node& maker_;
  std::vector<Value*> keys_;
};

// What picks a list or dict, or a tensor, by a place or key that a run decides.
std::vector<Node*> picking_reads(ir::Graph& graph, bool of_tensors) {
  std::vector<Node*> reads;
  for_each_node(graph.block(), [&](Node* node) {
    if (node->input_count() != 2 || node->output_count() != 1 || !aten::acts_as(*node, Container::Item) ||
        node->input(1)->constant())
      return;
    const Type& key = node->input(1)->type();
    const Type& item = node->output()->type();
    const bool is_of_kind =
        of_tensors ? item.is(Type::Kind::Tensor) && is_container(node->input()->type()) : is_container(item);
    if (is_of_kind && (key.is(Type::Kind::Int) || key.is(Type::Kind::String))) reads.push_back(node);
  });
  return reads;
}

void note_changing(std::span<Node* const> reads, bool is_written, std::unordered_set<const Value*>& of_changing) {
  for (Node* read : reads)
    if (Pick(*read, is_written).changes()) of_changing.insert(read->input());
}

// Replaces one read.
bool run_pick(Node& read, bool is_written, std::vector<std::string>* warnings) {
  Pick pick(read, is_written);
  if (!pick.run()) return false;
  if (warnings && !pick.unchecked().empty()) ir::warn(*warnings, ir::Category::Sizes, pick.unchecked());
  return true;
}

bool branch_one(ir::Graph& graph, bool is_written, std::unordered_set<const Value*>& of_changing,
                std::vector<std::string>* warnings) {
  const std::vector<Node*> reads = picking_reads(graph, false);
  note_changing(reads, is_written, of_changing);
  return std::ranges::any_of(reads, [&](Node* read) {
    return (!is_written || of_changing.contains(read->input())) && run_pick(*read, is_written, warnings);
  });
}

// Whether a tensor that a container is built of is written to behind that.
bool holds_written(const Value& container, const Positions& positions) {
  const Node& maker = *container.node();
  if (!aten::acts_as(maker, Container::List) && !aten::acts_as(maker, Container::Dict)) return false;
  const auto is_behind = [&](const Node& writer) { return positions.at(&writer) > positions.at(&maker); };
  return std::ranges::any_of(maker.inputs(), [&](const Value* item) {
    return item->type().is(Type::Kind::Tensor) && is_written_by_name(*item, is_behind);
  });
}

// Tensors that a run picks become what branches choose, where one of the same container is written to.
bool choose_picked_tensors(ir::Graph& graph, std::vector<std::string>* warnings) {
  const std::vector<Node*> reads = picking_reads(graph, true);
  if (reads.empty()) return false;
  const Positions positions = positions_in(graph);
  std::unordered_set<const Value*> of_changing;
  note_changing(reads, true, of_changing);
  for (const Node* read : reads)
    if (holds_written(*read->input(), positions)) of_changing.insert(read->input());
  bool changed = false;
  for (Node* read : reads)
    if (of_changing.contains(read->input())) changed = run_pick(*read, true, warnings) || changed;
  return changed;
}

// Whether the node writes to the container, or to a tensor that it picks from it.
bool writes_to_or_into(const ir::Use& use) {
  if (writes_argument(*use.node, use.index)) return true;
  return use.index == 0 && aten::acts_as(*use.node, Container::Item) &&
         use.node->output()->type().is(Type::Kind::Tensor) &&
         is_written_by_name(*use.node->output(), [](const Node&) { return true; });
}

// A list or dict that a branch chooses from two that are there before it, where it or one of these is written to behind
// that: who reads it does so in a branch of his own.
bool branch_chosen_container(Node& branch, std::size_t index, const Positions& positions) {
  const Value* chosen = branch.output(index);
  std::vector<Value*> values;
  for (const Block* side : branch.blocks()) {
    values.push_back(side->outputs()[index]);
    if (values.back()->node()->parent() == side || is_never(values.back())) return false;
  }
  std::vector<Node*> readers;
  const auto is_behind = [&](const ir::Use& use) {
    const auto place = positions.find(use.node);
    return place == positions.end() || place->second > positions.at(&branch) || is_in_loop(branch);
  };
  bool is_written = std::ranges::any_of(values, [&](const Value* value) {
    return std::ranges::any_of(value->uses(),
                               [&](const ir::Use& use) { return is_behind(use) && writes_to_or_into(use); });
  });
  for (const ir::Use& use : chosen->uses()) {
    if (!use.node->parent() || !use.node->schema() || !use.node->blocks().empty()) return false;
    is_written = is_written || writes_to_or_into(use);
    if (std::ranges::find(readers, use.node) == readers.end()) readers.push_back(use.node);
  }
  if (!is_written) return false;
  const auto condition = [&](Inserter&, std::size_t) { return branch.input(); };
  for (Node* reader : readers) branch_per_value(*reader, {condition, chosen, values});
  return true;
}

bool branch_chosen_containers(ir::Graph& graph) {
  const std::vector<Node*> branches = branches_of(graph);
  bool changed = false;
  std::optional<Positions> positions;
  for (Node* branch : branches) {
    for (std::size_t i = 0; i < branch->output_count(); ++i) {
      if (!is_container(branch->output(i)->type())) continue;
      if (!positions) positions = positions_in(graph);
      if (!branch_chosen_container(*branch, i, *positions)) continue;
      positions.reset();
      changed = true;
    }
  }
  return changed;
}

}  // namespace

bool branch_changes(ir::Graph& graph, std::vector<std::string>* warnings) {
  const bool is_written = has_writes(graph);
  bool changed = keep_items(graph);
  if (is_written) changed = choose_picked_tensors(graph, warnings) || changed;
  if (is_written) changed = branch_rotated(graph) || changed;
  changed = branch_chosen_tensors(graph) || changed;
  changed = branch_chosen_containers(graph) || changed;
  const std::vector<Node*> dicts = nodes_where(graph, [&](const Node* node) {
    return aten::acts_as(*node, Container::Dict) && node->output()->type().elements.at(0).is(Type::Kind::String);
  });
  std::unordered_set<const Value*> of_changing;  // what is read beside a change is read in branches, too
  note_changing(picking_reads(graph, false), is_written, of_changing);
  for (Node* dict : dicts) changed = SetByKey(*dict).run() || changed;
  // One read takes others into its branches, which are new reads there.
  while (branch_one(graph, is_written, of_changing, warnings)) changed = true;
  return changed;
}

}  // namespace tonnx::program
