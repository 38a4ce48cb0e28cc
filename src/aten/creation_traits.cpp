// Tensors that are made, not computed.
#include "aten/traits.h"

namespace tonnx::aten {
namespace {

constexpr Row kRows[] = {
    {"aten::_empty_affine_quantized", {.is_undefined = true}},
    {"aten::_empty_per_channel_affine_quantized", {.is_undefined = true}},
    {"aten::empty", {.is_undefined = true}},
    {"aten::empty_like", {.is_undefined = true}},
    {"aten::empty_permuted", {.is_undefined = true}},
    {"aten::empty_quantized", {.is_undefined = true}},
    {"aten::empty_strided", {.is_undefined = true}},
    {"aten::new_empty", {.is_undefined = true}},
    {"aten::new_empty_strided", {.is_undefined = true}},
    {"aten::repeat", {.spells_sizes = true}},
};

}  // namespace

std::span<const Row> creation_traits() { return kRows; }

}  // namespace tonnx::aten
