#include "program/control/subsets.h"

#include <algorithm>

namespace tonnx::program {

namespace {

constexpr std::size_t kFew = 4;

}  // namespace

std::vector<Subset> every_choice(std::size_t count) {
  std::vector<Subset> choices;
  for (unsigned bits = 1; bits < 1U << count; ++bits) {
    Subset& choice = choices.emplace_back();
    for (std::size_t i = 0; i < count; ++i) choice.push_back(bits >> i & 1U);
  }
  std::ranges::stable_sort(choices, {}, [](const Subset& choice) { return std::ranges::count(choice, true); });
  return choices;
}

std::vector<Subset> choices_of_some(std::size_t count) {
  if (count <= kFew) {
    std::vector<Subset> choices = every_choice(count);
    if (!choices.empty()) choices.pop_back();
    return choices;
  }
  std::vector<Subset> choices;
  for (const bool is_alone : {true, false})
    for (std::size_t i = 0; i < count; ++i) choices.emplace_back(count, !is_alone)[i] = is_alone;
  return choices;
}

}  // namespace tonnx::program
