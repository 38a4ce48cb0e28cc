#include <cstdio>
#include <cstdlib>

#include <gtest/gtest.h>

#include "callback.h"

namespace {

int number(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::atoi(text) : otherwise;
}

// TONNX_FUZZ says how many programs, TONNX_FUZZ_FIRST the seed of the first.
int wanted() { return number("TONNX_FUZZ", 200); }

// How many of the programs are refused; none may be wrong.
int refused_of(int count, const std::function<callbacks::Outcome(std::uint64_t seed)>& run) {
  int refused = 0;
  const int first = number("TONNX_FUZZ_FIRST", 0);
  for (int i = first; i < first + count; ++i) {
    const callbacks::Outcome outcome = run(static_cast<std::uint64_t>(i));
    EXPECT_EQ(outcome.fault, "") << "program " << i;
    if (!outcome.refusal.empty()) std::printf("program %d: %s\n", i, outcome.refusal.c_str());
    refused += !outcome.refusal.empty();
  }
  std::printf("%d of %d are refused\n", refused, count);
  return refused;
}

}  // namespace

// Code at random is recorded as it is, or refused.
TEST(Random, NoRecordingIsWrong) {
  const int count = wanted();
  ASSERT_GT(count, 0);
  const auto run = [](std::uint64_t seed) { return callbacks::outcome_of(callbacks::random_callback(seed), 1000); };
  EXPECT_LE(refused_of(count, run) * 20, count) << "of this code nearly all can be exported";
}

// With a dynamic axis it is right at every size, or refused.
TEST(Random, NoRecordingIsWrongAtAnotherSize) {
  const int count = wanted();
  ASSERT_GT(count, 0);
  const auto run = [](std::uint64_t seed) {
    return callbacks::outcome_at_sizes([=](std::int64_t rows) { return callbacks::random_callback(seed, rows); }, 1000);
  };
  EXPECT_LE(refused_of(count, run) * 10, count) << "of this code most can be exported";
}
