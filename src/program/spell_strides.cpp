// Strides that code asks for become what they are of a tensor in the order of its axes: products of its sizes.
//
//   %s = aten::stride.int(%x, 0)             %s = aten::mul.int(aten::size.int(%x, 1), aten::size.int(%x, 2))
#include <algorithm>
#include <optional>
#include <vector>

#include "ir/writes.h"
#include "program/edit.h"
#include "program/items.h"
#include "program/simplify.h"
#include "program/views.h"

namespace tonnx::program {

using ir::Node;
using ir::Value;

namespace {

// Behind an axis without elements lie those in front of it as if it had one.
Value* size_counted(Inserter& insert, Value* tensor, std::size_t axis) {
  const ir::Dim& dim = (*tensor->facts().dims)[axis];
  if (dim.is_fixed()) return insert.integer(std::max<std::int64_t>(dim.size(), 1));
  Value* size = insert.call("aten::size.int", {tensor, insert.integer(static_cast<std::int64_t>(axis))});
  return insert.call("prim::max.int", {size, insert.integer(1)});
}

Value* stride_of(Inserter& insert, Value* tensor, std::size_t axis) {
  Value* stride = nullptr;
  for (std::size_t behind = axis + 1; behind < tensor->facts().dims->size(); ++behind) {
    Value* size = size_counted(insert, tensor, behind);
    stride = stride ? insert.call("aten::mul.int", {stride, size}) : size;
  }
  return stride ? stride : insert.integer(1);
}

bool spell(Node& node) {
  Value* tensor = node.input();
  const auto& dims = tensor->facts().dims;
  if (!dims || !lies_in_order(*tensor)) return false;
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
  std::vector<Node*> nodes;
  for_each_node(graph.block(), [&](Node* node) {
    if (node->is("aten::stride")) nodes.push_back(node);
  });
  return std::ranges::count_if(nodes, [](Node* node) { return spell(*node); }) > 0;
}

}  // namespace tonnx::program
