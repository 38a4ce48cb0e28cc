#include "program/writes/views.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/checked.h"
#include "ir/constant_facts.h"
#include "ir/control_flow.h"
#include "ir/merge.h"
#include "ir/refusal.h"
#include "ir/writes.h"
#include "program/containers/items.h"
#include "program/references/alias.h"

namespace tonnx::program {

using aten::Container;
using aten::Inverse;
using ir::DType;
using ir::Facts;
using ir::Node;
using ir::Value;

namespace {

Relation sometimes(const Node& node, Relation::Kind kind) {
  if (const auto* shares = node.attribute_as<std::int64_t>("shares_memory")) {
    if (*shares == 1) return {kind, 0};
    if (*shares == 0) return {};
    return {Relation::Kind::Unknown, 0};
  }
  const Facts& in = node.input()->facts();
  const Facts& out = node.output()->facts();
  if (constant_truth(node.input("copy")) == true) return {};
  if (in.dtype != DType::Undefined && out.dtype != DType::Undefined && in.dtype != out.dtype) return {};
  if (const auto train = constant_truth(node.input("train")))
    return *train ? Relation{} : Relation{Relation::Kind::Same, 0};
  return {Relation::Kind::Unknown, 0};
}

Value* reshape_like(Inserter& insert, Value* value, Value* base, const Facts& base_facts) {
  if (base_facts.dims) {
    std::vector<std::int64_t> shape;
    int dynamic = 0;
    bool empty = false;
    for (const ir::Dim& dim : *base_facts.dims) {
      dynamic += !dim.is_fixed();
      empty = empty || dim.size() == 0;
      shape.push_back(dim.is_fixed() ? dim.size() : -1);
    }
    if (dynamic == 0 || (dynamic == 1 && !empty)) return insert.call("aten::reshape", {value, insert.integers(shape)});
  }
  return insert.call("aten::reshape_as", {value, base});
}

// Creates the same view of another tensor.
Value* recreate(Inserter& insert, const Node& view, Value* self) {
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
  const aten::Traits& traits = aten::traits_of(node);
  return node.domain() == "aten" && node.schema() && traits.alias == aten::Alias::Marked &&
         traits.container == Container::None && node.schema()->returns.at(0).alias_set.empty();
}

Relation relation_of(const Node& node, std::size_t output) {
  if (node.input_count() == 0) return {};
  switch (aten::traits_of(node).alias) {
    case aten::Alias::Same: return {Relation::Kind::Same, 0};
    case aten::Alias::SometimesSame: return sometimes(node, Relation::Kind::Same);
    case aten::Alias::SometimesView: return sometimes(node, Relation::Kind::View);
    case aten::Alias::Unmarked:
      return {aten::traits_of(node).inverse == Inverse::None ? Relation::Kind::Unknown : Relation::Kind::View, 0};
    case aten::Alias::Marked: break;
  }
  const ir::Schema* schema = node.schema();
  if (!schema || output >= schema->returns.size()) return {};
  const std::string& set = schema->returns[output].alias_set;
  if (set.empty()) return {};
  if (set == "*") return {Relation::Kind::Unknown, 0};
  for (std::size_t i = 0; i < schema->arguments.size() && i < node.input_count(); ++i) {
    if (schema->arguments[i].alias_set != set) continue;
    if (schema->arguments[i].is_write) return {Relation::Kind::Same, i};
    // WriteRewriter creates views again only of a first argument that is a tensor.
    if (i == 0 && node.input()->type().is(ir::Type::Kind::Tensor)) return {Relation::Kind::View, 0};
    return {Relation::Kind::Unknown, i};
  }
  return {Relation::Kind::Unknown, 0};
}

bool names_plain_order(const Node& node) { return node.input_count() == 1 || constant_integer(node.input(1)) == 0; }

namespace {

// True if the view selects consecutive rows of the first axis.
bool selects_rows(const Node& view) {
  const auto is = [&](const char* argument, std::int64_t wanted) {
    return constant_integer(view.input(argument)) == wanted;
  };
  const Inverse inverse = aten::traits_of(view).inverse;
  return (inverse == Inverse::Select && is("dim", 0)) || (inverse == Inverse::Slice && is("dim", 0) && is("step", 1));
}

bool keeps_order(const Node& view) {
  const Inverse inverse = aten::traits_of(view).inverse;
  return inverse == Inverse::Reshape || inverse == Inverse::Unsqueeze || selects_rows(view);
}

bool begins_in_order(const Value& tensor, const ir::FactsView& known) {
  const Node* maker = tensor.node();
  if (maker && maker->is("aten::contiguous") && names_plain_order(*maker)) return true;
  // Other fresh tensors may have the strides of an input. One axis has only one order.
  return maker && known.of(&tensor).has_rank() && known.of(&tensor).rank() == 1 && is_new_tensor(tensor);
}

bool keeps_strides(const Node& view) {
  if (view.is("aten::contiguous")) return names_plain_order(view);
  const auto& from = view.input()->facts().dims;
  if (!keeps_order(view) || !from) return false;
  const aten::Traits& traits = aten::traits_of(view);
  if (traits.inverse == Inverse::Unsqueeze) {
    // A new axis before an axis of size 0 has stride 0.
    const auto axis = constant_index(view.input("dim"), from->size() + 1);
    return axis && (*axis == from->size() || ((*from)[*axis].is_fixed() && (*from)[*axis].size() > 0));
  }
  const auto& to = view.output()->facts().dims;
  return traits.spells_sizes || (to && to->size() <= from->size());
}

// True if `begins` holds for every origin of the tensor, and `keeps` for the views between.
template <class Begins, class Keeps>
bool comes_from(const Value& tensor, Begins begins, Keeps keeps) {
  std::unordered_set<const Value*> seen;
  std::vector<const Value*> worklist = {&tensor};
  while (!worklist.empty()) {
    const Value* value = worklist.back();
    worklist.pop_back();
    const Node* maker = value->node();
    if (!seen.insert(value).second || (maker && maker == maker->graph().block().params())) continue;
    if (const std::vector<Value*> origins = ir::handed_from(*value); !origins.empty()) {
      worklist.insert(worklist.end(), origins.begin(), origins.end());
    } else if (maker && maker->schema() && keeps(*maker)) {
      worklist.push_back(maker->input());
    } else if (!begins(*value)) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool lies_in_order(const Value& tensor, const ir::FactsView& known) {
  return comes_from(tensor, [&](const Value& origin) { return begins_in_order(origin, known); }, keeps_order);
}

bool has_strides_in_order(const Value& tensor) {
  return comes_from(tensor, [](const Value&) { return false; }, keeps_strides);
}

bool is_fresh(const Value& value) {
  const Node& maker = *value.node();
  return maker.schema() && maker.blocks().empty() && aten::traits_of(maker).container == Container::None &&
         relation_of(maker, value.index()).kind == Relation::Kind::Fresh;
}

bool is_new_tensor(const Value& value) { return value.type().is(ir::Type::Kind::Tensor) && is_fresh(value); }

bool is_new_object(const Value& value) {
  const Node& maker = *value.node();
  return aten::acts_as(maker, Container::List) || aten::acts_as(maker, Container::Dict) ||
         aten::gives_new_list(maker) || is_fresh(value);
}

bool returns_fresh(const Node& node) {
  return std::ranges::all_of(node.outputs(), [&](const Value* out) {
    return !is_memory(out->type()) || relation_of(node, out->index()).kind == Relation::Kind::Fresh;
  });
}

namespace {

Value* narrow_scatter(Inserter& insert, const Node& view, Value* base, Value* value, const Node& writer) {
  Value* from = view.input(2);
  if (from->type().is(ir::Type::Kind::Tensor)) from = insert.call("aten::Int.Tensor", {from});
  const auto start = constant_integer(from);
  const auto length = constant_integer(view.input(3));
  Value* end = nullptr;
  if (start && length) {
    end = *start < 0 && *start + *length == 0 ? insert.none() : insert.integer(*start + *length);
  } else if (start && *start < 0) {
    throw refusal(writer, "writes through aten::narrow with a negative start and an unknown length");
  } else {
    end = insert.call("aten::add.int", {from, view.input(3)});
  }
  return slice_scatter(insert, base, value, view.input(1), from, end, insert.integer(1));
}

Value* permute_back(Inserter& insert, const Node& view, Value* value, const Node& writer) {
  const auto dims = aten::constant_integers(view.input(1));
  if (!dims) throw refusal(writer, "writes through aten::permute whose order is not constant");
  std::vector<std::int64_t> inverse(dims->size());
  for (std::size_t i = 0; i < dims->size(); ++i) {
    const std::int64_t d = (*dims)[i] < 0 ? (*dims)[i] + static_cast<std::int64_t>(dims->size()) : (*dims)[i];
    inverse.at(static_cast<std::size_t>(d)) = static_cast<std::int64_t>(i);
  }
  return insert.call("aten::permute", {value, insert.integers(inverse)});
}

ir::Error shared_elements(const Node& view, const Node& writer) {
  return refusal(writer, "writes through " + view.kind() +
                             ", whose elements share memory; "
                             "write to a copy (clone()), or to what was expanded");
}

// True if two elements of a strided view have one offset. Empty if there are too many elements to enumerate.
std::optional<bool> repeats_offset(const std::vector<std::int64_t>& sizes, const std::vector<std::int64_t>& strides) {
  constexpr std::size_t kMost = 4096;
  std::set<std::int64_t> offsets = {0};
  std::size_t count = 1;
  if (std::ranges::find(sizes, 0) != sizes.end()) return false;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto reach = ir::checked_multiply(strides[i], std::max<std::int64_t>(sizes[i] - 1, 0));
    if (sizes[i] > static_cast<std::int64_t>(kMost / count) || !reach) return std::nullopt;
    count *= static_cast<std::size_t>(sizes[i]);
    std::set<std::int64_t> next;
    for (const std::int64_t offset : offsets)
      for (std::int64_t k = 0; k < sizes[i]; ++k) {
        const auto at = ir::checked_add(offset, k * strides[i]);
        if (!at) return std::nullopt;
        next.insert(*at);
      }
    offsets = std::move(next);
    if (offsets.size() < count) return true;
  }
  return false;
}

}  // namespace

bool shares_elements(const Node& view) {
  const auto sizes = aten::constant_integers(view.input(1)), strides = aten::constant_integers(view.input(2));
  if (!sizes || !strides || sizes->size() != strides->size()) return false;
  if (const auto repeats = repeats_offset(*sizes, *strides)) return *repeats;
  std::vector<std::pair<std::int64_t, std::int64_t>> axes;
  for (std::size_t i = 0; i < sizes->size(); ++i)
    if ((*sizes)[i] > 1) axes.emplace_back((*strides)[i], (*sizes)[i]);
  std::ranges::sort(axes);
  std::optional<std::int64_t> reach = 0;  // of the axes so far, from the first element to the last
  for (const auto& [stride, size] : axes) {
    if (!reach || stride <= *reach) return true;
    const auto more = ir::checked_multiply(stride, size - 1);
    reach = more ? ir::checked_add(*reach, *more) : std::nullopt;
  }
  return false;
}

Value* scatter(Inserter& insert, const Node& view, Value* base, const Facts& base_facts, Value* value,
               const Facts& value_facts, const Node& writer) {
  switch (aten::traits_of(view).inverse) {
    case Inverse::Slice:
      return slice_scatter(insert, base, value, view.input(1), view.input(2), view.input(3), view.input(4));
    case Inverse::Select: return insert.call("aten::select_scatter", {base, value, view.input(1), view.input(2)});
    case Inverse::Diagonal:
      if (view.input_count() != 4) break;
      return insert.call("aten::diagonal_scatter", {base, value, view.input(1), view.input(2), view.input(3)});
    case Inverse::AsStrided: {
      if (shares_elements(view)) throw shared_elements(view, writer);
      Value* result =
          insert.call("aten::as_strided_scatter", {base, value, view.input(1), view.input(2), view.input(3)});
      if (const auto* begin = view.attribute("memory_offset")) result->node()->set_attribute("memory_offset", *begin);
      return result;
    }
    case Inverse::Narrow: return narrow_scatter(insert, view, base, value, writer);
    case Inverse::Again: return recreate(insert, view, value);
    case Inverse::Permute: return permute_back(insert, view, value, writer);
    case Inverse::Move: {
      Value* moved = recreate(insert, view, value);
      moved->node()->set_input(1, view.input(2));
      moved->node()->set_input(2, view.input(1));
      return moved;
    }
    case Inverse::Unsqueeze: return insert.call("aten::squeeze.dim", {value, view.input(1)});
    case Inverse::Dtype: throw refusal(writer, "writes through a view of another dtype");
    case Inverse::Reshape: return reshape_like(insert, value, base, base_facts);
    case Inverse::AsReal: return insert.call("aten::view_as_complex", {value});
    case Inverse::AsComplex: return insert.call("aten::view_as_real", {value});
    case Inverse::Real:
      if (base_facts.dtype == ir::DType::Undefined) break;
      if (!ir::is_complex(base_facts.dtype)) return value;
      return insert.call("aten::complex", {value, insert.call("aten::imag", {base})});
    case Inverse::Imaginary: return insert.call("aten::complex", {insert.call("aten::real", {base}), value});
    case Inverse::Expand:
      if (base_facts.dims && value_facts.dims && ir::same_dims(*base_facts.dims, *value_facts.dims)) return value;
      throw shared_elements(view, writer);
    default: break;
  }
  throw refusal(writer, "writes through the view " + describe_site(view) +
                            ", which has no inverse; "
                            "write to parts of what was viewed, or to a copy (clone())");
}

}  // namespace tonnx::program
