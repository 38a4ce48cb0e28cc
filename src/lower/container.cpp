#include "lower/families.h"
#include "lower/op.h"

// Lists and tuples of static length: they hold no ONNX value of their own.
namespace tonnx::lower {
namespace {

bool is_none(const ir::Value* source) {
  return source->type().is(ir::Type::Kind::None) || (source->constant() && source->constant()->is_none());
}

// prim::ListConstruct, prim::TupleConstruct
Outputs construct(Op& op) {
  Values items;
  for (const ir::Value* in : op.node().inputs()) items.push_back(is_none(in) ? nullptr : op.value_of(in));
  return Outputs::list(std::move(items));
}

// The items of a source list or tuple; a run-time int[] held as one rank-1 tensor is taken apart.
Values items_of(Op& op, const ir::Value* source, std::size_t count) {
  const Lowered* known = op.lowered(source);
  if (known && known->kind == Lowered::Kind::List) return known->list;
  if (source->type().is_tensor_list()) op.refuse("the length of a list is known at run time only");
  Value* vector = op.value_of(source);
  Values items;
  for (std::size_t i = 0; i < count; ++i)
    items.push_back(op->gather(vector, op->int64(static_cast<std::int64_t>(i)), 0));
  return items;
}

// prim::ListUnpack, prim::TupleUnpack
Outputs unpack(Op& op) {
  const Values items = items_of(op, op.node().input(0), op.node().output_count());
  if (items.size() != op.node().output_count())
    op.refuse("a list of " + std::to_string(items.size()) + " items is unpacked into " +
              std::to_string(op.node().output_count()));
  return Outputs::many(items);
}

// prim::TupleIndex, aten::__getitem__.t: the index is a constant, or the list an int[] held as a tensor.
Outputs item(Op& op) {
  const ir::Value* source = op.node().input(0);
  const ir::Value* position = op.node().input(1);
  const Lowered* known = op.lowered(source);
  if (known && known->kind == Lowered::Kind::List) {
    const auto& list = known->list;
    if (!position->constant()) op.refuse("the index into a list must be a constant");
    const std::int64_t i = op.wrap_axis(position->constant()->as_int64(), static_cast<std::int64_t>(list.size()));
    return Outputs(list.at(static_cast<std::size_t>(i)));
  }
  if (source->type().is_tensor_list()) op.refuse("the length of a list is known at run time only");
  return op->gather(op.value_of(source), op.scalar_of(position, DType::Int64), 0);
}

// aten::list, prim::unchecked_cast, aten::_unwrap_optional
Outputs same(Op& op) {
  const ir::Value* source = op.node().input(0);
  const Lowered* known = op.lowered(source);
  if (known && known->kind == Lowered::Kind::List) return Outputs::list(known->list);
  return op.value_of(source);
}

// aten::add.t: concatenation of two lists
Outputs join(Op& op) {
  Values all;
  for (const ir::Value* in : op.node().inputs()) {
    const Lowered* known = op.lowered(in);
    if (known && known->kind == Lowered::Kind::List) {
      all.insert(all.end(), known->list.begin(), known->list.end());
    } else if (const ir::Constant* c = in->constant(); c && c->get<ir::Constant::List>()) {
      for (const ir::Constant& one : c->get<ir::Constant::List>()->items) {
        if (!one.get<std::int64_t>()) op.refuse("a constant list of " + to_string(one) + " cannot be joined");
        all.push_back(op->int64(one.as_int64()));
      }
    } else {
      op.refuse("the length of a list is known at run time only");
    }
  }
  return Outputs::list(std::move(all));
}

constexpr Row kRows[] = {
    {"prim::ListConstruct", 1, construct},
    {"prim::TupleConstruct", 1, construct},
    {"prim::ListUnpack", 1, unpack},
    {"prim::TupleUnpack", 1, unpack},
    {"prim::TupleIndex", 1, item},
    {"aten::__getitem__.t", 1, item},
    {"aten::list.t", 1, same},
    {"prim::unchecked_cast", 1, same},
    {"aten::_unwrap_optional", 1, same},
    {"aten::add.t", 1, join},
};

}  // namespace

std::span<const Row> container_rows() { return kRows; }

}  // namespace tonnx::lower
