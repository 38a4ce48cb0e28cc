#include "program/nested/padded_rows.h"

#include "aten/containers.h"
#include "ir/constant_facts.h"

namespace tonnx::program {

using ir::Node;
using ir::Type;
using ir::Value;

namespace {

Value* lengths_of(Inserter& insert, Value* mask) {
  const std::int64_t rows[] = {1};
  return insert.call("aten::sum.dim_IntList", {mask, insert.integers(rows)});
}

}  // namespace

Value* first_elements(Inserter& insert, Value* t, Value* mask) {
  Value* lengths = lengths_of(insert, mask);
  Value* count = insert.call("aten::size.int", {t, insert.integer(1)});
  Value* positions = insert.call("aten::arange", {count, insert.integer(static_cast<std::int64_t>(ir::DType::Int64))});
  return insert.call("aten::lt.Tensor", {insert.call("aten::unsqueeze", {positions, insert.integer(0)}),
                                         insert.call("aten::unsqueeze", {lengths, insert.integer(1)})});
}

Value* with_padding(Inserter& insert, Value* x, Value* valid, Value* number) {
  return insert.call("aten::where.ScalarOther",
                     {insert.call("aten::unsqueeze", {valid, insert.integer(2)}), x, number});
}

Value* up_to_longest(Inserter& insert, Value* x, Value* valid) {
  Value* longest = insert.call("aten::Int.Tensor", {insert.call("aten::max", {lengths_of(insert, valid)})});
  return insert.call("aten::slice.Tensor", {x, insert.integer(1), insert.integer(0), longest});
}

Value* resized(Inserter& insert, Value* x, Value* sizes, Value* number, const IsKnownSize& is_known_size) {
  const Type integer = Type::of(Type::Kind::Int);
  const Node* list = sizes->node();
  const bool is_listed = list && aten::acts_as(*list, aten::Container::List) && list->input_count() == kNestedRank;
  std::vector<Value*> pads;
  for (std::int64_t axis = kNestedRank; axis-- > 0;) {
    pads.push_back(insert.integer(0));
    if (is_known_size(sizes, axis)) {
      pads.push_back(pads.back());
      continue;
    }
    Value* wanted = is_listed ? list->input(static_cast<std::size_t>(axis))
                              : insert.call("aten::__getitem__.t", {sizes, insert.integer(axis)});
    if (!is_listed) wanted->set_type(integer);
    pads.push_back(insert.call("aten::sub.int", {wanted, insert.call("aten::size.int", {x, insert.integer(axis)})}));
  }
  return insert.call("aten::constant_pad_nd", {x, insert.list(Type::list(integer), pads), number});
}

std::optional<std::int64_t> axis_of(const Node& node) {
  const Value* dim = node.input("dim");
  if (const auto axis = ir::constant_integer(dim)) return axis;
  const Node* list = dim ? dim->node() : nullptr;
  if (list && aten::acts_as(*list, aten::Container::List))
    return list->input_count() == 1 ? ir::constant_integer(list->input()) : std::nullopt;
  const auto* known = dim && dim->constant() ? dim->constant()->get<ir::Constant::List>() : nullptr;
  return known && known->items.size() == 1 && known->items[0].is_number() ? std::optional(known->items[0].as_int64())
                                                                          : std::nullopt;
}

bool is_size_of(const Value* sizes, const Value* source, std::int64_t axis) {
  const Node* node = sizes->node();
  if (!node || !source || axis == kNestedRank - 1) return false;
  if (node->is("aten::size") && node->input_count() == 1) return node->input() == source;
  if (!aten::acts_as(*node, aten::Container::List) || node->input_count() != kNestedRank) return false;
  const Node* size = node->input(static_cast<std::size_t>(axis))->node();
  return size && size->is("aten::size") && size->input_count() == 2 && size->input() == source &&
         ir::constant_integer(size->input(1)) == axis;
}

}  // namespace tonnx::program
