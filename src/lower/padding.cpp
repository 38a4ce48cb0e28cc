#include <algorithm>

#include "lower/elementwise.h"
#include "lower/families.h"
#include "lower/formula.h"
#include "lower/known.h"
#include "lower/sizes.h"

// Padding and cropping at the ends of axes. LibTorch lists pads from the last axis on, (begin, end) each; a negative
// pad crops.
namespace tonnx::lower {
namespace {

enum class Mode { Constant, Reflect, Replicate, Circular };

// Pads in ONNX's order: all begins, then all ends, of every axis.
Dims onnx_pads(Op& op, const Dims& pads, std::int64_t rank) {
  if (pads.size() % 2 != 0 || static_cast<std::int64_t>(pads.size()) > 2 * rank)
    op.refuse_argument("pad", "has " + std::to_string(pads.size()) + " numbers for rank " + std::to_string(rank));
  Dims result(static_cast<std::size_t>(2 * rank), 0);
  for (std::size_t i = 0; 2 * i < pads.size(); ++i) {
    const std::size_t axis = static_cast<std::size_t>(rank) - 1 - i;
    result[axis] = pads[2 * i];
    result[axis + static_cast<std::size_t>(rank)] = pads[2 * i + 1];
  }
  return result;
}

Value* crop(Op& op, Value* x, const Dims& pads) {
  const std::size_t rank = pads.size() / 2;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const std::int64_t begin = std::max<std::int64_t>(-pads[axis], 0);
    const std::int64_t end = std::min<std::int64_t>(pads[axis + rank], 0);
    if (begin != 0 || end != 0) x = op->slice(x, static_cast<std::int64_t>(axis), begin, end == 0 ? INT64_MAX : end);
  }
  return x;
}

Dims positive(Dims pads) {
  for (std::int64_t& p : pads) p = std::max<std::int64_t>(p, 0);
  return pads;
}

// Circular padding axis by axis; the corners are right because earlier axes are padded already. If negative pads leave
// fewer elements than wrap around, LibTorch copies uninitialised memory.
Value* wrap_around(Op& op, Value* x, const Dims& pads) {
  const std::size_t rank = pads.size() / 2;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t begin = pads[i], end = pads[i + rank];
    const auto size = op.fixed_size(x, static_cast<std::int64_t>(i));
    if (size && *size + std::min<std::int64_t>(begin, 0) + std::min<std::int64_t>(end, 0) < std::max(begin, end))
      op.refuse_argument("pad", "removes " + std::to_string(-std::min(begin, end)) + " of the " +
                                    std::to_string(*size) + " elements of axis " + std::to_string(i) +
                                    " and wraps around more than are left, which is undefined in LibTorch");
  }
  x = crop(op, x, pads);
  for (std::size_t i = 0; i < rank; ++i) {
    const auto axis = static_cast<std::int64_t>(i);
    Values parts{x};
    if (pads[i] > 0) parts.insert(parts.begin(), op->slice(x, axis, -pads[i], INT64_MAX));
    if (pads[i + rank] > 0) parts.push_back(op->slice(x, axis, 0, pads[i + rank]));
    x = op->concat(parts, axis);
  }
  return x;
}

// The same for one axis with dynamic pads (rank 0).
Value* wrap_axis(Op& op, Value* x, std::int64_t axis, Value* begin, Value* end) {
  Builder& b = op.builder();
  const Term zero{b, b.int64(0)}, before{b, begin}, after{b, end};
  const auto size = [&] { return Term{b, b.size_scalar(x, axis)}; };
  const auto from = [](Term a, Term cut) { return a.with(subtract_sizes(a.builder(), a.value(), cut.value())); };
  x = slice_between(op, x, axis, max(from(zero, before), zero).value(),
                    from(size(), max(from(zero, after), zero)).value());
  // If begin is 0, the slice must not become x[-0:], the whole axis.
  Value* const last = slice_between(op, x, axis, from(size(), max(before, zero)).value(), nullptr);
  return b.concat({last, x, slice_between(op, x, axis, zero.value(), max(after, zero).value())}, axis);
}

Value* pad_known(Op& op, Value* x, const Dims& pads, Mode mode, Value* fill) {
  switch (mode) {
    case Mode::Circular: return wrap_around(op, x, pads);
    case Mode::Reflect: return crop(op, op->pad(x, positive(pads), "reflect"), pads);
    case Mode::Replicate: return crop(op, op->pad(x, positive(pads), "edge"), pads);
    case Mode::Constant: break;
  }
  return op->pad(crop(op, x, pads), positive(pads), "constant", fill);
}

// Padding with some pads computed at run time; one rank-0 value each.
Value* pad_computed(Op& op, Value* x, const Values& pads, Mode mode, Value* fill) {
  const std::int64_t rank = op.rank_of(x);
  if (mode == Mode::Circular) {
    for (std::size_t i = 0; 2 * i + 1 < pads.size(); ++i)
      x = wrap_axis(op, x, rank - 1 - static_cast<std::int64_t>(i), pads[2 * i], pads[2 * i + 1]);
    return x;
  }
  Values begins, ends;
  for (std::size_t i = pads.size() / 2; i-- > 0;) {
    begins.push_back(pads[2 * i]);
    ends.push_back(pads[2 * i + 1]);
  }
  const char* names[] = {"constant", "reflect", "edge"};
  return pad_by_numbers(op, x, begins, ends, names[static_cast<int>(mode)], fill);
}

// LibTorch pads one to three spatial axes, after one or two others, as the rank of the input requires.
void check_axes(const Op& op, std::string_view argument, std::int64_t rank, std::int64_t count) {
  const std::int64_t axes = count / 2;
  if (axes <= 3 && (rank == axes + 1 || rank == axes + 2)) return;
  op.refuse_argument(argument, "has " + std::to_string(count) +
                                   " numbers, which LibTorch supports for an input of rank " +
                                   std::to_string(axes + 1) + " or " + std::to_string(axes + 2) +
                                   " in this mode; this one has rank " + std::to_string(rank));
}

Outputs pad_by(Op& op, std::string_view argument, Mode mode, Value* fill) {
  Value* x = op.tensor("self");
  const auto listed = listed_numbers(op, argument);
  if (!listed) op.refuse_argument(argument, "must be a list of known length");
  if (mode != Mode::Constant) check_axes(op, argument, op.rank_of(x), std::ssize(*listed));
  Dims numbers;
  for (const Value* number : *listed)
    if (const auto n = known_integers(number)) numbers.push_back(n->front());
  if (numbers.size() != listed->size()) return pad_computed(op, x, *listed, mode, fill);
  const Dims pads = onnx_pads(op, numbers, op.rank_of(x));
  if (std::ranges::all_of(pads, [](std::int64_t p) { return p == 0; })) return x;
  return pad_known(op, x, pads, mode, fill);
}

// The fill value in the dtype of the input; null for zero.
Value* fill_of(Op& op) {
  if (op.is_none("value")) return nullptr;
  const ir::Constant* known = op.constant("value");
  if (known && known->is_number() && known->as_double() == 0) return nullptr;
  return op.scalar("value", op.dtype_of(op.tensor("self")));
}

Outputs constant_pad(Op& op) { return pad_by(op, "pad", Mode::Constant, fill_of(op)); }

Outputs pad(Op& op) {
  const std::string mode = op.text("mode");
  if (mode == "constant") return pad_by(op, "pad", Mode::Constant, fill_of(op));
  if (mode == "reflect") return pad_by(op, "pad", Mode::Reflect, nullptr);
  if (mode == "replicate") return pad_by(op, "pad", Mode::Replicate, nullptr);
  if (mode == "circular") return pad_by(op, "pad", Mode::Circular, nullptr);
  op.refuse_argument("mode", "is '" + mode + "', which has no ONNX form");
}

// aten::_pad_enum: 0 reflect, 1 replicate, 2 circular, 3 constant
Outputs pad_enum(Op& op) {
  const std::int64_t mode = op.integer("mode");
  if (mode < 0 || mode > 3) op.refuse_argument("mode", "is unknown");
  constexpr Mode kModes[] = {Mode::Reflect, Mode::Replicate, Mode::Circular, Mode::Constant};
  return pad_by(op, "pad", kModes[mode], mode == 3 ? fill_of(op) : nullptr);
}

template <Mode M>
Outputs pad_in(Op& op) {
  return pad_by(op, op.has("padding") ? "padding" : "pad", M, nullptr);
}

constexpr Row kPaddingRows[] = {
    {"aten::constant_pad_nd", 7, constant_pad},
    {"aten::pad", 7, pad},
    {"aten::_pad_enum", 7, pad_enum},
    {"aten::_pad_circular", 7, pad_in<Mode::Circular>},
    {"aten::reflection_pad1d", 7, pad_in<Mode::Reflect>},
    {"aten::reflection_pad2d", 7, pad_in<Mode::Reflect>},
    {"aten::reflection_pad3d", 7, pad_in<Mode::Reflect>},
    {"aten::replication_pad1d", 7, pad_in<Mode::Replicate>},
    {"aten::replication_pad2d", 7, pad_in<Mode::Replicate>},
    {"aten::replication_pad3d", 7, pad_in<Mode::Replicate>},
};

}  // namespace

std::span<const Row> padding_rows() { return kPaddingRows; }

}  // namespace tonnx::lower
