// A list of values that may be None, which branches or loops change or a run picks from, becomes two: whether each is
// there, and what it is.
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

// Whether it is built as an operator's argument, as the indices of a tensor are.
bool is_argument(const Value& list) {
  return list.node()->is("prim::ListConstruct") && std::ranges::all_of(list.uses(), [](const ir::Use& use) {
           return !use.node->edge_of() && use.node->blocks().empty() &&
                  aten::traits_of(*use.node).container == aten::Container::None;
         });
}

// Whether something can stand for such a content where there is none.
bool can_be_content(const Type& type) {
  if (type.is(Type::Kind::Tuple)) return !type.elements.empty() && std::ranges::all_of(type.elements, can_be_content);
  return type.is(Type::Kind::Tensor) || type.is_scalar();
}

// What stands for the content of None; no run reads it.
Value* nothing(Inserter& insert, const Type& type) {
  if (!type.is(Type::Kind::Tuple)) return type.is_scalar() ? insert.zero(type) : insert.never(type);
  std::vector<Value*> parts;
  for (const Type& element : type.elements) parts.push_back(nothing(insert, element));
  return insert.tuple(type, parts);
}

class OptionalLists final : public ListSplitter {
 public:
  bool is_list(const Value& value) const override {
    const Type& type = value.type();
    if (!type.is(Type::Kind::List) || !is_item(type.elements.at(0)) || type.elements[0].elements.empty()) return false;
    return can_be_content(type.elements[0].elements[0]) && !is_argument(value);
  }

 private:
  bool is_item(const Type& type) const override { return type.is(Type::Kind::Optional); }
  bool is_item(const Node& node, std::size_t operand) const override { return is_put_in_list(node, operand); }
  std::vector<Type> types_of(const Type& item) const override { return {Type::of(Type::Kind::Bool), item.elements[0]}; }

  Parts taken_apart(Value& item, const Type& type, Inserter& insert) override {
    if (ir::is_none(&item)) return {insert.boolean(false), nothing(insert, type.elements[0])};
    if (!is_item(item.type())) return {insert.boolean(true), &item};
    Value* is_there = insert.call("aten::__isnot__", {&item, insert.none()});
    Value* content = insert.call("prim::unchecked_cast", {&item});
    content->set_type(type.elements[0]);
    return {is_there, content};
  }

  Value* put_together(const Parts& parts, const Type& type, Inserter& insert) override {
    return insert.branch(
        parts[0], type, [&](Inserter&) { return parts[1]; }, [](Inserter& without) { return without.none(); });
  }

  void settle(Value& part) override { part.set_facts({}); }
};

}  // namespace

bool split_optional_lists(ir::Graph& graph) { return OptionalLists().run(graph); }

}  // namespace tonnx::program
