#include <cstdio>
#include <cstdlib>

#include <gtest/gtest.h>

#include "callback.h"

namespace {

int number(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::atoi(text) : otherwise;
}

// The number of programs, $TONNX_FUZZ. $TONNX_FUZZ_FIRST is the seed of the first one.
int wanted() { return number("TONNX_FUZZ", 200); }

// The number of programs that are refused. Fails if a model is wrong.
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

// The model of random code is correct, or the code is refused.
TEST(Random, NoRecordingIsWrong) {
  const int count = wanted();
  ASSERT_GT(count, 0);
  const auto run = [](std::uint64_t seed) { return callbacks::outcome_of(callbacks::random_callback(seed), 1000); };
  EXPECT_LE(refused_of(count, run) * 20, count) << "of this code nearly all can be exported";
}

// With a dynamic axis the model is correct at every size, or the code is refused.
TEST(Random, NoRecordingIsWrongAtAnotherSize) {
  const int count = wanted();
  ASSERT_GT(count, 0);
  const auto run = [](std::uint64_t seed) {
    return callbacks::outcome_at_sizes([=](std::int64_t rows) { return callbacks::random_callback(seed, rows); }, 1000);
  };
  EXPECT_LE(refused_of(count, run) * 10, count) << "of this code most can be exported";
}
