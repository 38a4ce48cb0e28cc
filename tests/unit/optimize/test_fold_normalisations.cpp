#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "build.h"
#include "ir/normalised.h"
#include "optimize/optimize.h"
#include "optimize/passes.h"

using namespace tonnx;
using ir::DType;
using ir::Tensor;
using ir::Value;
using ir::testing::ModelBuilder;
using testing::ElementsAre;

namespace {

auto Near(double value) { return testing::DoubleNear(value, 1e-6); }

// A model of one node and a normalisation of its channels.
class Normalised : public ModelBuilder {
 public:
  Value* vector(const std::string& name, const std::vector<float>& values) {
    return graph.add_weight(name, Tensor::from_bytes(DType::Float32, {static_cast<std::int64_t>(values.size())},
                                                     values.data(), values.size() * sizeof(float)));
  }

  Value* norm(Value* x, std::vector<ir::NamedAttribute> attributes = {}, const std::vector<float>& scale = {2, 4},
              const std::vector<float>& variance = {3, 8}) {
    if (attributes.empty()) attributes = {{"epsilon", 1.0}};
    return op(DType::Float32, {1, 2, 4, 4}, "BatchNormalization",
              {x, vector("bn.weight", scale), vector("bn.bias", {1, -1}), vector("bn.mean", {2, 3}),
               vector("bn.var", variance)},
              std::move(attributes));
  }

  Value* image() { return input("x", DType::Float32, {1, 2, 4, 4}); }

  const Value* weight_named(const std::string& name) const {
    for (const Value* weight : graph.weights())
      if (weight->name() == name) return weight;
    return nullptr;
  }

  std::vector<double> values(const std::string& name) const {
    const Value* weight = weight_named(name);
    return weight ? weight->weight()->to_doubles() : std::vector<double>();
  }
};

}  // namespace

// The factors are 2 / sqrt(3 + 1) = 1 and 4 / sqrt(8 + 1) = 4 / 3.
TEST(FoldNormalisations, ScalesTheRowsOfAConvolution) {
  Normalised m;
  m.output(m.norm(m.op("Conv", {m.image(), m.weight("conv.weight", {2, 2, 1, 1}), m.vector("conv.bias", {5, 6})})));
  optimize::optimize(m.graph, {});
  EXPECT_THAT(m.kinds(), ElementsAre("Conv"));
  EXPECT_EQ(m.graph.weights().size(), 2u);
  EXPECT_THAT(m.values("conv.weight.normalised"), ElementsAre(0, 1, Near(2 * 4.0 / 3), 4));
  EXPECT_THAT(m.values("conv.bias.normalised"), ElementsAre(4, 3));
  EXPECT_EQ(m.graph.outputs()[0], m.graph.block().last()->output());
  ir::verify(m.graph, "test");
}

TEST(FoldNormalisations, AddsABiasIfThereIsNone) {
  Normalised m;
  m.output(m.norm(m.op("Conv", {m.image(), m.weight("conv.weight", {2, 2, 1, 1})})));
  optimize::optimize(m.graph, {});
  EXPECT_THAT(m.kinds(), ElementsAre("Conv"));
  EXPECT_THAT(m.values("bn.bias.normalised"), ElementsAre(-1, -5));
}

TEST(FoldNormalisations, FindsTheChannelsOfEveryKindOfWeight) {
  Normalised m;
  Value* x = m.image();
  m.output(m.norm(m.op("ConvTranspose", {x, m.weight("grouped", {4, 1, 1, 1})}, {{"group", std::int64_t{2}}})));
  m.output(m.norm(m.op("ConvTranspose", {x, m.weight("whole", {2, 2, 1, 1})})));
  m.output(m.norm(m.op("Gemm", {x, m.weight("columns", {2, 2}), m.vector("a", {0, 0})})));
  m.output(m.norm(m.op("Gemm", {x, m.weight("rows", {2, 2}), m.vector("b", {0, 0})}, {{"transB", std::int64_t{1}}})));
  optimize::optimize(m.graph, {});
  EXPECT_THAT(m.values("grouped.normalised"), ElementsAre(0, 1, Near(8.0 / 3), 4));
  EXPECT_THAT(m.values("whole.normalised"), ElementsAre(0, Near(4.0 / 3), 2, 4));
  EXPECT_THAT(m.values("columns.normalised"), ElementsAre(0, Near(4.0 / 3), 2, 4));
  EXPECT_THAT(m.values("rows.normalised"), ElementsAre(0, 1, Near(8.0 / 3), 4));
}

TEST(FoldNormalisations, ComputesAnyPieceOfAWeight) {
  Normalised m;
  m.output(m.norm(m.op("Conv", {m.image(), m.weight("w", {2, 3, 5, 1})})));
  optimize::optimize(m.graph, {});
  ASSERT_NE(m.weight_named("w.normalised"), nullptr);
  const Tensor weight = *m.weight_named("w.normalised")->weight();
  for (std::int64_t begin = 0; begin < 30; ++begin)
    for (std::int64_t end = begin + 1; end <= 30; ++end) {
      std::vector<float> got(static_cast<std::size_t>(end - begin));
      weight.read(begin, end, reinterpret_cast<std::byte*>(got.data()));
      for (std::int64_t i = begin; i < end; ++i)
        ASSERT_FLOAT_EQ(got[static_cast<std::size_t>(i - begin)], static_cast<float>(i) * (i < 15 ? 1 : 4.0f / 3));
    }
}

TEST(FoldNormalisations, KeepsNodesWithOtherUses) {
  Normalised result, weight;
  Value* read = result.op("Conv", {result.image(), result.weight("w", {2, 2, 1, 1})});
  result.output(result.norm(read));
  result.output(read);
  optimize::optimize(result.graph, {});
  EXPECT_THAT(result.kinds(), ElementsAre("Conv", "BatchNormalization"));
  Value* shared = weight.weight("w", {2, 2, 1, 1});
  Value* x = weight.image();
  weight.output(weight.norm(weight.op("Conv", {x, shared})));
  weight.output(weight.op("Conv", {weight.op("Relu", {x}), shared}));
  optimize::optimize(weight.graph, {});
  EXPECT_EQ(weight.kinds().size(), 4u);
}

TEST(FoldNormalisations, KeepsNormalisationsWithoutAFixedScale) {
  const auto kept = [](auto build) {
    Normalised m;
    m.output(build(m));
    EXPECT_FALSE(optimize::fold_normalisations(m.graph));
  };
  const auto conv = [](Normalised& m) { return m.op("Conv", {m.image(), m.weight("w", {2, 2, 1, 1})}); };
  kept([&](Normalised& m) { return m.norm(conv(m), {{"training_mode", std::int64_t{1}}}); });
  kept([&](Normalised& m) { return m.norm(m.op("Conv", {m.image(), m.input("w", DType::Float32, {2, 2, 1, 1})})); });
  kept([&](Normalised& m) { return m.norm(m.op("Relu", {conv(m)})); });
  kept([&](Normalised& m) { return m.norm(conv(m), {}, {2, INFINITY}); });
  kept([&](Normalised& m) { return m.norm(conv(m), {}, {2, 4}, {3, -8}); });
  kept([&](Normalised& m) { return m.norm(conv(m), {}, {2, 1e-30f}); });
  kept([&](Normalised& m) { return m.norm(m.op("Gemm", {m.image(), m.weight("w", {2, 2})}, {{"alpha", 2.0}})); });
  kept([&](Normalised& m) { return m.norm(m.op("Gemm", {m.image(), m.weight("w", {2, 2}), m.weight("b", {1, 2})})); });
  Normalised off;
  off.output(off.norm(conv(off)));
  optimize::optimize(off.graph, {.fold_constants = true, .fold_weights = false});
  EXPECT_THAT(off.kinds(), ElementsAre("Conv", "BatchNormalization"));
}

TEST(FoldNormalisations, FoldsAFactorOfZero) {
  Normalised m;
  m.output(m.norm(m.op("Conv", {m.image(), m.weight("w", {2, 2, 1, 1})}), {}, {0, 4}));
  optimize::optimize(m.graph, {});
  EXPECT_THAT(m.values("w.normalised"), ElementsAre(0, 0, Near(8.0 / 3), 4));
  EXPECT_THAT(m.values("bn.bias.normalised"), ElementsAre(1, -5));
}
