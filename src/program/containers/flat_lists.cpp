// Replaces a list of lists of dynamic length by two lists: the items of all inner lists, concatenated, and the lengths
// of the inner lists.
//
// Needs a program without writes in which such lists are only built, concatenated, sliced, read by index and passed
// through branches and loops. Replaces all lists of the deepest nesting, or none. The old lists are left as dead code:
//
//   %m = aten::add(%l, [%a])                 %f2 = aten::add(%f, %a), %n2 = aten::add(%n, [aten::len(%a)])
//   %r = aten::__getitem__(%m, %i)           %b = aten::sum(%n2[:%i]), %r = %f2[%b : %b + %n2[%i]]
#include <algorithm>
#include <unordered_map>
#include <vector>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/constant_facts.h"
#include "ir/writes.h"
#include "program/containers/carried_parts.h"
#include "program/containers/items.h"
#include "program/containers/passes.h"
#include "program/edit.h"

namespace tonnx::program {

using aten::Container;
using ir::Block;
using ir::Constant;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

int depth_of(const Type& type) { return type.is(Type::Kind::List) ? 1 + depth_of(type.elements.at(0)) : 0; }

Type integers() { return Type::list(Type::of(Type::Kind::Int)); }

// Inserts operators on lists.
class Lists {
 public:
  explicit Lists(Inserter& insert) : insert_(insert) {}

  Value* empty(const Type& type) { return insert_.list(type, {}); }
  Value* of(const Type& type, Value* item) { return insert_.list(type, {&item, 1}); }
  Value* length(Value* list) { return insert_.call("aten::len.t", {list}); }
  Value* sum(Value* list) { return insert_.call("aten::sum.int", {list}); }
  Value* add(Value* a, Value* b) { return insert_.call("aten::add.int", {a, b}); }
  Value* join(Value* a, Value* b) { return typed("aten::add.t", {a, b}, a->type()); }
  Value* part(Value* list, Value* begin, Value* end) {
    const auto bound = [&](Value* at) { return at ? at : insert_.none(); };
    return typed("aten::slice.t", {list, bound(begin), bound(end), insert_.integer(1)}, list->type());
  }
  Value* item(Value* list, Value* at) { return typed("aten::__getitem__.t", {list, at}, list->type().elements.at(0)); }
  Value* typed(std::string_view name, std::initializer_list<Value*> inputs, const Type& type) {
    Value* result = insert_.call(name, inputs);
    result->set_type(type);
    return result;
  }
  Inserter& insert() { return insert_; }

 private:
  Inserter& insert_;
};

class Flattener final : public CarriedParts {
 public:
  explicit Flattener(ir::Graph& graph) : graph_(graph) {
    for_each_node(graph.block(), [&](const Node* node) {
      for (const Value* out : node->outputs()) depth_ = std::max(depth_, depth_of(out->type()));
    });
  }

  bool run() {
    if (depth_ < 2 || !all_known(graph_.block()) || !needed_) return false;
    walk(graph_.block());
    return true;
  }

 private:
  struct Flat {
    Value* items;
    Value* lengths;
  };

  bool is_deep(const Value* value) const { return depth_of(value->type()) == depth_; }
  bool has_deep(std::span<Value* const> values) const { return any_whole(values); }

  bool all_known(const Block& block) {
    if (!block.owner() && (has_deep(block.inputs()) || has_deep(block.outputs()))) return false;
    for (const Node* node : block.nodes()) {
      if (writes(*node)) return false;
      const bool carries = node->is("prim::If") || node->is("prim::Loop");
      if (has_deep(node->inputs()) || has_deep(node->outputs())) {
        if (!carries && !can_flatten(*node)) return false;
        needed_ = needed_ || carries || is_rows(*node);
      }
      for (const Block* inner : node->blocks())
        if (!all_known(*inner)) return false;
    }
    return true;
  }

  // True if the node returns the list of the rows of a matrix.
  bool is_rows(const Node& node) const {
    return node.is("prim::tolist") && depth_ == 2 && node.input()->facts().has_rank() &&
           node.input()->facts().rank() == 2;
  }
  // True if the node makes a matrix of a list of rows.
  bool is_matrix(const Node& node) const {
    return node.is("aten::tensor") && depth_ == 2 && node.input()->type().elements[0].elements.at(0).is_scalar();
  }

  bool can_flatten(const Node& node) const {
    if (node.is("prim::Constant") || node.is("prim::Uninitialized") || is_rows(node)) return node.output_count() == 1;
    const Container operation = aten::traits_of(node).container;
    if (operation == Container::List) return true;
    if (node.input_count() == 0 || !is_deep(node.input())) return false;
    switch (operation) {
      case Container::ListUnpack:
      case Container::Item:
      case Container::Length:
      case Container::Concat:
      case Container::Copy: return true;
      case Container::Part: return node.input_count() < 4 || ir::constant_integer(node.input(3)) == 1;
      default: return is_matrix(node);
    }
  }

  bool is_whole(const Value& value) const override { return is_deep(&value); }
  std::vector<Type> part_types(const Value& list) const override { return {list.type().elements[0], integers()}; }
  void rewrite(Node& node) override {
    if (has_deep(node.inputs()) || has_deep(node.outputs())) flatten(node);
  }

  Flat flat(const Value* list) const { return {parts_.at(list)[0], parts_.at(list)[1]}; }

  void flatten(Node& node) {
    Inserter insert(&node);
    Lists lists(insert);
    if (node.output_count() == 1 && is_deep(node.output())) {
      const Flat parts = result(node, lists);
      parts_[node.output()] = {parts.items, parts.lengths};
      return;
    }
    const Flat list = flat(node.input());
    if (aten::acts_as(node, Container::ListUnpack)) {
      for (std::size_t i = 0; i < node.output_count(); ++i)
        node.output(i)->replace_uses(inner(lists, list, insert.integer(static_cast<std::int64_t>(i))));
    } else if (aten::acts_as(node, Container::Item)) {
      node.output()->replace_uses(inner(lists, list, node.input(1)));
    } else if (aten::acts_as(node, Container::Length)) {
      node.output()->replace_uses(lists.length(list.lengths));
    } else {
      matrix(node, lists, list);
    }
  }

  // The inner list at an index, which may be negative.
  static Value* inner(Lists& lists, const Flat& list, Value* at) {
    Value* begin = lists.sum(lists.part(list.lengths, nullptr, at));
    return lists.part(list.items, begin, lists.add(begin, lists.item(list.lengths, at)));
  }

  Flat result(Node& node, Lists& lists) {
    const Type& type = node.output()->type().elements[0];
    switch (aten::traits_of(node).container) {
      case Container::List: return of_lists({node.inputs().begin(), node.inputs().end()}, type, lists);
      case Container::Copy: return flat(node.input());
      case Container::Concat: {
        const Flat a = flat(node.input(0)), b = flat(node.input(1));
        return {lists.join(a.items, b.items), lists.join(a.lengths, b.lengths)};
      }
      case Container::Part: return part(node, lists);
      default: break;
    }
    if (node.is("prim::tolist")) return rows(node, lists);
    std::vector<Value*> inner;
    if (const Constant* constant = node.output()->constant())
      if (const auto* items = constant->get<Constant::List>())
        for (const Constant& item : items->items) {
          inner.push_back(lists.insert().constant(item));
          inner.back()->set_type(type);
        }
    return of_lists(inner, type, lists);
  }

  static Flat of_lists(const std::vector<Value*>& inner, const Type& type, Lists& lists) {
    Flat parts{inner.empty() ? lists.empty(type) : inner[0], nullptr};
    std::vector<Value*> lengths;
    for (std::size_t i = 0; i < inner.size(); ++i) {
      if (i > 0) parts.items = lists.join(parts.items, inner[i]);
      lengths.push_back(lists.length(inner[i]));
    }
    parts.lengths = lists.insert().list(integers(), lengths);
    return parts;
  }

  Flat part(Node& node, Lists& lists) {
    const Flat list = flat(node.input());
    const auto bound = [&](std::size_t i) {
      return node.input_count() > i && !ir::is_none(node.input(i)) ? node.input(i) : nullptr;
    };
    const auto before = [&](Value* at) { return at ? lists.sum(lists.part(list.lengths, nullptr, at)) : nullptr; };
    return {lists.part(list.items, before(bound(1)), before(bound(2))), lists.part(list.lengths, bound(1), bound(2))};
  }

  Flat rows(Node& node, Lists& lists) {
    Inserter& insert = lists.insert();
    Value* matrix = node.input();
    const Type& type = node.output()->type().elements[0];
    Value* flat = insert.call("aten::flatten.using_ints", {matrix, insert.integer(0), insert.integer(-1)});
    Node* items = graph_.create("prim::tolist", std::vector<Value*>{flat, insert.integer(1), node.input(2)}, 1);
    items->output()->set_type(type);
    insert.insert(items);
    const auto size = [&](std::int64_t axis) { return insert.call("aten::size.int", {matrix, insert.integer(axis)}); };
    return {items->output(), lists.typed("aten::mul.left_t", {lists.of(integers(), size(1)), size(0)}, integers())};
  }

  void matrix(Node& node, Lists& lists, const Flat& list) {
    Inserter& insert = lists.insert();
    std::vector<Value*> operands(node.inputs().begin(), node.inputs().end());
    operands[0] = list.items;
    Value* flat = insert.call(node.full_name(), operands);
    Value* sizes[] = {lists.length(list.lengths), lists.item(list.lengths, insert.integer(0))};
    node.output()->replace_uses(insert.call("aten::reshape", {flat, insert.list(integers(), sizes)}));
  }

  ir::Graph& graph_;
  int depth_ = 0;
  bool needed_ = false;  // a branch or a loop passes such a list through, or its length is dynamic
};

}  // namespace

bool flat_lists(ir::Graph& graph) { return Flattener(graph).run(); }

}  // namespace tonnx::program
