#include <gtest/gtest.h>

#include "ir/graph.h"
#include "lower/builder.h"
#include "lower/known.h"
#include "onnx/opset.h"

namespace tonnx::lower {
namespace {

struct Numbers {
  ir::Graph graph;
  Builder b{graph, *onnx::opset(18)};
  Value* ids = input(DType::Int64);
  Value* x = input(DType::Float32);
  Value* places = b.op("ArgMax", {x}, {{"axis", std::int64_t{1}}, {"keepdims", std::int64_t{0}}});

  Value* input(DType dtype) {
    Value* v = graph.block().add_input();
    v->set_facts({dtype, std::vector<ir::Dim>{ir::Dim::symbol("n"), 4}, nullptr});
    return v;
  }
};

TEST(MayBeNegative, IfNoOperatorExcludesIt) {
  Numbers n;
  Builder& b = n.b;
  EXPECT_TRUE(may_be_negative(n.ids));
  EXPECT_TRUE(may_be_negative(b.sub(b.size_scalar(n.x, 0), b.int64(1))));
  EXPECT_TRUE(may_be_negative(b.int64s({1, -1})));
  EXPECT_TRUE(may_be_negative(b.cast(n.x, DType::Int64)));
  EXPECT_TRUE(may_be_negative(b.op("Mod", {n.ids, b.int64(-3)})));
  EXPECT_TRUE(may_be_negative(b.op("Mod", {n.ids, b.int64(3)}, {{"fmod", std::int64_t{1}}})));
  EXPECT_TRUE(may_be_negative(b.op("Clip", {n.ids, b.int64(0), b.int64(-1)})));
  EXPECT_TRUE(may_be_negative(b.op("Clip", {n.ids, nullptr, b.int64(5)})));
  EXPECT_TRUE(may_be_negative(b.op("Where", {b.cast(n.ids, DType::Bool), n.places, n.ids})));
  EXPECT_TRUE(may_be_negative(b.cast(n.places, DType::Int8)));  // 255 becomes -1
  EXPECT_TRUE(may_be_negative(b.op("TopK", {n.ids, b.int64s({2})}, {}, 2)[0]));
}

TEST(MayBeNegative, NotOfSizesIndicesAndBoundedNumbers) {
  Numbers n;
  Builder& b = n.b;
  EXPECT_FALSE(may_be_negative(b.size_scalar(n.x, 0)));
  EXPECT_FALSE(may_be_negative(n.places));
  EXPECT_FALSE(may_be_negative(b.op("TopK", {n.x, b.int64s({2})}, {}, 2)[1]));
  EXPECT_FALSE(may_be_negative(b.unsqueeze(b.cast(n.places, DType::Int32), {0})));
  EXPECT_FALSE(may_be_negative(b.op("CumSum", {b.cast(b.cast(n.ids, DType::Bool), DType::Int64), b.int64(1)})));
  EXPECT_FALSE(may_be_negative(b.op("Mod", {n.ids, b.int64(3)})));
  EXPECT_FALSE(may_be_negative(b.op("Mod", {n.ids, b.size_scalar(n.x, 0)})));
  EXPECT_FALSE(may_be_negative(b.op("Clip", {n.ids, b.int64(0), b.int64(5)})));
  EXPECT_FALSE(may_be_negative(b.op("Max", {n.ids, b.int64(0)})));
  Value* zero = b.int64(0);
  EXPECT_FALSE(may_be_negative(b.op("Where", {b.op("Greater", {n.ids, zero}), n.ids, zero})));
  EXPECT_TRUE(may_be_negative(b.op("Where", {b.op("Less", {n.ids, zero}), n.ids, zero})));
  EXPECT_FALSE(may_be_negative(b.cast(b.op("Abs", {n.x}), DType::Int64)));
  EXPECT_FALSE(may_be_negative(b.add(b.int64(1), b.op("Where", {b.cast(n.ids, DType::Bool), n.places, b.int64(0)}))));
}

// Large integers wrap around, in LibTorch as well, which then refuses the index.
TEST(MayBeNegative, IfLargeIntegersAreAddedUp) {
  Numbers n;
  Builder& b = n.b;
  Value* counts = b.op("Abs", {n.ids});
  EXPECT_FALSE(may_be_negative(counts));
  EXPECT_TRUE(may_be_negative(b.add(counts, counts)));
  EXPECT_TRUE(may_be_negative(b.unsqueeze(b.mul(counts, b.int64(7919)), {0})));
  EXPECT_TRUE(may_be_negative(b.op("CumSum", {b.op("Relu", {n.ids}), b.int64(1)})));
  EXPECT_TRUE(may_be_negative(b.cast(counts, DType::Int32)));
  EXPECT_TRUE(may_be_negative(b.mul(n.places, b.int64(1LL << 40))));
  Value* places = b.cast(n.places, DType::Int32);
  EXPECT_TRUE(may_be_negative(b.mul(places, b.scalar(DType::Int32, std::int64_t{1000003}))));
  EXPECT_TRUE(may_be_negative(b.cast(n.input(DType::UInt64), DType::Int64)));
  Value* large = b.op("Clip", {n.ids, b.int64(0), b.int64((1LL << 31) - 2)});
  EXPECT_FALSE(may_be_negative(b.mul(large, large)));
  EXPECT_TRUE(may_be_negative(b.mul(b.mul(large, large), large)));
  EXPECT_FALSE(may_be_negative(b.op("Range", {b.int64(0), b.op("Abs", {n.ids}), b.int64(1)})));

  EXPECT_FALSE(may_be_negative(b.op("Mod", {b.mul(counts, b.int64(7919)), b.int64(97)})));
  EXPECT_FALSE(may_be_negative(b.mul(b.op("Mod", {n.ids, b.int64(97)}), b.int64(97))));
  EXPECT_FALSE(may_be_negative(b.add(b.op("Clip", {n.ids, b.int64(0), b.int64(5)}), b.size_scalar(n.x, 0))));
  EXPECT_FALSE(may_be_negative(b.mul(b.size_scalar(n.x, 0), b.add(n.places, b.int64(70000)))));
  EXPECT_FALSE(may_be_negative(b.mul(b.cast(n.input(DType::UInt8), DType::Int64), b.int64(256))));
  EXPECT_FALSE(may_be_negative(b.op("Div", {counts, b.int64(2)})));
  EXPECT_FALSE(may_be_negative(b.cast(b.op("Exp", {n.x}), DType::Int64)));
}

TEST(MayBeNegative, IfAWeightMayBeAnotherOne) {
  Numbers n;
  const std::int64_t ids[] = {3, 0, 1};
  Value* weight = n.graph.add_weight("ids", ir::Tensor::from_bytes(DType::Int64, {3}, ids, sizeof ids));
  EXPECT_FALSE(may_be_negative(weight));
  EXPECT_TRUE(may_be_negative(weight, true));
  EXPECT_TRUE(may_be_negative(n.b.add(weight, n.b.int64(1)), true));
  EXPECT_TRUE(are_elements_of_inputs(n.graph, weight, true));
  EXPECT_FALSE(are_elements_of_inputs(n.graph, n.b.add(weight, n.b.int64(1)), true));
}

TEST(AreElementsOfInputs, IfSelectedMovedOrConverted) {
  Numbers n;
  Builder& b = n.b;
  const auto of_inputs = [&](const Value* v) { return are_elements_of_inputs(n.graph, v); };
  EXPECT_TRUE(of_inputs(n.ids));
  EXPECT_TRUE(of_inputs(b.cast(b.flatten_to_vector(b.slice(n.ids, 1, 0, -1)), DType::Int32)));
  EXPECT_TRUE(of_inputs(b.concat({b.int64s({0}), b.flatten_to_vector(n.ids)}, 0)));
  EXPECT_FALSE(of_inputs(b.concat({b.int64s({-1}), b.flatten_to_vector(n.ids)}, 0)));
  EXPECT_FALSE(of_inputs(b.add(n.ids, b.int64(1))));
  EXPECT_FALSE(of_inputs(b.cast(n.x, DType::Int64)));
}

}  // namespace
}  // namespace tonnx::lower
