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

void WriteRewriter::make_dynamic(const ir::Block* block, Inserter& insert) {
  for (Value* list : forest_.list_writes(block)) {
    if (forest_.root(list) != list || !contents_.of(list) || forest_.is_joined(*block->owner(), list)) continue;
    Value* now = read(list, insert);
    contents_.invalidate(list);
    set_current(list, now);
  }
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
  std::vector<Contents::Known> before;
  for (const Value* one : lists) before.push_back(contents_.of(one));
  if (!content || !forest_.apply_list(node, contents_)) {
    // The index or the items are unknown: the list is dynamic from here on.
    for (std::size_t i = 0; i < lists.size(); ++i) {
      if (!before[i]) continue;
      contents_.set(lists[i], before[i]);
      Value* now = read(lists[i], insert);
      contents_.invalidate(lists[i]);
      set_current(lists[i], now);
    }
    return dynamic_list_write(node, insert);
  }
  for (Value* out : node.outputs()) dead_values_.insert(out);
  if (aten::traits_of(node).container == Container::Pop && !is_memory(node.output()->type())) {
    node.output()->replace_uses(read_scalar(node, *content, insert));
  }
}

void WriteRewriter::dict_write(Node& node, Inserter& insert, const Content& entries) {
  const bool takes_any = aten::acts_as(node, Container::PopItem);
  if ((takes_any && entries.decider) || !forest_.apply_list(node, contents_)) throw unknown_keys(node);
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
  if (operation == Container::Append) {
    result = lists.concat(now, lists.of({operand(1)}));
  } else if (operation == Container::Extend) {
    result = lists.concat(now, operand(1));
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
  } else if (operation == Container::Insert && node.input_count() == 3) {
    result = lists.concat(lists.concat(lists.slice(now, nullptr, node.input(1)), lists.of({operand(2)})),
                          lists.slice(now, node.input(1), nullptr));
  } else if (operation == Container::SetItem && node.input_count() == 3) {
    Value* at = lists.from_front(now, node.input(1));
    result = lists.replace_item(now, at, operand(2));
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
      set_current(forest_.root(out), item);
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

// Writes the list with `item` in place of the item that `view` reads.
void WriteRewriter::write_item(const Node& view, std::size_t output, Value* list, Value* item, Inserter& insert,
                               const Node& writer) {
  ListBuilder lists(insert, list->type());
  Value* now = read(list, insert);
  const bool is_unpack = aten::acts_as(view, Container::ListUnpack);
  Value* at = is_unpack ? insert.integer(static_cast<std::int64_t>(output)) : lists.from_front(now, view.input(1));
  write(list, lists.replace_item(now, at, item), insert, writer);
}

}  // namespace tonnx::program
