#include "lower/packed_sequence.h"

#include "aten/traits.h"

namespace tonnx::lower {
namespace {

bool is_over_packed(const ir::Node& node) {
  const ir::Schema* schema = node.schema();
  return schema && schema->overload == "data" && schema->index_of("batch_sizes") >= 0;
}

}  // namespace

bool only_read_packed(const ir::Value* data) {
  for (const ir::Use& use : data->uses()) {
    const ir::Node& reader = *use.node;
    if (reader.is("aten::_pad_packed_sequence") || aten::traits_of(reader).type_only) continue;
    if (!is_over_packed(reader) || !only_read_packed(reader.output(0))) return false;
  }
  return true;
}

Lowered padded(Value* x) { return {Lowered::Kind::List, nullptr, {x}}; }

Value* padded_data(const Op& op) {
  const Lowered* data = op.lowered(op.source("data"));
  if (!data || data->kind != Lowered::Kind::List) op.refuse_argument("data", "must come from pack_padded_sequence in the same program");
  return data->list.at(0);
}

Value* lengths_of(const Op& op) {
  const ir::Node* node = op.source("batch_sizes")->node();
  while (node && aten::traits_of(*node).alias == aten::Alias::SometimesSame) node = node->input(0)->node();
  if (!node || !node->is("aten::_pack_padded_sequence"))
    op.refuse_argument("batch_sizes", "must come from pack_padded_sequence in the same program");
  return op->cast(op.value_of(node->input("lengths")), DType::Int64);
}

}  // namespace tonnx::lower
