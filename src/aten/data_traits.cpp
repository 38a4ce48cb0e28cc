// Operators for which sizes or values of results depend on tensor data.
#include "aten/traits.h"

namespace tonnx::aten {
namespace {

constexpr Row kRows[] = {
    {"aten::_padded_dense_to_jagged_forward", {.data_dims = DataDims::First}},
    {"aten::_unique", {.data_dims = DataDims::FirstButInverse}},
    {"aten::_unique2", {.data_dims = DataDims::FirstButInverse}},
    {"aten::argwhere", {.data_dims = DataDims::First}},
    {"aten::bincount", {.data_dims = DataDims::First}},
    {"aten::index", {.data_dims = DataDims::Indexed}},
    {"aten::masked_select", {.data_dims = DataDims::First}},
    {"aten::nonzero", {.data_dims = DataDims::First}},
    {"aten::nonzero_numpy", {.data_dims = DataDims::First}},
    {"aten::where", {.data_dims = DataDims::First}},
    {"torchvision::nms", {.data_dims = DataDims::First}},

    {"aten::Bool", {.number = Number::Cast}},
    {"aten::Float", {.number = Number::Cast}},
    {"aten::FloatImplicit", {.number = Number::Read}},
    {"aten::Int", {.number = Number::Cast}},
    {"aten::IntImplicit", {.number = Number::Read}},
    {"aten::ScalarImplicit", {.number = Number::Read}},
    {"aten::item", {.number = Number::Read}},
};

}  // namespace

std::span<const Row> data_traits() { return kRows; }

}  // namespace tonnx::aten
