// Splits a list of tuples that branches or loops change, or that is read at a dynamic index, into one list for each
// item of the tuples.
//
//   %l = prim::ListConstruct()               %a = prim::ListConstruct()
//   prim::Loop(%n)                           %b = prim::ListConstruct()
//     block0: aten::append(%l, %t)           prim::Loop(%n)
//   %u = aten::__getitem__(%l, %i)             block0: %x, %y = prim::TupleUnpack(%t)
//                                                      aten::append(%a, %x), aten::append(%b, %y)
//                                            %u = prim::TupleConstruct(aten::__getitem__(%a, %i), ...)
#include "program/containers/list_splitter.h"
#include "program/containers/passes.h"

namespace tonnx::program {

using ir::Node;
using ir::Type;
using ir::Value;

namespace {

class TupleLists final : public ListSplitter {
 public:
  bool is_list(const Value& value) const override {
    const Type& type = value.type();
    return type.is(Type::Kind::List) && is_item(type.elements.at(0)) && !type.elements[0].elements.empty();
  }

  const Parts& parts(const Value& list) const { return parts_.at(&list); }

 private:
  bool is_item(const Type& type) const override { return type.is(Type::Kind::Tuple); }
  bool is_item(const Node& node, std::size_t operand) const override { return is_item(node.input(operand)->type()); }
  std::vector<Type> types_of(const Type& item) const override { return item.elements; }

  Parts split_item(Value& item, const Type&, Inserter& insert) override {
    Node* unpack = make_unpack(&item);
    insert.insert(unpack);
    return {unpack->outputs().begin(), unpack->outputs().end()};
  }

  Value* join_item(const Parts& parts, const Type& type, Inserter& insert) override {
    return insert.tuple(type, parts);
  }
};

}  // namespace

bool split_tuple_lists(ir::Graph& graph) { return TupleLists().run(graph); }

std::vector<std::vector<Value*>> split_output_lists(ir::Graph& graph) {
  TupleLists lists;
  if (!lists.run(graph, true)) return {};
  std::vector<std::vector<Value*>> parts;
  for (Value* out : graph.outputs())
    parts.push_back(lists.is_list(*out) ? lists.parts(*out) : std::vector<Value*>{out});
  return parts;
}

}  // namespace tonnx::program
