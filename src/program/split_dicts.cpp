// A dict that a branch or a loop writes to becomes one value a key.
//
// Needs keys that are constants, and the same ones after both branches and after every turn; leaves dicts that other
// containers hold, or that functions hand on, as they are:
//
//   %d = prim::DictConstruct(%a, %x)         %y = prim::If(%c)
//   prim::If(%c)                               block0: -> (%v)
//     block0: aten::_set_item(%d, %a, %v)      block1: -> (%x)
//     block1:                                %r is %y
//   %r = aten::__getitem__(%d, %a)
#include <algorithm>
#include <optional>
#include <unordered_set>
#include <vector>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/writes.h"
#include "program/container_walk.h"
#include "program/edit.h"
#include "program/entries.h"
#include "program/nodes_where.h"
#include "program/simplify.h"

namespace tonnx::program {

using aten::Container;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

// One dict.
class DictSplitter : private ContainerWalk {
 public:
  explicit DictSplitter(Node& made) : ContainerWalk(made) {}

  bool run() {
    const auto entries = entries_of(made_.inputs());
    if (!entries || !is_written_inside()) return false;
    for (const ir::Use& use : container_.uses())
      if (!note_return(use) && !note(use)) return false;
    return rewrite_all(*entries);
  }

 private:
  bool is_written_inside() const {
    return std::any_of(container_.uses().begin(), container_.uses().end(), [&](const ir::Use& use) {
      return use.node->parent() && use.node->parent() != made_.parent() && writes_argument(*use.node, use.index);
    });
  }

  static bool changes_keys(const ir::Use& use) {
    switch (aten::traits_of(*use.node).container) {
      case Container::SetItem:
      case Container::Pop:
      case Container::Delete:
      case Container::Clear:
      case Container::SetDefault: return use.index == 0;
      default: return false;
    }
  }

  // Whether the walk will know what to do with a reader; notes where readers are.
  bool note(const ir::Use& use) {
    Node* reader = use.node;
    return reader->parent() && (asks_dict(use) || changes_keys(use)) &&
           note_reader(*reader, writes_argument(*reader, 0) ? std::optional<std::size_t>(0) : std::nullopt);
  }

  // The values; keys are constants.
  const Type* carried_type(std::size_t i, const std::unordered_set<std::size_t>&) const override {
    return i % 2 == 1 ? &container_.type().elements.at(1) : nullptr;
  }

  std::optional<Content> meet(Node& node, const Content& entries, bool rewrite) override {
    const Container form = aten::traits_of(node).container;
    const bool has_result = node.output_count() == 1 && !node.output()->is_unused();
    if (!rewrite) {
      if (form == Container::Item && !find_entry(entries, node.input(1)).value) return std::nullopt;
      const bool asks_key = form == Container::Get || form == Container::Contains || form == Container::Pop;
      if (asks_key && !find_entry(entries, node.input(1)).is_known) return std::nullopt;
      return writes(node) ? changed_entries(node, form, entries, nullptr) : std::optional(entries);
    }
    gone_.push_back(&node);
    Inserter insert(&node);
    if (!writes(node)) {
      if (has_result) node.output()->replace_uses(read_entries(node, entries, insert));
      return entries;
    }
    auto after = changed_entries(node, form, entries, nullptr);
    if (has_result) node.output()->replace_uses(entry_value(node, form == Container::SetDefault ? *after : entries));
    return after;
  }

  bool are_alike(const Content& a, const Content& b) const override { return same_keys(a, b); }

  Value* made_of(const Content& entries) const override {
    return Inserter(made_.parent(), made_.location()).dict(container_.type(), entries);
  }

  // The keys may stand in one of the ways.
  Content before_branch(Node& branch, const Content& entries) const override {
    Inserter before(&branch);
    Content after = entries;
    for (std::size_t i = 0; i < after.size(); i += 2) after[i] = before.constant(*entries[i]->constant());
    return after;
  }
};

// d.update({key: value}) sets each key.
bool spell_update(Node& node) {
  const Value& added = *node.input(1);
  if (!aten::acts_as(*added.node(), Container::Dict) || added.uses().size() != 1) return false;
  const std::vector<Value*> entries(added.node()->inputs().begin(), added.node()->inputs().end());
  Inserter insert(&node);
  if (!set_entries(insert, node.input(), entries)) return false;
  node.erase();
  return true;
}

}  // namespace

bool split_dicts(ir::Graph& graph) {
  bool changed = false;
  const std::vector<Node*> updates = nodes_where(graph, [&](const Node* node) {
    return aten::acts_as(*node, Container::Update) && node->input_count() == 2 && node->output_count() == 0;
  });
  for (Node* node : updates) changed = spell_update(*node) || changed;
  for (Node* dict : dicts_of(graph)) changed = DictSplitter(*dict).run() || changed;
  return changed;
}

}  // namespace tonnx::program
