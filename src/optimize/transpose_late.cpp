#include <array>
#include <vector>

#include "optimize/passes.h"
#include "optimize/reads.h"

namespace tonnx::optimize {
namespace {

using ir::Node;
using ir::Value;

bool is_fixed(const Value* value) { return value->weight() || constant_tensor(value); }

using Order = std::vector<std::int64_t>;

// Permutation of a Transpose that ONNX Runtime would fuse into MatMul (axis 0 moves into the last two).
const Order* turn_of_batches(const Node* node) {
  const Order* order = node && node->is("onnx::Transpose") ? node->attribute_as<Order>("perm") : nullptr;
  if (!order || order->size() < 3) return nullptr;
  const std::size_t rank = order->size();
  for (std::size_t axis = 0; axis + 2 < rank; ++axis)
    if ((*order)[axis] != static_cast<std::int64_t>(axis + 1)) return nullptr;
  return order;
}

// Inserts a Transpose of `input` after `place`, under the name of `result`, and replaces the uses of `result` by it.
void transpose_after(Node& place, const Order& order, Value* input, Value* result) {
  Node* turn = place.graph().create("onnx::Transpose", std::array{input}, 1);
  turn->set_attribute("perm", order);
  turn->set_location(place.location());
  turn->insert_after(&place);
  turn->output()->set_facts(result->facts());
  turn->output()->set_name(result->name(), result->has_made_up_name());
  result->replace_uses(turn->output());
}

// MatMul(Cast(Transpose(x)))
bool cast_first(Node& product, std::size_t side) {
  Node* cast = product.input(side)->node();
  if (!cast || !cast->is("onnx::Cast")) return false;
  const Node* turn = cast->input(0)->node();
  const Order* order = turn_of_batches(turn);
  if (!order) return false;

  Node* moved = product.graph().create("onnx::Cast", std::array{turn->input(0)}, 1);
  for (const ir::NamedAttribute& a : cast->attributes()) moved->set_attribute(a.name, a.value);
  moved->set_location(cast->location());
  moved->insert_before(cast);
  ir::Facts facts = turn->input(0)->facts();
  facts.dtype = cast->output()->facts().dtype;
  facts.constant = nullptr;
  moved->output()->set_facts(facts);
  transpose_after(*moved, *order, moved->output(), cast->output());
  return true;
}

// MatMul(Transpose(x), w) of float16, for which ONNX Runtime inserts a Cast if it has no kernel.
bool multiply_first(Node& product) {
  Value *given = product.input(0), *matrix = product.input(1);
  const ir::Facts& sizes = matrix->facts();
  if (given->facts().dtype != ir::DType::Float16 || !is_fixed(matrix) || !sizes.has_rank() || sizes.rank() != 2)
    return false;
  const Order* order = turn_of_batches(given->node());
  if (!order || order->back() == 0) return false;

  Value* before = given->node()->input(0);
  Node* moved = product.graph().create("onnx::MatMul", std::array{before, matrix}, 1);
  moved->set_location(product.location());
  moved->insert_before(&product);
  ir::Facts facts = before->facts();
  facts.constant = nullptr;
  if (facts.dims) facts.dims->back() = sizes.dims->back();
  moved->output()->set_facts(facts);
  transpose_after(*moved, *order, moved->output(), product.output());
  return true;
}

bool transpose_late_in(ir::Block& block) {
  bool changed = false;
  for (Node* node : block.nodes()) {
    for (ir::Block* inner : node->blocks()) changed = transpose_late_in(*inner) || changed;
    if (node->is("onnx::MatMul"))
      changed = cast_first(*node, 0) || cast_first(*node, 1) || multiply_first(*node) || changed;
  }
  return changed;
}

}  // namespace

bool transpose_late(ir::Graph& model) { return transpose_late_in(model.block()); }

}  // namespace tonnx::optimize
