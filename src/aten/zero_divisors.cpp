#include "aten/zero_divisors.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "ir/constant_facts.h"

namespace tonnx::aten {

namespace {

using ir::Node;
using ir::Value;

// Larger constants are not read.
constexpr std::int64_t kMostElements = 1024;

// The second argument is the divisor.
const std::unordered_set<std::string_view>& divisions() {
  static const std::unordered_set<std::string_view> names = {"aten::div",          "aten::divide", "aten::divmod",
                                                             "aten::floor_divide", "aten::fmod",   "aten::floordiv",
                                                             "aten::remainder"};
  return names;
}

// True if the operator fills a tensor with zeros.
bool makes_zeros(const Node& node) {
  if (node.is("aten::zeros") || node.is("aten::zeros_like") || node.is("aten::new_zeros")) return true;
  const Value* fill = node.schema() ? node.input("fill_value") : nullptr;
  return fill && ir::constant_integer(fill) == 0;
}

bool has_zero(const ir::Constant& divisor) {
  if (const auto* number = divisor.get<std::int64_t>()) return *number == 0;
  if (const auto* flag = divisor.get<bool>()) return !*flag;
  const auto* tensor = divisor.get<ir::Tensor>();
  if (!tensor || !ir::is_integral(tensor->dtype) || tensor->numel() > kMostElements) return false;
  for (std::int64_t i = 0; i < tensor->numel(); ++i)
    if (tensor->as_int64(i) == 0) return true;
  return false;
}

// The result is an integer if both arguments are, except for the true quotient.
bool divides_integers(const Node& node) {
  if (!ir::is_integral(node.input(0)->facts().dtype) || !ir::is_integral(node.input(1)->facts().dtype)) return false;
  if (!node.is("aten::div") && !node.is("aten::divide")) return true;
  const Value* mode = node.input("rounding_mode");
  return mode && ir::constant_text(mode);
}

}  // namespace

bool divides_by_zero(const Node& node) {
  if (!node.schema() || node.input_count() < 2 || !divides_integers(node) || !divisions().contains(node.kind()))
    return false;
  const Value& divisor = *node.input(1);
  if (const ir::Constant* known = divisor.constant()) return has_zero(*known);
  return divisor.node() && makes_zeros(*divisor.node());
}

bool divides_nothing(const Node& node) {
  return std::ranges::any_of(node.inputs().first(2), [](const Value* input) {
    const auto& dims = input->facts().dims;
    return dims && std::ranges::any_of(*dims, [](const ir::Dim& dim) { return dim.is_fixed() && dim.size() == 0; });
  });
}

}  // namespace tonnx::aten
