// An operator on tensors whose flag a run decides becomes a branch for each value of it.
//
// Needs no facts: a flag may decide a rank (keepdim), so that this goes before they are inferred. Operators that write stay where
// the program has writes, and normalisations that keep statistics, which a branch would have to hand on:
//
//   %r = aten::sum(%x, %dims, %keepdim)      %r = prim::If(%keepdim)
//                                              block0: %a = aten::sum(%x, %dims, True) -> (%a)
//                                              block1: %b = aten::sum(%x, %dims, False) -> (%b)
#include <algorithm>
#include <array>
#include <vector>

#include "aten/training_flags.h"
#include "ir/schema.h"
#include "ir/writes.h"
#include "program/branch_per_value.h"
#include "program/edit.h"
#include "program/simplify.h"

namespace tonnx::program {

using ir::Node;
using ir::Type;
using ir::Value;

namespace {

bool is_flag(const Type& type) {
  return type.is(Type::Kind::Optional) ? is_flag(type.elements.at(0)) : type.is(Type::Kind::Bool);
}

bool holds_tensors(const Value* value) { return value->type().is(Type::Kind::Tensor) || value->type().is_tensor_list(); }

bool keeps_statistics(const ir::Schema& schema) {
  return std::ranges::any_of(schema.arguments, [](const ir::Argument& argument) { return aten::is_statistic(argument.name); });
}

Value* open_flag(const Node& node) {
  const ir::Schema* schema = node.schema();
  if (!schema || node.domain() != "aten" || node.output_count() == 0 || node.output(0)->type().is_scalar()) return nullptr;
  if (std::ranges::none_of(node.inputs(), holds_tensors) || keeps_statistics(*schema)) return nullptr;
  for (std::size_t i = 0; i < node.input_count() && i < schema->arguments.size(); ++i) {
    Value* in = node.input(i);
    if (is_flag(schema->arguments[i].type) && in->type().is(Type::Kind::Bool) && !in->constant()) return in;
  }
  return nullptr;
}

}  // namespace

bool choose_flags(ir::Graph& graph, const Kept& kept) {
  const bool any_writes = has_writes(graph);
  std::vector<Node*> nodes;
  for_each_node(graph.block(), [&](Node* node) {
    if (open_flag(*node) && !(kept && kept(*node)) && !(any_writes && writes(*node))) nodes.push_back(node);
  });
  for (Node* node : nodes) {
    Value* flag = open_flag(*node);
    Inserter insert(node);
    const std::array<Value*, 2> values = {insert.boolean(true), insert.boolean(false)};
    branch_per_value(*node, {[&](Inserter&, std::size_t) { return flag; }, flag, values});
  }
  return !nodes.empty();
}

}  // namespace tonnx::program
