#include "aten/decisions.h"

#include <string_view>

#include "aten/trait_table.h"
#include "ir/constant_facts.h"

namespace tonnx::aten {

namespace {

Decision logic(const ir::Node& node) {
  return node.output()->type().is(ir::Type::Kind::Int) ? Decision::Bits : Decision::Truth;
}

Decision quotient(const ir::Node& node) { return node.input("rounding_mode") ? Decision::Quotient : Decision::None; }

Decision steps(const ir::Node& node) { return node.input("step") ? Decision::Range : Decision::None; }

Decision windows(const ir::Node& node) {
  return ir::constant_truth(node.input("transposed")) == false ? Decision::Windows : Decision::None;
}

struct DecisionRow {
  std::string_view op;
  struct How {
    Decision always = Decision::None;
    Decision (*of)(const ir::Node&) = nullptr;  // in place of `always`, for operators that depend on arguments
  } traits;
};

constexpr DecisionRow kRows[] = {
    {"aten::Int", {Decision::Rounding}},
    {"aten::__and__", {.of = logic}},
    {"aten::__contains__", {Decision::Condition}},
    {"aten::__not__", {Decision::Truth}},
    {"aten::__or__", {.of = logic}},
    {"aten::__range_length", {Decision::Range}},
    {"aten::__rshift__", {Decision::Bits}},
    {"aten::__xor__", {Decision::Bits}},
    {"aten::_convolution", {.of = windows}},
    {"aten::arange", {.of = steps}},
    {"aten::avg_pool1d", {Decision::Windows}},
    {"aten::avg_pool2d", {Decision::Windows}},
    {"aten::avg_pool3d", {Decision::Windows}},
    {"aten::ceil", {Decision::Rounding}},
    {"aten::clamp", {Decision::Least}},
    {"aten::clamp_max", {Decision::Least}},
    {"aten::clamp_min", {Decision::Least}},
    {"aten::conv1d", {Decision::Windows}},
    {"aten::conv2d", {Decision::Windows}},
    {"aten::conv3d", {Decision::Windows}},
    {"aten::convolution", {.of = windows}},
    {"aten::div", {.of = quotient}},
    {"aten::divmod", {Decision::Quotient}},
    {"aten::eq", {Decision::Condition}},
    {"aten::floor", {Decision::Rounding}},
    {"aten::floor_divide", {Decision::Quotient}},
    {"aten::floordiv", {Decision::Quotient}},
    {"aten::fmod", {Decision::Quotient}},
    {"aten::ge", {Decision::Condition}},
    {"aten::gt", {Decision::Condition}},
    {"aten::le", {Decision::Condition}},
    {"aten::lt", {Decision::Condition}},
    {"aten::max_pool1d", {Decision::Windows}},
    {"aten::max_pool2d", {Decision::Windows}},
    {"aten::max_pool3d", {Decision::Windows}},
    {"aten::maximum", {Decision::Least}},
    {"aten::minimum", {Decision::Least}},
    {"aten::ne", {Decision::Condition}},
    {"aten::remainder", {Decision::Quotient}},
    {"aten::round", {Decision::Rounding}},
    {"aten::trunc", {Decision::Rounding}},
    {"aten::unfold", {Decision::Unfolding}},
    {"prim::max", {Decision::Least}},
    {"prim::min", {Decision::Least}},
};

}  // namespace

Decision decision_of(const ir::Node& node) {
  static const auto& table = *new Rows<DecisionRow>({kRows});
  const auto& [always, of] = table.of(node.kind(), {});
  return of ? of(node) : always;
}

}  // namespace tonnx::aten
