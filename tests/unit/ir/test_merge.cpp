#include <cmath>
#include <complex>

#include <gtest/gtest.h>

#include "ir/constant_facts.h"
#include "ir/error.h"
#include "ir/merge.h"

using namespace tonnx::ir;

namespace {

Dim batch() { return Dim::symbol("batch"); }

Facts shaped(std::vector<Dim> dims, DType dtype = DType::Float32) { return {dtype, std::move(dims), nullptr}; }

std::string shape_of(const Facts& facts) { return facts.dims ? to_string(*facts.dims) : "no rank"; }

}  // namespace

TEST(Merge, KeepsTheMorePreciseOfTheTwo) {
  struct Case {
    std::vector<Dim> one, other;
    const char* merged;
  };
  for (const auto& [one, other, merged] :
       {Case{{2, 3}, {2, 3}, "(2, 3)"}, Case{{Dim(), 3}, {2, Dim()}, "(2, 3)"}, Case{{batch(), 3}, {2, 3}, "(2, 3)"},
        Case{{Dim()}, {batch()}, "(batch)"}, Case{{batch()}, {Dim::symbol("rows")}, "(batch)"},
        Case{{0}, {Dim()}, "(0)"}, Case{{}, {}, "()"}}) {
    Facts facts = shaped(one);
    EXPECT_EQ(merge(facts, shaped(other)), std::nullopt) << merged;
    EXPECT_EQ(shape_of(facts), merged);
  }
}

TEST(Merge, AddsUnknownFacts) {
  Facts facts;
  EXPECT_EQ(merge(facts, shaped({2}, DType::Int64)), std::nullopt);
  EXPECT_EQ(facts.dtype, DType::Int64);
  EXPECT_EQ(shape_of(facts), "(2)");
  EXPECT_EQ(merge(facts, {}), std::nullopt);
  EXPECT_EQ(shape_of(facts), "(2)");
}

TEST(Merge, ReportsAContradictionAndKeepsTheFacts) {
  struct Case {
    Facts one, other;
    const char* text;
  };
  for (const auto& [one, other, text] : {Case{shaped({2}), shaped({2}, DType::Int64), "dtype float32 and dtype int64"},
                                         Case{shaped({2}), shaped({2, 1}), "shape (2) and shape (2, 1)"},
                                         Case{shaped({}), shaped({1}), "shape () and shape (1)"},
                                         Case{shaped({Dim(), 3}), shaped({5, 4}), "size 3 and size 4 of axis 1"},
                                         Case{shaped({0}), shaped({1}), "size 0 and size 1 of axis 0"}}) {
    Facts facts = one;
    EXPECT_EQ(merge(facts, other), text);
    EXPECT_EQ(facts.dtype, one.dtype);
    EXPECT_EQ(shape_of(facts), shape_of(one));
  }
}

TEST(Merge, OfFactsThatMustAgreeThrowsIfTheyDoNot) {
  Facts facts = shaped({Dim(), 3});
  merge_agreeing(facts, shaped({5, 3}));
  EXPECT_EQ(shape_of(facts), "(5, 3)");
  EXPECT_THROW(merge_agreeing(facts, shaped({6, 3})), Error);
}

TEST(Join, DropsWhatDiffers) {
  EXPECT_EQ(shape_of(join(shaped({2, 3}), shaped({2, 4}))), "(2, ?)");
  EXPECT_EQ(shape_of(join(shaped({batch()}), shaped({batch()}))), "(batch)");
  EXPECT_EQ(shape_of(join(shaped({batch()}), shaped({2}))), "(?)");
  EXPECT_EQ(shape_of(join(shaped({2}), shaped({2, 1}))), "no rank");
  EXPECT_EQ(join(shaped({2}), shaped({2}, DType::Int64)).dtype, DType::Undefined);
}

TEST(Join, KeepsACommonConstant) {
  EXPECT_TRUE(join(facts_of({std::int64_t{3}}), facts_of({std::int64_t{3}})).constant);
  EXPECT_FALSE(join(facts_of({std::int64_t{3}}), facts_of({std::int64_t{4}})).constant);
  EXPECT_FALSE(join(facts_of({std::int64_t{3}}), facts_of({3.0})).constant);
  EXPECT_TRUE(join(facts_of({std::string("a")}), facts_of({std::string("a")})).constant);
}

TEST(SameConstant, NumbersAreComparedByKindAndBits) {
  const double nan = std::nan(""), zero = 0;
  EXPECT_TRUE(same_constant({nan}, {-nan}));
  EXPECT_FALSE(same_constant({zero}, {-zero}));
  EXPECT_FALSE(same_constant({1.0}, {std::int64_t{1}}));
  EXPECT_TRUE(same_constant({std::complex<double>(nan, 1)}, {std::complex<double>(nan, 1)}));
  EXPECT_FALSE(same_constant({std::complex<double>(1, zero)}, {std::complex<double>(1, -zero)}));
  EXPECT_FALSE(same_constant({Constant::List{{{zero}}}}, {Constant::List{{{-zero}}}}));
  EXPECT_TRUE(
      same_constant({Constant::List{{{nan}, {std::string("a")}}}}, {Constant::List{{{nan}, {std::string("a")}}}}));
}
