#include "program/references/names.h"

#include <algorithm>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/writes.h"
#include "program/writes/views.h"

namespace tonnx::program {

using aten::Container;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

// True if a user may change the list.
bool may_be_changed(const Value& list) {
  return std::ranges::any_of(
      list.uses(), [](const ir::Use& use) { return !use.node->schema() || writes_argument(*use.node, use.index); });
}

bool returns_view(const Node& node) {
  const aten::Alias alias = aten::traits_of(node).alias;
  if (alias != aten::Alias::SometimesView) return alias == aten::Alias::Marked;
  return relation_of(node, 0).kind == Relation::Kind::View;
}

}  // namespace

bool reshapes_in_place(const ir::Graph& graph) {
  return ir::any_node(graph.block(), [](const Node& node) {
    const aten::Write write = aten::write_of(node);
    return write == aten::Write::Shape || write == aten::Write::Resize || write == aten::Write::Memory;
  });
}

bool is_view(const Node& node) {
  if (node.input_count() == 0 || !node.schema() || node.output_count() != 1 ||
      !node.output()->type().is(Type::Kind::Tensor))
    return false;
  const aten::Traits& traits = aten::traits_of(node);
  if (traits.inverse == aten::Inverse::None || !returns_view(node) || writes(node)) return false;
  const auto is_other = [](const Value* in) {
    return in->type().is(Type::Kind::Tensor) || in->type().is_tensor_list() ||
           (in->type().is(Type::Kind::List) && may_be_changed(*in));
  };
  return std::none_of(node.inputs().begin() + 1, node.inputs().end(), is_other);
}

bool is_fixed_list(const Value& value) {
  const auto is_number = [](const Value* item) { return item->type().is(Type::Kind::Int); };
  return aten::acts_as(*value.node(), Container::List) && std::ranges::all_of(value.node()->inputs(), is_number) &&
         !may_be_changed(value);
}

Value* written_by(const Value& value) {
  const Node& node = *value.node();
  const ir::Schema* schema = node.schema();
  if (!schema || node.output_count() != 1 || schema->returns.size() != 1 || schema->returns[0].alias_set.empty())
    return nullptr;
  for (std::size_t i = 0; i < node.input_count() && i < schema->arguments.size(); ++i)
    if (writes_argument(node, i) && schema->arguments[i].alias_set == schema->returns[0].alias_set)
      return node.input(i);
  return nullptr;
}

Value* written_first(Value* value) {
  while (Value* same = written_by(*value)) value = same;
  return value;
}

bool is_written_by_name(const Value& tensor, const std::function<bool(const Node&)>& counts) {
  return std::ranges::any_of(tensor.uses(), [&](const ir::Use& use) {
    if (writes_argument(*use.node, use.index)) return counts(*use.node);
    return use.index == 0 && is_view(*use.node) && is_written_by_name(*use.node->output(), counts);
  });
}

}  // namespace tonnx::program
