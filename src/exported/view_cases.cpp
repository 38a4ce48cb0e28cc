#include "exported/view_cases.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>

namespace tonnx::exported {
namespace {

using ir::Polynomial;

constexpr std::size_t kMostSymbols = 4;

// True if p > 0 whenever every symbol is at least 2: after s = t + 2 no coefficient is negative.
bool is_above_zero(const Polynomial& p) {
  std::map<std::string, Polynomial> shifted, zero;
  for (const std::string& symbol : p.symbols()) {
    shifted.emplace(symbol, Polynomial::symbol(symbol) + 2);
    zero.emplace(symbol, 0);
  }
  const Polynomial more = p.with(shifted);
  if (!more.is_valid() || more.has_negative_term() || more.has_function()) return false;
  const auto least = more.with(zero).constant();
  return least && *least > 0;
}

// True if the two are equal whenever every symbol is at least 2, false if they never are, nullopt if it depends on the
// sizes or is unknown.
std::optional<bool> are_equal(const Polynomial& a, const Polynomial& b) {
  if (!a.is_valid() || !b.is_valid()) return std::nullopt;
  if (a == b) return true;
  return is_above_zero(a - b) || is_above_zero(b - a) ? std::optional(false) : std::nullopt;
}

struct Axis {
  Polynomial size, stride;
};

// Axes with more than one element; nullopt if unknown.
std::optional<std::vector<Axis>> wide_axes(const Sizes& sizes, const Sizes& strides) {
  if (sizes.size() != strides.size()) return std::nullopt;
  std::vector<Axis> wide;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto is_single = are_equal(sizes[i], 1);
    if (!is_single) return std::nullopt;
    if (!*is_single) wide.push_back({sizes[i], strides[i]});
  }
  return wide;
}

// Number of elements up to the end of each run of axes whose elements have the same distance; nullopt if unknown.
std::optional<Sizes> run_ends(const std::vector<Axis>& axes) {
  Sizes ends;
  Polynomial count = 1;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    count = count * axes[i].size;
    if (i + 1 < axes.size()) {
      const auto goes_on = are_equal(axes[i].stride, axes[i + 1].size * axes[i + 1].stride);
      if (!goes_on) return std::nullopt;
      if (*goes_on) continue;
    }
    ends.push_back(count);
  }
  return ends;
}

// A run must end where an axis of `wanted` ends.
std::optional<bool> is_view(const Sizes& sizes, const Sizes& strides, const Sizes& wanted) {
  const auto count_of = [](const Sizes& all) {
    return std::accumulate(all.begin(), all.end(), Polynomial(1), std::multiplies<>());
  };
  if (are_equal(count_of(sizes), count_of(wanted)) != true) return std::nullopt;
  if (count_of(sizes) == 0) return true;
  const auto axes = wide_axes(sizes, strides);
  const auto ends = axes ? run_ends(*axes) : std::nullopt;
  if (!ends) return std::nullopt;
  for (const Polynomial& end : *ends) {
    bool is_sure = true, is_met = false;
    Polynomial count = 1;
    for (const Polynomial& size : wanted) {
      count = count * size;
      const auto meets = are_equal(count, end);
      is_met = is_met || meets == true;
      is_sure = is_sure && meets.has_value();
    }
    if (is_met) continue;
    return is_sure ? std::optional(false) : std::nullopt;
  }
  return true;
}

std::optional<bool> is_contiguous(const Sizes& sizes, const Sizes& strides) {
  const auto axes = wide_axes(sizes, strides);
  if (!axes) return std::nullopt;
  Polynomial expected = 1;
  bool is_sure = true;
  for (std::size_t i = axes->size(); i-- > 0;) {
    const auto fits = are_equal((*axes)[i].stride, expected);
    if (fits == false) return false;
    is_sure = is_sure && fits;
    expected = expected * (*axes)[i].size;
  }
  return is_sure ? std::optional(true) : std::nullopt;
}

// Strides of axes with one element are ignored.
std::optional<bool> has_strides(const Sizes& sizes, const Sizes& strides, const Sizes& wanted) {
  if (sizes.size() != strides.size() || sizes.size() != wanted.size()) return std::nullopt;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (are_equal(sizes[i], 1) == false && are_equal(strides[i], wanted[i]) == false) return false;
  return std::nullopt;
}

using Test = std::function<std::optional<bool>(const std::function<Sizes(const Sizes&)>&)>;

std::optional<ViewCases> cases_of(const std::vector<const Sizes*>& all, const Test& test) {
  std::set<std::string> symbols;
  for (const Sizes* sizes : all) {
    for (const Polynomial& size : *sizes) {
      if (!size.is_valid()) return std::nullopt;
      symbols.merge(size.symbols());
    }
  }
  if (symbols.size() > kMostSymbols) return std::nullopt;
  ViewCases found{{symbols.begin(), symbols.end()}, {}};
  for (std::int64_t which = 0; which < std::int64_t{1} << symbols.size(); ++which) {
    std::map<std::string, Polynomial> single;
    for (std::size_t i = 0; i < found.symbols.size(); ++i)
      if (which >> i & 1) single.emplace(found.symbols[i], 1);
    const auto is_view_here = test([&](const Sizes& sizes) {
      Sizes put;
      for (const Polynomial& size : sizes) put.push_back(size.with(single));
      return put;
    });
    if (!is_view_here) return std::nullopt;
    if (*is_view_here) found.cases.push_back(which);
  }
  return found;
}

// Removes symbols that have no effect.
ViewCases reduced(ViewCases all) {
  for (std::size_t i = all.symbols.size(); i-- > 0;) {
    const std::int64_t bit = std::int64_t{1} << i;
    const auto has_other = [&](std::int64_t which) { return std::ranges::binary_search(all.cases, which ^ bit); };
    if (!std::ranges::all_of(all.cases, has_other)) continue;
    std::erase_if(all.cases, [&](std::int64_t which) { return (which & bit) != 0; });
    for (std::int64_t& which : all.cases) which = (which & (bit - 1)) | (which >> 1 & ~(bit - 1));
    all.symbols.erase(all.symbols.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return all;
}

std::optional<ViewCases> reduced(std::optional<ViewCases> all) {
  return all ? std::optional(reduced(*std::move(all))) : std::nullopt;
}

}  // namespace

std::optional<ViewCases> view_cases(const Sizes& sizes, const Sizes& strides, const Sizes& wanted) {
  return reduced(cases_of({&sizes, &strides, &wanted},
                          [&](const auto& put) { return is_view(put(sizes), put(strides), put(wanted)); }));
}

std::optional<ViewCases> contiguous_cases(const Sizes& sizes, const Sizes& strides) {
  return reduced(
      cases_of({&sizes, &strides}, [&](const auto& put) { return is_contiguous(put(sizes), put(strides)); }));
}

std::optional<ViewCases> strided_cases(const Sizes& sizes, const Sizes& strides, const Sizes& wanted) {
  return cases_of({&sizes, &strides, &wanted},
                  [&](const auto& put) { return has_strides(put(sizes), put(strides), put(wanted)); });
}

}  // namespace tonnx::exported
