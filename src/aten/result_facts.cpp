#include "aten/result_facts.h"

#include <optional>
#include <string_view>

#include "aten/result_rules.h"
#include "aten/result_type.h"
#include "aten/trait_table.h"
#include "ir/constant_facts.h"

namespace tonnx::aten {
namespace {

using ir::Constant;
using ir::DType;
using ir::Facts;
using ir::Node;
using ir::Type;
using ir::Value;

struct RuleRow {
  std::string_view op;
  struct Rule {
    Facts (*rule)(const Node&, const ir::FactsView&) = nullptr;
  } traits;
};

constexpr RuleRow kRows[] = {
    {"aten::_convolution", {rules::either_convolved}},
    {"aten::adaptive_avg_pool1d", {rules::resized_first}},
    {"aten::adaptive_avg_pool2d", {rules::resized_first}},
    {"aten::adaptive_avg_pool3d", {rules::resized_first}},
    {"aten::addmm", {rules::added_product_of_matrices}},
    {"aten::alias", {rules::like_first}},
    {"aten::amax", {rules::dtype_of_first}},
    {"aten::amin", {rules::dtype_of_first}},
    {"aten::argmax", {rules::index_of_element}},
    {"aten::argmin", {rules::index_of_element}},
    {"aten::as_strided_scatter", {rules::like_first}},
    {"aten::avg_pool1d", {rules::resized_first}},
    {"aten::avg_pool2d", {rules::resized_first}},
    {"aten::avg_pool3d", {rules::resized_first}},
    {"aten::baddbmm", {rules::added_product_of_batches}},
    {"aten::batch_norm", {rules::like_first}},
    {"aten::binary_cross_entropy", {rules::loss_of_elements}},
    {"aten::binary_cross_entropy_with_logits", {rules::loss_of_elements}},
    {"aten::bmm", {rules::product_of_batches}},
    {"aten::cat", {rules::joined}},
    {"aten::ceil", {rules::like_first}},
    {"aten::clone", {rules::like_first}},
    {"aten::constant_pad_nd", {rules::padded}},
    {"aten::contiguous", {rules::like_first}},
    {"aten::conv1d", {rules::convolved}},
    {"aten::conv2d", {rules::convolved}},
    {"aten::conv3d", {rules::convolved}},
    {"aten::conv_transpose1d", {rules::transposed_convolved}},
    {"aten::conv_transpose2d", {rules::transposed_convolved}},
    {"aten::conv_transpose3d", {rules::transposed_convolved}},
    {"aten::convolution", {rules::either_convolved}},
    {"aten::cosine_similarity", {rules::row_similarity}},
    {"aten::cross_entropy_loss", {rules::loss_of_rows}},
    {"aten::cumprod", {rules::total}},
    {"aten::cumsum", {rules::total}},
    {"aten::detach", {rules::like_first}},
    {"aten::diagonal_scatter", {rules::like_first}},
    {"aten::dist", {rules::distance}},
    {"aten::dropout", {rules::like_first}},
    {"aten::embedding_renorm", {rules::like_first}},
    {"aten::empty", {rules::created}},
    {"aten::expand", {rules::dtype_of_first}},
    {"aten::expand_as", {rules::like_second_in_dtype_of_first}},
    {"aten::flip", {rules::dtype_of_first}},
    {"aten::floor", {rules::like_first}},
    {"aten::full", {rules::created}},
    {"aten::full_like", {rules::like_first}},
    {"aten::gather", {rules::dtype_of_first}},
    {"aten::gelu", {rules::like_first}},
    {"aten::glu", {rules::resized_first}},
    {"aten::group_norm", {rules::like_first}},
    {"aten::huber_loss", {rules::loss_of_elements}},
    {"aten::index_select", {rules::dtype_of_first}},
    {"aten::instance_norm", {rules::like_first}},
    {"aten::kl_div", {rules::loss_of_elements}},
    {"aten::l1_loss", {rules::loss_of_elements}},
    {"aten::layer_norm", {rules::like_first}},
    {"aten::linalg_inv", {rules::resized_first}},
    {"aten::linear", {rules::linear}},
    {"aten::log_softmax", {rules::like_first}},
    {"aten::matmul", {rules::matrix_product}},
    {"aten::max", {rules::part_of_all}},
    {"aten::max_pool1d", {rules::resized_first}},
    {"aten::max_pool2d", {rules::resized_first}},
    {"aten::max_pool3d", {rules::resized_first}},
    {"aten::mean", {rules::dtype_of_first}},
    {"aten::median", {rules::part_of_all}},
    {"aten::min", {rules::part_of_all}},
    {"aten::mm", {rules::product_of_matrices}},
    {"aten::mse_loss", {rules::loss_of_elements}},
    {"aten::nanmedian", {rules::part_of_all}},
    {"aten::narrow", {rules::narrowed}},
    {"aten::neg", {rules::like_first}},
    {"aten::new_empty", {rules::created}},
    {"aten::new_full", {rules::created}},
    {"aten::new_ones", {rules::created}},
    {"aten::new_zeros", {rules::created}},
    {"aten::nll_loss", {rules::loss_of_rows}},
    {"aten::nll_loss2d", {rules::loss_of_rows}},
    {"aten::nll_loss_nd", {rules::loss_of_rows}},
    {"aten::ones", {rules::created}},
    {"aten::pad", {rules::padded}},
    {"aten::pairwise_distance", {rules::row_distance}},
    {"aten::permute", {rules::resized_first}},
    {"aten::poisson_nll_loss", {rules::loss_of_elements}},
    {"aten::prod", {rules::total}},
    {"aten::rand", {rules::created}},
    {"aten::randn", {rules::created}},
    {"aten::relu", {rules::like_first}},
    {"aten::repeat", {rules::dtype_of_first}},
    {"aten::reshape", {rules::reshaped}},
    {"aten::reshape_as", {rules::like_second_in_dtype_of_first}},
    {"aten::round", {rules::like_first}},
    {"aten::scaled_dot_product_attention", {rules::attended}},
    {"aten::select", {rules::selected}},
    {"aten::select_scatter", {rules::like_first}},
    {"aten::silu", {rules::like_first}},
    {"aten::slice", {rules::sliced}},
    {"aten::slice_scatter", {rules::like_first}},
    {"aten::smooth_l1_loss", {rules::loss_of_elements}},
    {"aten::soft_margin_loss", {rules::loss_of_elements}},
    {"aten::softmax", {rules::like_first}},
    {"aten::squeeze", {rules::dtype_of_first}},
    {"aten::stack", {rules::stacked}},
    {"aten::sum", {rules::total}},
    {"aten::t", {rules::resized_first}},
    {"aten::to", {rules::cast}},
    {"aten::transpose", {rules::resized_first}},
    {"aten::trunc", {rules::like_first}},
    {"aten::type_as", {rules::in_dtype_of_second}},
    {"aten::unsqueeze", {rules::dtype_of_first}},
    {"aten::upsample_bicubic2d", {rules::resized_first}},
    {"aten::upsample_bilinear2d", {rules::resized_first}},
    {"aten::upsample_linear1d", {rules::resized_first}},
    {"aten::upsample_nearest1d", {rules::resized_first}},
    {"aten::upsample_nearest2d", {rules::resized_first}},
    {"aten::upsample_nearest3d", {rules::resized_first}},
    {"aten::upsample_trilinear3d", {rules::resized_first}},
    {"aten::view", {rules::reshaped}},
    {"aten::zeros", {rules::created}},
    {"aten::zeros_like", {rules::like_first}},
};

Facts of_number(DType dtype) {
  Facts facts;
  facts.dtype = dtype;
  facts.dims.emplace();
  return facts;
}

Facts size_of_axis(const Node& node, const ir::FactsView& known) {
  const auto& dims = known.of(node.input()).dims;
  const auto axis = known.integer(node.input(1));
  const auto at = dims && axis ? ir::item_at(*axis, dims->size()) : std::nullopt;
  return at && (*dims)[*at].is_fixed() ? ir::facts_of({(*dims)[*at].size()}) : of_number(DType::Int64);
}

// The facts of a list of scalars that are all constant.
Facts list_of(const Node& node, const ir::FactsView& known) {
  const Type& type = node.output()->type();
  if (!type.is(Type::Kind::List) || type.elements.empty() || !type.elements[0].is_scalar()) return {};
  Constant::List list;
  for (const Value* item : node.inputs()) {
    if (!known.constant(item)) return {};
    list.items.push_back(*known.constant(item));
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

Facts by_rule(const Node& node, const ir::FactsView& known) {
  static const auto& table = *new Rows<RuleRow>({kRows});
  if (node.input_count() == 0) return {};
  if (const auto rule = table.of(node.kind(), {}).rule) return rule(node, known);
  if (node.input("reduction") && !node.input("grad_output")) return rules::reduced_loss(node, known);
  return elementwise_facts(node, known);
}

// The facts of an operator with one tensor result. A result that is written to `out` has the dtype of `out`.
Facts of_tensor(const Node& node, const ir::FactsView& known) {
  Facts facts = by_rule(node, known);
  if (const Value* out = node.input("out")) facts.dtype = known.of(out).dtype;
  return facts;
}

}  // namespace

std::vector<Facts> result_facts(const Node& node, const ir::FactsView& known) {
  std::vector<Facts> results(node.output_count());
  if (node.is("prim::ListConstruct")) {
    results[0] = list_of(node, known);
  } else if (node.is("prim::NumToTensor")) {
    results[0] = of_type(node.input()->type());
  } else if (node.is("aten::size") && node.input_count() == 2) {
    results[0] = size_of_axis(node, known);
  } else {
    for (std::size_t i = 0; i < results.size(); ++i) {
      const Type& type = node.output(i)->type();
      results[i] = type.is(Type::Kind::Tensor) && results.size() == 1 && node.domain() == "aten"
                       ? of_tensor(node, known)
                       : of_type(type);
    }
  }
  return results;
}

}  // namespace tonnx::aten
