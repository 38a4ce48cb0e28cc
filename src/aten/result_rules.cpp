#include "aten/result_rules.h"

#include <algorithm>
#include <optional>

#include "aten/result_type.h"
#include "ir/checked.h"
#include "ir/constant_facts.h"

namespace tonnx::aten::rules {

using ir::Constant;
using ir::Dim;
using ir::DType;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

Facts without_constant(Facts facts) {
  facts.constant = nullptr;
  return facts;
}

Facts with_dtype(Facts facts, DType dtype) {
  facts.constant = nullptr;
  facts.dtype = dtype;
  return facts;
}

// Facts with the same dtype and rank, and unknown sizes.
Facts resized(const Facts& facts) {
  Facts result;
  result.dtype = facts.dtype;
  if (facts.dims) result.dims.emplace(facts.dims->size());
  return result;
}

// The non-negative axis that the argument `dim` specifies.
std::optional<std::size_t> axis_of(const Node& node, const ir::FactsView& known) {
  const auto& dims = known.of(node.input()).dims;
  const Value* given = node.input("dim");
  const auto axis = given ? known.integer(given) : std::nullopt;
  return dims && axis ? ir::item_at(*axis, dims->size()) : std::nullopt;
}

constexpr std::size_t kAllAxes = std::size_t(-1);

// Facts with unknown sizes, in the dtype of the operands, and with `fewer` axes less than the operand of higher rank.
Facts compared(const Value* one, const Value* other, std::size_t fewer, const ir::FactsView& known) {
  const auto &a = known.of(one).dims, &b = known.of(other).dims;
  const DType dtype = known.of(one).dtype, second = known.of(other).dtype;
  if (!a || !b || !ir::is_floating(dtype) || (second != dtype && !ir::is_integral(second))) return {};
  const std::size_t rank = std::max(a->size(), b->size());
  Facts facts = with_dtype({}, dtype);
  facts.dims.emplace(rank - std::min(rank, fewer));
  return facts;
}

// The facts of a matrix product or a batch of them; `rank` is the rank of both operands if the operator requires it.
Facts product(const Value* left, const Value* right, std::optional<std::size_t> rank, const ir::FactsView& known) {
  constexpr std::size_t kMatrix = 2;
  Facts facts = with_dtype({}, known.of(left).dtype);
  const auto &a = known.of(left).dims, &b = known.of(right).dims;
  if (!a || !b || a->size() < kMatrix || b->size() < kMatrix) {
    if (rank) facts.dims.emplace(*rank);
    return facts;
  }
  const auto& longer = a->size() < b->size() ? *b : *a;
  const auto& shorter = a->size() < b->size() ? *a : *b;
  facts.dims = longer;
  const std::size_t batches = longer.size() - kMatrix, missing = longer.size() - shorter.size();
  for (std::size_t d = missing; d < batches; ++d)
    (*facts.dims)[d] = broadcast_dim(longer[d], shorter[d - missing]).value_or(Dim());
  (*facts.dims)[batches] = (*a)[a->size() - kMatrix];
  facts.dims->back() = b->back();
  return facts;
}

const Facts& first(const Node& node, const ir::FactsView& known) { return known.of(node.input()); }

// The facts of a loss: a scalar if it is reduced, else with `fewer` axes less than the operands have.
Facts loss(const Node& node, std::size_t fewer, const ir::FactsView& known) {
  const auto reduction = known.integer(node.input("reduction"));
  if (!reduction) return {};
  return compared(node.input(0), node.input(1), *reduction != 0 ? kAllAxes : fewer, known);
}

Dim dim_of(std::optional<std::int64_t> size) { return size ? Dim(*size) : Dim(); }

// The facts of a convolution: batch of the input, channels of the weight, and unknown spatial sizes.
Facts convolved_as(const Node& node, std::optional<bool> transposed, const ir::FactsView& known) {
  Facts facts = resized(known.of(node.input("input")));
  const auto &input = known.of(node.input("input")).dims, &weight = known.of(node.input("weight")).dims;
  if (!input || !weight || weight->size() < 2 || input->size() + 1 < weight->size()) return facts;
  const std::size_t channels = input->size() + 1 - weight->size();
  std::copy_n(input->begin(), channels, facts.dims->begin());
  const auto groups = known.integer(node.input("groups"));
  if (transposed == false) (*facts.dims)[channels] = weight->front();
  if (transposed == true && groups && (*weight)[1].is_fixed())
    (*facts.dims)[channels] = dim_of(ir::checked_multiply((*weight)[1].size(), *groups));
  return facts;
}

}  // namespace

Facts like_first(const Node& node, const ir::FactsView& known) {
  return known.is_none(node.input("dtype")) ? without_constant(first(node, known)) : Facts{};
}

Facts resized_first(const Node& node, const ir::FactsView& known) { return resized(first(node, known)); }

Facts dtype_of_first(const Node& node, const ir::FactsView& known) {
  return known.is_none(node.input("dtype")) ? with_dtype({}, first(node, known).dtype) : Facts{};
}

Facts like_second_in_dtype_of_first(const Node& node, const ir::FactsView& known) {
  return with_dtype(known.of(node.input(1)), first(node, known).dtype);
}

Facts in_dtype_of_second(const Node& node, const ir::FactsView& known) {
  return with_dtype(first(node, known), known.of(node.input(1)).dtype);
}

Facts cast(const Node& node, const ir::FactsView& known) {
  if (const auto dtype = known.integer(node.input("dtype")))
    return with_dtype(first(node, known), static_cast<DType>(*dtype));
  if (const Value* other = node.input("other")) return with_dtype(first(node, known), known.of(other).dtype);
  return {};
}

Facts created(const Node& node, const ir::FactsView& known) {
  const Value* dtype = node.input("dtype");
  if (dtype && !(known.constant(dtype) && known.constant(dtype)->is_none())) {
    const auto given = known.integer(dtype);
    return given ? with_dtype({}, static_cast<DType>(*given)) : Facts{};
  }
  if (node.input()->type().is(Type::Kind::Tensor)) return with_dtype({}, known.of(node.input()).dtype);
  const Value* fill = node.input("fill_value");
  if (!fill) return with_dtype({}, DType::Float32);
  switch (const DType filled = promoted(fill->type(), {}).dtype) {
    case DType::Float64: return with_dtype({}, DType::Float32);
    case DType::Complex128: return with_dtype({}, DType::Complex64);
    default: return with_dtype({}, filled);
  }
}

Facts part_of_all(const Node& node, const ir::FactsView& known) {
  return node.input_count() == 1 ? Facts{first(node, known).dtype, std::vector<Dim>(), nullptr} : Facts{};
}

Facts index_of_element(const Node& node, const ir::FactsView& known) {
  Facts facts = with_dtype({}, DType::Int64);
  const bool is_of_all = known.is_none(node.input("dim")), drops_axes = known.truth(node.input("keepdim")) == false;
  if (is_of_all && drops_axes) facts.dims.emplace();
  return facts;
}

Facts total(const Node& node, const ir::FactsView& known) {
  if (!known.is_none(node.input("dtype"))) return {};
  const DType dtype = first(node, known).dtype;
  return with_dtype({}, dtype == DType::Bool || ir::is_integral(dtype) ? DType::Int64 : dtype);
}

Facts narrowed(const Node& node, const ir::FactsView& known) {
  Facts facts = without_constant(known.of(node.input()));
  const auto axis = axis_of(node, known);
  if (!axis) return resized(facts);
  (*facts.dims)[*axis] = Dim();
  return facts;
}

Facts sliced(const Node& node, const ir::FactsView& known) {
  return first(node, known).dims ? narrowed(node, known) : Facts{};
}

Facts selected(const Node& node, const ir::FactsView& known) {
  Facts facts = without_constant(known.of(node.input()));
  const auto axis = axis_of(node, known);
  if (!axis) return {};
  facts.dims->erase(facts.dims->begin() + static_cast<std::ptrdiff_t>(*axis));
  return facts;
}

Facts reshaped(const Node& node, const ir::FactsView& known) {
  Facts facts;
  if (!node.input(1)->type().is(Type::Kind::List)) return facts;  // view.dtype: reinterprets bytes as another dtype
  facts.dtype = known.of(node.input()).dtype;
  const auto dim = [](const Constant* size) {
    const auto* n = size ? size->get<std::int64_t>() : nullptr;
    return n && *n >= 0 ? Dim(*n) : Dim();
  };
  const Constant* sizes = known.constant(node.input(1));
  const Node* made = node.input(1)->node();
  if (const auto* list = sizes ? sizes->get<Constant::List>() : nullptr) {
    facts.dims.emplace();
    for (const Constant& size : list->items) facts.dims->push_back(dim(&size));
  } else if (made && made->is("prim::ListConstruct")) {
    facts.dims.emplace();
    for (const Value* size : made->inputs()) facts.dims->push_back(dim(known.constant(size)));
  }
  return facts;
}

Facts joined(const Node& node, const ir::FactsView& known) {
  const Node* list = node.input()->node();
  if (!list || !list->is("prim::ListConstruct") || list->input_count() == 0) return {};
  const Facts& first = known.of(list->input());
  Facts facts = without_constant(first);
  for (const Value* part : list->inputs()) {
    if (known.of(part).dtype != first.dtype) facts.dtype = DType::Undefined;
    if (!first.dims || !known.of(part).dims || known.of(part).dims->size() != first.dims->size()) facts.dims.reset();
  }
  const auto given = known.integer(node.input("dim"));
  const auto axis = facts.dims && given ? ir::item_at(*given, facts.dims->size()) : std::nullopt;
  if (!axis) return resized(facts);
  for (std::size_t d = 0; d < facts.dims->size(); ++d)
    for (std::size_t i = 1; i < list->input_count(); ++i) {
      const Dim& other = (*known.of(list->input(i)).dims)[d];
      Dim& dim = (*facts.dims)[d];
      if (d == *axis)
        dim = dim.is_fixed() && other.is_fixed() ? dim_of(ir::checked_add(dim.size(), other.size())) : Dim();
      else if (dim.is_unknown())
        dim = other;
    }
  return facts;
}

Facts stacked(const Node& node, const ir::FactsView& known) {
  const Node* list = node.input()->node();
  if (!list || !list->is("prim::ListConstruct") || list->input_count() == 0) return {};
  const Facts& first = known.of(list->input());
  Facts facts = with_dtype({}, first.dtype);
  for (const Value* part : list->inputs())
    if (known.of(part).dtype != first.dtype) facts.dtype = DType::Undefined;
  if (first.dims) facts.dims.emplace(first.dims->size() + 1);
  return facts;
}

Facts padded(const Node& node, const ir::FactsView& known) {
  Facts facts = without_constant(known.of(node.input()));
  const Value* list = node.input("pad");
  const Constant* constant = known.constant(list);
  const auto* numbers = constant ? constant->get<Constant::List>() : nullptr;
  const bool is_made = list->node() && list->node()->is("prim::ListConstruct");
  if (!facts.dims || (!numbers && !is_made)) return resized(facts);
  const std::size_t count = numbers ? numbers->items.size() : list->node()->input_count();
  const auto number = [&](std::size_t i) -> std::optional<std::int64_t> {
    if (!numbers) return known.integer(list->node()->input(i));
    const auto* whole = numbers->items[i].get<std::int64_t>();
    return whole ? std::optional(*whole) : std::nullopt;
  };
  for (std::size_t i = 0; i + 1 < count && i / 2 < facts.dims->size(); i += 2) {
    Dim& dim = (*facts.dims)[facts.dims->size() - 1 - i / 2];
    const auto before = number(i), after = number(i + 1);
    const auto more = before && after ? ir::checked_add(*before, *after) : std::nullopt;
    if (more == 0) continue;
    dim = more && dim.is_fixed() ? dim_of(ir::checked_add(dim.size(), *more)) : Dim();
  }
  return facts;
}

Facts convolved(const Node& node, const ir::FactsView& known) { return convolved_as(node, false, known); }

Facts transposed_convolved(const Node& node, const ir::FactsView& known) { return convolved_as(node, true, known); }

Facts either_convolved(const Node& node, const ir::FactsView& known) {
  return convolved_as(node, known.truth(node.input("transposed")), known);
}

Facts linear(const Node& node, const ir::FactsView& known) {
  const auto& weight = known.of(node.input(1)).dims;
  if (!weight || weight->size() != 2) return with_dtype({}, first(node, known).dtype);
  Facts facts = without_constant(first(node, known));
  if (facts.dims && !facts.dims->empty()) facts.dims->back() = weight->front();
  return facts;
}

Facts matrix_product(const Node& node, const ir::FactsView& known) {
  return product(node.input(0), node.input(1), std::nullopt, known);
}

Facts product_of_matrices(const Node& node, const ir::FactsView& known) {
  return product(node.input(0), node.input(1), 2, known);
}

Facts product_of_batches(const Node& node, const ir::FactsView& known) {
  return product(node.input(0), node.input(1), 3, known);
}

Facts added_product_of_matrices(const Node& node, const ir::FactsView& known) {
  return product(node.input(1), node.input(2), 2, known);
}

Facts added_product_of_batches(const Node& node, const ir::FactsView& known) {
  return product(node.input(1), node.input(2), 3, known);
}

Facts attended(const Node& node, const ir::FactsView& known) {
  Facts facts = resized(known.of(node.input("query")));
  const auto dims_of = [&](const char* argument) -> const auto& { return known.of(node.input(argument)).dims; };
  const auto &query = dims_of("query"), &key = dims_of("key"), &value = dims_of("value");
  if (!query || !key || !value || std::min({query->size(), key->size(), value->size()}) < 2) return facts;
  facts.dims.emplace(std::max({query->size(), key->size(), value->size()}));
  const std::size_t batches = facts.dims->size() - 2;
  facts.dims->back() = value->back();
  (*facts.dims)[batches] = (*query)[query->size() - 2];
  if (query->size() != key->size() || query->size() != value->size()) return facts;
  for (std::size_t d = 0; d < batches; ++d)
    if ((*query)[d].same((*key)[d]) && (*query)[d].same((*value)[d])) (*facts.dims)[d] = (*query)[d];
  return facts;
}

Facts loss_of_elements(const Node& node, const ir::FactsView& known) { return loss(node, 0, known); }

Facts loss_of_rows(const Node& node, const ir::FactsView& known) { return loss(node, 1, known); }

Facts reduced_loss(const Node& node, const ir::FactsView& known) {
  const auto reduction = known.integer(node.input("reduction"));
  return reduction && *reduction != 0 ? compared(node.input(0), node.input(1), kAllAxes, known) : Facts{};
}

Facts distance(const Node& node, const ir::FactsView& known) {
  return compared(node.input(0), node.input(1), kAllAxes, known);
}

Facts row_similarity(const Node& node, const ir::FactsView& known) {
  return compared(node.input(0), node.input(1), 1, known);
}

Facts row_distance(const Node& node, const ir::FactsView& known) {
  const auto kept = known.truth(node.input("keepdim"));
  return kept ? compared(node.input(0), node.input(1), *kept ? 0 : 1, known) : Facts{};
}

}  // namespace tonnx::aten::rules
