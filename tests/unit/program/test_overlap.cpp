// Operators that write to elements of a tensor that they read at other positions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "functional_form.h"
#include "graph_text.h"
#include "machine.h"
#include "program/facts/facts.h"
#include "program/writes/functionalise.h"

namespace tonnx::program {
namespace {

using ::testing::HasSubstr;

// The warnings of a program that adds %b to %a, both made of a clone %y of %x.
std::vector<std::string> warnings(const std::string& views) {
  const auto graph = test::parse("graph(%x : Float(6, 6), %n : int)\n%y = aten::clone(%x)\n" + views +
                                 "\n%z = aten::add_.Tensor(%a, %b, 1)\nreturn %y");
  test::Machine machine;
  infer_facts(*graph, machine, {});
  ir::Refusals refusals;
  std::vector<std::string> lines;
  functionalise(*graph, refusals, nullptr, &lines);
  EXPECT_TRUE(refusals.empty());
  return lines;
}

TEST(Overlap, IsReportedIfElementsAreReadAtOtherPositions) {
  for (const char* views : {"%a = aten::slice.Tensor(%y, 1, 1, None, 1)\n%b = aten::slice.Tensor(%y, 1, 0, -1, 1)",
                            "%a = aten::slice.Tensor(%y, 0, 0, 2, 1)\n%b = aten::slice.Tensor(%y, 0, 1, 3, 1)",
                            "%a = aten::slice.Tensor(%y, 0, 0, None, 1)\n%b = aten::select.int(%y, 0, 0)",
                            "%a = aten::select.int(%y, 0, 1)\n%b = aten::select.int(%y, 1, 1)",
                            "%a = aten::unsqueeze(%y, 0)\n%b = aten::select.int(%y, 0, 0)",
                            "%c = aten::select.int(%y, 0, %n)\n%a = aten::slice.Tensor(%c, 0, 1, None, 1)\n"
                            "%d = aten::select.int(%y, 0, 0)\n%b = aten::slice.Tensor(%d, 0, 0, -1, 1)",
                            "%a = aten::slice.Tensor(%y, 0, 0, %n, 1)\n%b = aten::slice.Tensor(%y, 0, 1, %n, 1)"}) {
    const auto lines = warnings(views);
    ASSERT_EQ(lines.size(), 1u) << views;
    EXPECT_THAT(lines[0], HasSubstr("): writes to elements of a tensor that it may also read at other positions"));
  }
}

TEST(Overlap, IsNotReportedForTheSameElementsOrOthers) {
  for (const char* views : {"%a = aten::unsqueeze(%y, 0)\n%b = aten::unsqueeze(%y, 0)",
                            "%a = aten::slice.Tensor(%y, 0, 1, None, 1)\n%b = aten::slice.Tensor(%y, 0, 1, None, 1)",
                            "%a = aten::slice.Tensor(%y, 0, 0, 2, 1)\n%b = aten::slice.Tensor(%y, 0, 2, 4, 1)",
                            "%a = aten::slice.Tensor(%y, 1, 0, %n, 1)\n%b = aten::slice.Tensor(%y, 1, %n, None, 1)",
                            "%a = aten::slice.Tensor(%y, 1, 0, None, 2)\n%b = aten::slice.Tensor(%y, 1, 1, None, 2)",
                            "%a = aten::select.int(%y, 0, 1)\n%b = aten::select.int(%y, 0, -1)",
                            "%a = aten::select.int(%y, 0, %n)\n%b = aten::select.int(%y, 0, 0)",
                            "%a = aten::slice.Tensor(%y, 0, 0, -1, 1)\n%b = aten::select.int(%y, 0, -1)",
                            "%a = aten::slice.Tensor(%y, 0, 1, None, 1)\n%c = aten::slice.Tensor(%y, 0, 0, -1, 1)\n"
                            "%b = aten::mul.Scalar(%c, 2)"})
    EXPECT_TRUE(warnings(views).empty()) << views;
}

TEST(Overlap, WritesThroughStridesThatRepeatElementsAreRefused) {
  const auto text = [](const std::string& sizes, const std::string& strides) {
    return "graph(%x : Float(4, 6))\n%y = aten::clone(%x)\n%a = aten::as_strided(%y, " + sizes + ", " + strides +
           ", 0)\n%z = aten::add_.Scalar(%a, 1, 1)\nreturn %y";
  };
  EXPECT_THAT(test::refused(text("[2, 2]", "[1, 1]")), HasSubstr("whose elements share memory"));
  EXPECT_THAT(test::refused(text("[3, 4]", "[3, 1]")), HasSubstr("whose elements share memory"));
  EXPECT_THAT(test::refused(text("[3]", "[0]")), HasSubstr("whose elements share memory"));
  EXPECT_THAT(test::refused(text("[4, 3]", "[2, 3]")), HasSubstr("whose elements share memory"));
}

}  // namespace
}  // namespace tonnx::program
