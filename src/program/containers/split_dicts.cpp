// A dict that Ifs and Loops write to, select, exchange or create becomes two values for each key: whether the key is
// there, and its value.
//
// Needs constant keys. Reads of the whole dict also need to know which keys it has, and their order. A value that is
// not set is undefined:
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

// The content is the presence and the value of each key, then the keys that the dict has, in their order. A null value
// is one of several; a null key is unknown.
class DictWalk final : public ContainerWalk {
 public:
  DictWalk(ir::Graph& graph, Value& seed, bool has_writes)
      : ContainerWalk(graph, seed, has_writes), value_(type_.elements.at(1)) {}

 private:
  void prepare() override {
    Inserter insert = Inserter::at_start(graph_.block(), names().front()->node()->location());
    yes_ = insert.boolean(true);
    no_ = insert.boolean(false);
    for (const Value* name : names()) {
      if (const auto entries = entries_of(*name->node()))
        for (Value* key : keys_of(*entries)) add_key(key);
      for (const ir::Use& use : name->uses())
        if (reads_key(*use.node)) add_key(use.node->input(1));
    }
  }

  void abandon() override {
    yes_->node()->erase();
    no_->node()->erase();
  }

  static std::optional<std::vector<Value*>> entries_of(const Node& maker) {
    return aten::acts_as(maker, Container::Dict) ? program::entries_of(maker.inputs()) : std::nullopt;
  }

  static bool reads_key(const Node& node) { return is_keyed(aten::traits_of(node).container) && is_key(node.input(1)); }

  bool creates(const Node& node) const override {
    return entries_of(node) || (aten::acts_as(node, Container::Copy) && node.output()->type() == type_);
  }

  bool can_read(const ir::Use& use) const override { return asks_dict(use); }
  bool can_change(const ir::Use& use) const override {
    return use.index == 0 && (reads_key(*use.node) || aten::acts_as(*use.node, Container::Clear));
  }

  std::optional<std::size_t> find_place(const Value& key) const {
    const auto found = std::ranges::find_if(
        keys_, [&](const Value* known) { return ir::same_key(*known->constant(), *key.constant()); });
    if (found == keys_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - keys_.begin());
  }
  void add_key(Value* key) {
    if (!find_place(*key)) keys_.push_back(key);
  }
  std::size_t place_of(const Value* key) const { return find_place(*key).value(); }

  std::size_t size(const Content&) const override { return 2 * keys_.size(); }
  const Type& value_type(std::size_t i) const override { return i % 2 == 0 ? bool_ : value_; }
  bool is_fixed(const Value* value) const override { return value == yes_ || value == no_; }

  bool can_make(const Content& content) const override { return content.size() == 2 * keys_.size() || content.back(); }
  Value* make(Inserter& insert, const Content& content) override {
    return insert.dict(type_, entries_in(content, insert));
  }

  std::vector<Value*> entries_in(const Content& content, Inserter& insert) {
    std::vector<Value*> entries;
    for (std::size_t i = 2 * keys_.size(); i < content.size(); ++i)
      entries.insert(entries.end(), {insert.constant(*content[i]->constant()), content[2 * place_of(content[i]) + 1]});
    return entries;
  }

  std::optional<Content> created(Node& node, const Contents& contents, bool rewrite) override {
    const auto entries = entries_of(node);
    if (!entries) {
      const Content* copied = contents(node.input());
      return copied ? std::optional(*copied) : std::nullopt;
    }
    Content content, order;
    for (const Value* key : keys_) {
      const auto place = find_entry(*entries, key).value;
      content.push_back(place ? yes_ : no_);
      content.push_back(place ? (*entries)[*place] : rewrite ? Inserter(&node).never(value_) : nullptr);
    }
    for (Value* key : keys_of(*entries)) content.push_back(keys_[place_of(key)]);
    return content;
  }

  // The result of a read of a key.
  Value* value_at(Node& node, const Content& content, bool rewrite) {
    const Container form = aten::traits_of(node).container;
    const std::size_t key = place_of(node.input(1));
    if (form == Container::Contains) return content[2 * key];
    const bool has_default = node.input_count() > 2 && form != Container::SetItem;
    if ((form != Container::Get && !has_default) || content[2 * key] == yes_) return content[2 * key + 1];
    if (!rewrite) return nullptr;
    Inserter insert(&node);
    Value* otherwise = has_default ? node.input(2) : insert.none();
    if (content[2 * key] == no_) return otherwise;
    return insert.either(content[2 * key], node.output()->type(), content[2 * key + 1], otherwise);
  }

  static void replace(Node& node, Value* result) {
    if (node.output_count() == 1 && !node.output()->is_unused()) node.output()->replace_uses(result);
  }

  bool read(Node& node, std::size_t operand, const Content& content, bool rewrite) override {
    if (reads_key(node) && find_place(*node.input(1))) {  // the second walk may find that a key is a constant
      Value* result = value_at(node, content, rewrite);
      if (rewrite) replace(node, result);
      return true;
    }
    if (!can_make(content)) return false;
    if (!rewrite) return true;
    Inserter insert(&node);
    if (reads_whole(aten::traits_of(node).container)) {
      replace(node, read_entries(node, entries_in(content, insert), insert));
    } else {
      node.set_input(operand, make(insert, content));
    }
    return true;
  }

  std::optional<Content> changed(Node& node, const Content& content, bool rewrite) override {
    const Container form = aten::traits_of(node).container;
    Content after = content;
    if (form == Container::Clear) {
      for (std::size_t k = 0; k < keys_.size(); ++k) after[2 * k] = no_;
      after.resize(2 * keys_.size());
      return after;
    }
    const std::size_t key = place_of(node.input(1));
    Value* result = value_at(node, content, rewrite);
    if (rewrite) replace(node, result);
    change(after, key, form == Container::Pop || form == Container::Delete);
    if (form == Container::SetItem) after[2 * key + 1] = node.input(2);
    if (form == Container::SetDefault) after[2 * key + 1] = result;
    return after;
  }

  // A new key comes last.
  void change(Content& content, std::size_t key, bool takes) const {
    const auto values = 2 * keys_.size();
    const Value* before = content[2 * key];
    content[2 * key] = takes ? no_ : yes_;
    if (!can_make(content) || before == content[2 * key]) return;
    if (before != yes_ && before != no_) {
      content.resize(values);
      content.push_back(nullptr);
    } else if (takes) {
      content.erase(std::find(content.begin() + static_cast<std::ptrdiff_t>(values), content.end(), keys_[key]));
    } else {
      content.push_back(keys_[key]);
    }
  }

  const Type bool_ = Type::of(Type::Kind::Bool), value_;
  Value *yes_ = nullptr, *no_ = nullptr;
  std::vector<Value*> keys_;  // of all these dicts
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
  const auto is_dict = [](const Value& value) { return value.type().is(Type::Kind::Dict); };
  return walk_containers<DictWalk>(graph, is_dict) || changed;
}

}  // namespace tonnx::program
