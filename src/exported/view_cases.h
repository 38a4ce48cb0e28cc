#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/polynomial.h"

namespace tonnx::exported {

// Dynamic sizes for which a tensor can be viewed with other sizes without a copy, depending on which of the sizes are
// 1. Size 0 is not covered: there are no elements to share.
struct ViewCases {
  std::vector<std::string> symbols;
  // Each case without a copy is a bit set with one bit per symbol, set if the symbol is 1; ascending.
  std::vector<std::int64_t> cases;

  bool is_always() const { return static_cast<std::int64_t>(cases.size()) == std::int64_t{1} << symbols.size(); }
  bool is_never() const { return cases.empty(); }
};

using Sizes = std::vector<ir::Polynomial>;

// For reshape() to the same number of elements; nullopt if it depends on sizes greater than 1.
std::optional<ViewCases> view_cases(const Sizes& sizes, const Sizes& strides, const Sizes& wanted);

// For contiguous(), or for an order of axes whose strides are `wanted`.
std::optional<ViewCases> contiguous_cases(const Sizes& sizes, const Sizes& strides);
std::optional<ViewCases> strided_cases(const Sizes& sizes, const Sizes& strides, const Sizes& wanted);

}  // namespace tonnx::exported
