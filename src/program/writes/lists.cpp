// Writes to lists and dicts in functionalise(). The items of a static list are tracked; a dynamic list is a value,
// which operators replace.
#include "aten/containers.h"
#include "aten/list_writes.h"
#include "ir/constant_facts.h"
#include "program/containers/entries.h"
#include "program/containers/items.h"
#include "program/writes/write_rewriter.h"

namespace tonnx::program {

using aten::Container;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

constexpr std::string_view kAdd = "aten::add.t";
constexpr std::string_view kSlice = "aten::slice.t";
constexpr std::string_view kLength = "aten::len.t";
constexpr std::string_view kItem = "aten::__getitem__.t";

ir::Error unknown_keys(const Node& node) {
  return refusal(node,
                 "changes a dict whose keys are not known until run time; build it, and all dicts that "
                 "may replace it, with the same constant keys, or use lists");
}

bool is_of_numbers(const Type& type) {
  return type.elements.size() == 1 && (type.elements[0].is(Type::Kind::Int) || type.elements[0].is(Type::Kind::Float));
}

std::optional<std::size_t> known_length(const Value* list) {
  if (const ir::Constant* known = list->constant()) return known->get<ir::Constant::List>()->items.size();
  if (list->node() && aten::acts_as(*list->node(), Container::List)) return list->node()->input_count();
  return std::nullopt;
}

// Inserts operators on list values.
class ListBuilder {
 public:
  ListBuilder(Inserter& insert, Type type) : insert_(insert), type_(std::move(type)) {}

  Value* concat(Value* a, Value* b) { return typed(insert_.call(kAdd, {a, b})); }
  Value* slice(Value* list, Value* begin, Value* end) {
    return typed(insert_.call(kSlice, {list, begin ? begin : insert_.none(), end ? end : insert_.none()}));
  }
  Value* sorted(Value* list) {
    const bool is_int = type_.elements[0].is(Type::Kind::Int);
    return typed(insert_.call(is_int ? "aten::sorted.int" : "aten::sorted.float", {list}));
  }
  Value* reversed(Value* list) {
    return typed(insert_.call(kSlice, {list, insert_.none(), insert_.none(), insert_.integer(-1)}));
  }
  Value* of(std::initializer_list<Value*> items) {
    return insert_.list(type_, std::span<Value* const>(items.begin(), items.size()));
  }
  // The index counted from the front: 0 <= result < length for every valid index.
  Value* from_front(Value* list, Value* index) {
    if (constant_integer(index).value_or(-1) >= 0) return index;
    if (const std::optional<std::size_t> count = known_length(list))
      return insert_.normalised_index(index, static_cast<std::int64_t>(*count));
    Value* length = insert_.call(kLength, {list});
    return insert_.call("aten::remainder.int", {index, length});
  }
  // The list after a node changes it: `stored` is the new item, or for an Extend the list of new items.
  Value* changed(Container operation, Value* list, Value* index, Value* stored) {
    switch (operation) {
      case Container::Append: return concat(list, of({stored}));
      case Container::Extend: return concat(list, stored);
      case Container::Insert:
        return concat(concat(slice(list, nullptr, index), of({stored})), slice(list, index, nullptr));
      default: return replace_item(list, from_front(list, index), stored);
    }
  }
  Value* after(Value* index) { return insert_.call("aten::add.int", {index, insert_.integer(1)}); }
  Value* replace_item(Value* list, Value* at, Value* item) {
    return concat(concat(slice(list, nullptr, at), of({item})), slice(list, after(at), nullptr));
  }
  Value* remove_item(Value* list, Value* index) {
    Value* at = from_front(list, index);
    return concat(slice(list, nullptr, at), slice(list, after(at), nullptr));
  }

 private:
  Value* typed(Value* value) {
    value->set_type(type_);
    return value;
  }
  Inserter& insert_;
  Type type_;
};

}  // namespace

bool WriteRewriter::has_changes(Value* root) const {
  const auto has = [&](const Value* one) { return contents_.state(one).changes != nullptr; };
  const Selection* selected = forest_.selection(root);
  return selected ? std::ranges::any_of(selected->roots, has) : has(root);
}

// Makes the list dynamic, without delayed changes.
void WriteRewriter::make_dynamic(Value* list, Inserter& insert) {
  const bool is_value = !contents_.of(list) && !has_changes(list);
  Value* now = is_value ? nullptr : read(list, insert);
  contents_.invalidate(list);
  if (now) set_current(list, now);
}

// The same for the lists that the block of `owner` changes.
void WriteRewriter::make_dynamic(const ir::Block* block, const Node& owner, Inserter& insert) {
  for (Value* list : forest_.list_writes(block))
    if (forest_.root(list) == list && !forest_.is_joined(owner, list)) make_dynamic(list, insert);
}

void WriteRewriter::list_write(Node& node) {
  Inserter insert(&node);
  Value* list = node.input();
  const bool is_dict = list->type().is(Type::Kind::Dict);
  if (!is_dict && !list->type().is(Type::Kind::List))
    throw refusal(node, "changes a value of type " + to_string(list->type()) + " in place");
  Value* root = forest_.root(list);
  if (!is_dict && !root->type().is(Type::Kind::List)) throw refusal(node, "changes a list of views in place");
  const Contents::Known content = forest_.is_owned_item(list) ? nullptr : forest_.content_of(root, contents_);
  if (is_dict && !content) throw unknown_keys(node);
  check(list, node);
  dead_nodes_.push_back(&node);
  if (is_dict) return dict_write(node, insert, *content);
  const std::vector<Value*> lists = forest_.roots(list);
  std::vector<Contents::State> before;
  for (const Value* one : lists) before.push_back(contents_.state(one));
  if (!forest_.apply_list(node, contents_)) {
    // The index or the items are unknown: the list is dynamic from here on.
    for (std::size_t i = 0; i < lists.size(); ++i) {
      contents_.set(lists[i], before[i]);
      make_dynamic(lists[i], insert);
    }
    return dynamic_list_write(node, insert);
  }
  for (Value* one : lists) set_current(one, current(one));  // what selects the list must be read again
  for (Value* out : node.outputs()) dead_values_.insert(out);
  if (aten::traits_of(node).container == Container::Pop && !is_memory(node.output()->type())) {
    node.output()->replace_uses(read_scalar(node, *content, insert));
  }
}

void WriteRewriter::dict_write(Node& node, Inserter& insert, const Content& entries) {
  const bool takes_any = aten::acts_as(node, Container::PopItem);
  if ((takes_any && entries.decider) || !forest_.apply_list(node, contents_)) throw unknown_keys(node);
  for (Value* one : forest_.roots(node.input())) set_current(one, current(one));
  if (node.output_count() == 0) return;
  Value* out = node.output();
  if (takes_any) {
    Value* item[] = {entries.one.at(0), read(entries.one.at(1), insert)};
    out->replace_uses(insert.tuple(out->type(), item));
  } else if (is_memory(out->type())) {
    dead_values_.insert(out);
  } else {
    out->replace_uses(read_scalar(node, entries, insert));
  }
}

void WriteRewriter::dynamic_list_write(Node& node, Inserter& insert) {
  Value* list = node.input();
  const Type& type = list->type();
  const Container operation = aten::traits_of(node).container;
  ListBuilder lists(insert, type);
  Value* now = read(list, insert);
  const auto operand = [&](std::size_t i) { return read(node.input(i), insert); };
  Value* result = nullptr;
  const bool has_index = operation == Container::Insert || operation == Container::SetItem;
  if (operation == Container::Append || operation == Container::Extend || (has_index && node.input_count() == 3)) {
    result = lists.changed(operation, now, node.input(1), operand(has_index ? 2 : 1));
  } else if (operation == Container::Reverse) {
    result = lists.reversed(now);
  } else if (operation == Container::Sort && is_of_numbers(type)) {
    result = lists.sorted(now);
    if (const ir::Constant* reverse = node.input_count() > 1 ? node.input(1)->constant() : nullptr; reverse) {
      if (*reverse->get<bool>()) result = lists.reversed(result);
    } else if (node.input_count() > 1) {
      throw refusal(node, "sorts a list in an order that is known only at run time");
    }
  } else if (operation == Container::Clear) {
    result = lists.of({});
  } else if (operation == Container::Delete && node.input_count() == 2) {
    result = lists.remove_item(now, node.input(1));
  } else if (operation == Container::Remove && (is_of_numbers(type) || type.is_tensor_list())) {
    const char* find_item = type.is_tensor_list()                  ? "aten::index.list_Tensor"
                            : type.elements[0].is(Type::Kind::Int) ? "aten::index.list_int"
                                                                   : "aten::index.list_float";
    Value* at = insert.call(find_item, {now, operand(1)});
    result = lists.concat(lists.slice(now, nullptr, at), lists.slice(now, lists.after(at), nullptr));
  } else if (operation == Container::Pop && node.input_count() == 2) {
    Value* item = insert.call(kItem, {now, node.input(1)});
    Value* out = node.output();
    item->set_type(out->type());
    item->set_facts(out->facts());
    if (is_memory(out->type())) {
      if (forest_.root(out) == out && !forest_.selection(out)) set_current(out, item);  // else a stored item
      dead_values_.insert(out);
    } else {
      out->replace_uses(item);
    }
    result = lists.remove_item(now, node.input(1));
  } else if (operation == Container::None) {
    throw refusal(node, aten::writes_to_list(node.schema() ? node.schema()->arguments.at(0).name : "0"));
  } else {
    throw refusal(node, "changes a list in place whose items are known only at run time; build a new list instead");
  }
  if (operation != Container::Pop)
    for (Value* out : node.outputs()) dead_values_.insert(out);
  write(list, result, insert, node);
}

// The list after a delayed change; `now` is its value before.
Value* WriteRewriter::changed_list(const Change& change, Value* list, Value* now, Inserter& insert) {
  if (!change.writer) return build_container(list, change.items, insert);
  const Container operation = aten::traits_of(*change.writer).container;
  Value* stored = operation == Container::Extend
                      ? build_container(forest_.root(change.writer->input(1)), change.items, insert)
                      : read(change.items.front(), insert);
  Value* index = change.index() ? visible(change.index(), insert) : nullptr;
  return ListBuilder(insert, now->type()).changed(operation, now, index, stored);
}

// True if the value is a list without known content, under its own name. Its items are read without its delayed
// changes.
bool WriteRewriter::has_own_items(const Value* list) const {
  Value* name = const_cast<Value*>(list);
  return list->type().is(Type::Kind::List) && forest_.object_of(name) == forest_.root(name) &&
         forest_.root(name)->type().is(Type::Kind::List) && !contents_.of(forest_.root(name));
}

// Returns the current value of list. If it has its own items, its delayed changes are not applied.
Value* WriteRewriter::owner_value(Value* list, Inserter& insert) {
  return has_own_items(list) ? current(forest_.root(list)) : read(list, insert);
}

// Replaces a read of an item that the list owns, if its index changes later, or if the list has delayed changes. False
// if the node is not such a read.
bool WriteRewriter::read_owned_item(Node& node, Inserter& insert) {
  if (node.output_count() == 0 || forest_.of(node.output(0)).view != &node || !has_own_items(node.input()))
    return false;
  Value* list = forest_.root(node.input());
  Value* out = node.output(0);
  const std::optional<std::int64_t> index = forest_.base_index(node, contents_);
  if (!index && has_changes(list)) make_dynamic(list, insert);
  if (!index && !forest_.is_pinned(node)) return false;
  Value* now = current(list);
  Value* at = index ? insert.integer(*index) : visible(node.input(1), insert);
  Value* item = insert.call(kItem, {now, at});
  copy_shape(*out, *item);
  indices_[out] = forest_.is_pinned(node) ? ListBuilder(insert, list->type()).from_front(now, at) : at;
  dead_values_.insert(out);
  set_cache(out, version(list), item);
  return true;
}

// Writes the list with `item` in place of the item that `view` reads.
void WriteRewriter::write_item(const Node& view, std::size_t output, Value* list, Value* item, Inserter& insert,
                               const Node& writer) {
  ListBuilder lists(insert, list->type());
  Value* now = owner_value(list, insert);
  const bool is_unpack = aten::acts_as(view, Container::ListUnpack);
  const auto found = indices_.find(view.output(output));
  Value* index = found != indices_.end() ? found->second : is_unpack ? nullptr : view.input(1);
  Value* at = index ? lists.from_front(now, index) : insert.integer(static_cast<std::int64_t>(output));
  Value* after = lists.replace_item(now, at, item);
  if (!has_own_items(list)) return write(list, after, insert, writer);
  set_current(forest_.root(list), after);
}

}  // namespace tonnx::program
