#include "aten/whole_numbers.h"

#include <functional>

namespace tonnx::aten {
namespace {

using Number = std::int64_t;

struct Binary {
  std::string_view kind;
  Number (*compute)(Number a, Number b);
};

template <class Operation>
Number of(Number a, Number b) {
  return Operation()(a, b);
}

constexpr Binary kBinaries[] = {
    {"aten::add", of<std::plus<>>},         {"aten::sub", of<std::minus<>>},     {"aten::mul", of<std::multiplies<>>},
    {"aten::lt", of<std::less<>>},          {"aten::le", of<std::less_equal<>>}, {"aten::gt", of<std::greater<>>},
    {"aten::ge", of<std::greater_equal<>>}, {"aten::eq", of<std::equal_to<>>},   {"aten::ne", of<std::not_equal_to<>>},
    {"aten::__and__", of<std::bit_and<>>},  {"aten::__or__", of<std::bit_or<>>},
};

}  // namespace

std::optional<Number> whole_number(std::string_view kind, std::span<const Number> operands) {
  if (operands.size() == 1 && kind == "aten::__not__") return operands[0] == 0;
  if (operands.size() != 2) return std::nullopt;
  for (const Binary& binary : kBinaries)
    if (binary.kind == kind) return binary.compute(operands[0], operands[1]);
  return std::nullopt;
}

}  // namespace tonnx::aten
