// References that are one of several tensors or containers (Selection), and containers with one of several contents,
// in functionalise(). A read selects between the current values of the candidates. A write changes the one that the
// reference is, in an If with the condition of the selection:
//
//   %c = prim::If(%k)                        %c = prim::If(%k)
//     block0: -> (%a)                          block0: -> (%a)
//     block1: -> (%b)                          block1: -> (%b)
//   %_ = aten::add_(%c, 1)                   %d, %e, %f = prim::If(%k)
//   -> (%a, %b, %c)                            block0: %g = aten::add(%a, 1) -> (%g, %g, %b)
//                                              block1: %h = aten::add(%b, 1) -> (%h, %a, %h)
//                                            -> (%e, %f, %d)
#include <algorithm>
#include <array>
#include <exception>

#include "aten/containers.h"
#include "ir/control_flow.h"
#include "ir/refusal.h"
#include "program/control/branch_per_value.h"
#include "program/control/carry.h"
#include "program/writes/write_rewriter.h"

namespace tonnx::program {

using aten::Container;
using ir::Block;
using ir::Node;
using ir::Value;

namespace {

constexpr std::size_t kMostBlocks = 1 << 12;  // of all Ifs; nested selections multiply them

bool is_list_of_numbers(const ir::Type& type) {
  return type.is(ir::Type::Kind::List) && !is_memory(type.elements.front());
}

}  // namespace

// What decide() inserts: `leaf` inserts and returns the value of a leaf, which has the type and facts of `like`. What
// it writes to the roots is the new content of these where the leaf is chosen.
template <class T>
struct WriteRewriter::Decision {
  const Value& like;
  std::span<Value* const> roots;
  std::function<Value*(const T&, Inserter&)> leaf;
};

template <class T>
Value* WriteRewriter::decide(const Choice<T>& choice, Inserter& insert, const Decision<T>& of) {
  if (!choice.decider) return of.leaf(choice.one, insert);
  Value* operand = visible(decision_of(*choice.decider), insert);
  if (choice.options.size() == 1) {  // checks the index
    if (!choice.keys.empty())
      operand = insert.call(
          "aten::sub.int",
          {insert.integer(1), insert.call("aten::Int.bool", {equals_key(insert, operand, choice.keys[0])})});
    std::vector<Value*> before;
    for (Value* root : of.roots) before.push_back(current(root));
    const auto checked = [&](Value* value) {
      const bool is_container = is_memory(value->type()) && !value->type().is(ir::Type::Kind::Tensor);
      return is_container ? value : insert.only_item(value, operand);
    };
    Value* content = checked(decide(choice.options.front(), insert, of));
    for (std::size_t i = 0; i < before.size(); ++i)
      if (current(of.roots[i]) != before[i]) set_current(of.roots[i], checked(current(of.roots[i])));
    return content;
  }
  const auto selector = [&] {
    if (choice.decider->is("prim::If")) return Selector::by_flag(operand);
    if (!choice.keys.empty()) return Selector::by_key(insert, operand, choice.keys);
    if (choice.decider->is(kCarried)) return Selector::by_index(operand);
    return Selector::by_index(insert.normalised_index(operand, static_cast<std::int64_t>(choice.options.size())));
  };
  return decide_in(choice, {0, choice.options.size()}, selector(), insert, of);
}

// Splits the options of a range, which are not all equal. An index whose option alone differs from the others is split
// off.
template <class T>
Selector::Split WriteRewriter::split(const Choice<T>& choice, Selector::Range range, const Selector& selector,
                                     Inserter& insert) {
  const auto [begin, end] = range;
  for (std::size_t one = begin; one < end && !selector.is_by_key(); ++one) {
    const std::size_t other = one == begin ? begin + 1 : begin;
    bool are_equal = true;
    for (std::size_t i = begin; i < end; ++i)
      are_equal = are_equal && (i == one || choice.options[i] == choice.options[other]);
    if (are_equal) return {selector.is(insert, one), {one, one + 1}, {other, other + 1}};
  }
  return selector.split(insert, range);
}

// Inserts Ifs that decide among the options of a range.
template <class T>
Value* WriteRewriter::decide_in(const Choice<T>& choice, Selector::Range range, const Selector& selector,
                                Inserter& insert, const Decision<T>& of) {
  const Choice<T>& one = choice.options[range.begin];
  const auto options = std::span(choice.options).subspan(range.begin, range.end - range.begin);
  const bool are_equal =
      !selector.is_by_key() && std::ranges::all_of(options, [&](const Choice<T>& other) { return other == one; });
  if (are_equal || options.size() == 1) return decide(one, insert, of);
  selected_blocks_ += 2;
  const Selector::Split parts = split(choice, range, selector, insert);
  std::array<std::vector<Value*>, 2> after;
  const auto path = [&](std::size_t k) {
    return [&, k](Inserter& inside) {
      const std::size_t mark = undo_.size();
      Value* content = decide_in(choice, k == 0 ? parts.first : parts.second, selector, inside, of);
      for (Value* root : of.roots) after[k].push_back(current(root));
      roll_back(mark);
      return content;
    };
  };
  Value* content = insert.branch(parts.condition, of.like.type(), path(0), path(1));
  copy_shape(of.like, *content);
  for (std::size_t i = 0; i < of.roots.size(); ++i) {
    if (after[0][i] == after[1][i]) continue;
    Value* root = of.roots[i];
    Value* now = add_result(*content->node(), root->type(), after[0][i], after[1][i]);
    copy_shape(*root, *now);
    set_current(root, now);
  }
  return content;
}

// Inserts Ifs that choose among the values that `leaf` inserts, which have the type and facts of `like`.
Value* WriteRewriter::choose(const Choice<Value*>& choice, const Value& like, const Leaf& leaf, Inserter& insert) {
  return decide<Value*>(choice, insert, {like, {}, leaf});
}

// Runs `each`, which writes to the value and returns its new content: once, or for each candidate in its branch.
Value* WriteRewriter::store(Value* value, Inserter& insert, const Node& writer, const Store& each) {
  Value* selected = forest_.root(value);
  const Selection* of = forest_.selection(selected);
  if (!of || resolved_.contains(selected)) return each(insert);
  if (selected_blocks_ >= kMostBlocks)
    throw refusal(writer, "writes to one of too many tensors that branches select; write to a copy (clone()) instead");
  std::exception_ptr refused;  // rethrown when the Ifs are complete
  const auto leaf = [&](Value* one, Inserter& inside) {
    resolved_[selected] = one;
    Value* content = nullptr;
    try {
      if (!is_never(one)) content = store(one, inside, writer, each);
    } catch (const ir::Error&) {
      refused = std::current_exception();
    }
    resolved_.erase(selected);
    return content ? content : inside.never(value->type());
  };
  Value* content = decide<Value*>(of->choice, insert, {*value, of->roots, leaf});
  if (refused) std::rethrow_exception(refused);
  return content;
}

// The current value of a selection. What was defined before the If is read before the new If, so that chains of
// selections are read once.
Value* WriteRewriter::read_selected(Value* selected, Inserter& insert) {
  if (const auto path = resolved_.find(selected); path != resolved_.end()) return read(path->second, insert);
  const Choice<Value*>& choice = forest_.selection(selected)->choice;
  std::unordered_map<const Value*, Value*> before;
  for_each_leaf(choice, [&](Value* one, const Node* decider) {
    if (!is_inside(*one->node(), *decider)) before[one] = read(one, insert);
  });
  const auto leaf = [&](Value* one, Inserter& inside) {
    if (const auto found = before.find(one); found != before.end()) return found->second;
    return is_never(one) ? inside.never(selected->type()) : read(one, inside);
  };
  return choose(choice, *selected, leaf, insert);
}

// The number, string or flag that the node reads from a container with this content; null if it is unknown.
Value* WriteRewriter::read_scalar(const Node& node, const Content& content, Inserter& insert) {
  const std::optional<Choice<Value*>> items = forest_.item_of(node, 0, content);
  const auto leaf = [&](Value* item, Inserter& inside) { return visible(item, inside); };
  return items ? choose(*items, *node.output(), leaf, insert) : nullptr;
}

// The current value of a list, tuple or dict with known content.
Value* WriteRewriter::read_container(Value* value, Value* root, const Content& content, Inserter& insert) {
  const bool is_current = !forest_.is_written(root) && !dead_values_.contains(value) && !is_left(*value);
  if (is_current && !needs_rebuild(content)) return value;
  const auto leaf = [&](const Items& items, Inserter& inside) { return build_container(root, items, inside); };
  return decide<Items>(content, insert, {*root, {}, leaf});
}

// Finds what the value, which the block yields or stores as a candidate, needs from the block.
void WriteRewriter::find_exports(Value* value, const Block& block, Exports& exports) const {
  if (is_never(value) || !is_inside(*value->node(), block) || !exports.seen.insert(value).second) return;
  const Alias& alias = forest_.of(value);
  const Selection* selected = forest_.selection(value);
  const Contents::Known content = selected ? nullptr : contents_.of(value);
  if (content) return find_exports(AliasForest::changes_of({.content = content}), block, exports);
  const bool is_operand = !is_memory(value->type()) || is_list_of_numbers(value->type());  // of a view, or a decider
  if (is_operand && !selected) {
    if (value->node()->is("prim::Constant")) return;
    const auto inner = exported_.find(value);
    exports.values.emplace_back(value, inner == exported_.end() ? value : inner->second);
    return;
  }
  if (alias.view)
    for (Value* operand : alias.view->inputs().subspan(1)) find_exports(operand, block, exports);
  if (alias.parent) return find_exports(alias.parent, block, exports);
  if (!selected) return exports.values.emplace_back(value, current(value)), void();
  for_each_decider(selected->choice, [&](const Node& by) { find_exports(decision_of(by), block, exports); });
  for_each_leaf(selected->choice, [&](Value* candidate, const Node*) { find_exports(candidate, block, exports); });
}

void WriteRewriter::find_exports(const Changes& changes, const Block& block, Exports& exports) const {
  for_each_decider(changes, [&](const Node& by) { find_exports(decision_of(by), block, exports); });
  for_each_leaf(changes, [&](const std::vector<Change>& delayed, const Node*) {
    for (const Change& change : delayed) {
      if (change.index()) find_exports(change.index(), block, exports);
      for (Value* item : change.items) find_exports(item, block, exports);
    }
  });
}

// The current value of a dynamic list, with its delayed changes.
Value* WriteRewriter::apply_changes(Value* list, Inserter& insert) {
  const std::shared_ptr<const Changes> changes = contents_.state(list).changes;
  if (!changes) return current(list);
  const auto leaf = [&](const std::vector<Change>& delayed, Inserter& inside) {
    Value* now = current(list);
    for (const Change& change : delayed) now = changed_list(change, list, now, inside);
    return now;
  };
  return decide<std::vector<Change>>(*changes, insert, {*list, {}, leaf});
}

// The length of a dynamic list with delayed changes.
Value* WriteRewriter::read_length(const Node& node, Value* list, Inserter& insert) {
  const auto leaf = [&](const std::vector<Change>& delayed, Inserter& inside) {
    std::size_t count = 0;
    for (const Change& change : delayed)
      count += change.writer && aten::acts_as(*change.writer, Container::SetItem) ? 0 : change.items.size();
    Value* added = inside.integer(static_cast<std::int64_t>(count));
    if (!delayed.empty() && !delayed.front().writer) return added;
    return inside.call("aten::add.int", {inside.call("aten::len.t", {current(list)}), added});
  };
  const std::shared_ptr<const Changes> changes = contents_.state(list).changes;
  return decide<std::vector<Change>>(*changes, insert, {*node.output(), {}, leaf});
}

// Replaces a read of a container that has several contents or delayed changes, so that it need not be built. False if
// the node is not such a read.
bool WriteRewriter::replace_read(Node& node, Inserter& insert) {
  const Container operation = aten::traits_of(node).container;
  if (operation != Container::Length && operation != Container::Item && operation != Container::Get) return false;
  Value* container = forest_.root(node.input());
  Value* out = node.output();
  const bool is_changed = has_changes(container);
  if (operation == Container::Length) {
    if (!is_changed || forest_.selection(container)) return false;
    out->replace_uses(read_length(node, container, insert));
    return true;
  }
  const Contents::Known content = forest_.content_of(container, contents_);
  if (!is_changed && !(content && content->decider)) return false;
  if (is_memory(out->type())) {
    const Alias& alias = forest_.of(out);
    return alias.parent && !alias.view && dead_values_.insert(out).second;
  }
  Value* scalar = content ? read_scalar(node, *content, insert) : nullptr;
  if (scalar) out->replace_uses(scalar);
  return scalar;
}

void WriteRewriter::export_values(Block& block, const Exports& exports) {
  for (const auto& [value, now] : exports.values) {
    Value* result = add_result_of(block, now);
    if (is_memory(value->type())) {
      set_current(value, result);
    } else {
      exported_[value] = result;
    }
  }
}

// The operand of a view, also after the walk has left the block that defines it; the current number of a loop-carried
// tensor.
Value* WriteRewriter::visible(Value* operand, Inserter& insert) const {
  if (operand->node() && operand->node()->is(kCarried)) return exported_.at(operand);
  if (!is_left(*operand)) return operand;
  const Node& maker = *operand->node();
  if (maker.is("prim::Constant")) return insert.constant(*operand->constant());
  if (!aten::acts_as(maker, Container::List)) return exported_.at(operand);
  std::vector<Value*> items;
  for (Value* item : maker.inputs()) items.push_back(visible(item, insert));
  return insert.list(operand->type(), items);
}

}  // namespace tonnx::program
