// A list of records becomes one list for each field, if branches or loops change it or it is read at a dynamic index. A
// record is a tuple of items, an optional of a presence and a value, or a dict of the values of its keys.
//
//   %l = prim::ListConstruct()               %a = prim::ListConstruct()
//   prim::Loop(%n)                           %b = prim::ListConstruct()
//     block0: aten::append(%l, %t)           prim::Loop(%n)
//   %u = aten::__getitem__(%l, %i)             block0: %x, %y = prim::TupleUnpack(%t)
//                                                      aten::append(%a, %x), aten::append(%b, %y)
//                                            %u = prim::TupleConstruct(aten::__getitem__(%a, %i), ...)
//
// The lists that may become one another, and those that are built from one another, are split together, or none of them
// is. They must only be built, changed and read by position, and passed through branches and loops. Dicts must have the
// same constant keys, and none of their type may be written to. The old lists are left as dead code.
#include "program/containers/record_lists.h"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/constant_facts.h"
#include "ir/control_flow.h"
#include "ir/writes.h"
#include "program/containers/carried_parts.h"
#include "program/containers/entries.h"
#include "program/containers/items.h"
#include "program/containers/names.h"
#include "program/containers/passes.h"
#include "program/edit.h"

namespace tonnx::program {

using aten::Container;
using ir::Node;
using ir::Type;
using ir::Use;
using ir::Value;

namespace {

// True if the operation builds, reads or changes a list by position only, and never compares items.
bool is_by_position(Container operation) {
  switch (operation) {
    case Container::List:
    case Container::ListUnpack:
    case Container::Item:
    case Container::Length:
    case Container::Concat:
    case Container::Part:
    case Container::Copy:
    case Container::Append:
    case Container::Extend:
    case Container::Insert:
    case Container::SetItem:
    case Container::Pop:
    case Container::Delete:
    case Container::Clear:
    case Container::Reverse: return true;
    default: return false;
  }
}

// True if placeholder() supports the type.
bool has_placeholder(const Type& type) {
  if (type.is(Type::Kind::Tuple)) return !type.elements.empty() && std::ranges::all_of(type.elements, has_placeholder);
  return type.is(Type::Kind::Tensor) || type.is_scalar();
}

// The value stored for None; it is never read.
Value* placeholder(Inserter& insert, const Type& type) {
  if (!type.is(Type::Kind::Tuple)) return type.is_scalar() ? insert.zero(type) : insert.never(type);
  std::vector<Value*> parts;
  for (const Type& element : type.elements) parts.push_back(placeholder(insert, element));
  return insert.tuple(type, parts);
}

bool is_record_list(const Type& type, Type::Kind record) {
  return type.is(Type::Kind::List) && type.elements.at(0).is(record);
}

// How the items of some lists are split.
class Record {
 public:
  explicit Record(Type type) : type_(std::move(type)) {}

  const Type& type() const { return type_; }
  const std::vector<Value*>& keys() const { return keys_; }

  // The types of the fields; empty if it cannot be split.
  std::vector<Type> fields() const {
    if (type_.is(Type::Kind::Tuple)) return type_.elements;
    if (type_.is(Type::Kind::Dict)) return {keys_.size(), type_.elements.at(1)};
    if (type_.elements.empty() || !has_placeholder(type_.elements[0])) return {};
    return {Type::of(Type::Kind::Bool), type_.elements[0]};
  }

  // True if a dict has the keys of all others, in their order. The first one decides which these are.
  bool takes_keys(const Node& dict) {
    const auto entries = entries_of(dict.inputs());
    if (!entries || entries->empty()) return false;
    if (entries_.empty()) {
      entries_ = *entries;
      keys_ = keys_of(*entries);
    }
    return same_keys(entries_, *entries);
  }

  std::vector<Value*> split(Value& item, Inserter& insert) const {
    if (type_.is(Type::Kind::Optional)) return split_optional(item, insert);
    if (is_never(&item)) {
      std::vector<Value*> parts;
      for (const Type& field : fields()) parts.push_back(insert.never(field));
      return parts;
    }
    if (type_.is(Type::Kind::Dict)) return values_of(*entries_of(item.node()->inputs()));
    Node* unpack = make_unpack(&item);
    insert.insert(unpack);
    return {unpack->outputs().begin(), unpack->outputs().end()};
  }

  Value* join(std::span<Value* const> parts, Inserter& insert) const {
    if (type_.is(Type::Kind::Tuple)) return insert.tuple(type_, parts);
    if (type_.is(Type::Kind::Dict)) return dict_of(insert, type_, keys_, parts);
    return insert.branch(
        parts[0], type_, [&](Inserter&) { return parts[1]; }, [](Inserter& without) { return without.none(); });
  }

 private:
  std::vector<Value*> split_optional(Value& item, Inserter& insert) const {
    if (ir::is_none(&item)) return {insert.boolean(false), placeholder(insert, type_.elements[0])};
    if (!item.type().is(Type::Kind::Optional)) return {insert.boolean(true), &item};
    Value* is_there = insert.call("aten::__isnot__", {&item, insert.none()});
    Value* content = insert.call("prim::unchecked_cast", {&item});
    content->set_type(type_.elements[0]);
    return {is_there, content};
  }

  Type type_;
  std::vector<Value*> entries_, keys_;  // of dicts
};

// Finds the lists that are split together.
class Family {
 public:
  Family(const ir::Graph& graph, Value& list, bool takes_outputs)
      : graph_(graph), list_(list.type()), record_(list_.elements.at(0)), takes_outputs_(takes_outputs) {
    names_.add(&list);
  }

  // False if the lists stay as they are.
  bool find() {
    if (record_.type().is(Type::Kind::Dict) && writes_record()) return false;
    const bool is_known = names_.visit_all([&](Value& name) {
      const std::vector<Value*> origins = ir::handed_from(name);
      if (origins.empty() ? !is_never(&name) && !follow(*name.node()) : !add_phis(origins, name)) return false;
      return std::ranges::all_of(name.uses(), [&](const Use& use) { return follow(name, use); });
    });
    return is_known && is_needed_ && !record_.fields().empty() && (!is_returned_ || has_plain_fields());
  }

  const std::vector<Value*>& lists() const { return names_.all(); }
  const Record& record() const { return record_; }

 private:
  bool writes_record() const {
    return ir::any_node(graph_.block(), [&](const Node& node) {
      for (std::size_t i = 0; i < node.input_count(); ++i)
        if (node.input(i)->type() == record_.type() && writes_argument(node, i)) return true;
      return false;
    });
  }

  bool has_plain_fields() const {
    return std::ranges::all_of(record_.fields(),
                               [](const Type& type) { return type.is(Type::Kind::Tensor) || type.is_scalar(); });
  }

  bool add_phis(const std::vector<Value*>& values, const Value& like) {
    is_needed_ = true;
    return names_.add_all(values, like);
  }

  bool follow(const Value& name, const Use& use) {
    if (const std::vector<Value*> phis = ir::handed_to(use); !phis.empty()) return add_phis(phis, name);
    if (!use.node->edge_of()) return follow(*use.node);
    is_needed_ = is_returned_ = true;
    return takes_outputs_;
  }

  // False if the operator cannot be applied to the list of each field on its own.
  bool follow(const Node& node) {
    const Container operation = aten::traits_of(node).container;
    const Value* list = operation == Container::List ? node.output() : node.input_count() > 0 ? node.input() : nullptr;
    if (!list || list->type() != list_ || !is_by_position(operation)) return false;
    const bool has_dynamic_index = operation == Container::Item && !ir::constant_integer(node.input(1));
    is_needed_ = is_needed_ || has_dynamic_index || (node.parent() != &graph_.block() && writes(node));
    for (std::size_t i = 0; i < node.input_count(); ++i) {
      if (node.input(i)->type() == list_) names_.add(node.input(i));
      if (is_put_in_list(node, i) && !is_record(*node.input(i))) return false;
    }
    for (Value* out : node.outputs()) {
      if (out->type() == list_) names_.add(out);
      const bool is_item = out->type() == record_.type();
      if (operation != Container::Length && out->type() != list_ && !is_item && !out->is_unused()) return false;
    }
    return true;
  }

  // True if Record::split() supports the item. A dict from another list needs the keys of that list.
  bool is_record(Value& item) {
    if (record_.type().is(Type::Kind::Optional) || is_never(&item)) return true;
    if (!record_.type().is(Type::Kind::Dict)) return item.type().is(record_.type().kind);
    const Node& maker = *item.node();
    if (aten::acts_as(maker, Container::Dict)) return record_.takes_keys(maker);
    if (maker.input_count() == 0 || maker.input()->type() != list_) return false;
    names_.add(maker.input());
    return is_by_position(aten::traits_of(maker).container);
  }

  const ir::Graph& graph_;
  const Type list_;
  Record record_;
  const bool takes_outputs_;
  Names names_;
  bool is_needed_ = false;  // a branch, a loop, a dynamic index or an output uses such a list
  bool is_returned_ = false;
};

class RecordLists final : public CarriedParts {
 public:
  RecordLists(ir::Graph& graph, std::initializer_list<Type::Kind> records, bool takes_outputs = false) : graph_(graph) {
    std::vector<Value*> seeds;
    for_each_node(graph.block(), [&](const Node* node) {
      std::ranges::copy_if(node->outputs(), std::back_inserter(seeds), [&](const Value* out) {
        return std::ranges::any_of(records, [&](Type::Kind record) { return is_record_list(out->type(), record); });
      });
    });
    std::unordered_set<const Value*> seen;
    for (Value* seed : seeds) {
      if (seen.contains(seed)) continue;
      auto family = std::make_unique<Family>(graph, *seed, takes_outputs);
      const bool is_split = family->find();
      seen.insert(family->lists().begin(), family->lists().end());
      if (!is_split) continue;
      for (const Value* list : family->lists()) records_[list] = &family->record();
      families_.push_back(std::move(family));
    }
  }

  bool run() {
    if (families_.empty()) return false;
    walk(graph_.block());
    for (Node* node : replaced_) node->erase();
    return true;
  }

  FieldLists fields(const Value& list) const {
    if (!is_whole(list)) return {};
    FieldLists found{parts_.at(&list), {}};
    for (const Value* key : record_of(list).keys()) {
      const std::string* text = ir::constant_text(key);
      found.keys.push_back(text ? *text : ir::to_string(*key->constant()));
    }
    return found;
  }

 private:
  const Record& record_of(const Value& list) const { return *records_.at(&list); }

  bool is_whole(const Value& value) const override { return records_.contains(&value); }
  std::vector<Type> part_types(const Value& list) const override {
    std::vector<Type> types;
    for (const Type& field : record_of(list).fields()) types.push_back(Type::list(field));
    return types;
  }

  // Copies the node once for each field.
  void rewrite(Node& node) override {
    const auto list = std::ranges::find_if(node.inputs(), [&](const Value* in) { return is_whole(*in); });
    if (list == node.inputs().end() && !any_whole(node.outputs())) return;
    const Record& record = record_of(list == node.inputs().end() ? *node.output() : **list);
    const std::vector<Type> fields = record.fields();
    std::unordered_map<const Value*, Parts> items;  // parts of the operands
    for (std::size_t i = 0; i < node.input_count(); ++i) {
      if (!is_put_in_list(node, i) || items.contains(node.input(i))) continue;
      Inserter insert(&node);
      items[node.input(i)] = record.split(*node.input(i), insert);
    }
    std::vector<Node*> copies;
    for (std::size_t p = 0; p < fields.size(); ++p) {
      ValueMap map;
      for (Value* in : node.inputs())
        if (is_whole(*in)) map[in] = parts_.at(in)[p];
      Node* copy = copies.emplace_back(copy_node(node, map));
      for (std::size_t i = 0; i < node.input_count(); ++i)  // the index may be the item, as in l[i] = i
        if (is_put_in_list(node, i)) copy->set_input(i, items.at(node.input(i))[p]);
      copy->insert_before(&node);
    }
    for (std::size_t i = 0; i < node.output_count(); ++i) replace_output(*node.output(i), record, fields, copies);
    if (writes(node)) replaced_.push_back(&node);
  }

  void replace_output(Value& out, const Record& record, const std::vector<Type>& fields,
                      const std::vector<Node*>& copies) {
    const bool is_list = is_whole(out);
    if (!is_list && out.type() != record.type()) return out.replace_uses(copies.front()->output(out.index()));
    if (is_list && writes(*out.node())) return out.replace_uses(out.node()->input());  // the changed list
    Parts parts;
    for (std::size_t p = 0; p < copies.size(); ++p) {
      Value* part = parts.emplace_back(copies[p]->output(out.index()));
      part->set_type(is_list ? Type::list(fields[p]) : fields[p]);
      part->set_facts({});
    }
    if (is_list) {
      parts_[&out] = std::move(parts);
      return;
    }
    Inserter insert(out.node());
    out.replace_uses(record.join(parts, insert));
  }

  ir::Graph& graph_;
  std::vector<std::unique_ptr<Family>> families_;
  std::unordered_map<const Value*, const Record*> records_;  // of each list
  std::vector<Node*> replaced_;                              // nodes to erase
};

}  // namespace

bool split_record_lists(ir::Graph& graph) { return RecordLists(graph, {Type::Kind::Tuple, Type::Kind::Dict}).run(); }

bool split_optional_lists(ir::Graph& graph) { return RecordLists(graph, {Type::Kind::Optional}).run(); }

std::vector<FieldLists> split_output_records(ir::Graph& graph) {
  RecordLists lists(graph, {Type::Kind::Tuple, Type::Kind::Dict}, true);
  if (!lists.run()) return {};
  std::vector<FieldLists> fields;
  for (const Value* out : graph.outputs()) fields.push_back(lists.fields(*out));
  return fields;
}

}  // namespace tonnx::program
