#include "aten/indexed.h"

#include "aten/trait_table.h"

namespace tonnx::aten {
namespace {

struct IndexedRow {
  std::string_view op;
  struct Points {
    Indexed to = Indexed::Nothing;
  } traits;
};

constexpr IndexedRow kRows[] = {
    {"aten::_assert_async", {Indexed::Truth}},
    {"aten::_embedding_bag", {Indexed::Rows}},
    {"aten::_embedding_bag_forward_only", {Indexed::Rows}},
    {"aten::_index_put_impl_", {Indexed::Axes}},
    {"aten::embedding", {Indexed::Rows}},
    {"aten::embedding_renorm_", {Indexed::Rows}},
    {"aten::gather", {Indexed::Axis}},
    {"aten::index.Tensor", {Indexed::Axes}},
    {"aten::index_add", {Indexed::Axis}},
    {"aten::index_add_", {Indexed::Axis}},
    {"aten::index_copy", {Indexed::Axis}},
    {"aten::index_copy_", {Indexed::Axis}},
    {"aten::index_fill", {Indexed::Axis}},
    {"aten::index_fill_", {Indexed::Axis}},
    {"aten::index_put", {Indexed::Axes}},
    {"aten::index_put_", {Indexed::Axes}},
    {"aten::index_reduce", {Indexed::Axis}},
    {"aten::index_reduce_", {Indexed::Axis}},
    {"aten::index_select", {Indexed::Axis}},
    {"aten::nll_loss2d_forward", {Indexed::Classes}},
    {"aten::nll_loss_forward", {Indexed::Classes}},
    {"aten::put", {Indexed::Elements}},
    {"aten::put_", {Indexed::Elements}},
    {"aten::scatter", {Indexed::Axis}},
    {"aten::scatter_", {Indexed::Axis}},
    {"aten::scatter_add", {Indexed::Axis}},
    {"aten::scatter_add_", {Indexed::Axis}},
    {"aten::scatter_reduce", {Indexed::Axis}},
    {"aten::scatter_reduce_", {Indexed::Axis}},
    {"aten::take", {Indexed::Elements}},
};

}  // namespace

Indexed indexed_by(std::string_view name, std::string_view overload) {
  static const auto& table = *new Rows<IndexedRow>({kRows});
  return table.of(name, overload).to;
}

}  // namespace tonnx::aten
