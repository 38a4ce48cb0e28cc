#include "program/views.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "program/place.h"

namespace tonnx::program {

using ir::Constant;
using ir::DType;
using ir::Facts;
using ir::Node;
using ir::Value;

namespace {

using Names = std::unordered_set<std::string_view>;

// Give their input or a copy of it; the rest of the sometimes-views give another shape.
const Names kSometimesSame = {"aten::contiguous", "aten::to", "aten::type_as", "aten::dropout", "aten::alpha_dropout",
                              "aten::feature_dropout", "aten::feature_alpha_dropout", "aten::cpu", "aten::float"};
const Names kSometimesView = {"aten::reshape", "aten::reshape_as", "aten::flatten", "aten::ravel", "aten::atleast_1d",
                              "aten::atleast_2d", "aten::atleast_3d", "aten::_reshape_alias"};
const Names kSame = {"aten::detach", "aten::alias", "aten::resolve_conj", "aten::resolve_neg", "aten::positive",
                     "aten::lift_fresh", "prim::unchecked_cast", "prim::unchecked_unwrap_optional",
                     "aten::_unwrap_optional", "prim::data", "aten::pin_memory", "aten::data"};
const Names kSplits = {"aten::split", "aten::split_with_sizes", "aten::chunk", "aten::unbind", "aten::tensor_split",
                       "aten::hsplit", "aten::vsplit", "aten::dsplit"};
// Views that their schema does not mark.
const Names kUnmarked = {"aten::broadcast_tensors", "aten::meshgrid"};

const Constant* constant(const Node& node, std::string_view argument) {
  const Value* value = node.input(argument);
  return value ? value->constant() : nullptr;
}

std::optional<std::int64_t> integer(const Value* value) {
  const Constant* c = value ? value->constant() : nullptr;
  const auto* v = c ? c->get<std::int64_t>() : nullptr;
  return v ? std::optional<std::int64_t>(*v) : std::nullopt;
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
  if (!value->node()->is("prim::ListConstruct")) return std::nullopt;
  for (const Value* item : value->node()->inputs()) {
    const auto v = integer(item);
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
  if (node.is("aten::to")) {
    const Constant* copy = constant(node, "copy");
    if (copy && copy->get<bool>() && *copy->get<bool>()) return {};
  }
  if (in.dtype != DType::Undefined && out.dtype != DType::Undefined && in.dtype != out.dtype) return {};
  if (node.is("aten::dropout") || node.is("aten::alpha_dropout") || node.is("aten::feature_dropout") ||
      node.is("aten::feature_alpha_dropout")) {
    const Constant* train = constant(node, "train");
    if (train && train->get<bool>()) return *train->get<bool>() ? Relation{} : Relation{Relation::Kind::Same, 0};
  }
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

}  // namespace

bool is_fresh_list(const Node& node) {
  return node.domain() == "aten" && !kSplits.contains(node.kind()) && !kUnmarked.contains(node.kind()) &&
         !node.is("aten::__getitem__") && !node.is("aten::slice") && !node.is("aten::add") && !node.is("aten::copy") &&
         !node.is("aten::list");
}

Relation relation_of(const Node& node, std::size_t output) {
  const std::string& kind = node.kind();
  if (node.input_count() == 0) return {};
  if (kSame.contains(kind)) return {Relation::Kind::Same, 0};
  if (kSplits.contains(kind)) return {Relation::Kind::View, 0};
  if (kUnmarked.contains(kind)) return {Relation::Kind::Unknown, 0};
  if (kSometimesSame.contains(kind)) return sometimes(node, Relation::Kind::Same);
  if (kSometimesView.contains(kind)) return sometimes(node, Relation::Kind::View);
  if (node.input()->type().is(ir::Type::Kind::List) &&
      (kind == "aten::add" || kind == "aten::copy" || kind == "aten::list" || kind == "aten::slice"))
    return {Relation::Kind::Unknown, 0};
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

Value* scatter(Inserter& insert, const Node& view, Value* base, const Facts& base_facts, Value* value,
               const Facts& value_facts, const Node& writer) {
  static const Names self_inverse = {"aten::transpose", "aten::swapaxes", "aten::swapdims", "aten::t",
                                     "aten::numpy_T",   "aten::mT"};
  static const Names shapes = {"aten::view",       "aten::reshape",    "aten::flatten",    "aten::squeeze",
                               "aten::unflatten",  "aten::ravel",      "aten::view_as",    "aten::reshape_as",
                               "aten::atleast_1d", "aten::atleast_2d", "aten::atleast_3d", "aten::_reshape_alias"};
  static const Names expands = {"aten::expand", "aten::expand_as", "aten::broadcast_to"};
  const std::string& kind = view.kind();
  if (kind == "aten::slice" && view.input_count() == 5)
    return slice_scatter(insert, base, value, view.input(1), view.input(2), view.input(3), view.input(4));
  if (kind == "aten::select")
    return insert.call("aten::select_scatter", {base, value, view.input(1), view.input(2)});
  if (kind == "aten::diagonal" && view.input_count() == 4)
    return insert.call("aten::diagonal_scatter", {base, value, view.input(1), view.input(2), view.input(3)});
  if (kind == "aten::as_strided")
    return insert.call("aten::as_strided_scatter", {base, value, view.input(1), view.input(2), view.input(3)});
  if (kind == "aten::narrow" && view.input(2)->type().is(ir::Type::Kind::Int)) {
    const auto start = integer(view.input(2));
    const auto length = integer(view.input(3));
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
  if (self_inverse.contains(kind)) return again(insert, view, value);
  if (kind == "aten::permute") {
    const auto dims = integers(view.input(1));
    if (!dims) throw refusal(writer, "writes through aten::permute whose order is not constant");
    std::vector<std::int64_t> inverse(dims->size());
    for (std::size_t i = 0; i < dims->size(); ++i) {
      const std::int64_t d = (*dims)[i] < 0 ? (*dims)[i] + static_cast<std::int64_t>(dims->size()) : (*dims)[i];
      inverse.at(static_cast<std::size_t>(d)) = static_cast<std::int64_t>(i);
    }
    return insert.call("aten::permute", {value, insert.integers(inverse)});
  }
  if (kind == "aten::movedim" || kind == "aten::moveaxis") {
    Value* moved = again(insert, view, value);
    moved->node()->set_input(1, view.input(2));
    moved->node()->set_input(2, view.input(1));
    return moved;
  }
  if (kind == "aten::unsqueeze")
    return insert.call("aten::squeeze.dim", {value, view.input(1)});
  if (kind == "aten::view" && view.schema() && view.schema()->overload == "dtype")
    throw refusal(writer, "writes through a view of another dtype");
  if (shapes.contains(kind)) return reshape_like(insert, value, base, base_facts);
  if (kind == "aten::view_as_real") return insert.call("aten::view_as_complex", {value});
  if (kind == "aten::view_as_complex") return insert.call("aten::view_as_real", {value});
  if (expands.contains(kind)) {
    const bool same = base_facts.dims && value_facts.dims && base_facts.dims->size() == value_facts.dims->size() &&
                      std::equal(base_facts.dims->begin(), base_facts.dims->end(), value_facts.dims->begin(),
                                 [](const ir::Dim& a, const ir::Dim& b) { return a.same(b); });
    if (same) return value;
    throw refusal(writer, "writes through " + kind + ", whose elements share memory");
  }
  throw refusal(writer, "writes through the view " + place(view) + ", which has no inverse");
}

std::int64_t piece_count(const Node& split, const Facts& base_facts) {
  const auto fixed = [&](std::int64_t dim) -> std::int64_t {
    if (!base_facts.dims) return -1;
    const auto rank = static_cast<std::int64_t>(base_facts.dims->size());
    const std::int64_t d = dim < 0 ? dim + rank : dim;
    return d < 0 || d >= rank ? -1 : (*base_facts.dims)[static_cast<std::size_t>(d)].size();
  };
  if (split.is("aten::unbind")) {
    const auto dim = integer(split.input(1));
    return dim ? fixed(*dim) : -1;
  }
  if (split.input_count() != 3) return -1;
  const auto dim = integer(split.input(2));
  const std::int64_t size = dim ? fixed(*dim) : -1;
  if (const auto sizes = split.input(1)->type().is(ir::Type::Kind::List) ? integers(split.input(1)) : std::nullopt)
    return static_cast<std::int64_t>(sizes->size());
  const auto n = integer(split.input(1));
  if (!n || *n <= 0 || size < 0) return -1;
  const std::int64_t step = split.is("aten::chunk") ? std::max<std::int64_t>(1, (size + *n - 1) / *n) : *n;
  return std::max<std::int64_t>(1, (size + step - 1) / step);
}

Value* scatter_piece(Inserter& insert, const Node& split, std::size_t piece, Value* base, const Facts& base_facts,
                     Value* value, const Node& writer) {
  const auto index = static_cast<std::int64_t>(piece);
  if (split.is("aten::unbind"))
    return insert.call("aten::select_scatter", {base, value, split.input(1), insert.integer(index)});
  std::optional<std::int64_t> start;
  std::optional<std::int64_t> length;
  if ((split.is("aten::split") || split.is("aten::split_with_sizes")) && split.input_count() == 3) {
    if (split.input(1)->type().is(ir::Type::Kind::List)) {
      if (const auto sizes = integers(split.input(1)); sizes && piece < sizes->size()) {
        start = 0;
        for (std::size_t i = 0; i < piece; ++i) *start += (*sizes)[i];
        length = (*sizes)[piece];
      }
    } else if (const auto size = integer(split.input(1))) {
      start = index * *size;
      length = *size;
    }
  } else if (split.is("aten::chunk") && base_facts.dims) {
    const auto dim = integer(split.input(2));
    const auto chunks = integer(split.input(1));
    const auto rank = static_cast<std::int64_t>(base_facts.dims->size());
    const std::int64_t d = dim && *dim < 0 ? *dim + rank : dim.value_or(-1);
    if (chunks && *chunks > 0 && d >= 0 && d < rank) {
      const std::int64_t size = (*base_facts.dims)[static_cast<std::size_t>(d)].size();
      if (size >= 0) {
        length = (size + *chunks - 1) / *chunks;
        start = index * *length;
      }
    }
  }
  if (!start) throw refusal(writer, "writes to a piece of " + place(split) + " whose place is not known");
  return slice_scatter(insert, base, value, split.input(2), insert.integer(*start), insert.integer(*start + *length),
                       insert.integer(1));
}

}  // namespace tonnx::program
