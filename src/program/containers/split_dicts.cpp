// A dict that branches and loops write to becomes two values for each key: whether the key is there, and its value.
//
// Needs constant keys wherever the dict is read or changed. Reads of the whole dict also need to know which keys it
// has, and their order. Leaves dicts that other containers hold, or that are passed on. A value that is not set is
// undefined:
//
//   %d = prim::DictConstruct()               %h, %y = prim::Loop(%n, %c, %false, %uninitialised)
//   prim::Loop(%n, %c)                         block0(%i, %g, %z): ... -> (%c, %true, %x)
//     block0: aten::_set_item(%d, %a, %x)
//   %q = aten::__contains__(%d, %a)          %q is %h
#include <algorithm>
#include <optional>
#include <vector>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/constant_facts.h"
#include "ir/writes.h"
#include "program/containers/container_walk.h"
#include "program/containers/entries.h"
#include "program/containers/passes.h"
#include "program/edit.h"
#include "program/nodes_where.h"

namespace tonnx::program {

using aten::Container;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

bool reads_whole(Container form) {
  switch (form) {
    case Container::Keys:
    case Container::Values:
    case Container::Items:
    case Container::Length:
    case Container::Copy: return true;
    default: return false;
  }
}

bool takes_key(Container form) {
  switch (form) {
    case Container::Item:
    case Container::Contains:
    case Container::Get:
    case Container::SetItem:
    case Container::Pop:
    case Container::Delete:
    case Container::SetDefault: return true;
    default: return false;
  }
}

// The content is the presence and the value of each key, then the keys that the dict has, in their order. Null: not one
// value, or of the keys, unknown.
class DictSplitter : private ContainerWalk {
 public:
  explicit DictSplitter(Node& made) : ContainerWalk(made), value_(container_.type().elements.at(1)) {}

  bool run() {
    const auto entries = entries_of(made_.inputs());
    if (!entries || !is_known(*entries)) return false;
    const Node* const before = made_.previous();
    Inserter insert(&made_);
    yes_ = insert.boolean(true);
    no_ = insert.boolean(false);
    Content content;
    for (std::size_t k = 0; k < keys_.size(); ++k) {
      const bool is_there = 2 * k < entries->size();
      content.push_back(is_there ? yes_ : no_);
      content.push_back(is_there ? (*entries)[2 * k + 1] : insert.never(value_));
    }
    content.insert(content.end(), keys_.begin(), keys_.begin() + static_cast<std::ptrdiff_t>(entries->size() / 2));
    if (rewrite_all(content)) return true;
    while (made_.previous() != before) made_.previous()->erase();
    return false;
  }

 private:
  bool is_known(const std::vector<Value*>& entries) {
    for (std::size_t i = 0; i < entries.size(); i += 2) place_of(entries[i]);
    bool needed = false;
    for (const ir::Use& use : container_.uses()) {
      if (note_return(use)) continue;
      Node& node = *use.node;
      if (use.index != 0 || !node.parent()) return false;
      const Container form = aten::traits_of(node).container;
      if (takes_key(form)) {
        if (!node.input(1)->constant()) return false;
        place_of(node.input(1));
      } else if (!reads_whole(form) && form != Container::Clear) {
        return false;
      }
      const bool changes = writes_argument(node, 0);
      if (!note_reader(node, changes)) return false;
      needed = needed || (changes && node.parent() != made_.parent());
    }
    return needed;
  }

  std::size_t place_of(Value* key) {
    const auto found = std::ranges::find_if(
        keys_, [&](const Value* known) { return ir::same_constant(*known->constant(), *key->constant()); });
    if (found != keys_.end()) return static_cast<std::size_t>(found - keys_.begin());
    keys_.push_back(key);
    return keys_.size() - 1;
  }

  std::size_t values() const { return 2 * keys_.size(); }
  bool can_make(const Content& content) const override { return content.size() == values() || content.back(); }

  std::optional<Content> join(const Content& a, const Content& b) const override {
    Content joined;
    for (std::size_t i = 0; i < values(); ++i) joined.push_back(a[i] == b[i] ? a[i] : nullptr);
    const auto end = static_cast<std::ptrdiff_t>(values());
    if (std::equal(a.begin() + end, a.end(), b.begin() + end, b.end())) {
      joined.insert(joined.end(), a.begin() + end, a.end());
    } else {
      joined.push_back(nullptr);
    }
    return joined;
  }

  const Type* carried_type(const Content& joined, std::size_t i) const override {
    if (i >= values() || joined[i]) return nullptr;
    return i % 2 == 0 ? &bool_ : &value_;
  }

  std::vector<Value*> entries_in(const Content& content, Inserter& insert) {
    std::vector<Value*> entries;
    for (std::size_t i = values(); i < content.size(); ++i)
      entries.insert(entries.end(), {insert.constant(*content[i]->constant()), content[2 * place_of(content[i]) + 1]});
    return entries;
  }

  Value* made_of(const Content& content) override {
    Inserter end(made_.parent(), made_.location());
    return end.dict(container_.type(), entries_in(content, end));
  }

  std::optional<Content> meet(Node& node, const Content& content, bool rewrite) override {
    const Container form = aten::traits_of(node).container;
    if (reads_whole(form) && !can_make(content)) return std::nullopt;
    if (rewrite) gone_.push_back(&node);
    Inserter insert(&node);
    Value* result = nullptr;
    Content after = content;
    if (form == Container::Clear) {
      for (std::size_t k = 0; k < keys_.size(); ++k) after[2 * k] = no_;
      after.resize(values());
    } else if (takes_key(form)) {
      const std::size_t key = place_of(node.input(1));
      const bool has_default = node.input_count() > 2 && form != Container::SetItem;
      result = form == Container::Contains ? content[2 * key] : content[2 * key + 1];
      if (form == Container::Get || has_default) {
        if (content[2 * key] == no_) {
          result = has_default ? node.input(2) : rewrite ? insert.none() : nullptr;
        } else if (content[2 * key] != yes_) {
          Value* otherwise = has_default ? node.input(2) : nullptr;
          result = rewrite ? insert.either(content[2 * key], node.output()->type(), result,
                                           otherwise ? otherwise : insert.none())
                           : nullptr;
        }
      }
      if (writes_argument(node, 0)) change(after, key, form == Container::Pop || form == Container::Delete);
      if (form == Container::SetItem) after[2 * key + 1] = node.input(2);
      if (form == Container::SetDefault) after[2 * key + 1] = result;
    } else if (rewrite) {
      result = read_entries(node, entries_in(content, insert), insert);
    }
    if (rewrite && node.output_count() == 1 && !node.output()->is_unused()) node.output()->replace_uses(result);
    return after;
  }

  // The key comes last where it was not there.
  void change(Content& content, std::size_t key, bool takes) const {
    const Value* before = content[2 * key];
    content[2 * key] = takes ? no_ : yes_;
    if (!can_make(content) || before == content[2 * key]) return;
    if (before != yes_ && before != no_) {
      content.resize(values());
      content.push_back(nullptr);
    } else if (takes) {
      content.erase(std::find(content.begin() + static_cast<std::ptrdiff_t>(values()), content.end(), keys_[key]));
    } else {
      content.push_back(keys_[key]);
    }
  }

  const Type bool_ = Type::of(Type::Kind::Bool), value_;
  Value *yes_ = nullptr, *no_ = nullptr;
  std::vector<Value*> keys_;  // those that the dict is made with come first
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
  const std::vector<Node*> updates = nodes_where(graph, [](const Node* node) {
    return aten::acts_as(*node, Container::Update) && node->input_count() == 2 && node->output_count() == 0;
  });
  for (Node* node : updates) changed = spell_update(*node) || changed;
  for (Node* dict : dicts_of(graph)) changed = DictSplitter(*dict).run() || changed;
  return changed;
}

}  // namespace tonnx::program
