// Operators that write to a tensor, and their functional forms.
#include "aten/traits.h"

namespace tonnx::aten {
namespace {

constexpr Row kRows[] = {
    {"aten::copy_", {.write = Write::Copy}},
    {"aten::fill_", {.write = Write::Fill}},
    {"aten::zero_", {.write = Write::Zero}},
    {"aten::fill_diagonal_", {.at_positions = true}},
    {"aten::detach_", {.write = Write::Nothing, .gradient = Gradient::None}},
    {"aten::rename_", {.write = Write::Nothing}},
    {"aten::requires_grad_", {.write = Write::Nothing, .gradient = Gradient::Asked}},
    {"aten::as_strided_", {.write = Write::Layout}},
    {"aten::resize_", {.write = Write::Resize}},
    {"aten::resize_as_", {.write = Write::Resize}},
    {"aten::set_", {.write = Write::Memory}},
    {"aten::sparse_resize_", {.write = Write::Layout}},

    {"aten::_batch_norm_with_update", {.write = Write::Statistics}},
    {"aten::_native_batch_norm_legit", {.write = Write::Statistics}},

    {"aten::_index_put_impl_", {.functional = "aten::index_put"}},
    {"aten::normal_", {.functional = "aten::normal_functional"}},

    // Results have the dtype of self, whatever the other operands are.
    {"aten::bernoulli", {.dtype = ResultDtype::Self}},
    {"aten::elu", {.dtype = ResultDtype::Self}},
    {"aten::exponential", {.dtype = ResultDtype::Self}},
    {"aten::fill", {.dtype = ResultDtype::Self}},
    {"aten::hardtanh", {.dtype = ResultDtype::Self}},
    {"aten::index_add", {.dtype = ResultDtype::Self, .at_positions = true}},
    {"aten::index_copy", {.dtype = ResultDtype::Self, .at_positions = true}},
    {"aten::index_fill", {.dtype = ResultDtype::Self, .at_positions = true}},
    {"aten::index_put", {.dtype = ResultDtype::Self, .at_positions = true}},
    {"aten::index_reduce", {.dtype = ResultDtype::Self, .at_positions = true}},
    {"aten::leaky_relu", {.dtype = ResultDtype::Self}},
    {"aten::masked_fill", {.dtype = ResultDtype::Self, .at_positions = true}},
    {"aten::masked_scatter", {.dtype = ResultDtype::Self, .at_positions = true}},
    {"aten::normal_functional", {.dtype = ResultDtype::Self}},
    {"aten::put", {.dtype = ResultDtype::Self, .at_positions = true}},
    {"aten::random", {.dtype = ResultDtype::Self}},
    {"aten::relu", {.dtype = ResultDtype::Self}},
    {"aten::relu6", {.dtype = ResultDtype::Self}},
    {"aten::scatter", {.dtype = ResultDtype::Self, .at_positions = true}},
    {"aten::scatter_add", {.dtype = ResultDtype::Self, .at_positions = true}},
    {"aten::scatter_reduce", {.dtype = ResultDtype::Self, .at_positions = true}},
    {"aten::tril", {.dtype = ResultDtype::Self, .at_positions = true}},
    {"aten::triu", {.dtype = ResultDtype::Self, .at_positions = true}},
    {"aten::uniform", {.dtype = ResultDtype::Self}},

    {"aten::eq", {.dtype = ResultDtype::Bool}},
    {"aten::ge", {.dtype = ResultDtype::Bool}},
    {"aten::gt", {.dtype = ResultDtype::Bool}},
    {"aten::le", {.dtype = ResultDtype::Bool}},
    {"aten::logical_and", {.dtype = ResultDtype::Bool}},
    {"aten::logical_not", {.dtype = ResultDtype::Bool}},
    {"aten::logical_or", {.dtype = ResultDtype::Bool}},
    {"aten::logical_xor", {.dtype = ResultDtype::Bool}},
    {"aten::lt", {.dtype = ResultDtype::Bool}},
    {"aten::ne", {.dtype = ResultDtype::Bool}},

    {"aten::add", {.takes_number = true}},
    {"aten::add_", {.takes_number = true}},
    {"aten::div", {.takes_number = true}},
    {"aten::div_", {.takes_number = true}},
    {"aten::mul", {.takes_number = true}},
    {"aten::mul_", {.takes_number = true}},
    {"aten::sub", {.takes_number = true}},
    {"aten::sub_", {.takes_number = true}},
};

}  // namespace

std::span<const Row> write_traits() { return kRows; }

}  // namespace tonnx::aten
