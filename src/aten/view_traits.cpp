// Views, operators that return their argument, and those that sometimes do.
#include <algorithm>
#include <array>

#include "aten/traits.h"
#include "aten/view_place.h"

namespace tonnx::aten {
namespace {

constexpr Row kRows[] = {
    // Return the argument itself.
    {"aten::alias", {.alias = Alias::Same}},
    {"aten::data", {.alias = Alias::Same, .gradient = Gradient::None}},
    {"aten::detach", {.alias = Alias::Same, .gradient = Gradient::None}},
    {"aten::lift_fresh", {.alias = Alias::Same}},
    {"aten::pin_memory", {.alias = Alias::Same}},
    {"aten::positive", {.alias = Alias::Same}},
    {"prim::data", {.alias = Alias::Same, .gradient = Gradient::None, .size_blind = true}},

    // Return the argument or a copy.
    {"aten::alpha_dropout", {.alias = Alias::SometimesSame}},
    {"aten::conj_physical", {.alias = Alias::SometimesSame}},
    {"aten::contiguous", {.alias = Alias::SometimesSame, .layout_only = true}},
    {"aten::cpu", {.alias = Alias::SometimesSame}},
    {"aten::dropout", {.alias = Alias::SometimesSame, .dtype = ResultDtype::Self}},
    {"aten::feature_alpha_dropout", {.alias = Alias::SometimesSame}},
    {"aten::feature_dropout", {.alias = Alias::SometimesSame}},
    {"aten::resolve_conj", {.alias = Alias::SometimesSame}},
    {"aten::resolve_neg", {.alias = Alias::SometimesSame}},
    {"aten::to", {.alias = Alias::SometimesSame}},
    {"aten::type_as", {.alias = Alias::SometimesSame}},

    // Return a view or a copy.
    {"aten::atleast_1d", {.alias = Alias::SometimesView, .inverse = Inverse::Reshape}},
    {"aten::atleast_2d", {.alias = Alias::SometimesView, .inverse = Inverse::Reshape}},
    {"aten::atleast_3d", {.alias = Alias::SometimesView, .inverse = Inverse::Reshape}},
    {"aten::flatten", {.alias = Alias::SometimesView, .inverse = Inverse::Reshape}},
    {"aten::ravel", {.alias = Alias::SometimesView, .inverse = Inverse::Reshape}},
    {"aten::reshape", {.alias = Alias::SometimesView, .inverse = Inverse::Reshape, .spells_sizes = true}},
    {"aten::reshape_as", {.alias = Alias::SometimesView, .inverse = Inverse::Reshape}},
    {"aten::sum_to_size", {.alias = Alias::SometimesView, .inverse = Inverse::Reshape}},

    // Views in another shape.
    {"aten::squeeze", {.inverse = Inverse::Reshape, .drops_single = true}},
    {"aten::squeeze_copy", {.drops_single = true}},
    {"aten::unflatten", {.inverse = Inverse::Reshape, .spells_sizes = true}},
    {"aten::unsqueeze", {.inverse = Inverse::Unsqueeze}},
    {"aten::view", {.inverse = Inverse::Reshape, .spells_sizes = true}},
    {"aten::view.dtype", {.inverse = Inverse::Dtype}},
    {"aten::view_as", {.inverse = Inverse::Reshape}},
    {"aten::view_as_complex", {.inverse = Inverse::AsComplex}},
    {"aten::view_as_real", {.inverse = Inverse::AsReal}},

    // Parts of complex tensors, and conjugates.
    {"aten::_conj", {.inverse = Inverse::Again}},
    {"aten::_neg_view", {.inverse = Inverse::Again}},
    {"aten::conj", {.inverse = Inverse::Again}},
    {"aten::imag", {.inverse = Inverse::Imaginary}},
    {"aten::real", {.inverse = Inverse::Real}},

    // Permutations.
    {"aten::adjoint", {.inverse = Inverse::Again}},
    {"aten::mH", {.inverse = Inverse::Again}},
    {"aten::mT", {.inverse = Inverse::Again}},
    {"aten::matrix_H", {.inverse = Inverse::Again}},
    {"aten::moveaxis", {.inverse = Inverse::Move}},
    {"aten::movedim", {.inverse = Inverse::Move}},
    {"aten::numpy_T", {.inverse = Inverse::Again}},
    {"aten::permute", {.inverse = Inverse::Permute}},
    {"aten::swapaxes", {.inverse = Inverse::Again}},
    {"aten::swapdims", {.inverse = Inverse::Again}},
    {"aten::t", {.inverse = Inverse::Again}},
    {"aten::transpose", {.inverse = Inverse::Again}},

    // Views of a part.
    {"aten::as_strided", {.inverse = Inverse::AsStrided, .reads_memory = true}},
    {"aten::as_strided_copy", {.reads_memory = true}},
    {"aten::as_strided_scatter", {.reads_memory = true}},
    {"aten::diagonal", {.inverse = Inverse::Diagonal}},
    {"aten::linalg_diagonal", {.inverse = Inverse::Diagonal}},
    {"aten::narrow", {.inverse = Inverse::Narrow}},
    {"aten::select", {.inverse = Inverse::Select}},
    {"aten::slice.Tensor", {.inverse = Inverse::Slice}},

    // Lists of views.
    {"aten::chunk", {.inverse = Inverse::Chunk, .size_blind = true}},
    {"aten::dsplit", {.inverse = Inverse::Sections, .section_axis = 2}},
    {"aten::hsplit", {.inverse = Inverse::Sections, .section_axis = 1}},
    {"aten::split", {.inverse = Inverse::Split, .size_blind = true}},
    {"aten::split_with_sizes", {.inverse = Inverse::Split, .size_blind = true}},
    {"aten::tensor_split", {.inverse = Inverse::Sections}},
    {"aten::unbind", {.inverse = Inverse::Unbind}},
    {"aten::vsplit", {.inverse = Inverse::Sections, .section_axis = 0}},
    // Views that their schemas do not mark.
    {"aten::_unsafe_view", {.alias = Alias::Unmarked, .inverse = Inverse::Reshape, .spells_sizes = true}},
    {"aten::unsafe_chunk", {.alias = Alias::Unmarked, .inverse = Inverse::Chunk, .size_blind = true}},
    {"aten::unsafe_split", {.alias = Alias::Unmarked, .inverse = Inverse::Split, .size_blind = true}},
    {"aten::unsafe_split_with_sizes", {.alias = Alias::Unmarked, .inverse = Inverse::Split, .size_blind = true}},
    {"aten::align_tensors", {.alias = Alias::Unmarked}},
    {"aten::atleast_1d.Sequence", {.alias = Alias::Unmarked}},
    {"aten::atleast_2d.Sequence", {.alias = Alias::Unmarked}},
    {"aten::atleast_3d.Sequence", {.alias = Alias::Unmarked}},
    {"aten::broadcast_tensors", {.alias = Alias::Unmarked}},
    {"aten::cartesian_prod", {.alias = Alias::Unmarked}},
    {"aten::meshgrid", {.alias = Alias::Unmarked}},
    {"aten::unflatten_dense_tensors", {.alias = Alias::Unmarked}},

    // Expanded views, whose elements share storage.
    {"aten::broadcast_to", {.inverse = Inverse::Expand, .spells_sizes = true}},
    {"aten::expand", {.inverse = Inverse::Expand, .spells_sizes = true}},
    {"aten::expand_as", {.inverse = Inverse::Expand}},
};

}  // namespace

std::span<const Row> view_traits() { return kRows; }

bool begins_with_argument(const Traits& traits) {
  static constexpr std::array kInPlace{Inverse::Again,   Inverse::Reshape, Inverse::Expand,
                                       Inverse::Permute, Inverse::Move,    Inverse::Unsqueeze};
  return traits.alias == Alias::Same || traits.alias == Alias::SometimesSame ||
         std::ranges::find(kInPlace, traits.inverse) != kInPlace.end();
}

bool asks_layout(std::string_view kind) {
  static constexpr std::array<std::string_view, 3> kQuestions{"aten::is_contiguous", "aten::storage_offset",
                                                              "aten::stride"};
  return std::ranges::find(kQuestions, kind) != kQuestions.end();
}

}  // namespace tonnx::aten
