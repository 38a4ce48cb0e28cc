#include "aten/divisions.h"

#include "aten/trait_table.h"

namespace tonnx::aten {
namespace {

struct DivisionRow {
  std::string_view op;
  struct How {
    Divides divides = Divides::Nothing;
  } traits;
};

constexpr DivisionRow kRows[] = {
    {"aten::_scaled_dot_product_flash_attention_for_cpu", {Divides::Attention}},
    {"aten::_weight_norm", {Divides::Slices}},
    {"aten::_weight_norm_interface", {Divides::Slices}},
    {"aten::arange.start_out", {Divides::Steps}},
    {"aten::arange.start_step", {Divides::Steps}},
    {"aten::div", {Divides::Truncated}},
    {"aten::div_", {Divides::Truncated}},
    {"aten::divide", {Divides::Truncated}},
    {"aten::divide_", {Divides::Truncated}},
    {"aten::divmod", {Divides::Numbers}},
    {"aten::floordiv", {Divides::Numbers}},
    {"aten::gcd", {Divides::Both}},
    {"aten::range.step", {Divides::Steps}},
    {"aten::remainder", {Divides::Remainders}},
};

}  // namespace

Divides divides(std::string_view name, std::string_view overload) {
  static const auto& table = *new Rows<DivisionRow>({kRows});
  return table.of(name, overload).divides;
}

}  // namespace tonnx::aten
