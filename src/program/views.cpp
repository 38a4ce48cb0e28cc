#include "program/views.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/constant_facts.h"
#include "ir/merge.h"
#include "ir/refusal.h"
#include "program/items.h"

namespace tonnx::program {

using aten::Alias;
using aten::Container;
using aten::Inverse;
using ir::Constant;
using ir::DType;
using ir::Facts;
using ir::Node;
using ir::Value;

namespace {

// The truth that an argument always is; null if it is absent or not known.
const bool* flag(const Node& node, std::string_view argument) {
  const Value* value = node.input(argument);
  const Constant* constant = value ? value->constant() : nullptr;
  return constant ? constant->get<bool>() : nullptr;
}

std::optional<std::vector<std::int64_t>> integers(const Value* value) {
  std::vector<std::int64_t> out;
  if (const Constant* c = value->constant()) {
    const auto* list = c->get<Constant::List>();
    if (!list) return std::nullopt;
    for (const Constant& item : list->items) {
      if (!item.get<std::int64_t>()) return std::nullopt;
      out.push_back(*item.get<std::int64_t>());
    }
    return out;
  }
  if (!aten::acts_as(*value->node(), aten::Container::List)) return std::nullopt;
  for (const Value* item : value->node()->inputs()) {
    const auto v = constant_integer(item);
    if (!v) return std::nullopt;
    out.push_back(*v);
  }
  return out;
}

Relation sometimes(const Node& node, Relation::Kind kind) {
  if (const auto* shares = node.attribute_as<std::int64_t>("shares_memory")) {
    if (*shares == 1) return {kind, 0};
    if (*shares == 0) return {};
    return {Relation::Kind::Unknown, 0};
  }
  const Facts& in = node.input()->facts();
  const Facts& out = node.output()->facts();
  if (const bool* copy = flag(node, "copy"); copy && *copy) return {};
  if (in.dtype != DType::Undefined && out.dtype != DType::Undefined && in.dtype != out.dtype) return {};
  if (const bool* train = flag(node, "train")) return *train ? Relation{} : Relation{Relation::Kind::Same, 0};
  return {Relation::Kind::Unknown, 0};
}

Value* reshape_like(Inserter& insert, Value* value, Value* base, const Facts& base_facts) {
  if (base_facts.dims) {
    std::vector<std::int64_t> shape;
    int open = 0;
    bool empty = false;
    for (const ir::Dim& dim : *base_facts.dims) {
      open += !dim.is_fixed();
      empty = empty || dim.size() == 0;
      shape.push_back(dim.is_fixed() ? dim.size() : -1);
    }
    if (open == 0 || (open == 1 && !empty))
      return insert.call("aten::reshape", {value, insert.integers(shape)});
  }
  return insert.call("aten::reshape_as", {value, base});
}

// The view again, of another tensor.
Value* again(Inserter& insert, const Node& view, Value* self) {
  Node* node = view.graph().create(view.kind(), view.inputs(), 1);
  node->set_input(0, self);
  node->set_schema(view.schema_ptr());
  node->output()->set_type(view.output()->type());
  insert.insert(node);
  return node->output();
}

Value* slice_scatter(Inserter& insert, Value* base, Value* value, Value* dim, Value* start, Value* end, Value* step) {
  return insert.call("aten::slice_scatter", {base, value, dim, start, end, step});
}

// The size along an axis, which may count from the end; -1 where it is not known.
std::int64_t size_along(const Facts& facts, std::int64_t dim) {
  if (!facts.dims) return -1;
  const auto rank = static_cast<std::int64_t>(facts.dims->size());
  const std::int64_t axis = dim < 0 ? dim + rank : dim;
  return axis < 0 || axis >= rank ? -1 : (*facts.dims)[static_cast<std::size_t>(axis)].size();
}

// Where a piece of a split lies along its axis, as the arguments of a slice.
struct Bounds {
  std::int64_t start, end;
};

std::optional<Bounds> bounds_of_piece(const Node& split, std::size_t piece) {
  const auto index = static_cast<std::int64_t>(piece);
  if (!split.input(1)->type().is(ir::Type::Kind::List)) {
    const auto size = constant_integer(split.input(1));
    return size ? std::optional(Bounds{index * *size, (index + 1) * *size}) : std::nullopt;
  }
  const auto sizes = integers(split.input(1));
  if (!sizes || piece >= sizes->size()) return std::nullopt;
  const std::int64_t start = std::accumulate(sizes->begin(), sizes->begin() + index, std::int64_t{0});
  return Bounds{start, start + (*sizes)[piece]};
}

std::optional<Bounds> bounds_of_chunk(const Node& split, std::size_t piece, std::int64_t size) {
  const auto chunks = constant_integer(split.input(1));
  if (!chunks || *chunks <= 0 || size < 0) return std::nullopt;
  const auto index = static_cast<std::int64_t>(piece);
  const std::int64_t length = (size + *chunks - 1) / *chunks;
  return Bounds{index * length, (index + 1) * length};
}

// Where the pieces of tensor_split and its kin begin, but for the first one; none where it is told how many there are.
std::optional<std::vector<std::int64_t>> section_indices(const Node& split) {
  const Value* value = split.input(1);
  if (value->type().is(ir::Type::Kind::List)) return integers(value);
  const ir::Tensor* tensor = value->constant() ? value->constant()->get<ir::Tensor>() : nullptr;
  return tensor && tensor->rank() == 1 ? std::optional(tensor->to_int64s()) : std::nullopt;
}

std::optional<Bounds> bounds_of_section(const Node& split, std::size_t piece, std::int64_t size) {
  if (const auto indices = section_indices(split)) {
    if (piece > indices->size()) return std::nullopt;
    return Bounds{piece == 0 ? 0 : (*indices)[piece - 1],
                  piece == indices->size() ? std::numeric_limits<std::int64_t>::max() : (*indices)[piece]};
  }
  const auto sections = constant_integer(split.input(1));
  if (!sections || *sections <= 0 || size < 0) return std::nullopt;
  const auto index = static_cast<std::int64_t>(piece);
  const std::int64_t each = size / *sections, longer = size % *sections;
  const auto start = [&](std::int64_t i) { return i * each + std::min(i, longer); };
  return Bounds{start(index), start(index + 1)};
}

// tensor_split names its axis, hsplit takes the second one or that of a vector, vsplit the first, dsplit the third.
std::optional<std::int64_t> axis_of_sections(const Node& split, const Facts& facts) {
  if (split.input_count() == 3) return constant_integer(split.input(2));
  const aten::Traits& traits = aten::traits_of(split);
  if (traits.section_axis == 1 && !facts.has_rank()) return std::nullopt;
  return traits.section_axis == 1 && facts.rank() == 1 ? 0 : traits.section_axis;
}

}  // namespace

bool is_fresh_list(const Node& node) {
  const aten::Traits& traits = aten::traits_of(node);
  return node.domain() == "aten" && node.schema() && traits.alias == Alias::Marked &&
         traits.container == Container::None && node.schema()->returns.at(0).alias_set.empty();
}

Relation relation_of(const Node& node, std::size_t output) {
  if (node.input_count() == 0) return {};
  switch (aten::traits_of(node).alias) {
    case Alias::Same:
      return {Relation::Kind::Same, 0};
    case Alias::SometimesSame:
      return sometimes(node, Relation::Kind::Same);
    case Alias::SometimesView:
      return sometimes(node, Relation::Kind::View);
    case Alias::Unmarked:
      return {Relation::Kind::Unknown, 0};
    case Alias::Marked:
      break;
  }
  const ir::Schema* schema = node.schema();
  if (!schema || output >= schema->returns.size()) return {};
  const std::string& set = schema->returns[output].alias_set;
  if (set.empty()) return {};
  if (set == "*") return {Relation::Kind::Unknown, 0};
  for (std::size_t i = 0; i < schema->arguments.size() && i < node.input_count(); ++i) {
    if (schema->arguments[i].alias_set != set) continue;
    if (schema->arguments[i].is_write) return {Relation::Kind::Same, i};
    // A view of any but the first argument, or of a list, is not known how to repeat.
    if (i == 0 && node.input()->type().is(ir::Type::Kind::Tensor)) return {Relation::Kind::View, 0};
    return {Relation::Kind::Unknown, i};
  }
  return {Relation::Kind::Unknown, 0};
}

namespace {

Value* narrow_scatter(Inserter& insert, const Node& view, Value* base, Value* value, const Node& writer) {
  const auto start = constant_integer(view.input(2));
  const auto length = constant_integer(view.input(3));
  Value* end = nullptr;
  if (start && length) {
    end = *start < 0 && *start + *length == 0 ? insert.none() : insert.integer(*start + *length);
  } else if (start && *start < 0) {
    throw refusal(writer, "writes through aten::narrow with a negative start and an unknown length");
  } else {
    end = insert.call("aten::add.int", {view.input(2), view.input(3)});
  }
  return slice_scatter(insert, base, value, view.input(1), view.input(2), end, insert.integer(1));
}

Value* permute_back(Inserter& insert, const Node& view, Value* value, const Node& writer) {
  const auto dims = integers(view.input(1));
  if (!dims) throw refusal(writer, "writes through aten::permute whose order is not constant");
  std::vector<std::int64_t> inverse(dims->size());
  for (std::size_t i = 0; i < dims->size(); ++i) {
    const std::int64_t d = (*dims)[i] < 0 ? (*dims)[i] + static_cast<std::int64_t>(dims->size()) : (*dims)[i];
    inverse.at(static_cast<std::size_t>(d)) = static_cast<std::int64_t>(i);
  }
  return insert.call("aten::permute", {value, insert.integers(inverse)});
}

}  // namespace

Value* scatter(Inserter& insert, const Node& view, Value* base, const Facts& base_facts, Value* value,
               const Facts& value_facts, const Node& writer) {
  switch (aten::traits_of(view).inverse) {
    case Inverse::Slice:
      return slice_scatter(insert, base, value, view.input(1), view.input(2), view.input(3), view.input(4));
    case Inverse::Select:
      return insert.call("aten::select_scatter", {base, value, view.input(1), view.input(2)});
    case Inverse::Diagonal:
      if (view.input_count() != 4) break;
      return insert.call("aten::diagonal_scatter", {base, value, view.input(1), view.input(2), view.input(3)});
    case Inverse::AsStrided:
      return insert.call("aten::as_strided_scatter", {base, value, view.input(1), view.input(2), view.input(3)});
    case Inverse::Narrow:
      if (!view.input(2)->type().is(ir::Type::Kind::Int)) break;
      return narrow_scatter(insert, view, base, value, writer);
    case Inverse::Again:
      return again(insert, view, value);
    case Inverse::Permute:
      return permute_back(insert, view, value, writer);
    case Inverse::Move: {
      Value* moved = again(insert, view, value);
      moved->node()->set_input(1, view.input(2));
      moved->node()->set_input(2, view.input(1));
      return moved;
    }
    case Inverse::Unsqueeze:
      return insert.call("aten::squeeze.dim", {value, view.input(1)});
    case Inverse::Dtype:
      throw refusal(writer, "writes through a view of another dtype");
    case Inverse::Reshape:
      return reshape_like(insert, value, base, base_facts);
    case Inverse::AsReal:
      return insert.call("aten::view_as_complex", {value});
    case Inverse::AsComplex:
      return insert.call("aten::view_as_real", {value});
    case Inverse::Real:
      if (base_facts.dtype == ir::DType::Undefined) break;
      if (!ir::is_complex(base_facts.dtype)) return value;
      return insert.call("aten::complex", {value, insert.call("aten::imag", {base})});
    case Inverse::Imaginary:
      return insert.call("aten::complex", {insert.call("aten::real", {base}), value});
    case Inverse::Expand:
      if (base_facts.dims && value_facts.dims && ir::same_dims(*base_facts.dims, *value_facts.dims)) return value;
      throw refusal(writer, "writes through " + view.kind() + ", whose elements share memory");
    default:
      break;
  }
  throw refusal(writer, "writes through the view " + describe_site(view) + ", which has no inverse");
}

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
  if (const auto sizes = split.input(1)->type().is(ir::Type::Kind::List) ? integers(split.input(1)) : std::nullopt)
    return static_cast<std::int64_t>(sizes->size());
  const auto n = constant_integer(split.input(1));
  if (!n || *n <= 0 || size < 0) return -1;
  const std::int64_t step = inverse == Inverse::Chunk ? std::max<std::int64_t>(1, (size + *n - 1) / *n) : *n;
  return std::max<std::int64_t>(1, (size + step - 1) / step);
}

Value* scatter_piece(Inserter& insert, const Node& split, std::size_t piece, Value* base, const Facts& base_facts,
                     Value* value, const Node& writer) {
  const Inverse inverse = aten::traits_of(split).inverse;
  if (inverse == Inverse::Unbind)
    return insert.call("aten::select_scatter", {base, value, split.input(1), insert.integer(static_cast<std::int64_t>(piece))});
  std::optional<Bounds> bounds;
  Value* dim = nullptr;
  if (inverse == Inverse::Sections) {
    if (const auto axis = axis_of_sections(split, base_facts)) {
      bounds = bounds_of_section(split, piece, size_along(base_facts, *axis));
      dim = insert.integer(*axis);
    }
  } else if (split.input_count() == 3) {
    dim = split.input(2);
    const auto axis = constant_integer(dim);
    bounds = inverse == Inverse::Split ? bounds_of_piece(split, piece) : bounds_of_chunk(split, piece, axis ? size_along(base_facts, *axis) : -1);
  }
  if (!bounds) throw refusal(writer, "writes to a piece of " + describe_site(split) + " whose place is not known");
  return slice_scatter(insert, base, value, dim, insert.integer(bounds->start), insert.integer(bounds->end), insert.integer(1));
}

}  // namespace tonnx::program
