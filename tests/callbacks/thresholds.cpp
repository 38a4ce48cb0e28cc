#include <algorithm>

#include "callback.h"

namespace callbacks {

namespace {

using R = Tensors;

constexpr const char* kNumber = "no arithmetic of the sizes";

const std::vector<std::int64_t> kSmall = {1, 2, 3, 4, 5, 8, 13, 100};
const std::vector<std::int64_t> kLarge = {1, 3, 50, 51, 511, 512, 513, 1000, 3000};

Network refused_path(const char* name, Code code) {
  return network_of_fixed_size(std::string("Threshold.") + name, kPath, std::move(code), kRows);
}
Network refused_number(const char* name, std::function<double(std::int64_t)> number) {
  return network_of_fixed_size(
      std::string("Threshold.") + name, kNumber, [=](Tensors& x) { return R{x[0] * number(x[0].size(0))}; }, kRows);
}
Network solved(const char* name, std::vector<std::int64_t> sizes, Code code) {
  return network_at(std::string("Bound.") + name, std::move(sizes), std::move(code), kRows);
}
// The number as a factor, and as a bound of a range.
Network solved_number(const char* name, std::vector<std::int64_t> sizes,
                      std::function<std::int64_t(std::int64_t)> number) {
  return solved(name, std::move(sizes), [=](Tensors& x) {
    const std::int64_t n = x[0].size(0);
    return R{x[0] * static_cast<double>(number(n)), x[0] + at::arange(number(n)).sum()};
  });
}

}  // namespace

// Code that behaves differently above a size that is far from the example's.
std::vector<Network> thresholds() {
  return {
      refused_path("PathAbove50", [](Tensors& x) { return R{x[0].size(0) > 50 ? x[0] * 2 : x[0] + 0.5}; }),
      refused_path("PathFrom512", [](Tensors& x) { return R{x[0].size(0) >= 512 ? x[0].relu() : x[0].neg()}; }),
      refused_path("PathAbove3000", [](Tensors& x) { return R{x[0].size(0) > 3000 ? x[0].relu() : x[0].neg()}; }),
      refused_path("OneMoreStep", [](Tensors& x) { return R{x[0].size(0) > 100 ? x[0].exp().relu() : x[0].exp()}; }),
      refused_path("OtherOperand",
                   [](Tensors& x) {
                     const at::Tensor a = x[0].exp(), b = x[0].neg();
                     return R{a - (x[0].size(0) > 200 ? a : b)};
                   }),
      refused_path("InChunks",
                   [](Tensors& x) {
                     if (x[0].size(0) <= 256) return R{x[0].tanh()};
                     R parts;
                     for (const at::Tensor& part : x[0].split(256)) parts.push_back(part.tanh());
                     return R{at::cat(parts)};
                   }),
      refused_path("OfAResult",
                   [](Tensors& x) {
                     const at::Tensor y = at::cat({x[0], x[0]});
                     return R{y.size(0) > 300 ? y.sum(0) : y.mean(0)};
                   }),
      refused_number("Step", [](std::int64_t n) { return n > 100 ? 2.0 : 1.0; }),
      refused_number("StepOfALine", [](std::int64_t n) { return n > 100 ? 2.0 * double(n) : double(n); }),
      refused_number("Buckets", [](std::int64_t n) { return n <= 8    ? 8.0
                                                            : n <= 64 ? 64.0
                                                                      : 512.0; }),
      refused_number("MultiplesOf128", [](std::int64_t n) { return double((n + 127) / 128); }),
      solved("SliceTo512", kLarge,
             [](Tensors& x) { return R{x[0].slice(0, 0, std::min<std::int64_t>(x[0].size(0), 512))}; }),
      solved("NarrowTo512", kLarge,
             [](Tensors& x) { return R{x[0].narrow(0, 0, std::min<std::int64_t>(x[0].size(0), 512)) * 2}; }),
      solved("LastHundred", kLarge,
             [](Tensors& x) {
               return R{x[0].narrow(0, std::max<std::int64_t>(x[0].size(0) - 100, 0),
                                    std::min<std::int64_t>(x[0].size(0), 100))};
             }),
      solved_number("AtMost512", kLarge, [](std::int64_t n) { return std::min<std::int64_t>(n, 512); }),
      solved_number("AtLeast512", kLarge, [](std::int64_t n) { return std::max<std::int64_t>(n, 512); }),
      solved_number("AtMostTwo", kSmall, [](std::int64_t n) { return std::min<std::int64_t>(n, 2); }),
      solved_number("AtMostThree", kSmall, [](std::int64_t n) { return std::min<std::int64_t>(n, 3); }),
      solved_number("AtMostFour", kSmall, [](std::int64_t n) { return std::min<std::int64_t>(n, 4); }),
      solved_number("AtLeastThree", kSmall, [](std::int64_t n) { return std::max<std::int64_t>(n, 3); }),
      solved_number("AtLeastTen", kSmall, [](std::int64_t n) { return std::max<std::int64_t>(n, 10); }),
      solved_number("ALineAtMost9", kSmall, [](std::int64_t n) { return std::min<std::int64_t>(2 * n + 1, 9); }),
      solved_number("ALineAtMost999", kLarge, [](std::int64_t n) { return std::min<std::int64_t>(3 * n - 1, 999); }),
      solved_number("ALineAtLeast20", kSmall, [](std::int64_t n) { return std::max<std::int64_t>(3 * n - 2, 20); }),
      solved_number("ASquareAtMost1000", kLarge, [](std::int64_t n) { return std::min<std::int64_t>(n * n, 1000); }),
      solved_number("AHalfAtMost100", kLarge, [](std::int64_t n) { return std::min<std::int64_t>(n / 2, 100); }),
      solved_number("AnEighthAtLeastOne", kLarge, [](std::int64_t n) { return std::max<std::int64_t>(n / 8, 1); }),
      solved("InverseOfABound", kSmall,
             [](Tensors& x) { return R{x[0] / static_cast<double>(std::max<std::int64_t>(x[0].size(0) - 3, 1))}; }),
      solved("ATableOf64Rows", {1, 3, 8, 63, 64},
             [table = at::ones({64, 3}).cumsum(0)](Tensors& x) { return R{x[0] + table.narrow(0, 0, x[0].size(0))}; }),
  };
}

}  // namespace callbacks
