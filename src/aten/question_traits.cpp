// Operators that return a property of a value: its sizes or its type.
#include "aten/traits.h"

namespace tonnx::aten {
namespace {

constexpr Traits kOfType{.size_blind = true, .type_only = true};
constexpr Traits kNo{.answer = Answer::No, .size_blind = true, .type_only = true};
constexpr Traits kYes{.answer = Answer::Yes, .size_blind = true, .type_only = true};

constexpr Row kRows[] = {
    {"aten::size", {.size_blind = true, .gives_sizes = true}},
    {"aten::sym_size", {.size_blind = true, .gives_sizes = true}},

    {"aten::__is__", {.size_blind = true}},
    {"aten::__isnot__", {.size_blind = true}},
    {"aten::dim", kOfType},
    {"aten::element_size", kOfType},
    {"aten::get_device", kOfType},
    {"aten::is_complex", kOfType},
    {"aten::is_conj", {.size_blind = true}},
    {"aten::is_distributed", kNo},
    {"aten::is_floating_point", kOfType},
    {"aten::is_inference", kNo},
    {"aten::is_leaf", {.size_blind = true}},
    {"aten::is_neg", {.size_blind = true}},
    {"aten::is_pinned", kNo},
    {"aten::is_signed", kOfType},
    {"aten::result_type", {.size_blind = true}},
    {"aten::retains_grad", {.size_blind = true}},
    {"prim::device", kOfType},
    {"prim::dtype", kOfType},
    {"prim::is_cpu", kYes},
    {"prim::is_cuda", kNo},
    {"prim::is_ipu", kNo},
    {"prim::is_maia", kNo},
    {"prim::is_meta", kNo},
    {"prim::is_mkldnn", kNo},
    {"prim::is_mps", kNo},
    {"prim::is_mtia", kNo},
    {"prim::is_nested", kOfType},
    {"prim::is_quantized", kOfType},
    {"prim::is_sparse", kOfType},
    {"prim::is_sparse_csr", kOfType},
    {"prim::is_vulkan", kNo},
    {"prim::is_xla", kNo},
    {"prim::is_xpu", kNo},
    {"prim::isinstance", {.size_blind = true}},
    {"prim::itemsize", kOfType},
    {"prim::layout", kOfType},
    {"prim::requires_grad", kOfType},
    {"prim::type", {.size_blind = true}},
};

}  // namespace

std::span<const Row> question_traits() { return kRows; }

}  // namespace tonnx::aten
