#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "export/report.h"

namespace tonnx::exporting {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Report, IsAnObjectWithEveryField) {
  Report report;
  report.warnings = {"one \"quoted\"\n"};
  report.exported = true;
  report.mode = "graph";
  report.sizes["batch"] = {1, 64};
  report.source_operators["aten::relu"] = 2;
  report.model_operators["Relu"] = 1;
  report.model = {.opset = 17, .parameters = 2, .weight_bytes = 8, .dynamic_axes = {{"batch", {"x:0"}}}};
  report.seconds = {{"import", 0.5}, {"check", 0.25}};
  EXPECT_EQ(report.json(), R"({
  "warnings": [
    "one \"quoted\"\n"
  ],
  "program": "exported",
  "mode": "graph",
  "reasons": [],
  "sizes": {
    "batch": {
      "min": 1,
      "max": 64
    }
  },
  "source_operators": {
    "aten::relu": 2
  },
  "model_operators": {
    "Relu": 1
  },
  "model": {
    "opset": 17,
    "parameters": 2,
    "weight_bytes": 8,
    "dynamic_axes": {
      "batch": [
        "x:0"
      ]
    }
  },
  "seconds": {
    "import": 0.5,
    "check": 0.25
  }
})");
}

TEST(Report, OfAFailureHasAReason) {
  Report report;
  report.fail("disk full", {});
  EXPECT_EQ(report.error, "disk full");
  ASSERT_EQ(report.reasons.size(), 1U);
  EXPECT_EQ(report.reasons[0].text, "disk full");
  EXPECT_EQ(report.reasons[0].count, 1);
  EXPECT_THAT(report.json(), HasSubstr("\"error\": \"disk full\""));
}

// What would convert it: an operator that LibTorch has, one of the user's own, a newer opset.
TEST(Report, SaysWhatIsMissing) {
  const auto json_of = [](const char* op, ir::Missing missing) {
    Report report;
    report.fail("no", {{op, "text", "layer.0", "model.py:1", 3, missing}});
    return report.json();
  };
  EXPECT_THAT(json_of("aten::relu", ir::Missing::Everywhere), HasSubstr("\"missing\": \"operator\""));
  EXPECT_THAT(json_of("my::op", ir::Missing::Everywhere), HasSubstr("\"missing\": \"custom\""));
  EXPECT_THAT(json_of("aten::relu", ir::Missing::Opset), HasSubstr("\"missing\": \"opset\""));
  EXPECT_THAT(json_of("aten::relu", ir::Missing::No), Not(HasSubstr("missing")));
  EXPECT_THAT(json_of("my::op", ir::Missing::No), HasSubstr("\"module\": \"layer.0\""));
  EXPECT_THAT(json_of("my::op", ir::Missing::No), HasSubstr("\"source\": \"model.py:1\""));
  EXPECT_THAT(json_of("my::op", ir::Missing::No), HasSubstr("\"count\": 3"));
}

// A path or a message of the system may hold any bytes.
TEST(Report, IsUtf8WhateverItsTextsAre) {
  Report report;
  report.fail("cannot open '\xff'", {});
  EXPECT_THAT(report.json(), HasSubstr("cannot open '\xef\xbf\xbd'"));
}

}  // namespace
}  // namespace tonnx::exporting
