#include <cstdint>

#include "lower/families.h"
#include "lower/op.h"

// Products of groups of matrices; a tensor contains the offsets at which each group ends.
namespace tonnx::lower {
namespace {

// Splits x along an axis into parts that end at `ends`, (groups), int64; with `all`, the last part ends at the end of
// x.
Values parts_of(Builder& b, Value* x, std::int64_t axis, Value* ends, std::int64_t groups, bool all) {
  Values parts;
  Value* start = b.int64s({0});
  for (std::int64_t g = 0; g < groups; ++g) {
    Value* end = all && g + 1 == groups ? b.int64s({INT64_MAX}) : b.slice(ends, 0, g, g + 1);
    parts.push_back(b.slice(x, start, end, b.int64s({axis})));
    start = end;
  }
  return parts;
}

std::int64_t fixed(Op& op, const Value* x, std::string_view argument) {
  const auto size = op.fixed_size(x, 0);
  if (!size) op.refuse_argument(argument, "must have a fixed number of groups");
  return *size;
}

// aten::_grouped_mm: rows, columns or summands in groups, or stack times stack. Rows and columns after the last group
// are undefined, but part of the result.
Outputs grouped_mm(Op& op) {
  Builder& b = op.builder();
  if (!op.is_none("bias")) op.refuse_argument("bias", "has no ONNX form here");
  Value* x = op.tensor("self");
  Value* y = op.tensor("mat2");
  const std::int64_t rank_x = op.rank_of(x), rank_y = op.rank_of(y);
  const DType dtype = op.result_dtype();
  if (rank_x == 3 && rank_y == 3) return b.cast(b.matmul(x, y), dtype);
  Value* ends = b.cast(op.tensor("offs"), DType::Int64);
  const std::int64_t groups = fixed(op, ends, "offs");
  const bool x_whole = rank_x == 3, y_whole = rank_y == 3;
  const Values left = x_whole ? b.split(x, Dims(static_cast<std::size_t>(groups), 1), 0)
                              : parts_of(b, x, y_whole ? 0 : 1, ends, groups, y_whole);
  const Values right = y_whole ? b.split(y, Dims(static_cast<std::size_t>(groups), 1), 0)
                               : parts_of(b, y, x_whole ? 1 : 0, ends, groups, x_whole);
  Values products;
  for (std::size_t g = 0; g < left.size(); ++g) {
    Value* one = x_whole ? b.squeeze(left[g], {0}) : left[g];
    Value* product = b.matmul(one, y_whole ? b.squeeze(right[g], {0}) : right[g]);
    products.push_back(x_whole || y_whole ? product : b.unsqueeze(product, {0}));
  }
  return b.cast(b.concat(products, x_whole ? 1 : 0), dtype);
}

// grouped_mm_fallback(input, weight, offs) of transformers: groups of rows, each with its own matrix; zeros after the
// last group.
Outputs grouped_rows(Op& op) {
  Builder& b = op.builder();
  Value* x = op.tensor("input");
  Value* y = op.tensor("weight");
  if (op.rank_of(x) != 2 || op.rank_of(y) != 3) op.refuse("the input must be a matrix and the weight a stack of them");
  Value* ends = b.cast(op.tensor("offs"), DType::Int64);
  const std::int64_t groups = fixed(op, ends, "offs");
  if (groups == 0) op.refuse_argument("offs", "must have at least one group");
  const Values rows = parts_of(b, x, 0, ends, groups, false);
  const Values matrices = b.split(y, Dims(static_cast<std::size_t>(groups), 1), 0);
  Values products;
  for (std::size_t g = 0; g < rows.size(); ++g) products.push_back(b.matmul(rows[g], b.squeeze(matrices[g], {0})));
  Value* left = b.sub(b.size(x, 0), b.slice(ends, 0, groups - 1, groups));
  products.push_back(b.constant_of_shape(b.join_sizes({left, b.size(y, 2)}), op.result_dtype(), 0));
  return b.concat(products, 0);
}

constexpr Row kGroupedProductRows[] = {
    {"aten::_grouped_mm", 13, grouped_mm},
    {"transformers::grouped_mm_fallback", 13, grouped_rows},
};

}  // namespace

std::span<const Row> grouped_product_rows() { return kGroupedProductRows; }

}  // namespace tonnx::lower
