#include <algorithm>

#include "lower/elementwise.h"
#include "lower/families.h"
#include "lower/known.h"
#include "lower/loop.h"
#include "lower/promotion.h"
#include "lower/sequence.h"
#include "lower/sizes.h"

// Concatenation of tensors: cat, stack and similar operators of NumPy.
namespace tonnx::lower {
namespace {

Values in_one_dtype(Op& op, Values items) {
  if (items.empty()) op.refuse_argument("tensors", "must contain a tensor");
  DType dtype = op.result().dtype;
  if (dtype == DType::Undefined)
    for (const Value* v : items) dtype = ir::promote(dtype, op.dtype_of(v));
  for (Value*& v : items) v = op->cast(v, dtype);
  return items;
}

// cat ignores an empty vector among tensors of any rank; any other vector must match the rank of the others.
Values without_empty_vectors(Op& op, const Values& all) {
  const auto rank = [](const Value* v) { return v->facts().has_rank() ? v->facts().rank() : -1; };
  const bool any_higher = std::ranges::any_of(all, [&](const Value* v) { return rank(v) > 1; });
  Values items;
  for (Value* v : all) {
    if (rank(v) != 1 || (!any_higher && op.fixed_size(v, 0) != 0)) items.push_back(v);
  }
  return items;
}

// Concatenates a dynamic list, along an axis of its items or along a new one.
Outputs of_sequence(Op& op, Value* sequence, bool fresh) {
  const ir::Facts& item = sequence->facts();
  std::int64_t axis = op.integer("dim");
  if (axis < 0 && !item.dims) op.refuse_argument("dim", "must not be negative if the rank of the items is unknown");
  if (item.dims) axis = op.wrap_axis(axis, item.rank() + (fresh ? 1 : 0));
  return concat_sequence(op, sequence, axis, fresh);
}

Outputs cat(Op& op) {
  if (Value* sequence = lowered_sequence(op, op.source("tensors"))) return of_sequence(op, sequence, false);
  const Values all = in_one_dtype(op, op.tensors("tensors"));
  const Values items = without_empty_vectors(op, all);
  if (items.empty()) return all.front();
  const auto ranked = std::find_if(items.begin(), items.end(), [](const Value* v) { return v->facts().has_rank(); });
  const std::int64_t axis = ranked == items.end() ? op.integer("dim") : op.axis("dim", *ranked);
  return op->concat(items, axis);
}

Outputs stack(Op& op) {
  if (Value* sequence = lowered_sequence(op, op.source("tensors"))) return of_sequence(op, sequence, true);
  Values items = in_one_dtype(op, op.tensors("tensors"));
  const std::int64_t axis = op.wrap_axis(op.integer("dim"), op.rank_of(items.front()) + 1);
  for (Value*& v : items) v = op->unsqueeze(v, {axis});
  return op->concat(items, axis);
}

// The list argument as a sequence if its length is dynamic, else null; its items must have a known rank.
Value* sequence_of_ranked(Op& op, std::string_view argument) {
  Value* sequence = lowered_sequence(op, op.source(argument));
  if (sequence && !sequence->facts().dims)
    op.refuse_argument(argument, "is a list of dynamic length whose items have an unknown rank");
  return sequence;
}

Outputs hstack(Op& op) {
  if (Value* sequence = sequence_of_ranked(op, "tensors")) {
    const std::int64_t rank = sequence->facts().rank();
    return concat_sequence(op, sequence, rank < 2 ? 0 : 1, rank == 0);
  }
  Values items = in_one_dtype(op, op.tensors("tensors"));
  for (Value*& v : items) v = at_least_vector(op, v);
  return op->concat(items, op.rank_of(items.front()) == 1 ? 0 : 1);
}

Outputs vstack(Op& op) {
  if (Value* sequence = sequence_of_ranked(op, "tensors")) {
    const std::int64_t rank = sequence->facts().rank();
    Value* joined = concat_sequence(op, sequence, 0, rank < 2);
    return rank == 0 ? op->unsqueeze(joined, {1}) : joined;
  }
  Values items = in_one_dtype(op, op.tensors("tensors"));
  for (Value*& v : items) {
    v = at_least_vector(op, v);
    if (op.rank_of(v) == 1) v = op->unsqueeze(v, {0});
  }
  return op->concat(items, 0);
}

Outputs dstack(Op& op) {
  if (Value* sequence = sequence_of_ranked(op, "tensors")) {
    const std::int64_t rank = sequence->facts().rank();
    if (rank > 1) return concat_sequence(op, sequence, 2, rank == 2);
    Value* joined = concat_sequence(op, sequence, rank, true);
    return op->unsqueeze(joined, rank == 0 ? Dims{0, 1} : Dims{0});
  }
  Values items = in_one_dtype(op, op.tensors("tensors"));
  for (Value*& v : items) {
    v = at_least_vector(op, v);
    if (op.rank_of(v) == 1) v = op->unsqueeze(v, {0});
    if (op.rank_of(v) == 2) v = op->unsqueeze(v, {2});
  }
  return op->concat(items, 2);
}

Outputs column_stack(Op& op) {
  if (Value* sequence = sequence_of_ranked(op, "tensors")) {
    const std::int64_t rank = sequence->facts().rank();
    Value* joined = concat_sequence(op, sequence, rank == 0 ? 0 : 1, rank < 2);
    return rank == 0 ? op->unsqueeze(joined, {0}) : joined;
  }
  Values items = in_one_dtype(op, op.tensors("tensors"));
  for (Value*& v : items) {
    v = at_least_vector(op, v);
    if (op.rank_of(v) == 1) v = op->unsqueeze(v, {1});
  }
  return op->concat(items, 1);
}

// aten::block_diag: pads every tensor with zeros to the total number of columns.
Outputs block_diag(Op& op) {
  Builder& b = op.builder();
  Values items = in_one_dtype(op, op.tensors("tensors"));
  Values widths;
  for (Value*& v : items) {
    v = at_least_vector(op, v);
    if (op.rank_of(v) == 1) v = b.unsqueeze(v, {0});
    widths.push_back(b.size_scalar(v, 1));
  }
  Value* before = b.int64(0);
  Value* after = b.int64(0);
  for (Value* w : widths) after = add_sizes(b, after, w);
  for (std::size_t i = 0; i < items.size(); ++i) {
    Value* const v = items[i];
    after = subtract_sizes(b, after, widths[i]);
    if (const auto left = known_number(before), right = known_number(after); left && right) {
      items[i] = b.pad(v, Dims{0, static_cast<std::int64_t>(*left), 0, static_cast<std::int64_t>(*right)});
    } else {
      const auto zeros = [&](Value* columns) {
        return b.constant_of_shape(b.join_sizes({b.size(v, 0), b.reshape(columns, {1})}), op.dtype_of(v), 0);
      };
      items[i] = b.concat({zeros(before), v, zeros(after)}, 1);
    }
    before = add_sizes(b, before, widths[i]);
  }
  return b.concat(items, 0);
}

// aten::_chunk_cat: splits every tensor along an axis into pieces of one length, the last zero-padded; concatenates
// piece k of all tensors to row k
Outputs chunk_cat(Op& op) {
  Values items = in_one_dtype(op, op.tensors("tensors"));
  const std::int64_t count = op.integer("num_chunks"), axis = op.axis("dim", items.front());
  for (Value*& v : items) {
    const auto size = op.fixed_size(v, axis);
    if (!size) op.refuse_argument("tensors", "must have a fixed size along the axis that is split");
    const std::int64_t rank = op.rank_of(v), length = (*size + count - 1) / count;
    Dims pads(static_cast<std::size_t>(2 * rank));
    pads[static_cast<std::size_t>(rank + axis)] = length * count - *size;
    Values shape{op->int64s({count, -1})};
    if (axis > 0) shape.insert(shape.begin(), sizes_between(op, v, 0, axis));
    v = op->reshape(op->pad(v, pads), shape.size() == 1 ? shape.front() : op->concat(shape, 0));
  }
  return op->concat(items, axis + 1);
}

// Pads an item of pad_sequence along its first axis to `longest`.
Value* filled_up(Op& op, Value* v, Value* longest, std::int64_t rank) {
  Builder& b = op.builder();
  Value* fill = b.scalar(v->facts().dtype, op.number("padding_value"));
  Value* missing = b.reshape(subtract_sizes(b, longest, b.size_scalar(v, 0)), {1});
  Value* shape = rank == 1 ? missing : b.join_sizes({missing, sizes_between(op, v, 1, rank)});
  Value* filling = op->expand(b.reshape(fill, Dims(static_cast<std::size_t>(rank), 1)), shape);
  return b.concat(op.text("padding_side") == "left" ? Values{filling, v} : Values{v, filling}, 0);
}

// The same for a dynamic list: one loop finds the longest item, another pads.
Outputs pad_items(Op& op, Value* sequence, std::int64_t rank) {
  Builder& b = op.builder();
  Value* count = sequence_length(b, sequence);
  const Values longest = loop(b, count, nullptr, {b.int64(0)}, [&](Value* i, const Values& state) {
    return Pass{nullptr, {maximum(b, state[0], b.size_scalar(sequence_item(b, sequence, i), 0))}};
  });
  const Values rows = loop(b, count, b.scalar(DType::Bool, std::int64_t{1}), {}, [&](Value* i, const Values&) {
    return Pass{nullptr, {}, {filled_up(op, sequence_item(b, sequence, i), longest[0], rank)}};
  });
  return op.flag("batch_first") ? rows[0] : b.transpose(rows[0], order_with_front(rank + 1, {1}));
}

// aten::pad_sequence: pads every tensor along its first axis to the longest one, and stacks them
Outputs pad_sequence(Op& op) {
  Builder& b = op.builder();
  Value* sequence = sequence_of_ranked(op, "sequences");
  Values items = sequence ? Values{} : in_one_dtype(op, op.tensors("sequences"));
  const std::int64_t rank = sequence ? sequence->facts().rank() : op.rank_of(items.front());
  if (rank == 0) op.refuse_argument("sequences", "must not contain a tensor of rank 0");
  if (sequence) return pad_items(op, sequence, rank);
  Value* longest = b.size_scalar(items.front(), 0);
  for (Value* v : items) longest = maximum(b, longest, b.size_scalar(v, 0));
  const std::int64_t axis = op.flag("batch_first") ? 0 : 1;
  for (Value*& v : items) v = b.unsqueeze(filled_up(op, v, longest, rank), {axis});
  return b.concat(items, axis);
}

constexpr Row kJoiningRows[] = {
    {"aten::cat", 7, cat},
    {"aten::concat", 7, cat},
    {"aten::concatenate", 7, cat},
    {"aten::_cat", 7, cat},
    {"aten::_chunk_cat", 7, chunk_cat},
    {"aten::stack", 7, stack},
    {"aten::hstack", 7, hstack},
    {"aten::vstack", 7, vstack},
    {"aten::row_stack", 7, vstack},
    {"aten::dstack", 7, dstack},
    {"aten::column_stack", 7, column_stack},
    {"aten::block_diag", 7, block_diag},
    {"aten::pad_sequence", 7, pad_sequence},
};

}  // namespace

std::span<const Row> joining_rows() { return kJoiningRows; }

}  // namespace tonnx::lower
