#include <algorithm>
#include <cmath>

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

Network solved_factor(const char* name, std::function<double(std::int64_t)> number) {
  return solved(name, {1, 2, 3, 4, 15, 16, 17, 49, 50, 51, 63, 64, 65, 99, 100, 101, 1000, 3000},
                [=](Tensors& x) { return R{x[0] * number(x[0].size(0))}; });
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
      refused_path("AtOneHundred", [](Tensors& x) { return R{x[0].size(0) == 100 ? x[0] * 2 : x[0] + 0.5}; }),
      refused_path("AtMultiplesOf100", [](Tensors& x) { return R{x[0].size(0) % 100 ? x[0] * 2 : x[0] + 0.5}; }),
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
      solved("PaddedToThree", kSmall,
             [](Tensors& x) {
               return R{at::constant_pad_nd(x[0], {0, 0, 0, std::max<std::int64_t>(3 - x[0].size(0), 0)})};
             }),
      solved("InverseOfABound", kSmall,
             [](Tensors& x) { return R{x[0] / static_cast<double>(std::max<std::int64_t>(x[0].size(0) - 3, 1))}; }),
      refused_path("NumelAbove200", [](Tensors& x) { return R{x[0].numel() > 200 ? x[0] * 2 : x[0] + 0.5}; }),
      refused_path("OfABool", [](Tensors& x) { return R{x[0].size(0) % 64 == 0 ? x[0] * 2 : x[0] + 0.5}; }),
      refused_path("AList",
                   [](Tensors& x) {
                     const at::Tensor s = x[0].sum(0);
                     return x[0].size(0) > 60 ? R{s, s} : R{s, s * 2};
                   }),
      refused_number("LogStep", [](std::int64_t n) { return std::floor(std::log2(double(n))); }),
      refused_number("Sawtooth", [](std::int64_t n) { return double(n > 300 ? n - 300 : n); }),
      refused_number("Halved",
                     [](std::int64_t n) {
                       while (n > 100) n /= 2;
                       return double(n);
                     }),
      refused_number(
          "TwoBounds",
          [](std::int64_t n) { return double(std::min<std::int64_t>(n, 5) + std::max<std::int64_t>(n, 9)); }),
      refused_number(
          "ProductOfBounds",
          [](std::int64_t n) { return double(std::min<std::int64_t>(n, 100) * std::max<std::int64_t>(n, 10)); }),
      refused_number("LeastOfThree",
                     [](std::int64_t n) { return double(std::min({n, std::int64_t{512}, 3 * n - 10})); }),
      network_of_fixed_size(
          "Threshold.DtypeAbove100", kNumber,
          [](Tensors& x) { return R{x[0].to(x[0].size(0) > 100 ? at::kDouble : at::kFloat)}; }, kRows),
      network_of_fixed_size(
          "Threshold.DimAbove100", kNumber, [](Tensors& x) { return R{x[0].sum(x[0].size(0) > 100 ? 0 : 1).sum()}; },
          kRows),
      solved("CutAbove50", {1, 49, 50, 51, 100, 3000},
             [](Tensors& x) { return R{x[0].size(0) > 50 ? x[0].slice(0, 0, 50) : x[0]}; }),
      solved_factor("Remainder", [](std::int64_t n) { return double(n % 16); }),
      solved_factor("Bits", [](std::int64_t n) { return double(n & ~std::int64_t{63}); }),
      solved_factor("AwayFrom50", [](std::int64_t n) { return double(std::abs(n - 50)); }),
      solved_factor("FloatOfASquareRoot", [](std::int64_t n) { return std::sqrt(double(n)); }),
      solved_factor("Clamp", [](std::int64_t n) { return double(std::clamp<std::int64_t>(n, 3, 100)); }),
      solved("Last64", kLarge,
             [](Tensors& x) { return R{x[0].slice(0, std::max<std::int64_t>(x[0].size(0) - 64, 0))}; }),
      solved("PadToEight", kSmall,
             [](Tensors& x) {
               return R{at::constant_pad_nd(x[0], {0, 0, 0, std::max<std::int64_t>(8 - x[0].size(0), 0)})};
             }),
      solved("PadTo512", kLarge,
             [](Tensors& x) {
               return R{at::constant_pad_nd(x[0], {0, 0, 0, std::max<std::int64_t>(512 - x[0].size(0), 0)})};
             }),
      solved("HalfOfAtMost512", kLarge,
             [](Tensors& x) { return R{x[0].slice(0, 0, std::min<std::int64_t>(x[0].size(0), 512) / 2)}; }),
      solved("TopOfAtMostFive", kSmall,
             [](Tensors& x) { return R{std::get<0>(x[0].topk(std::min<std::int64_t>(x[0].size(0), 5), 0))}; }),
      solved("SelectAtMostSeven", kSmall,
             [](Tensors& x) { return R{x[0].select(0, std::min<std::int64_t>(x[0].size(0) - 1, 7))}; }),
      solved("MinOfTwoAxes", kSmall,
             [](Tensors& x) { return R{x[0].narrow(0, 0, std::min(x[0].size(0), x[0].size(1)))}; }),
      solved("EyeOfAtMostFour", kSmall,
             [](Tensors& x) { return R{at::eye(std::min<std::int64_t>(x[0].size(0), 4)) + x[0].sum()}; }),
      solved("MaskOfAtMostFour", kSmall,
             [](Tensors& x) {
               const auto n = std::min<std::int64_t>(x[0].size(0), 4);
               return R{at::ones({n, n}).tril() * x[0].mean()};
             }),
      solved("WindowOf3", kSmall,
             [](Tensors& x) { return R{x[0].slice(0, std::max<std::int64_t>(x[0].size(0) - 3, 0), x[0].size(0))}; }),
      solved("NotAbove511", kLarge,
             [](Tensors& x) {
               const auto n = x[0].size(0);
               return R{x[0].slice(0, 0, n < 512 ? n : 512)};
             }),
      solved("ATableOf64Rows", {1, 3, 8, 63, 64},
             [table = at::ones({64, 3}).cumsum(0)](Tensors& x) { return R{x[0] + table.narrow(0, 0, x[0].size(0))}; }),
  };
}

}  // namespace callbacks
