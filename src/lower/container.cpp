#include "ir/constant_facts.h"
#include "lower/families.h"
#include "lower/list_facts.h"
#include "lower/list_slicing.h"
#include "lower/op.h"
#include "lower/sequence.h"

// Lists. A list of static length is lowered to its items and has no ONNX value. A dynamic list of tensors is an ONNX
// sequence; a dynamic list of scalars is a vector.
namespace tonnx::lower {
namespace {

// prim::ListConstruct
Outputs construct(Op& op) {
  Values items;
  for (const ir::Value* in : op.node().inputs()) {
    if (ir::is_none(in)) {
      items.push_back(nullptr);
    } else if (in->constant() && in->type().is_number_list()) {
      items.push_back(op.vector_of(in, number_dtype(in->type().elements.at(0), {})));
    } else {
      items.push_back(op.value_of(in));
    }
  }
  return Outputs::list(std::move(items));
}

// The items of a source list; a run-time int[] in one rank-1 tensor is split.
Values items_of(Op& op, const ir::Value* source, std::size_t count) {
  const Lowered* known = op.lowered(source);
  if (known && known->kind == Lowered::Kind::List) return known->list;
  Value* const sequence = lowered_sequence(op, source);
  Value* const vector = sequence ? nullptr : op.value_of(source);
  Values items;
  for (std::size_t i = 0; i < count; ++i) {
    Value* position = op->int64(static_cast<std::int64_t>(i));
    items.push_back(sequence ? sequence_item(op.builder(), sequence, position) : op->gather(vector, position, 0));
  }
  return items;
}

// prim::ListUnpack
Outputs unpack(Op& op) {
  const Values items = items_of(op, op.node().input(0), op.node().output_count());
  if (items.size() != op.node().output_count())
    op.refuse("a list of " + std::to_string(items.size()) + " items is unpacked into " +
              std::to_string(op.node().output_count()));
  return Outputs::many(items);
}

// aten::__getitem__.t
Outputs item(Op& op) {
  const ir::Value* source = op.node().input(0);
  const ir::Value* position = op.node().input(1);
  const Lowered* known = op.lowered(source);
  if (known && known->kind == Lowered::Kind::List && position->constant()) {
    const auto& list = known->list;
    const std::int64_t i = op.wrap_axis(position->constant()->as_int64(), static_cast<std::int64_t>(list.size()));
    return Outputs(list.at(static_cast<std::size_t>(i)));
  }
  if (!source->type().is(ir::Type::Kind::List))
    op.refuse("an item of a value of type " + to_string(source->type()) + " has no ONNX form");
  if (source->type().elements.at(0).is(ir::Type::Kind::List))
    op.refuse("the index into a list of lists must be a constant");
  Value* at = op.scalar_of(position, DType::Int64);
  if (source->type().is_tensor_list()) return sequence_item(op.builder(), as_sequence(op, source), at);
  Value* vector = is_static(op, source) ? op.vector_of(source, numbers_in(op, source)) : op.value_of(source);
  return op->gather(vector, at, 0);
}

// aten::list, prim::unchecked_cast, aten::_unwrap_optional
Outputs unchanged(Op& op) {
  const ir::Value* source = op.node().input(0);
  const Lowered* known = op.lowered(source);
  if (known && known->kind == Lowered::Kind::List) return Outputs::list(known->list);
  if (Value* sequence = lowered_sequence(op, source)) return Outputs::sequence(sequence);
  return op.value_of(source);
}

// aten::add.t: concatenation of two lists
Outputs join(Op& op) {
  const ir::Value* first = op.node().input(0);
  const ir::Value* second = op.node().input(1);
  if (is_static(op, first) && is_static(op, second)) {
    Values all = op.items_of(first);
    const Values more = op.items_of(second);
    all.insert(all.end(), more.begin(), more.end());
    return Outputs::list(std::move(all));
  }
  if (!first->type().is_tensor_list()) {
    const DType dtype = numbers_in(op, op.node().output());
    return op->concat({op.vector_of(first, dtype), op.vector_of(second, dtype)}, 0);
  }
  Builder& b = op.builder();
  DType dtype = any_item(op, first).dtype;
  if (dtype == DType::Undefined) dtype = any_item(op, second).dtype;
  if (dtype == DType::Undefined) op.refuse("the dtype of the tensors in a list must be known");
  Value* list = op.sequence_of(first, dtype);
  if (is_static(op, second)) return Outputs::sequence(append(b, list, op.items_of(second)));
  Value* other = op.sequence_of(second, dtype);
  return Outputs::sequence(append_part(b, list, other, b.int64(0), sequence_length(b, other)));
}

// prim::tolist: the elements of a vector, or the one of a scalar
Outputs to_list(Op& op) {
  Value* x = op.value_of(op.node().input(0));
  const ir::Type& type = op.node().output()->type();
  const ir::Type& element = type.is(ir::Type::Kind::List) ? type.elements.at(0) : type;
  if (!element.is_scalar()) op.refuse("a list of lists of numbers that are known at run time only has no ONNX form");
  return op->cast(x, number_dtype(element, x->facts()));
}

// aten::sorted of scalars
Outputs sorted(Op& op) {
  const ir::Value* source = op.node().input(0);
  Builder& b = op.builder();
  Value* vector = op.vector_of(source, numbers_in(op, source));
  return b.op("TopK", {vector, b.size(vector, 0)}, {{"largest", std::int64_t{0}}}, 2)[0];
}

constexpr Row kContainerRows[] = {
    {"prim::ListConstruct", 1, construct},    {"prim::ListUnpack", 1, unpack},
    {"aten::__getitem__.t", 1, item},         {"aten::list.t", 1, unchanged},
    {"aten::copy.t", 1, unchanged},           {"prim::unchecked_cast", 1, unchanged},
    {"aten::_unwrap_optional", 1, unchanged}, {"aten::add.t", 1, join},
    {"aten::slice.t", 1, slice_of_list},      {"prim::tolist", 7, to_list},
    {"aten::sorted.int", 11, sorted},         {"aten::sorted.float", 11, sorted},
};

}  // namespace

std::span<const Row> container_rows() { return kContainerRows; }

}  // namespace tonnx::lower
