// A dict that gets keys in branches and loops becomes two values a key: whether it is there, and what it holds.
//
// Needs keys that are constants wherever the dict is asked or changed, and no reader of the whole dict; what a run does
// not set is read on no way:
//
//   %d = prim::DictConstruct()               %h, %y = prim::Loop(%n, %c, %false, %uninitialised)
//   prim::Loop(%n, %c)                         block0(%i, %g, %z): ... -> (%c, %true, %x)
//     block0: aten::_set_item(%d, %a, %x)
//   %q = aten::__contains__(%d, %a)          %q is %h
#include <algorithm>
#include <optional>
#include <unordered_set>
#include <vector>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/constant_facts.h"
#include "ir/writes.h"
#include "program/container_walk.h"
#include "program/edit.h"
#include "program/entries.h"
#include "program/simplify.h"

namespace tonnx::program {

using aten::Container;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

// The content is a presence and a value for each key. The parts that change are keys.
class Opener : private ContainerWalk {
 public:
  explicit Opener(Node& made) : ContainerWalk(made), value_(container_.type().elements.at(1)) {}

  bool run() {
    const auto entries = entries_of(made_.inputs());
    if (!entries || !is_known(*entries)) return false;
    Inserter insert(&made_);
    Content state;
    for (std::size_t k = 0; k < keys_.size(); ++k) {
      const bool is_there = 2 * k < entries->size();
      state.push_back(insert.boolean(is_there));
      state.push_back(is_there ? (*entries)[2 * k + 1] : insert.never(value_));
    }
    return rewrite_all(state);
  }

 private:
  bool is_known(const std::vector<Value*>& entries) {
    for (std::size_t i = 0; i < entries.size(); i += 2) place_of(*entries[i]->constant());
    bool needed = false;
    for (const ir::Use& use : container_.uses()) {
      Node& node = *use.node;
      if (use.index != 0 || !node.parent() || node.input_count() < 2 || !node.input(1)->constant()) return false;
      switch (aten::traits_of(node).container) {
        case Container::Item:
        case Container::Contains:
        case Container::Get:
        case Container::SetItem:
        case Container::Pop:
        case Container::Delete:
        case Container::SetDefault: break;
        default: return false;
      }
      const bool changes = writes_argument(node, 0);
      const std::size_t key = place_of(*node.input(1)->constant());
      if (!note_reader(node, changes ? std::optional(key) : std::nullopt)) return false;
      needed = needed || (changes && node.parent() != made_.parent());
    }
    return needed;
  }

  std::size_t place_of(const ir::Constant& key) {
    const auto found =
        std::ranges::find_if(keys_, [&](const ir::Constant* known) { return ir::same_constant(*known, key); });
    if (found != keys_.end()) return static_cast<std::size_t>(found - keys_.begin());
    keys_.push_back(&key);
    return keys_.size() - 1;
  }

  const Type* carried_type(std::size_t i, const std::unordered_set<std::size_t>& keys) const override {
    if (!keys.contains(i / 2)) return nullptr;
    return i % 2 == 0 ? &bool_ : &value_;
  }

  std::optional<Content> meet(Node& node, const Content& content, bool rewrite) override {
    if (!rewrite) return content;
    gone_.push_back(&node);
    const std::size_t key = place_of(*node.input(1)->constant());
    Value *const is_there = content[2 * key], *const value = content[2 * key + 1];
    Inserter insert(&node);
    const Container form = aten::traits_of(node).container;
    Value* result = form == Container::Contains ? is_there : value;
    const bool has_default = node.input_count() > 2 && form != Container::SetItem;
    if (form == Container::Get || has_default)
      result = insert.either(is_there, node.output()->type(), value, has_default ? node.input(2) : insert.none());
    if (node.output_count() == 1) node.output()->replace_uses(result);
    if (!writes_argument(node, 0)) return content;
    Content after = content;
    after[2 * key] = insert.boolean(form != Container::Pop && form != Container::Delete);
    if (form == Container::SetItem) after[2 * key + 1] = node.input(2);
    if (form == Container::SetDefault) after[2 * key + 1] = result;
    return after;
  }

  Value* made_of(const Content&) const override { return nullptr; }  // nothing reads the whole dict

  const Type bool_ = Type::of(Type::Kind::Bool), value_;
  std::vector<const ir::Constant*> keys_;
};

}  // namespace

bool open_dicts(ir::Graph& graph) {
  bool changed = false;
  for (Node* dict : dicts_of(graph)) changed = Opener(*dict).run() || changed;
  return changed;
}

}  // namespace tonnx::program
