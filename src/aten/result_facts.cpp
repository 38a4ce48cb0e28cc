#include "aten/result_facts.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>

#include "aten/result_type.h"
#include "aten/traits.h"
#include "ir/constant_facts.h"

namespace tonnx::aten {
namespace {

using ir::Constant;
using ir::Dim;
using ir::DType;
using ir::Facts;
using ir::Node;
using ir::Type;
using ir::Value;

Facts of_number(DType dtype) {
  Facts facts;
  facts.dtype = dtype;
  facts.dims.emplace();
  return facts;
}

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
std::optional<std::size_t> axis_of(const Node& node) {
  const auto& dims = node.input()->facts().dims;
  const Value* given = node.input("dim");
  const auto axis = given ? ir::constant_integer(given) : std::nullopt;
  return dims && axis ? ir::item_at(*axis, dims->size()) : std::nullopt;
}

// The facts of a slice along one axis.
Facts part_along(const Node& node) {
  Facts facts = without_constant(node.input()->facts());
  const auto axis = axis_of(node);
  if (!axis) return resized(facts);
  (*facts.dims)[*axis] = Dim();
  return facts;
}

// The facts of a selection at one index of an axis.
Facts at_place(const Node& node) {
  Facts facts = without_constant(node.input()->facts());
  const auto axis = axis_of(node);
  if (!axis) return {};
  facts.dims->erase(facts.dims->begin() + static_cast<std::ptrdiff_t>(*axis));
  return facts;
}

// The facts of a reshape. One size may be -1; it and computed sizes are unknown.
Facts reshaped(const Node& node) {
  Facts facts;
  if (!node.input(1)->type().is(Type::Kind::List)) return facts;  // view.dtype: reinterprets bytes as another dtype
  facts.dtype = node.input()->facts().dtype;
  const auto dim = [](const Constant* size) {
    const auto* n = size ? size->get<std::int64_t>() : nullptr;
    return n && *n >= 0 ? Dim(*n) : Dim();
  };
  const Constant* sizes = node.input(1)->constant();
  const Node* made = node.input(1)->node();
  if (const auto* list = sizes ? sizes->get<Constant::List>() : nullptr) {
    facts.dims.emplace();
    for (const Constant& size : list->items) facts.dims->push_back(dim(&size));
  } else if (made && made->is("prim::ListConstruct")) {
    facts.dims.emplace();
    for (const Value* size : made->inputs()) facts.dims->push_back(dim(size->constant()));
  }
  return facts;
}

Facts size_of_axis(const Node& node) {
  const auto& dims = node.input()->facts().dims;
  const auto axis = ir::constant_integer(node.input(1));
  if (dims && axis) {
    const auto rank = static_cast<std::int64_t>(dims->size());
    const std::int64_t at = *axis < 0 ? *axis + rank : *axis;
    if (at >= 0 && at < rank && (*dims)[static_cast<std::size_t>(at)].is_fixed())
      return ir::facts_of({(*dims)[static_cast<std::size_t>(at)].size()});
  }
  return of_number(DType::Int64);
}

// The facts of a list of scalars that are all constant.
Facts list_of(const Node& node) {
  const Type& type = node.output()->type();
  if (!type.is(Type::Kind::List) || type.elements.empty() || !type.elements[0].is_scalar()) return {};
  Constant::List list;
  for (const Value* item : node.inputs()) {
    if (!item->constant()) return {};
    list.items.push_back(*item->constant());
  }
  return ir::facts_of({std::move(list)});
}

Facts of_type(const Type& type) {
  switch (type.kind) {
    case Type::Kind::Int: return of_number(DType::Int64);
    case Type::Kind::Float: return of_number(DType::Float64);
    case Type::Kind::Bool: return of_number(DType::Bool);
    default: return {};
  }
}

// The facts of a matrix product or a batch of them; `rank` is the rank of both operands if the operator requires it.
Facts product(const Value* left, const Value* right, std::optional<std::size_t> rank) {
  constexpr std::size_t kMatrix = 2;
  Facts facts = with_dtype({}, left->facts().dtype);
  const auto &a = left->facts().dims, &b = right->facts().dims;
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

// The facts of a concatenation. All tensors have the same rank, except empty vectors, and the same sizes along other
// axes.
Facts joined(const Node& node) {
  const Node* list = node.input()->node();
  if (!list || !list->is("prim::ListConstruct") || list->input_count() == 0) return {};
  const Facts& first = list->input()->facts();
  Facts facts = without_constant(first);
  for (const Value* part : list->inputs()) {
    if (part->facts().dtype != first.dtype) facts.dtype = DType::Undefined;
    if (!first.dims || !part->facts().dims || part->facts().dims->size() != first.dims->size()) facts.dims.reset();
  }
  const auto given = ir::constant_integer(node.input("dim"));
  const auto axis = facts.dims && given ? ir::item_at(*given, facts.dims->size()) : std::nullopt;
  if (!axis) return resized(facts);
  for (std::size_t d = 0; d < facts.dims->size(); ++d)
    for (std::size_t i = 1; i < list->input_count(); ++i) {
      const Dim& other = (*list->input(i)->facts().dims)[d];
      Dim& dim = (*facts.dims)[d];
      if (d == *axis)
        dim = dim.is_fixed() && other.is_fixed() ? Dim(dim.size() + other.size()) : Dim();
      else if (dim.is_unknown())
        dim = other;
    }
  return facts;
}

// The facts of a stack: tensors of one shape along a new axis.
Facts stacked(const Node& node) {
  const Node* list = node.input()->node();
  if (!list || !list->is("prim::ListConstruct") || list->input_count() == 0) return {};
  const Facts& first = list->input()->facts();
  Facts facts = with_dtype({}, first.dtype);
  for (const Value* part : list->inputs())
    if (part->facts().dtype != first.dtype) facts.dtype = DType::Undefined;
  if (first.dims) facts.dims.emplace(first.dims->size() + 1);
  return facts;
}

// The facts of attention: one row of the values' width for each query; batches broadcast.
Facts attended(const Node& node) {
  Facts facts = resized(node.input("query")->facts());
  const auto dims_of = [&](const char* argument) -> const auto& { return node.input(argument)->facts().dims; };
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

// Facts with unknown sizes, in the dtype of the operands, and with `fewer` axes less than the operand of higher rank.
Facts compared(const Value* one, const Value* other, std::size_t fewer) {
  const auto &a = one->facts().dims, &b = other->facts().dims;
  const DType dtype = one->facts().dtype, second = other->facts().dtype;
  if (!a || !b || !ir::is_floating(dtype) || (second != dtype && !ir::is_integral(second))) return {};
  const std::size_t rank = std::max(a->size(), b->size());
  Facts facts = with_dtype({}, dtype);
  facts.dims.emplace(rank - std::min(rank, fewer));
  return facts;
}

// The facts of a loss: a scalar, or one number for each element or each row of the operands.
Facts loss(const Node& node) {
  static constexpr std::string_view kOfElements[] = {
      "aten::mse_loss",         "aten::l1_loss", "aten::smooth_l1_loss",       "aten::huber_loss",
      "aten::soft_margin_loss", "aten::kl_div",  "aten::binary_cross_entropy", "aten::binary_cross_entropy_with_logits",
      "aten::poisson_nll_loss",
  };
  static constexpr std::string_view kOfRows[] = {
      "aten::cross_entropy_loss",
      "aten::nll_loss_nd",
      "aten::nll_loss",
      "aten::nll_loss2d",
  };
  const auto reduction = ir::constant_integer(node.input("reduction"));
  if (!reduction) return {};
  const auto is_of = [&](std::span<const std::string_view> kinds) {
    return std::ranges::find(kinds, node.kind()) != kinds.end();
  };
  const std::size_t fewer = *reduction != 0 ? std::string_view::npos : is_of(kOfRows) ? 1 : 0;
  if (fewer == 0 && !is_of(kOfElements)) return {};
  return compared(node.input(0), node.input(1), fewer);
}

// The facts of a convolution: batch of the input, channels of the weight, and unknown spatial sizes.
Facts convolved(const Node& node, std::optional<bool> transposed) {
  Facts facts = resized(node.input("input")->facts());
  const auto &input = node.input("input")->facts().dims, &weight = node.input("weight")->facts().dims;
  if (!input || !weight || weight->size() < 2 || input->size() + 1 < weight->size()) return facts;
  const std::size_t channels = input->size() + 1 - weight->size();
  std::copy_n(input->begin(), channels, facts.dims->begin());
  const auto groups = ir::constant_integer(node.input("groups"));
  if (transposed == false) (*facts.dims)[channels] = weight->front();
  if (transposed == true && groups && (*weight)[1].is_fixed())
    (*facts.dims)[channels] = Dim((*weight)[1].size() * *groups);
  return facts;
}

// The facts of a padding: axes without padding keep their sizes. The list begins with the last axis.
Facts padded(const Node& node) {
  Facts facts = without_constant(node.input()->facts());
  const Value* list = node.input("pad");
  const Constant* constant = list->constant();
  const auto* numbers = constant ? constant->get<Constant::List>() : nullptr;
  const bool is_made = list->node() && list->node()->is("prim::ListConstruct");
  if (!facts.dims || (!numbers && !is_made)) return resized(facts);
  const std::size_t count = numbers ? numbers->items.size() : list->node()->input_count();
  const auto number = [&](std::size_t i) -> std::optional<std::int64_t> {
    if (!numbers) return ir::constant_integer(list->node()->input(i));
    const auto* whole = numbers->items[i].get<std::int64_t>();
    return whole ? std::optional(*whole) : std::nullopt;
  };
  for (std::size_t i = 0; i + 1 < count && i / 2 < facts.dims->size(); i += 2) {
    Dim& dim = (*facts.dims)[facts.dims->size() - 1 - i / 2];
    const auto before = number(i), after = number(i + 1);
    if (before && after && *before + *after == 0) continue;
    dim = before && after && dim.is_fixed() ? Dim(dim.size() + *before + *after) : Dim();
  }
  return facts;
}

// The facts of a new tensor of dynamic size. Its dtype is specified, or that of the tensor it is modelled on, or that
// of the fill value.
Facts created(const Node& node) {
  const Value* dtype = node.input("dtype");
  if (dtype && !(dtype->constant() && dtype->constant()->is_none())) {
    const auto given = ir::constant_integer(dtype);
    return given ? with_dtype({}, static_cast<DType>(*given)) : Facts{};
  }
  if (node.input()->type().is(Type::Kind::Tensor)) return with_dtype({}, node.input()->facts().dtype);
  const Value* fill = node.input("fill_value");
  if (!fill) return with_dtype({}, DType::Float32);
  const DType filled = of_type(fill->type()).dtype;
  return with_dtype({}, filled == DType::Float64 ? DType::Float32 : filled);
}

// The facts of an operator with one tensor result.
Facts of_tensor(const Node& node) {
  static constexpr std::string_view kLikeFirst[] = {
      "aten::slice_scatter",
      "aten::select_scatter",
      "aten::diagonal_scatter",
      "aten::as_strided_scatter",
      "aten::full_like",
      "aten::zeros_like",
      "aten::clone",
      "aten::contiguous",
      "aten::detach",
      "aten::alias",
      "aten::embedding_renorm",
      "aten::ceil",
      "aten::floor",
      "aten::neg",
      "aten::round",
      "aten::trunc",
      "aten::relu",
      "aten::gelu",
      "aten::silu",
      "aten::dropout",
      "aten::softmax",
      "aten::log_softmax",
      "aten::layer_norm",
      "aten::group_norm",
      "aten::batch_norm",
      "aten::instance_norm",
  };
  static constexpr std::string_view kResized[] = {
      "aten::permute",
      "aten::transpose",
      "aten::t",
      "aten::linalg_inv",
      "aten::glu",
      "aten::max_pool1d",
      "aten::max_pool2d",
      "aten::max_pool3d",
      "aten::avg_pool1d",
      "aten::avg_pool2d",
      "aten::avg_pool3d",
      "aten::adaptive_avg_pool1d",
      "aten::adaptive_avg_pool2d",
      "aten::adaptive_avg_pool3d",
      "aten::upsample_nearest1d",
      "aten::upsample_nearest2d",
      "aten::upsample_nearest3d",
      "aten::upsample_linear1d",
      "aten::upsample_bilinear2d",
      "aten::upsample_trilinear3d",
      "aten::upsample_bicubic2d",
  };
  static constexpr std::string_view kConvolved[] = {"aten::conv1d", "aten::conv2d", "aten::conv3d"};
  static constexpr std::string_view kTransposed[] = {"aten::conv_transpose1d", "aten::conv_transpose2d",
                                                     "aten::conv_transpose3d"};
  static constexpr std::string_view kEitherConvolution[] = {"aten::convolution", "aten::_convolution"};
  static constexpr std::string_view kPadded[] = {"aten::constant_pad_nd", "aten::pad"};
  static constexpr std::string_view kOfOneDtype[] = {
      "aten::amax",         "aten::amin", "aten::expand", "aten::flip",      "aten::gather",
      "aten::index_select", "aten::mean", "aten::repeat", "aten::unsqueeze", "aten::squeeze",
  };
  static constexpr std::string_view kCreated[] = {
      "aten::zeros", "aten::ones",      "aten::empty",    "aten::rand",     "aten::randn",
      "aten::full",  "aten::new_zeros", "aten::new_ones", "aten::new_full", "aten::new_empty",
  };
  static constexpr std::string_view kPicked[] = {"aten::max", "aten::median", "aten::min", "aten::nanmedian"};
  static constexpr std::string_view kPlaces[] = {"aten::argmax", "aten::argmin"};
  static constexpr std::string_view kTotals[] = {"aten::sum", "aten::prod", "aten::cumsum", "aten::cumprod"};
  if (node.input_count() == 0) return {};
  const Facts& first = node.input()->facts();
  const auto is_one_of = [&](std::span<const std::string_view> kinds) {
    return std::ranges::find(kinds, node.kind()) != kinds.end();
  };
  const auto is_none = [&](const char* argument) {
    const Value* value = node.input(argument);
    return !value || (value->constant() && value->constant()->is_none());
  };
  if (node.input("reduction") && !node.input("grad_output")) return loss(node);
  if (node.is("aten::dist")) return compared(node.input(0), node.input(1), std::string_view::npos);
  if (node.is("aten::cosine_similarity")) return compared(node.input(0), node.input(1), 1);
  if (node.is("aten::pairwise_distance")) {
    const auto kept = ir::constant_truth(node.input("keepdim"));
    return kept ? compared(node.input(0), node.input(1), *kept ? 0 : 1) : Facts{};
  }
  if (is_one_of(kLikeFirst)) return is_none("dtype") ? without_constant(first) : Facts{};
  if (is_one_of(kResized)) return resized(first);
  if (is_one_of(kConvolved)) return convolved(node, false);
  if (is_one_of(kTransposed)) return convolved(node, true);
  if (is_one_of(kEitherConvolution)) return convolved(node, ir::constant_truth(node.input("transposed")));
  if (is_one_of(kPadded)) return padded(node);
  if (is_one_of(kCreated)) return created(node);
  if (is_one_of(kOfOneDtype) && is_none("dtype")) return with_dtype({}, first.dtype);
  // Over all elements; LibTorch refuses an empty tensor.
  if (is_one_of(kPicked) && node.input_count() == 1) return {first.dtype, std::vector<Dim>(), nullptr};
  if (is_one_of(kPlaces))
    return {DType::Int64, is_none("dim") ? std::optional(std::vector<Dim>()) : std::nullopt, nullptr};
  if (is_one_of(kTotals) && is_none("dtype"))
    return with_dtype({}, first.dtype == DType::Bool || ir::is_integral(first.dtype) ? DType::Int64 : first.dtype);
  if (node.is("aten::linear")) {
    const auto& weight = node.input(1)->facts().dims;
    if (!weight || weight->size() != 2) return with_dtype({}, first.dtype);
    Facts facts = without_constant(first);
    if (facts.dims && !facts.dims->empty()) facts.dims->back() = weight->front();
    return facts;
  }
  if (node.is("aten::matmul")) return product(node.input(0), node.input(1), std::nullopt);
  if (node.is("aten::mm")) return product(node.input(0), node.input(1), 2);
  if (node.is("aten::bmm")) return product(node.input(0), node.input(1), 3);
  if (node.is("aten::addmm")) return product(node.input(1), node.input(2), 2);
  if (node.is("aten::baddbmm")) return product(node.input(1), node.input(2), 3);
  if (node.is("aten::scaled_dot_product_attention")) return attended(node);
  if (node.is("aten::cat")) return joined(node);
  if (node.is("aten::stack")) return stacked(node);
  if (node.is("aten::narrow") || (node.is("aten::slice") && first.dims)) return part_along(node);
  if (node.is("aten::select")) return at_place(node);
  if (node.is("aten::to")) {
    if (const auto dtype = ir::constant_integer(node.input("dtype")))
      return with_dtype(first, static_cast<DType>(*dtype));
    if (const Value* other = node.input("other")) return with_dtype(first, other->facts().dtype);
    return {};
  }
  if (node.is("aten::type_as")) return with_dtype(first, node.input(1)->facts().dtype);
  if (node.is("aten::expand_as")) return with_dtype(node.input(1)->facts(), first.dtype);
  if (node.is("aten::reshape_as")) return with_dtype(node.input(1)->facts(), first.dtype);
  if (node.is("aten::reshape") || node.is("aten::view")) return reshaped(node);
  return elementwise_facts(node);
}

}  // namespace

std::vector<Facts> result_facts(const Node& node) {
  std::vector<Facts> results(node.output_count());
  if (node.is("prim::ListConstruct")) {
    results[0] = list_of(node);
  } else if (node.is("prim::NumToTensor")) {
    results[0] = of_type(node.input()->type());
  } else if (node.is("aten::size") && node.input_count() == 2) {
    results[0] = size_of_axis(node);
  } else {
    for (std::size_t i = 0; i < results.size(); ++i) {
      const Type& type = node.output(i)->type();
      results[i] = type.is(Type::Kind::Tensor) && results.size() == 1 && node.domain() == "aten" ? of_tensor(node)
                                                                                                 : of_type(type);
    }
  }
  return results;
}

}  // namespace tonnx::aten
