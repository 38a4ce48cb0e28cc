#include "lower/strided.h"

namespace tonnx::lower {
namespace {

// The storage offset of the input's first element.
std::int64_t first_element(Op& op) {
  const auto* begin = op.node().attribute_as<std::int64_t>("memory_offset");
  if (!begin || *begin < 0)
    op.refuse(
        "its input is not contiguous, so strides into its storage cannot be resolved; "
        "use select, slice or transpose instead");
  return *begin;
}

[[noreturn]] void refuse_outside(Op& op) { op.refuse("it reads storage outside its input, which has no ONNX form"); }

}  // namespace

bool has_known_positions(const Op& op) {
  return op.is_constant("size") && op.is_constant("stride") &&
         (op.is_none("storage_offset") || op.is_constant("storage_offset"));
}

Value* strided_positions_at_run_time(Op& op, const ir::Facts& view) {
  Builder& b = op.builder();
  const std::int64_t begin = first_element(op);
  Value* positions = b.int64(0);
  if (!op.is_none("storage_offset")) {
    if (op.is_constant("storage_offset") ? op.integer("storage_offset") < begin : begin > 0) refuse_outside(op);
    positions = b.sub(op.scalar("storage_offset", DType::Int64), b.int64(begin));
  }
  if (!view.dims) op.refuse("the number of its axes must be known");
  const auto rank = static_cast<std::int64_t>(view.dims->size());
  Value* size = op.int_vector("size");
  Value* stride = op.int_vector("stride");
  for (std::int64_t i = 0; i < rank; ++i) {
    Value* along = b.mul(b.range(b.gather(size, b.int64(i), 0)), b.gather(stride, b.int64(i), 0));
    Dims after;
    for (std::int64_t k = i + 1; k < rank; ++k) after.push_back(k - i);
    positions = b.add(positions, after.empty() ? along : b.unsqueeze(along, after));
  }
  return positions;
}

Dims strided_positions(Op& op) {
  const std::int64_t begin = first_element(op);
  const Dims size = op.integers("size"), stride = op.integers("stride");
  const auto offset = op.maybe_integer("storage_offset");
  Dims positions{offset ? *offset - begin : 0};
  for (std::size_t i = 0; i < size.size(); ++i) {
    Dims next;
    next.reserve(positions.size() * static_cast<std::size_t>(size[i]));
    for (const std::int64_t p : positions)
      for (std::int64_t k = 0; k < size[i]; ++k) next.push_back(p + k * stride.at(i));
    positions = std::move(next);
  }
  const auto dims = op.tensor("self")->facts().fixed_dims();
  std::int64_t count = 1;
  if (dims)
    for (const std::int64_t n : *dims) count *= n;
  for (const std::int64_t p : positions)
    if (p < 0 || (dims && p >= count)) refuse_outside(op);
  return positions;
}

}  // namespace tonnx::lower
