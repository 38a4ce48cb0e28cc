#include "lower/strided.h"

namespace tonnx::lower {

Dims strided_positions(Op& op) {
  const auto* begin = op.node().attribute_as<std::int64_t>("memory_offset");
  if (!begin || *begin < 0)
    op.refuse(
        "it reads memory by strides, and the elements of its input do not lie there one after the other; take them by "
        "select, slice or transpose instead");
  const Dims size = op.integers("size"), stride = op.integers("stride");
  const auto offset = op.maybe_integer("storage_offset");
  Dims positions{offset ? *offset - *begin : 0};
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
    if (p < 0 || (dims && p >= count)) op.refuse("it reads memory outside of its input, which ONNX does not have");
  return positions;
}

}  // namespace tonnx::lower
