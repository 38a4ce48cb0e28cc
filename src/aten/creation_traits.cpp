// Operators that create tensors.
#include "aten/traits.h"

namespace tonnx::aten {
namespace {

// Created in the shape of another tensor.
constexpr Traits kLike{.gradient = Gradient::None, .creates = true};
constexpr Traits kUndefinedLike{.gradient = Gradient::None, .creates = true, .is_undefined = true};

constexpr Row kRows[] = {
    {"aten::_empty_affine_quantized", {.is_undefined = true}},
    {"aten::_empty_per_channel_affine_quantized", {.is_undefined = true}},
    {"aten::empty", {.is_undefined = true}},
    {"aten::empty_like", kUndefinedLike},
    {"aten::empty_permuted", {.is_undefined = true}},
    {"aten::empty_quantized", {.is_undefined = true}},
    {"aten::empty_strided", {.is_undefined = true}},
    {"aten::full_like", kLike},
    {"aten::new_empty", kUndefinedLike},
    {"aten::new_empty_strided", kUndefinedLike},
    {"aten::new_full", kLike},
    {"aten::new_ones", kLike},
    {"aten::new_zeros", kLike},
    {"aten::ones_like", kLike},
    {"aten::rand_like", kLike},
    {"aten::randint_like", kLike},
    {"aten::randn_like", kLike},
    {"aten::zeros_like", kLike},
    {"aten::repeat", {.spells_sizes = true}},
    {"aten::tile", {.spells_sizes = true}},
};

}  // namespace

std::span<const Row> creation_traits() { return kRows; }

}  // namespace tonnx::aten
