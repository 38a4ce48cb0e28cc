// Questions to a value that its sizes or its type answer.
#include "aten/traits.h"

namespace tonnx::aten {
namespace {

constexpr Traits kOfType{.size_blind = true, .type_only = true};

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
    {"aten::is_floating_point", kOfType},
    {"aten::is_inference", kOfType},
    {"aten::is_neg", {.size_blind = true}},
    {"aten::is_signed", kOfType},
    {"aten::result_type", {.size_blind = true}},
    {"prim::device", kOfType},
    {"prim::dtype", kOfType},
    {"prim::is_cpu", kOfType},
    {"prim::is_cuda", kOfType},
    {"prim::is_ipu", kOfType},
    {"prim::is_maia", kOfType},
    {"prim::is_meta", kOfType},
    {"prim::is_mkldnn", kOfType},
    {"prim::is_mps", kOfType},
    {"prim::is_nested", kOfType},
    {"prim::is_quantized", kOfType},
    {"prim::is_sparse", kOfType},
    {"prim::is_vulkan", kOfType},
    {"prim::is_xla", kOfType},
    {"prim::is_xpu", kOfType},
    {"prim::isinstance", {.size_blind = true}},
    {"prim::layout", kOfType},
    {"prim::requires_grad", kOfType},
    {"prim::type", {.size_blind = true}},
};

}  // namespace

std::span<const Row> question_traits() { return kRows; }

}  // namespace tonnx::aten
