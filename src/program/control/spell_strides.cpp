// Replaces the strides of a contiguous tensor by products of its sizes.
//
//   %s = aten::stride.int(%x, 0)             %s = aten::mul.int(aten::size.int(%x, 1), aten::size.int(%x, 2))
#include <algorithm>
#include <optional>
#include <vector>

#include "ir/writes.h"
#include "program/containers/items.h"
#include "program/control/passes.h"
#include "program/edit.h"
#include "program/nodes_where.h"
#include "program/writes/views.h"

namespace tonnx::program {

using ir::Node;
using ir::Type;
using ir::Value;

namespace {

// An axis without elements counts as one with a single element.
Value* size_or_one(Inserter& insert, Value* tensor, std::size_t axis) {
  const ir::Dim& dim = (*tensor->facts().dims)[axis];
  if (dim.is_fixed()) return insert.integer(std::max<std::int64_t>(dim.size(), 1));
  Value* size = insert.call("aten::size.int", {tensor, insert.integer(static_cast<std::int64_t>(axis))});
  return insert.call("prim::max.int", {size, insert.integer(1)});
}

Value* stride_of(Inserter& insert, Value* tensor, std::size_t axis) {
  Value* stride = nullptr;
  for (std::size_t inner = axis + 1; inner < tensor->facts().dims->size(); ++inner) {
    Value* size = size_or_one(insert, tensor, inner);
    stride = stride ? insert.call("aten::mul.int", {stride, size}) : size;
  }
  return stride ? stride : insert.integer(1);
}

bool are_numbers(const Value* value) {
  const Type& type = value->type();
  return type.is(Type::Kind::Int) || (type.is(Type::Kind::List) && type.elements.at(0).is(Type::Kind::Int));
}

// True if the integers, and all that are computed from them, are used only as strides of views.
bool are_only_strides(const Value* strides) {
  return are_numbers(strides) && std::ranges::all_of(strides->uses(), [](const ir::Use& use) {
           if (use.node->is("aten::as_strided")) return use.index == 2;
           const bool computes = use.node->blocks().empty() && !use.node->edge_of() && use.node->output_count() > 0;
           return computes && std::ranges::all_of(use.node->inputs(), are_numbers) &&
                  std::ranges::all_of(use.node->outputs(), are_only_strides);
         });
}

bool spell(Node& node) {
  Value* tensor = node.input();
  const auto& dims = tensor->facts().dims;
  if (!dims || !(has_strides_in_order(*tensor) || (lies_in_order(*tensor) && are_only_strides(node.output()))))
    return false;
  Inserter insert(&node);
  Value* result = nullptr;
  if (node.input_count() > 1) {
    const auto axis = constant_index(node.input(1), dims->size());
    if (!axis) return false;
    result = stride_of(insert, tensor, *axis);
  } else {
    std::vector<Value*> strides;
    for (std::size_t axis = 0; axis < dims->size(); ++axis) strides.push_back(stride_of(insert, tensor, axis));
    result = insert.list(node.output()->type(), strides);
  }
  node.output()->replace_uses(result);
  node.erase();
  return true;
}

}  // namespace

bool spell_strides(ir::Graph& graph) {
  if (has_writes(graph)) return false;
  const std::vector<Node*> nodes = nodes_where(graph, [&](const Node* node) { return node->is("aten::stride"); });
  return std::ranges::count_if(nodes, [](Node* node) { return spell(*node); }) > 0;
}

}  // namespace tonnx::program
