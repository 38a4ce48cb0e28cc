// Questions to a value that its sizes or its type answer.
#include "aten/traits.h"

namespace tonnx::aten {
namespace {

constexpr Row kRows[] = {
    {"aten::size", {.size_blind = true, .gives_sizes = true}},
    {"aten::sym_size", {.size_blind = true, .gives_sizes = true}},

    {"aten::__is__", {.size_blind = true}},
    {"aten::__isnot__", {.size_blind = true}},
    {"aten::dim", {.size_blind = true}},
    {"aten::element_size", {.size_blind = true}},
    {"aten::get_device", {.size_blind = true}},
    {"aten::is_complex", {.size_blind = true}},
    {"aten::is_conj", {.size_blind = true}},
    {"aten::is_floating_point", {.size_blind = true}},
    {"aten::is_neg", {.size_blind = true}},
    {"aten::is_signed", {.size_blind = true}},
    {"aten::result_type", {.size_blind = true}},
    {"prim::device", {.size_blind = true}},
    {"prim::dtype", {.size_blind = true}},
    {"prim::is_cpu", {.size_blind = true}},
    {"prim::is_cuda", {.size_blind = true}},
    {"prim::is_meta", {.size_blind = true}},
    {"prim::is_mkldnn", {.size_blind = true}},
    {"prim::is_nested", {.size_blind = true}},
    {"prim::is_quantized", {.size_blind = true}},
    {"prim::is_sparse", {.size_blind = true}},
    {"prim::is_xpu", {.size_blind = true}},
    {"prim::isinstance", {.size_blind = true}},
    {"prim::layout", {.size_blind = true}},
    {"prim::requires_grad", {.size_blind = true}},
    {"prim::type", {.size_blind = true}},
};

}  // namespace

std::span<const Row> question_traits() { return kRows; }

}  // namespace tonnx::aten
