#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/polynomial.h"

namespace tonnx::exported {

// For which open sizes a tensor is seen in other sizes without a copy, told by which of them are 1. Sizes of 0 are told
// nothing of: there is no element then to share.
struct ViewCases {
  std::vector<std::string> symbols;
  // A bit a symbol, set where it is 1, of each case in which nothing is copied; ascending.
  std::vector<std::int64_t> cases;

  bool is_always() const { return static_cast<std::int64_t>(cases.size()) == std::int64_t{1} << symbols.size(); }
  bool is_never() const { return cases.empty(); }
};

using Sizes = std::vector<ir::Polynomial>;

// Of reshape() to as many elements; nothing where sizes above 1 do not decide it.
std::optional<ViewCases> view_cases(const Sizes& sizes, const Sizes& strides, const Sizes& wanted);

// The same of contiguous(); in an order of axes of its own, whose strides are `wanted`.
std::optional<ViewCases> contiguous_cases(const Sizes& sizes, const Sizes& strides);
std::optional<ViewCases> strided_cases(const Sizes& sizes, const Sizes& strides, const Sizes& wanted);

}  // namespace tonnx::exported
