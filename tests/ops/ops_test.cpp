// Every operator's and every scripted program's samples: exported, checked, and compared with LibTorch in ONNX Runtime.
#include <gtest/gtest.h>

#include "samples/samples.h"

namespace {

class Operators : public testing::TestWithParam<samples::Sample> {};

TEST_P(Operators, AgreesWithLibTorch) { samples::run(GetParam(), true); }

TEST(Samples, AllCouldBeMade) {
  for (const std::string& line : samples::not_made()) ADD_FAILURE() << line;
}

class Programs : public testing::TestWithParam<samples::Sample> {};

TEST_P(Programs, AgreesWithLibTorch) { samples::run(GetParam(), true); }

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Programs);
INSTANTIATE_TEST_SUITE_P(Samples, Programs, testing::ValuesIn(samples::of_suite("programs")),
                         [](const auto& info) { return samples::test_name(info.param); });

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Operators);
INSTANTIATE_TEST_SUITE_P(Samples, Operators, testing::ValuesIn(samples::of_suite("operators")),
                         [](const auto& info) { return samples::test_name(info.param); });

}  // namespace
