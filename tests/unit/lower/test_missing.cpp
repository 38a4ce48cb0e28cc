#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "ir/graph.h"
#include "lower/builder.h"
#include "lower/missing.h"
#include "onnx/opset.h"

namespace tonnx::lower {
namespace {

struct Model {
  ir::Graph graph;
  Builder b{graph, *onnx::opset(17)};
  Value* x = input({2, 3});

  Value* input(std::initializer_list<std::int64_t> dims, DType dtype = DType::Float32) {
    Value* v = graph.block().add_input();
    v->set_facts({dtype, std::vector<ir::Dim>(dims.begin(), dims.end()), nullptr});
    return v;
  }
  Value* weight() {
    const float numbers[] = {1, 2, 3, 4, 5, 6};
    return graph.add_weight("w", ir::Tensor::from_bytes(DType::Float32, {3, 2}, numbers, sizeof numbers));
  }
};

TEST(MayHoldNan, FollowsInputsThroughArithmetic) {
  Model m;
  EXPECT_TRUE(may_hold_nan(m.b, m.x));
  EXPECT_TRUE(may_hold_nan(m.b, m.b.op("Sigmoid", {m.b.add(m.b.transpose(m.x, {1, 0}), m.b.scalar_like(m.x, 1))})));
  EXPECT_TRUE(may_hold_nan(m.b, m.b.matmul(m.x, m.b.transpose(m.x, {1, 0}))));
}

TEST(MayHoldNan, EndsAtLayersWithWeights) {
  Model m;
  EXPECT_FALSE(may_hold_nan(m.b, m.weight()));
  EXPECT_FALSE(may_hold_nan(m.b, m.b.op("Relu", {m.b.matmul(m.x, m.weight())})));
  EXPECT_FALSE(may_hold_nan(m.b, m.b.matmul(m.x, m.b.transpose(m.weight(), {0, 1}))));
  EXPECT_TRUE(may_hold_nan(m.b, m.b.add(m.b.matmul(m.x, m.weight()), m.input({2, 2}))));
}

TEST(MayHoldNan, ExcludesConstantsAndReplacedNan) {
  Model m;
  EXPECT_TRUE(may_hold_nan(m.b, m.b.scalar(DType::Float32, std::nan(""))));
  EXPECT_FALSE(may_hold_nan(m.b, m.b.scalar(DType::Float32, 1.0)));
  EXPECT_FALSE(may_hold_nan(m.b, m.b.cast(m.input({2}, DType::Int64), DType::Float32)));
  Value* missing = m.b.op("IsNaN", {m.x});
  EXPECT_FALSE(may_hold_nan(m.b, m.b.where(missing, m.b.scalar_like(m.x, 0), m.x)));
  EXPECT_TRUE(may_hold_nan(m.b, m.b.where(m.b.op("IsNaN", {m.input({2, 3})}), m.b.scalar_like(m.x, 0), m.x)));
}

TEST(MayHoldNan, IncludesOperatorsThatProduceNan) {
  Model m;
  Value* whole = m.b.cast(m.input({2, 3}, DType::Int64), DType::Float32);
  EXPECT_TRUE(may_hold_nan(m.b, m.b.div(whole, whole)));
  EXPECT_TRUE(may_hold_nan(m.b, m.b.op("Neg", {m.b.op("Log", {whole})})));
  EXPECT_FALSE(may_hold_nan(m.b, m.b.cast(m.b.cast(m.b.op("Log", {whole}), DType::Int64), DType::Float32)));
  EXPECT_FALSE(may_hold_nan(m.b, m.b.div(m.b.scalar_like(whole, 1), m.b.cast(m.b.shape(m.x), DType::Float32))));
  EXPECT_FALSE(may_hold_nan(m.b, m.b.op("Sqrt", {m.b.matmul(m.x, m.weight())})));
}

TEST(MayHoldNan, ReadsSmallWeights) {
  Model m;
  const float numbers[] = {1, std::nanf("")};
  EXPECT_TRUE(
      may_hold_nan(m.b, m.graph.add_weight("b", ir::Tensor::from_bytes(DType::Float32, {2}, numbers, sizeof numbers))));
}

TEST(MayHoldNan, ReadsLargeWeightsToTheirEnd) {
  Model m;
  std::vector<float> numbers(100000, 1);
  const auto weight = [&](const char* name) {
    return m.graph.add_weight(
        name, ir::Tensor::from_bytes(DType::Float32, {100, 1000}, numbers.data(), numbers.size() * sizeof(float)));
  };
  Value* plain = weight("plain");
  numbers.back() = -std::numeric_limits<float>::infinity();
  Value* masked = weight("masked");
  numbers.back() = std::nanf("");
  EXPECT_TRUE(may_hold_nan(m.b, weight("missing")));
  EXPECT_FALSE(may_hold_nan(m.b, plain));
  EXPECT_FALSE(may_hold_nan_or_lowest(m.b, plain));
  EXPECT_FALSE(may_hold_nan(m.b, masked));
  EXPECT_TRUE(may_hold_nan_or_lowest(m.b, masked));
}

// Answers are kept by value, for each way in which the search comes to it.
TEST(MayHoldNan, IsAskedAtEachStage) {
  Model m;
  Value* clean = m.b.matmul(m.x, m.weight());
  Value* whole = m.b.cast(m.input({2, 2}, DType::Int64), DType::Float32);
  Value* dirty = m.input({2, 2});
  for (int stage = 0; stage < 1000; ++stage) {
    clean = m.b.op("Relu", {clean});
    dirty = m.b.add(dirty, clean);
    EXPECT_FALSE(may_hold_nan(m.b, clean));
    EXPECT_FALSE(may_hold_nan_or_lowest(m.b, clean));
    EXPECT_FALSE(may_hold_nan(m.b, whole));
    EXPECT_TRUE(may_hold_nan(m.b, dirty));
    EXPECT_TRUE(may_hold_nan_or_lowest(m.b, dirty));
  }
  EXPECT_TRUE(may_hold_nan(m.b, m.b.div(whole, whole)));
  EXPECT_FALSE(may_hold_nan(m.b, clean));
  EXPECT_EQ(m.b.answers().find(*clean, 2), false);
  EXPECT_EQ(m.b.answers().find(*dirty, 2), true);
}

// A weight that is not read may have any elements.
TEST(MayHoldNan, IsAssumedOfAWeightTooLargeToRead) {
  Model m;
  ir::Tensor large = ir::Tensor::scalar(DType::Float32, 1.0);
  large.dims = {1 << 12, 1 << 12};
  large.strides = {0, 0};
  EXPECT_TRUE(may_hold_nan(m.b, m.graph.add_weight("large", large)));
}

// A weight that is more nodes away than the search follows does not make its product a layer.
TEST(MayHoldNan, IsAssumedWhereTheSearchForWeightsEnds) {
  Model m;
  Value* weight = m.weight();
  for (int i = 0; i < 3; ++i) weight = m.b.op("Neg", {weight});
  EXPECT_FALSE(may_hold_nan(m.b, m.b.matmul(m.x, weight)));
  for (int i = 0; i < 10; ++i) weight = m.b.op("Neg", {weight});
  EXPECT_TRUE(may_hold_nan(m.b, m.b.matmul(m.x, weight)));
}

TEST(MayHoldNan, KnowsWhatFillsAShapeOfTheRun) {
  Model m;
  Value* shape = m.b.shape(m.input({2}, DType::Int64));
  EXPECT_TRUE(may_hold_nan(m.b, m.b.constant_of_shape(shape, DType::Float32, std::nan(""))));
  EXPECT_FALSE(may_hold_nan(m.b, m.b.constant_of_shape(shape, DType::Float32, 1)));
  Value* lowest = m.b.constant_of_shape(shape, DType::Float32, -std::numeric_limits<double>::infinity());
  EXPECT_FALSE(may_hold_nan(m.b, lowest));
  EXPECT_TRUE(may_hold_nan_or_lowest(m.b, lowest));
}

TEST(MayHoldNan, OfAProductIsNotDecidedByItsBias) {
  Model m;
  Value* square = m.input({3, 3});
  Value* bias = m.graph.add_weight("b", ir::Tensor::from_bytes(DType::Float32, {3}, "123412341234", 12));
  EXPECT_TRUE(may_hold_nan(m.b, m.b.op("Gemm", {square, square, bias})));
  EXPECT_TRUE(may_hold_nan(m.b, m.b.matmul(m.x, m.b.mul(m.b.transpose(m.x, {1, 0}), m.weight()))));
}

}  // namespace
}  // namespace tonnx::lower
