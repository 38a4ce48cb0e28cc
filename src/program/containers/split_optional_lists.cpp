// Splits a list of optionals that branches or loops change, or that is read at a dynamic index, into two lists: a bool
// that is true if the item is not None, and its value.
//
//   aten::append(%l, %v)                     %there = aten::__isnot__(%v, None), %what = prim::unchecked_cast(%v)
//   %u = aten::__getitem__(%l, %i)           aten::append(%a, %there), aten::append(%b, %what)
//                                            %u = prim::If(aten::__getitem__(%a, %i))
//                                              block0: aten::__getitem__(%b, %i)
//                                              block1: None
#include <algorithm>

#include "aten/traits.h"
#include "ir/constant_facts.h"
#include "program/containers/items.h"
#include "program/containers/list_splitter.h"
#include "program/containers/passes.h"

namespace tonnx::program {

using ir::Block;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

// True if operators only use the list as an argument, as index() does with its indices.
bool is_argument(const Value& list) {
  return list.node()->is("prim::ListConstruct") && std::ranges::all_of(list.uses(), [](const ir::Use& use) {
           return !use.node->edge_of() && use.node->blocks().empty() &&
                  aten::traits_of(*use.node).container == aten::Container::None;
         });
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

class OptionalLists final : public ListSplitter {
 public:
  bool is_list(const Value& value) const override {
    const Type& type = value.type();
    if (!type.is(Type::Kind::List) || !is_item(type.elements.at(0)) || type.elements[0].elements.empty()) return false;
    return has_placeholder(type.elements[0].elements[0]) && !is_argument(value);
  }

 private:
  bool is_item(const Type& type) const override { return type.is(Type::Kind::Optional); }
  bool is_item(const Node& node, std::size_t operand) const override { return is_put_in_list(node, operand); }
  std::vector<Type> types_of(const Type& item) const override { return {Type::of(Type::Kind::Bool), item.elements[0]}; }

  Parts split_item(Value& item, const Type& type, Inserter& insert) override {
    if (ir::is_none(&item)) return {insert.boolean(false), placeholder(insert, type.elements[0])};
    if (!is_item(item.type())) return {insert.boolean(true), &item};
    Value* is_there = insert.call("aten::__isnot__", {&item, insert.none()});
    Value* content = insert.call("prim::unchecked_cast", {&item});
    content->set_type(type.elements[0]);
    return {is_there, content};
  }

  Value* join_item(const Parts& parts, const Type& type, Inserter& insert) override {
    return insert.branch(
        parts[0], type, [&](Inserter&) { return parts[1]; }, [](Inserter& without) { return without.none(); });
  }

  void adjust_facts(Value& part) override { part.set_facts({}); }
};

}  // namespace

bool split_optional_lists(ir::Graph& graph) { return OptionalLists().run(graph); }

}  // namespace tonnx::program
