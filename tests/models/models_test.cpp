// Whole networks, recorded with gradients on and off: exported, checked, and compared with LibTorch in ONNX Runtime.
#include <gtest/gtest.h>

#include "samples/samples.h"

namespace {

class Models : public testing::TestWithParam<samples::Sample> {};

TEST_P(Models, AgreesWithLibTorch) { samples::run(GetParam(), false); }

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Models);
INSTANTIATE_TEST_SUITE_P(Samples, Models, testing::ValuesIn(samples::of_suite("models")),
                         [](const auto& info) { return samples::test_name(info.param); });

}  // namespace
