#include "aten/decisions.h"

#include <string_view>
#include <unordered_map>

namespace tonnx::aten {

namespace {

const std::unordered_map<std::string_view, Decision>& decisions() {
  static const std::unordered_map<std::string_view, Decision> table = {
      {"aten::lt", Decision::Condition},
      {"aten::le", Decision::Condition},
      {"aten::gt", Decision::Condition},
      {"aten::ge", Decision::Condition},
      {"aten::eq", Decision::Condition},
      {"aten::ne", Decision::Condition},
      {"aten::__contains__", Decision::Condition},
      {"aten::__not__", Decision::Truth},
      {"prim::min", Decision::Least},
      {"prim::max", Decision::Least},
      {"aten::minimum", Decision::Least},
      {"aten::maximum", Decision::Least},
      {"aten::clamp", Decision::Least},
      {"aten::clamp_min", Decision::Least},
      {"aten::clamp_max", Decision::Least},
      {"aten::__range_length", Decision::Range},
      {"aten::floordiv", Decision::Quotient},
      {"aten::floor_divide", Decision::Quotient},
      {"aten::remainder", Decision::Quotient},
      {"aten::fmod", Decision::Quotient},
      {"aten::divmod", Decision::Quotient},
      {"aten::Int", Decision::Rounding},
      {"aten::floor", Decision::Rounding},
      {"aten::ceil", Decision::Rounding},
      {"aten::round", Decision::Rounding},
      {"aten::trunc", Decision::Rounding},
      {"aten::__rshift__", Decision::Bits},
      {"aten::__xor__", Decision::Bits},
      {"aten::conv1d", Decision::Windows},
      {"aten::conv2d", Decision::Windows},
      {"aten::conv3d", Decision::Windows},
      {"aten::max_pool1d", Decision::Windows},
      {"aten::max_pool2d", Decision::Windows},
      {"aten::max_pool3d", Decision::Windows},
      {"aten::avg_pool1d", Decision::Windows},
      {"aten::avg_pool2d", Decision::Windows},
      {"aten::avg_pool3d", Decision::Windows},
      {"aten::unfold", Decision::Unfolding},
  };
  return table;
}

}  // namespace

Decision decision_of(const ir::Node& node) {
  const auto found = decisions().find(node.kind());
  if (found != decisions().end()) return found->second;
  if (node.is("aten::__and__") || node.is("aten::__or__"))
    return node.output()->type().is(ir::Type::Kind::Int) ? Decision::Bits : Decision::Truth;
  if (node.is("aten::div") && node.input("rounding_mode")) return Decision::Quotient;
  if (node.is("aten::arange") && node.input("step")) return Decision::Range;
  const ir::Value* transposed =
      node.is("aten::_convolution") || node.is("aten::convolution") ? node.input("transposed") : nullptr;
  const auto* turned = transposed && transposed->constant() ? transposed->constant()->get<bool>() : nullptr;
  return turned && !*turned ? Decision::Windows : Decision::None;
}

}  // namespace tonnx::aten
