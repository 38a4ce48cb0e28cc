#include <gtest/gtest.h>

#include "ir/onnx_traits.h"

namespace tonnx::ir {
namespace {

TEST(OnnxTraits, AreThoseOfTheRow) {
  Graph graph;
  const OnnxTraits& add = onnx_traits_of(*graph.create("onnx::Add", {}, 1));
  EXPECT_TRUE(add.elementwise && add.broadcasts);
  EXPECT_EQ(add.sign, Sign::OfAll);
  EXPECT_FALSE(add.keeps_axes || add.random || add.may_make_nan);
  EXPECT_EQ(add.integers, Integers::OfAll);
  const OnnxTraits& slice = onnx_traits_of(*graph.create("onnx::Slice", {}, 1));
  EXPECT_TRUE(slice.moves);
  EXPECT_EQ(slice.sizes_from, 1);
  EXPECT_EQ(slice.integers, Integers::PickedFromFirst);
  EXPECT_TRUE(onnx_traits_of(*graph.create("onnx::Dropout", {}, 2)).random);
  EXPECT_TRUE(onnx_traits_of(*graph.create("onnx::Xor", {}, 1)).elementwise);  // the last row
}

TEST(OnnxTraits, AreNoneForOtherDomainsAndWithoutARow) {
  Graph graph;
  for (const char* kind : {"aten::Add", "onnx::Ad", "onnx::Zzz", "com.example::Add"}) {
    const OnnxTraits& traits = onnx_traits_of(*graph.create(kind, {}, 1));
    EXPECT_FALSE(traits.elementwise || traits.broadcasts) << kind;
    EXPECT_EQ(traits.integers, Integers::Other) << kind;
    EXPECT_EQ(traits.sizes_from, -1) << kind;
  }
}

}  // namespace
}  // namespace tonnx::ir
