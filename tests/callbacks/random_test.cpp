#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "callback.h"

// Code at random is recorded as it is, or refused; TONNX_FUZZ says how many programs.
TEST(Random, NoRecordingIsWrong) {
  const char* wanted = std::getenv("TONNX_FUZZ");
  const int count = wanted ? std::atoi(wanted) : 200;
  ASSERT_GT(count, 0);
  int refused = 0;
  for (int i = 0; i < count; ++i) {
    const auto callback = callbacks::random_callback(static_cast<std::uint64_t>(i));
    const callbacks::Outcome outcome = callbacks::outcome_of(callback, 1000);
    EXPECT_EQ(outcome.fault, "") << callback.name;
    if (!outcome.refusal.empty()) std::printf("%s: %s\n", callback.name.c_str(), outcome.refusal.c_str());
    refused += !outcome.refusal.empty();
  }
  EXPECT_LE(refused * 20, count) << "of this code nearly all can be exported";
}
