#include <gtest/gtest.h>

#include "ir/dim.h"

namespace tonnx::ir {
namespace {

const Polynomial rows = Polynomial::symbol("n");

TEST(Dim, OfAPolynomialIsFixedSymbolicOrUnknown) {
  EXPECT_EQ(Dim(rows - rows + 4).size(), 4);
  EXPECT_TRUE(Dim(rows * 2).is_symbolic());
  EXPECT_EQ(Dim(rows * 2 + 1).text(), "2*n + 1");
  EXPECT_EQ(*Dim(rows * 2).polynomial(), rows + rows);
  EXPECT_TRUE(Dim(rows - rows - 1).is_unknown());
  EXPECT_TRUE(Dim(Polynomial::invalid()).is_unknown());
  EXPECT_TRUE(Dim(-1).is_unknown());
  EXPECT_TRUE(Dim().is_unknown());
  EXPECT_FALSE(Dim(3).polynomial());
  EXPECT_EQ(Dim(3).text(), "");
}

TEST(Dim, EqualsEveryEquivalentPolynomial) {
  EXPECT_TRUE(Dim(rows + rows).same(rows * 2));
  EXPECT_TRUE(Dim(4).same(rows - rows + 4));
  EXPECT_FALSE(Dim(rows).same(rows + 1));
  EXPECT_FALSE(Dim(4).same(rows));
  EXPECT_FALSE(Dim().same(Dim()));
  EXPECT_FALSE(Dim::symbol("n + 1").same(rows + 1));
}

TEST(Dim, ListsItsSymbols) {
  EXPECT_TRUE(Dim::symbol("n").is_symbol("n"));
  EXPECT_FALSE(Dim(rows + 1).is_symbol("n"));
  EXPECT_TRUE(Dim(rows + 1).mentions("n"));
  EXPECT_FALSE(Dim(4).mentions("n"));
}

TEST(Dim, HasOneText) {
  EXPECT_EQ(text_of(Dim(4)), "4");
  EXPECT_EQ(text_of(Dim(rows + 1)), "n + 1");
  EXPECT_EQ(text_of(Dim()), "?");
  EXPECT_EQ(text_of(Dim(), "*"), "*");
}

}  // namespace
}  // namespace tonnx::ir
