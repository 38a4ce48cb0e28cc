#include <gtest/gtest.h>

#include "ir/refusal.h"

namespace tonnx::ir {
namespace {

Reason reason(std::string op, std::string module, std::string source, std::int64_t count = 1) {
  return {.op = std::move(op), .text = "why", .module = std::move(module), .source = std::move(source), .count = count};
}

TEST(Refusal, DescribesTheKnownPartsOfTheSite) {
  EXPECT_EQ(to_string(reason("aten::add", "layer1.0", "net.py:3")), "aten::add in layer1.0 (net.py:3): why");
  EXPECT_EQ(to_string(reason("aten::add", "", "net.py:3")), "aten::add (net.py:3): why");
  EXPECT_EQ(to_string(reason("aten::add", "layer1.0", "", 2)), "aten::add (2 times), first in layer1.0: why");
  EXPECT_EQ(to_string(reason("", "layer1.0", "net.py:3")), "in layer1.0 (net.py:3): why");
  EXPECT_EQ(to_string(reason("", "", "net.py:3", 2)), "(2 times), first (net.py:3): why");
  EXPECT_EQ(to_string(reason("", "", "")), "why");
  EXPECT_EQ(describe_site(reason("aten::add", "layer1.0", "net.py:3")), "aten::add in layer1.0 (net.py:3)");
  EXPECT_STREQ(refusal(reason("aten::add", "", "")).what(), "aten::add: why");
}

}  // namespace
}  // namespace tonnx::ir
