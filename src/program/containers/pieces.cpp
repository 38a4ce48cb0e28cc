#include "program/containers/pieces.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/checked.h"
#include "ir/constant_facts.h"
#include "ir/refusal.h"
#include "program/containers/items.h"
#include "program/writes/views.h"

namespace tonnx::program {

using aten::Inverse;
using ir::Facts;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();
constexpr const char* kItem = "aten::__getitem__.t";

// The size along an axis, which may be negative; -1 if it is not known.
std::int64_t size_along(const Facts& facts, std::int64_t dim) {
  if (!facts.dims) return -1;
  const auto rank = static_cast<std::int64_t>(facts.dims->size());
  const std::int64_t axis = dim < 0 ? dim + rank : dim;
  return axis < 0 || axis >= rank ? -1 : (*facts.dims)[static_cast<std::size_t>(axis)].size();
}

// The constant indices at which tensor_split, hsplit, vsplit or dsplit cuts; empty for a number of sections.
std::optional<std::vector<std::int64_t>> section_indices(const Node& split) {
  const Value* value = split.input(1);
  if (value->type().is(Type::Kind::List)) return aten::constant_integers(value);
  const ir::Tensor* tensor = value->constant() ? value->constant()->get<ir::Tensor>() : nullptr;
  return tensor && tensor->rank() == 1 ? std::optional(tensor->to_int64s()) : std::nullopt;
}

// tensor_split has an axis argument; hsplit takes axis 1 (0 of a vector), vsplit 0, dsplit 2.
std::optional<std::int64_t> axis_of_sections(const Node& split, const Facts& facts) {
  if (split.input_count() == 3) return constant_integer(split.input(2));
  const aten::Traits& traits = aten::traits_of(split);
  if (traits.section_axis == 1 && !facts.has_rank()) return std::nullopt;
  return traits.section_axis == 1 && facts.rank() == 1 ? 0 : traits.section_axis;
}

// A constant, or a value of the program.
struct Number {
  std::optional<std::int64_t> known;
  Value* value = nullptr;

  static Number fixed(std::int64_t known) { return {known, nullptr}; }
  static Number of(Value* value) { return {constant_integer(value), value}; }
  bool is(std::int64_t other) const { return known == other; }
};

// Arithmetic on integers that are not negative; folds constants.
class Arithmetic {
 public:
  explicit Arithmetic(Inserter& insert) : insert_(insert) {}

  Value* value(const Number& n) { return n.value ? n.value : insert_.integer(*n.known); }
  Number add(const Number& a, const Number& b) {
    if (a.is(0)) return b;
    if (b.is(0)) return a;
    std::int64_t sum = 0;
    if (!a.known || !b.known) return call("aten::add.int", a, b);
    return Number::fixed(__builtin_add_overflow(*a.known, *b.known, &sum) ? kEnd : sum);
  }
  Number multiply(const Number& a, const Number& b) {
    if (a.is(0) || b.is(1)) return a;
    if (b.is(0) || a.is(1)) return b;
    std::int64_t product = 0;
    if (!a.known || !b.known) return call("aten::mul.int", a, b);
    return Number::fixed(__builtin_mul_overflow(*a.known, *b.known, &product) ? kEnd : product);
  }
  Number quotient(const Number& a, const Number& b) {
    const auto known = a.known && b.known ? ir::checked_divide(*a.known, *b.known) : std::nullopt;
    return known ? Number::fixed(*known) : call("aten::floordiv.int", a, b);
  }
  Number remainder(const Number& a, const Number& b) {
    const auto known = a.known && b.known ? ir::checked_remainder(*a.known, *b.known) : std::nullopt;
    return known ? Number::fixed(*known) : call("aten::remainder.int", a, b);
  }
  Number minimum(const Number& a, const Number& b) {
    if (a.is(0) || b.is(0)) return Number::fixed(0);
    return a.known && b.known ? Number::fixed(std::min(*a.known, *b.known)) : call("prim::min.int", a, b);
  }

 private:
  Number call(const char* name, const Number& a, const Number& b) {
    return Number::of(insert_.call(name, {value(a), value(b)}));
  }

  Inserter& insert_;
};

// The range of a piece along its axis, as the arguments of a slice.
struct Bounds {
  Number start, end;
};

class PieceFinder {
 public:
  PieceFinder(Inserter& insert, const Node& split, Value* base, const Facts& facts)
      : insert_(insert), numbers_(insert), split_(split), base_(base), facts_(facts) {}

  // The non-negative index of the piece.
  Number index(const Piece& piece) {
    if (!piece.item) return Number::fixed(piece.place);
    Value* at = piece.item->input(1);
    const auto known = constant_integer(at);
    if (known && *known >= 0) return Number::fixed(*known);
    if (known) {
      const std::int64_t count = piece_count(split_, facts_);
      if (count >= 0) return Number::fixed(*known + count);
    }
    if (is_iteration_index(at)) return Number::of(at);
    return Number::of(insert_.call("aten::remainder.int", {at, insert_.call("aten::len.t", {piece.item->input()})}));
  }

  std::optional<Bounds> bounds(const Number& piece, Value* dim) {
    const Inverse inverse = aten::traits_of(split_).inverse;
    const Type& how = split_.input(1)->type();
    if (piece.known && *piece.known < 0) return std::nullopt;
    if (inverse == Inverse::Split && how.is(Type::Kind::List)) return of_sizes(piece);
    if (inverse == Inverse::Split) return of_length(piece, Number::of(split_.input(1)));
    if (inverse == Inverse::Chunk) return of_chunks(piece, dim);
    if (inverse != Inverse::Sections) return std::nullopt;
    if (how.is(Type::Kind::List) || section_indices(split_)) return of_indices(piece);
    return how.is(Type::Kind::Int) ? of_sections(piece, dim) : std::nullopt;
  }

 private:
  // True if the value is the index of an iteration, so it is not negative.
  static bool is_iteration_index(const Value* value) {
    const ir::Block* block = value->node() ? value->node()->parent() : nullptr;
    const Node* owner = block ? block->owner() : nullptr;
    return owner && owner->is("prim::Loop") && !block->inputs().empty() && block->inputs()[0] == value;
  }

  Number size(Value* dim) {
    const auto axis = constant_integer(dim);
    const std::int64_t known = axis ? size_along(facts_, *axis) : -1;
    return known >= 0 ? Number::fixed(known) : Number::of(insert_.call("aten::size.int", {base_, dim}));
  }

  static std::optional<std::int64_t> item_count(const Value* list) {
    if (const auto known = aten::constant_integers(list)) return static_cast<std::int64_t>(known->size());
    if (!aten::acts_as(*list->node(), aten::Container::List)) return std::nullopt;
    return static_cast<std::int64_t>(list->node()->input_count());
  }

  Number item(Value* list, std::int64_t index) {
    const auto count = item_count(list);
    if (!count) return Number::of(insert_.call(kItem, {list, insert_.integer(index)}));
    if (const auto known = aten::constant_integers(list))
      return Number::fixed((*known)[static_cast<std::size_t>(index)]);
    return Number::of(list->node()->input(static_cast<std::size_t>(index)));
  }

  Value* typed(const char* name, std::initializer_list<Value*> inputs) {
    Value* list = insert_.call(name, inputs);
    list->set_type(Type::list(Type::of(Type::Kind::Int)));
    return list;
  }

  // Of pieces of equal length; the last one may be shorter.
  Bounds of_length(const Number& piece, const Number& length) {
    const Number start = numbers_.multiply(piece, length);
    return {start, numbers_.add(start, length)};
  }

  std::optional<Bounds> of_chunks(const Number& piece, Value* dim) {
    const Number chunks = Number::of(split_.input(1));
    if (chunks.known.value_or(1) <= 0) return std::nullopt;
    return of_length(piece,
                     numbers_.quotient(numbers_.add(size(dim), numbers_.add(chunks, Number::fixed(-1))), chunks));
  }

  std::optional<Bounds> of_sizes(const Number& piece) {
    Value* sizes = split_.input(1);
    if (piece.known && item_count(sizes).value_or(kEnd) <= *piece.known) return std::nullopt;
    Number start = Number::fixed(0);
    if (!piece.known) {
      start = Number::of(insert_.call("aten::sum.int", {typed("aten::slice.t", {sizes, insert_.none(), piece.value})}));
      return Bounds{start, numbers_.add(start, Number::of(insert_.call(kItem, {sizes, piece.value})))};
    }
    for (std::int64_t i = 0; i < *piece.known; ++i) start = numbers_.add(start, item(sizes, i));
    return Bounds{start, numbers_.add(start, item(sizes, *piece.known))};
  }

  std::optional<Bounds> of_indices(const Number& piece) {
    const auto known = section_indices(split_);
    Value* indices = known ? insert_.integers(*known) : split_.input(1);
    const auto count = item_count(indices);
    if (piece.known && count) {
      if (*piece.known > *count) return std::nullopt;
      return Bounds{*piece.known == 0 ? Number::fixed(0) : item(indices, *piece.known - 1),
                    *piece.known == *count ? Number::fixed(kEnd) : item(indices, *piece.known)};
    }
    Value* starts = typed("aten::add.t", {insert_.integers(std::array<std::int64_t, 1>{0}), indices});
    Value* ends = typed("aten::add.t", {indices, insert_.integers(std::array<std::int64_t, 1>{kEnd})});
    Value* at = numbers_.value(piece);
    return Bounds{Number::of(insert_.call(kItem, {starts, at})), Number::of(insert_.call(kItem, {ends, at}))};
  }

  // Of a given number of pieces; the first (size % number) ones are longer by one.
  std::optional<Bounds> of_sections(const Number& piece, Value* dim) {
    const Number sections = Number::of(split_.input(1)), length = size(dim);
    if (sections.known.value_or(1) <= 0) return std::nullopt;
    const Number each = numbers_.quotient(length, sections), longer = numbers_.remainder(length, sections);
    const auto start = [&](const Number& i) {
      return numbers_.add(numbers_.multiply(i, each), numbers_.minimum(i, longer));
    };
    return Bounds{start(piece), start(numbers_.add(piece, Number::fixed(1)))};
  }

  Inserter& insert_;
  Arithmetic numbers_;
  const Node& split_;
  Value* base_;
  const Facts& facts_;
};

}  // namespace

std::int64_t piece_count(const Node& split, const Facts& base_facts) {
  const Inverse inverse = aten::traits_of(split).inverse;
  if (inverse == Inverse::Unbind) {
    const auto dim = constant_integer(split.input(1));
    return dim ? size_along(base_facts, *dim) : -1;
  }
  if (inverse == Inverse::Sections) {
    if (const auto indices = section_indices(split)) return static_cast<std::int64_t>(indices->size()) + 1;
    return constant_integer(split.input(1)).value_or(-1);
  }
  if ((inverse != Inverse::Split && inverse != Inverse::Chunk) || split.input_count() != 3) return -1;
  const auto dim = constant_integer(split.input(2));
  const std::int64_t size = dim ? size_along(base_facts, *dim) : -1;
  if (const auto sizes =
          split.input(1)->type().is(ir::Type::Kind::List) ? aten::constant_integers(split.input(1)) : std::nullopt)
    return static_cast<std::int64_t>(sizes->size());
  const auto n = constant_integer(split.input(1));
  if (!n || *n <= 0 || size < 0) return -1;
  const std::int64_t step =
      inverse == Inverse::Chunk ? std::max<std::int64_t>(1, *ir::checked_ceil_divide(size, *n)) : *n;
  return std::max<std::int64_t>(1, *ir::checked_ceil_divide(size, step));
}

Value* scatter_piece(Inserter& insert, const Node& split, Piece piece, Value* base, const Facts& base_facts,
                     Value* value, const Node& writer) {
  const Inverse inverse = aten::traits_of(split).inverse;
  PieceFinder finder(insert, split, base, base_facts);
  if (inverse == Inverse::Unbind) {
    Value* index = piece.item ? piece.item->input(1) : insert.integer(piece.place);
    return insert.call("aten::select_scatter", {base, value, split.input(1), index});
  }
  Value* dim = split.input_count() == 3 ? split.input(2) : nullptr;
  if (inverse == Inverse::Sections) {
    const auto axis = axis_of_sections(split, base_facts);
    dim = axis ? insert.integer(*axis) : nullptr;
  }
  const auto bounds = dim ? finder.bounds(finder.index(piece), dim) : std::nullopt;
  if (!bounds) throw refusal(writer, "writes to a piece of " + describe_site(split) + " whose place is not known");
  Arithmetic numbers(insert);
  return insert.call("aten::slice_scatter",
                     {base, value, dim, numbers.value(bounds->start), numbers.value(bounds->end), insert.integer(1)});
}

}  // namespace tonnx::program
