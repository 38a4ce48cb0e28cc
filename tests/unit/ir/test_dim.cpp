#include <gtest/gtest.h>

#include "ir/dim.h"

namespace tonnx::ir {
namespace {

const Polynomial n = Polynomial::symbol("n");

TEST(Dim, OfAPolynomialIsFixedSymbolicOrUnknown) {
  EXPECT_EQ(Dim(n - n + 4).size(), 4);
  EXPECT_TRUE(Dim(n * 2).is_symbolic());
  EXPECT_EQ(Dim(n * 2 + 1).text(), "2*n + 1");
  EXPECT_EQ(*Dim(n * 2).polynomial(), n + n);
  EXPECT_TRUE(Dim(n - n - 1).is_unknown());
  EXPECT_TRUE(Dim(Polynomial::invalid()).is_unknown());
  EXPECT_TRUE(Dim(-1).is_unknown());
  EXPECT_TRUE(Dim().is_unknown());
  EXPECT_FALSE(Dim(3).polynomial());
  EXPECT_EQ(Dim(3).text(), "");
}

TEST(Dim, EqualsEveryEquivalentPolynomial) {
  EXPECT_TRUE(Dim(n + n).same(n * 2));
  EXPECT_TRUE(Dim(4).same(n - n + 4));
  EXPECT_FALSE(Dim(n).same(n + 1));
  EXPECT_FALSE(Dim(4).same(n));
  EXPECT_FALSE(Dim().same(Dim()));
  EXPECT_FALSE(Dim::symbol("n + 1").same(n + 1));
}

TEST(Dim, ListsItsSymbols) {
  EXPECT_TRUE(Dim::symbol("n").is_symbol("n"));
  EXPECT_FALSE(Dim(n + 1).is_symbol("n"));
  EXPECT_TRUE(Dim(n + 1).mentions("n"));
  EXPECT_FALSE(Dim(4).mentions("n"));
}

TEST(Dim, HasOneText) {
  EXPECT_EQ(text_of(Dim(4)), "4");
  EXPECT_EQ(text_of(Dim(n + 1)), "n + 1");
  EXPECT_EQ(text_of(Dim()), "?");
  EXPECT_EQ(text_of(Dim(), "*"), "*");
}

}  // namespace
}  // namespace tonnx::ir
