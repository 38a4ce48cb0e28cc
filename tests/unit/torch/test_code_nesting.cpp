#include <string>

#include <gtest/gtest.h>

#include "torch/code_nesting.h"

namespace tonnx::code_nesting {
namespace {

using torch::is_nested_too_deeply;

std::string repeated(const std::string& part, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += part;
  return out;
}

TEST(CodeNesting, BracketsAndOperatorsCount) {
  for (const std::string part : {"(", "[", "{", "- ", "not ", "1 + ", "x.", "f(a, ", "a if b else "}) {
    EXPECT_FALSE(is_nested_too_deeply("y = " + repeated(part, 50) + "z")) << part;
    EXPECT_TRUE(is_nested_too_deeply("y = " + repeated(part, 301) + "z")) << part;
  }
}

TEST(CodeNesting, ListsAndStatementsDoNotCount) {
  EXPECT_FALSE(is_nested_too_deeply("y = [" + repeated("1, ", 5000) + "]"));
  EXPECT_FALSE(is_nested_too_deeply("y = {" + repeated("\"a\": (1),\n", 5000) + "}"));
  EXPECT_FALSE(is_nested_too_deeply(repeated("y = x + 1\n", 5000)));
  EXPECT_FALSE(is_nested_too_deeply(repeated("y = f((x), [1])\n", 5000)));
  EXPECT_FALSE(is_nested_too_deeply(repeated("    y = x\n", 5000)));
}

TEST(CodeNesting, StatementsCountByTheirIndent) {
  std::string nested;
  for (std::size_t i = 0; i < 1001; ++i) nested += std::string(2 * i, ' ') + "if x:\n";
  EXPECT_FALSE(is_nested_too_deeply(nested));
  EXPECT_TRUE(is_nested_too_deeply(nested + std::string(2002, ' ') + "y = 1\n"));
}

TEST(CodeNesting, StringsAndCommentsEndAsInTheLexer) {
  const std::string deep = repeated("(", 301);
  for (const std::string& harmless : {"'" + deep + "'", "\"" + deep + "\"", "'''" + deep + "\n'\n'''", "# " + deep,
                                      "'\\'" + deep + "'", "\"'\\\"" + deep + "\""})
    EXPECT_FALSE(is_nested_too_deeply("y = " + harmless)) << harmless.substr(0, 10);
  for (const std::string before : {"'a' + ", "'\\\\' + ", "''' ' ''' + ", "# '\n", "# type: (", "'' + ", "'#' + "})
    EXPECT_TRUE(is_nested_too_deeply("y = " + before + deep)) << before;
  EXPECT_TRUE(is_nested_too_deeply("y = " + repeated("(\")\" + ", 200)));
}

}  // namespace
}  // namespace tonnx::code_nesting
