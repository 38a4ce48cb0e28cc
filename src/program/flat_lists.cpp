// Lists of lists whose lengths a run decides become two lists: what the inner ones hold, one after the other, and their lengths.
//
// Needs a program without writes in which such lists are built, joined, cut, read by position and handed on; all of those that
// are nested deepest are taken apart, or none. What is left of the old lists is dead:
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
#include "program/edit.h"
#include "program/items.h"
#include "program/simplify.h"

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

// Inserts what is done to lists.
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
    const auto place = [&](Value* at) { return at ? at : insert_.none(); };
    return typed("aten::slice.t", {list, place(begin), place(end), insert_.integer(1)}, list->type());
  }
  Value* item(Value* list, Value* at) { return typed("aten::__getitem__.t", {list, at}, list->type().elements.at(0)); }
  Value* typed(std::string_view name, std::initializer_list<Value*> inputs, const Type& type) {
    Value* made = insert_.call(name, inputs);
    made->set_type(type);
    return made;
  }
  Inserter& insert() { return insert_; }

 private:
  Inserter& insert_;
};

class Flattener {
 public:
  explicit Flattener(ir::Graph& graph) : graph_(graph) {
    for_each_node(graph.block(), [&](const Node* node) {
      for (const Value* out : node->outputs()) depth_ = std::max(depth_, depth_of(out->type()));
    });
  }

  bool run() {
    if (depth_ < 2 || !all_known(graph_.block()) || !needed_) return false;
    rewrite(graph_.block());
    return true;
  }

 private:
  struct Parts {
    Value* items;
    Value* lengths;
  };

  bool is_deep(const Value* value) const { return depth_of(value->type()) == depth_; }
  template <class Values>
  bool has_deep(const Values& values) const {
    return std::any_of(values.begin(), values.end(), [&](const Value* value) { return is_deep(value); });
  }

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

  // A matrix as the list of its rows.
  bool is_rows(const Node& node) const {
    return node.is("prim::tolist") && depth_ == 2 && node.input()->facts().has_rank() && node.input()->facts().rank() == 2;
  }
  // A tensor of numbers that a list of rows holds.
  bool is_matrix(const Node& node) const {
    return node.is("aten::tensor") && depth_ == 2 && node.input()->type().elements[0].elements.at(0).is_scalar();
  }

  bool can_flatten(const Node& node) const {
    if (node.is("prim::Constant") || node.is("prim::Uninitialized") || is_rows(node)) return node.output_count() == 1;
    const Container form = aten::traits_of(node).container;
    if (form == Container::List) return true;
    if (node.input_count() == 0 || !is_deep(node.input())) return false;
    switch (form) {
      case Container::ListUnpack:
      case Container::Item:
      case Container::Length:
      case Container::Concat:
      case Container::Copy:
        return true;
      case Container::Part:
        return node.input_count() < 4 || ir::constant_integer(node.input(3)) == 1;
      default:
        return is_matrix(node);
    }
  }

  void rewrite(Block& block) {
    for (Node* node : block.nodes()) {
      if (node->is("prim::If")) {
        branch(*node);
      } else if (node->is("prim::Loop")) {
        loop(*node);
      } else if (has_deep(node->inputs()) || has_deep(node->outputs())) {
        flatten(*node);
      }
    }
  }

  void branch(Node& node) {
    for (Block* side : node.blocks()) rewrite(*side);
    for (std::size_t i = 0, count = node.output_count(); i < count; ++i) {
      if (!is_deep(node.output(i))) continue;
      for (Block* side : node.blocks()) add_outputs(*side, parts_.at(side->outputs()[i]));
      add_parts(node.output(i), [&] { return node.add_output(); });
    }
  }

  void loop(Node& node) {
    Block& body = *node.block(0);
    std::vector<std::size_t> carried;
    for (std::size_t i = 0, count = node.output_count(); i < count; ++i) {
      if (!is_deep(node.output(i))) continue;
      carried.push_back(i);
      const Parts before = parts_.at(node.input(i + 2));
      node.add_input(before.items);
      node.add_input(before.lengths);
      add_parts(body.inputs()[i + 1], [&] { return body.add_input(); });
      add_parts(node.output(i), [&] { return node.add_output(); });
    }
    rewrite(body);
    for (const std::size_t i : carried) add_outputs(body, parts_.at(body.outputs()[i + 1]));
  }

  static void add_outputs(Block& block, const Parts& parts) {
    block.add_output(parts.items);
    block.add_output(parts.lengths);
  }

  template <class Make>
  void add_parts(const Value* list, const Make& make) {
    Value* items = make();
    items->set_type(list->type().elements[0]);
    Value* lengths = make();
    lengths->set_type(integers());
    parts_[list] = {items, lengths};
  }

  void flatten(Node& node) {
    Inserter insert(&node);
    Lists lists(insert);
    if (node.output_count() == 1 && is_deep(node.output())) {
      parts_[node.output()] = made(node, lists);
      return;
    }
    const Parts list = parts_.at(node.input());
    if (aten::acts_as(node, Container::ListUnpack)) {
      for (std::size_t i = 0; i < node.output_count(); ++i)
        node.output(i)->replace_uses(inner(lists, list, insert.integer(static_cast<std::int64_t>(i))));
    } else if (aten::acts_as(node, Container::Item)) {
      Value* at = node.input(1);
      if (ir::constant_integer(at).value_or(-1) < 0) at = insert.call("aten::remainder.int", {at, lists.length(list.lengths)});
      node.output()->replace_uses(inner(lists, list, at));
    } else if (aten::acts_as(node, Container::Length)) {
      node.output()->replace_uses(lists.length(list.lengths));
    } else {
      matrix(node, lists, list);
    }
  }

  // The inner list at a place, from the front.
  static Value* inner(Lists& lists, const Parts& list, Value* at) {
    Value* begin = lists.sum(lists.part(list.lengths, nullptr, at));
    return lists.part(list.items, begin, lists.add(begin, lists.item(list.lengths, at)));
  }

  Parts made(Node& node, Lists& lists) {
    const Type& type = node.output()->type().elements[0];
    switch (aten::traits_of(node).container) {
      case Container::List:
        return of_lists({node.inputs().begin(), node.inputs().end()}, type, lists);
      case Container::Copy:
        return parts_.at(node.input());
      case Container::Concat: {
        const Parts a = parts_.at(node.input(0)), b = parts_.at(node.input(1));
        return {lists.join(a.items, b.items), lists.join(a.lengths, b.lengths)};
      }
      case Container::Part:
        return part(node, lists);
      default:
        break;
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

  static Parts of_lists(const std::vector<Value*>& inner, const Type& type, Lists& lists) {
    Parts parts{inner.empty() ? lists.empty(type) : inner[0], nullptr};
    std::vector<Value*> lengths;
    for (std::size_t i = 0; i < inner.size(); ++i) {
      if (i > 0) parts.items = lists.join(parts.items, inner[i]);
      lengths.push_back(lists.length(inner[i]));
    }
    parts.lengths = lists.insert().list(integers(), lengths);
    return parts;
  }

  Parts part(Node& node, Lists& lists) {
    const Parts list = parts_.at(node.input());
    const auto place = [&](std::size_t i) {
      return node.input_count() > i && !ir::is_none(node.input(i)) ? node.input(i) : nullptr;
    };
    const auto before = [&](Value* at) { return at ? lists.sum(lists.part(list.lengths, nullptr, at)) : nullptr; };
    return {lists.part(list.items, before(place(1)), before(place(2))), lists.part(list.lengths, place(1), place(2))};
  }

  Parts rows(Node& node, Lists& lists) {
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

  void matrix(Node& node, Lists& lists, const Parts& list) {
    Inserter& insert = lists.insert();
    std::vector<Value*> operands(node.inputs().begin(), node.inputs().end());
    operands[0] = list.items;
    Value* flat = insert.call(node.full_name(), operands);
    Value* sizes[] = {lists.length(list.lengths), lists.item(list.lengths, insert.integer(0))};
    node.output()->replace_uses(insert.call("aten::reshape", {flat, insert.list(integers(), sizes)}));
  }

  ir::Graph& graph_;
  int depth_ = 0;
  bool needed_ = false;  // a branch or a loop hands on such a list, or a run decides its length
  std::unordered_map<const Value*, Parts> parts_;
};

}  // namespace

bool flat_lists(ir::Graph& graph) { return Flattener(graph).run(); }

}  // namespace tonnx::program
