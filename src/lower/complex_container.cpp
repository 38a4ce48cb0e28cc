#include "ir/constant_facts.h"
#include "lower/families.h"
#include "lower/op.h"

// Lists that contain complex tensors; their length must be static.
namespace tonnx::lower {
namespace {

Lowered one(const Parts& parts) {
  if (!parts.real) return {};
  if (!parts.imaginary) return {Lowered::Kind::One, parts.real, {}};
  return {Lowered::Kind::Complex, parts.real, {}, parts.imaginary};
}

Outputs list(const std::vector<Parts>& items) {
  Lowered all{Lowered::Kind::ComplexList, nullptr, {}};
  for (const Parts& item : items) {
    all.list.push_back(item.real);
    all.imaginaries.push_back(item.imaginary);
  }
  return Outputs(std::vector<Lowered>{std::move(all)});
}

// prim::ListConstruct
Outputs construct(Op& op) {
  std::vector<Parts> items;
  for (const ir::Value* in : op.node().inputs()) items.push_back(ir::is_none(in) ? Parts{} : op.parts_of(in));
  return list(items);
}

// prim::ListUnpack
Outputs unpack(Op& op) {
  const std::vector<Parts> items = op.parts_in(op.node().input(0));
  if (items.size() != op.node().output_count())
    op.refuse("a list of " + std::to_string(items.size()) + " items is unpacked into " +
              std::to_string(op.node().output_count()));
  std::vector<Lowered> results;
  for (const Parts& item : items) results.push_back(one(item));
  return Outputs(std::move(results));
}

// aten::__getitem__.t
Outputs complex_item(Op& op) {
  const std::vector<Parts> items = op.parts_in(op.node().input(0));
  const ir::Constant* position = op.node().input(1)->constant();
  if (!position) op.refuse("the index into a list of complex tensors must be a constant");
  const std::int64_t i = op.wrap_axis(position->as_int64(), static_cast<std::int64_t>(items.size()));
  return Outputs(std::vector<Lowered>{one(items.at(static_cast<std::size_t>(i)))});
}

// prim::unchecked_cast, aten::_unwrap_optional, aten::list
Outputs same_parts(Op& op) {
  const ir::Value* source = op.node().input(0);
  if (source->type().is(ir::Type::Kind::List)) return list(op.parts_in(source));
  return Outputs(std::vector<Lowered>{one(op.parts_of(source))});
}

// aten::add.t: concatenation of two lists
Outputs join(Op& op) {
  std::vector<Parts> all = op.parts_in(op.node().input(0));
  for (const Parts& item : op.parts_in(op.node().input(1))) all.push_back(item);
  return list(all);
}

Outputs length(Op& op) { return op->int64(static_cast<std::int64_t>(op.parts_in(op.node().input(0)).size())); }

// aten::mul.left_t, mul.right_: repetition of a list
Outputs repeat(Op& op) {
  const std::size_t list_at = op.node().input(0)->type().is(ir::Type::Kind::List) ? 0 : 1;
  const ir::Constant* count = op.node().input(1 - list_at)->constant();
  if (!count) op.refuse("the repeat count of a list of complex tensors must be a constant");
  const std::vector<Parts> items = op.parts_in(op.node().input(list_at));
  std::vector<Parts> all;
  for (std::int64_t i = 0; i < count->as_int64(); ++i) all.insert(all.end(), items.begin(), items.end());
  return list(all);
}

constexpr Row kComplexContainerRows[] = {
    {"prim::ListConstruct", 1, construct},
    {"prim::ListUnpack", 1, unpack},
    {"prim::unchecked_cast", 1, same_parts},
    {"aten::_unwrap_optional", 1, same_parts},
    {"aten::__getitem__.t", 1, complex_item},
    {"aten::list.t", 1, same_parts},
    {"aten::add.t", 1, join},
    {"aten::mul.left_t", 1, repeat},
    {"aten::mul.right_", 1, repeat},
    {"aten::len.t", 1, length},
};

}  // namespace

std::span<const Row> complex_container_rows() { return kComplexContainerRows; }

}  // namespace tonnx::lower
