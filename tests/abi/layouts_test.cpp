#include "layouts.h"

#include <string>

#include <gtest/gtest.h>

using tonnx::test::layouts_with_ndebug;
using tonnx::test::layouts_without_ndebug;

TEST(Layouts, AreTheSameWithAndWithoutNdebug) {
  const auto with = layouts_with_ndebug(), without = layouts_without_ndebug();
  ASSERT_EQ(with.size(), without.size());
  ASSERT_GT(with.size(), 30u);
  for (std::size_t i = 1; i < with.size(); ++i) {
    EXPECT_EQ(with[i].size, without[i].size) << with[i].name;
    EXPECT_EQ(with[i].alignment, without[i].alignment) << with[i].name;
  }
}

TEST(Layouts, ADifferenceWouldShow) {
  EXPECT_EQ(std::string(layouts_with_ndebug()[0].name), "Planted");
  EXPECT_NE(layouts_with_ndebug()[0].size, layouts_without_ndebug()[0].size);
}
