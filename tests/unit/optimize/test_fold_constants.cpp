#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "build.h"
#include "ir/computed.h"
#include "optimize/optimize.h"
#include "optimize/passes.h"

using namespace tonnx;
using ir::DType;
using ir::Tensor;
using ir::testing::ModelBuilder;
using testing::ElementsAre;
using Dims = std::vector<std::int64_t>;

namespace {

Tensor constant_of(const ir::Value* v) { return *v->constant()->get<Tensor>(); }

}  // namespace

TEST(FoldConstants, ComputesIntegerShapeArithmetic) {
  ModelBuilder m;
  ir::Value* shape =
      m.op("Concat", {m.int64s({2}), m.op("Mul", {m.int64s({3}), m.int64s({-4})})}, {{"axis", std::int64_t{0}}});
  m.output(m.op("Reshape", {m.input("x", DType::Float32, {24}), shape}));
  optimize::optimize(m.graph, {});
  EXPECT_THAT(m.kinds(), ElementsAre("Constant", "Reshape"));
  const ir::Node* reshape = m.graph.block().last();
  EXPECT_THAT(constant_of(reshape->input(1)).to_int64s(), ElementsAre(2, -12));
}

TEST(FoldConstants, TransposedWeightIsAViewUnderItsKey) {
  ModelBuilder m;
  ir::Value* w = m.weight("fc.weight", {300, 2});
  const ir::Storage* storage = w->weight()->storage.get();
  ir::Value* t = m.op(DType::Float32, {2, 300}, "Transpose", {w}, {{"perm", Dims{1, 0}}});
  m.output(m.op("MatMul", {m.input("x", DType::Float32, {1, 2}), t}));
  optimize::optimize(m.graph, {});
  EXPECT_THAT(m.kinds(), ElementsAre("MatMul"));
  ASSERT_EQ(m.graph.weights().size(), 1u);
  const ir::Value* folded = m.graph.weights()[0];
  EXPECT_EQ(folded->name(), "fc.weight.transposed");
  EXPECT_EQ(folded->weight()->storage.get(), storage);
  EXPECT_THAT(folded->weight()->dims, ElementsAre(2, 300));
  EXPECT_THAT(folded->weight()->strides, ElementsAre(1, 2));
}

TEST(FoldConstants, DoesNotStoreATiedWeightTwice) {
  ModelBuilder m;
  ir::Value* w = m.weight("embedding.weight", {300, 2});
  ir::Value* rows = m.op("Gather", {w, m.input("i", DType::Int64, {4})});
  ir::Value* t = m.op(DType::Float32, {2, 300}, "Transpose", {w}, {{"perm", Dims{1, 0}}});
  m.output(m.op("MatMul", {rows, t}));
  optimize::optimize(m.graph, {});
  EXPECT_EQ(m.graph.weights().size(), 1u);
  EXPECT_THAT(m.kinds(), ElementsAre("Gather", "Transpose", "MatMul"));
}

TEST(FoldConstants, KeepsWeightsThatAreNotConstants) {
  ModelBuilder m;
  ir::Value* w = m.weight("w", {3, 2});
  ir::Value* t = m.op(DType::Float32, {2, 3}, "Transpose", {w}, {{"perm", Dims{1, 0}}});
  m.output(m.op("MatMul", {m.input("x", DType::Float32, {1, 2}), t}));
  optimize::optimize(m.graph, {.fold_constants = true, .fold_weights = false});
  EXPECT_THAT(m.kinds(), ElementsAre("Transpose", "MatMul"));
}

// g * v / norm(v), as weight_norm computes it, for results that are stored and for results that are computed when read.
TEST(FoldConstants, F51_FoldsNormalisedWeightsOfAnySize) {
  for (const std::int64_t rows : {3, 1500}) {
    ModelBuilder m;
    ir::Value *v = m.weight("v", {rows, 1500}), *g = m.weight("g", {rows, 1});
    ir::Value* norm = m.op(DType::Float32, {rows, 1}, "ReduceL2", {v}, {{"axes", Dims{1}}});
    ir::Value* factor = m.op(DType::Float32, {rows, 1}, "Div", {g, norm});
    ir::Value* weight = m.op(DType::Float32, {rows, 1500}, "Mul", {v, factor});
    m.output(m.op("MatMul", {m.input("x", DType::Float32, {1, rows}), weight}));
    optimize::optimize(m.graph, {});
    EXPECT_THAT(m.kinds(), ElementsAre("MatMul"));
    ASSERT_EQ(m.graph.weights().size(), 1u);
    EXPECT_EQ(m.graph.weights()[0]->name(), "v.mul");
    const Tensor& folded = *m.graph.weights()[0]->weight();
    EXPECT_EQ(ir::computed_of(folded) != nullptr, rows == 1500);
    for (const std::int64_t row : {std::int64_t{0}, std::int64_t{1}, rows - 1}) {
      double sum = 0;
      for (std::int64_t i = 0; i < 1500; ++i) sum += std::pow(static_cast<double>(row * 1500 + i), 2);
      const double factor_of_row = static_cast<double>(row) / std::sqrt(sum);
      float values[2];
      folded.read(row * 1500 + 7, row * 1500 + 9, reinterpret_cast<std::byte*>(values));
      EXPECT_NEAR(values[0], static_cast<double>(row * 1500 + 7) * factor_of_row, 1e-5);
      EXPECT_NEAR(values[1], static_cast<double>(row * 1500 + 8) * factor_of_row, 1e-5);
    }
  }
}

// w / (u . (w v)), as spectral_norm computes it.
TEST(FoldConstants, F51_ReadsWeightsThroughTheirViews) {
  for (const std::int64_t size : {3, 1500}) {
    ModelBuilder m;
    ir::Value *w = m.weight("w", {size, size, 1}), *u = m.weight("u", {size}), *v = m.weight("v", {size});
    ir::Value* flat = m.op(DType::Float32, {size, size}, "Flatten", {w});
    ir::Value* product = m.op(DType::Float32, {size}, "MatMul", {flat, v});
    ir::Value* sigma = m.op(DType::Float32, {}, "MatMul", {u, product});
    ir::Value* weight = m.op(DType::Float32, {size, size, 1}, "Div", {w, sigma});
    m.output(m.op("Conv", {m.input("x", DType::Float32, {1, size, 4}), weight}));
    optimize::optimize(m.graph, {});
    EXPECT_THAT(m.kinds(), ElementsAre("Conv"));
    ASSERT_EQ(m.graph.weights().size(), 1u);
    double expected = 0;
    const auto number = static_cast<double>(size);
    for (double i = 0; i < number; ++i)
      for (double j = 0; j < number; ++j) expected += i * (i * number + j) * j;
    float value = 0;
    m.graph.weights()[0]->weight()->read(5, 6, reinterpret_cast<std::byte*>(&value));
    EXPECT_NEAR(value * expected / 5, 1, 1e-5);
  }
}

TEST(FoldConstants, KeepsLargeOperatorsOnWeightsWithOtherUses) {
  ModelBuilder m;
  ir::Value* w = m.weight("w", {1500, 1500});
  ir::Value* negative = m.op(DType::Float32, {1500, 1500}, "Neg", {w});
  ir::Value* half = m.op(DType::Float16, {1500, 1500}, "Cast", {w}, {{"to", std::int64_t{10}}});
  m.output(m.op("MatMul", {m.input("x", DType::Float32, {1, 1500}), negative}));
  m.output(m.op("MatMul", {m.input("y", DType::Float16, {1, 1500}), half}));
  optimize::optimize(m.graph, {});
  EXPECT_THAT(m.kinds(), ElementsAre("Neg", "Cast", "MatMul", "MatMul"));
  EXPECT_EQ(m.graph.weights().size(), 1u);
}

TEST(FoldConstants, DoesNotStoreALargeWeightInTwoLayouts) {
  ModelBuilder m;
  ir::Value* w = m.weight("w", {1500, 1500});
  ir::Value* t = m.op(DType::Float32, {1500, 1500}, "Transpose", {w}, {{"perm", Dims{1, 0}}});
  ir::Value* one = m.constant(Tensor::scalar(DType::Float32, 1.0));
  ir::Value* sum = m.op(DType::Float32, {1500, 1500}, "Add", {w, one});
  m.output(m.op("MatMul", {m.input("x", DType::Float32, {1, 1500}), t}));
  m.output(m.op("MatMul", {m.input("y", DType::Float32, {1, 1500}), sum}));
  optimize::optimize(m.graph, {});
  std::size_t bytes = 0;
  for (const ir::Value* weight : m.graph.weights()) bytes += weight->weight()->bytes();
  EXPECT_LE(bytes, std::size_t{9'000'004});
}

TEST(FoldConstants, KeepsPartsOfLargeResults) {
  ModelBuilder m;
  ir::Value* negative = m.op(DType::Float32, {1500, 1500}, "Neg", {m.weight("w", {1500, 1500})});
  ir::Value* part =
      m.op(DType::Float32, {700, 1500}, "Slice", {negative, m.int64s({0}), m.int64s({700}), m.int64s({0})});
  ir::Value* t = m.op(DType::Float32, {1500, 700}, "Transpose", {part}, {{"perm", Dims{1, 0}}});
  m.output(m.op("MatMul", {m.input("x", DType::Float32, {1, 1500}), t}));
  optimize::optimize(m.graph, {});
  ASSERT_EQ(m.graph.weights().size(), 1u);
  EXPECT_EQ(m.graph.weights()[0]->weight()->bytes(), std::size_t{9'000'000});
}

TEST(FoldConstants, F51_ReadsLargeConcatenationsFromTheirOperands) {
  ModelBuilder m;
  ir::Value *a = m.weight("a", {1000, 1500}), *b = m.weight("b", {500, 1500});
  ir::Value* all = m.op(DType::Float32, {1500, 1500}, "Concat", {a, b}, {{"axis", std::int64_t{-2}}});
  m.output(m.op("MatMul", {m.input("x", DType::Float32, {1, 1500}), all}));
  optimize::optimize(m.graph, {});
  EXPECT_THAT(m.kinds(), ElementsAre("MatMul"));
  float values[3];
  m.graph.weights()[0]->weight()->read(1'499'998, 1'500'001, reinterpret_cast<std::byte*>(values));
  EXPECT_THAT(values, ElementsAre(1'499'998, 1'499'999, 0));
}

TEST(FoldConstants, SliceSplitSqueezeAndSelectAreViews) {
  ModelBuilder m;
  ir::Value* w = m.weight("w", {4, 3});
  ir::Value* s = m.op("Slice", {w, m.int64s({1}), m.int64s({INT64_MAX}), m.int64s({0}), m.int64s({2})});
  ir::Value* row =
      m.op("Gather", {s, m.constant(Tensor::scalar(DType::Int64, std::int64_t{-1}))}, {{"axis", std::int64_t{0}}});
  m.output(m.op("Add", {m.input("x", DType::Float32, {3}), row}));
  optimize::optimize(m.graph, {});
  EXPECT_THAT(m.kinds(), ElementsAre("Add"));
  ASSERT_EQ(m.graph.weights().size(), 1u);
  EXPECT_THAT(m.graph.weights()[0]->weight()->to_doubles(), ElementsAre(9, 10, 11));
}

TEST(FoldConstants, BroadcastsAndRoundsAsTheDtypeDoes) {
  ModelBuilder m;
  const float a[] = {0.1f, 0.2f};
  ir::Value* x = m.constant(Tensor::from_bytes(DType::Float32, {2, 1}, a, sizeof a));
  ir::Value* y = m.constant(Tensor::scalar(DType::Float32, 0.7));
  ir::Value* sum = m.op(DType::Float32, {2, 1}, "Mul", {x, y});
  m.output(m.op("Add", {m.input("x", DType::Float32, {2, 1}), sum}));
  optimize::optimize(m.graph, {});
  const Tensor t = constant_of(m.graph.block().last()->input(1));
  EXPECT_THAT(t.dims, ElementsAre(2, 1));
  EXPECT_EQ(static_cast<float>(t.as_double(0)), 0.1f * 0.7f);
  EXPECT_EQ(static_cast<float>(t.as_double(1)), 0.2f * 0.7f);
}

TEST(FoldConstants, RefusesIntegerDivisionByZero) {
  ModelBuilder m;
  ir::Value* q = m.op("Div", {m.int64s({4}), m.int64s({0})});
  m.output(m.op("Add", {m.input("x", DType::Int64, {1}), q}));
  optimize::optimize(m.graph, {});
  EXPECT_THAT(m.kinds(), ElementsAre("Constant", "Constant", "Div", "Add"));
}

TEST(FoldConstants, ReordersGatesOfARecurrentWeight) {
  ModelBuilder m;
  ir::Value* w = m.weight("lstm.weight_ih_l0", {4, 2});
  const auto gate = [&](std::int64_t i) {
    return m.op(DType::Float32, {1, 2}, "Slice", {w, m.int64s({i}), m.int64s({i + 1}), m.int64s({0})});
  };
  ir::Value* ordered =
      m.op(DType::Float32, {4, 2}, "Concat", {gate(0), gate(3), gate(1), gate(2)}, {{"axis", std::int64_t{0}}});
  m.output(m.op("MatMul", {m.input("x", DType::Float32, {1, 4}), ordered}));
  optimize::optimize(m.graph, {});
  EXPECT_THAT(m.kinds(), ElementsAre("MatMul"));
  EXPECT_THAT(m.graph.weights()[0]->weight()->to_doubles(), ElementsAre(0, 1, 6, 7, 2, 3, 4, 5));
}

namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

// The integers to which a value next to an input was folded; nullopt if its operator was kept.
std::optional<std::vector<std::int64_t>> constant_beside_input(ModelBuilder& m, ir::Value* value) {
  m.output(m.op("Concat", {m.input("x", DType::Int64, {2}), value}, {{"axis", std::int64_t{0}}}));
  optimize::optimize(m.graph, {});
  if (m.kinds() != std::vector<std::string>{"Constant", "Concat"}) return std::nullopt;
  return constant_of(m.graph.block().last()->input(1)).to_int64s();
}

// The result to which the operator on two vectors of the dtype was folded; nullopt if it was kept.
std::optional<std::vector<std::int64_t>> folded(const char* op, std::vector<std::int64_t> a,
                                                std::vector<std::int64_t> b, DType dtype = DType::Int64) {
  const auto tensor = [&](const std::vector<std::int64_t>& values) {
    std::vector<std::byte> bytes(values.size() * ir::size_of(dtype));
    for (std::size_t i = 0; i < values.size(); ++i) ir::store(dtype, values[i], &bytes[i * ir::size_of(dtype)]);
    return Tensor::from_bytes(dtype, {static_cast<std::int64_t>(values.size())}, bytes.data(), bytes.size());
  };
  ModelBuilder m;
  return constant_beside_input(m, m.op(op, {m.constant(tensor(a)), m.constant(tensor(b))}));
}

}  // namespace

TEST(FoldConstants, IntegersWrapAsAtRunTime) {
  using Values = std::vector<std::int64_t>;
  EXPECT_EQ(folded("Add", {kMost, 1}, {1, 2}), (Values{kLeast, 3}));
  EXPECT_EQ(folded("Sub", {kLeast}, {1}), (Values{kMost}));
  EXPECT_EQ(folded("Mul", {kLeast}, {-1}), (Values{kLeast}));
  EXPECT_EQ(folded("Mul", {100}, {3}, DType::Int8), (Values{44}));
  EXPECT_EQ(folded("Div", {-128}, {-1}, DType::Int8), (Values{-128}));
  EXPECT_EQ(folded("Mod", {kMost}, {-2}), (Values{-1}));
  for (const char* op : {"Neg", "Abs"}) {
    ModelBuilder m;
    EXPECT_EQ(constant_beside_input(m, m.op(op, {m.int64s({kLeast})})), (Values{kLeast})) << op;
  }
}

TEST(FoldConstants, DivisionsWithoutAQuotientAreKept) {
  for (const char* op : {"Div", "Mod"}) {
    EXPECT_EQ(folded(op, {7, 7}, {2, 0}), std::nullopt) << op;
    EXPECT_EQ(folded(op, {kLeast}, {-1}), std::nullopt) << op;
    EXPECT_EQ(folded(op, {std::numeric_limits<std::int32_t>::min()}, {-1}, DType::Int32), std::nullopt) << op;
    EXPECT_NE(folded(op, {std::numeric_limits<std::int32_t>::min()}, {-1}), std::nullopt) << op;
  }
}

TEST(FoldConstants, RangesAndSlicesWithStepsFromTheEndsOfInt64) {
  const auto number = [](ModelBuilder& m, std::int64_t value) {
    return m.constant(Tensor::scalar(DType::Int64, value));
  };
  const auto range = [&](std::int64_t from, std::int64_t to,
                         std::int64_t step) -> std::optional<std::vector<std::int64_t>> {
    ModelBuilder m;
    return constant_beside_input(m, m.op("Range", {number(m, from), number(m, to), number(m, step)}));
  };
  EXPECT_EQ(range(1, 6, 2), (std::vector<std::int64_t>{1, 3, 5}));
  EXPECT_EQ(range(6, 1, -2), (std::vector<std::int64_t>{6, 4, 2}));
  EXPECT_EQ(range(0, 4, kMost), (std::vector<std::int64_t>{0}));
  EXPECT_EQ(range(4, 0, kLeast), (std::vector<std::int64_t>{4}));
  EXPECT_EQ(range(5, 5, 1), std::vector<std::int64_t>());
  EXPECT_EQ(range(kLeast, kMost, 1), std::nullopt);
  EXPECT_EQ(range(kLeast, 0, -1), std::nullopt);
  ModelBuilder m;
  ir::Value* part =
      m.op("Slice", {m.int64s({5, 6, 7}), m.int64s({0}), m.int64s({kMost}), m.int64s({0}), m.int64s({kMost})});
  EXPECT_EQ(constant_beside_input(m, m.op("Add", {part, m.int64s({1})})), (std::vector<std::int64_t>{6}));
}

namespace {

// The weight that the operator on a weight of these values became; nullopt if it was kept.
std::optional<std::vector<double>> folded_weight(const char* op, std::vector<double> values, Dims dims,
                                                 std::vector<ir::NamedAttribute> attributes = {},
                                                 DType dtype = DType::Float32, std::int32_t opset = 17,
                                                 const std::vector<Tensor>& others = {}) {
  std::vector<std::byte> bytes(values.size() * ir::size_of(dtype));
  for (std::size_t i = 0; i < values.size(); ++i) ir::store(dtype, values[i], &bytes[i * ir::size_of(dtype)]);
  ModelBuilder m;
  ir::Value* w = m.graph.add_weight("w", Tensor::from_bytes(dtype, dims, bytes.data(), bytes.size()));
  std::vector<ir::Value*> inputs{w};
  for (const Tensor& other : others) inputs.push_back(m.constant(other));
  m.output(m.op("Add", {m.input("x", dtype, {1}), m.op(op, inputs, std::move(attributes))}));
  optimize::optimize(m.graph, {.opset = opset});
  if (m.kinds() != std::vector<std::string>{"Add"} || m.graph.weights().empty()) return std::nullopt;
  return m.graph.weights()[0]->weight()->to_doubles();
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST(FoldConstants, F51_FunctionsOfWeights) {
  using Values = std::vector<double>;
  EXPECT_EQ(folded_weight("Exp", {0, 1}, {2}), (Values{1, static_cast<float>(std::exp(1.0))}));
  EXPECT_EQ(folded_weight("Round", {0.5, 1.5, -2.5}, {3}), (Values{0, 2, -2}));
  EXPECT_EQ(folded_weight("Tanh", {0}, {1}, {}, DType::Float16), (Values{0}));
  EXPECT_EQ(folded_weight("Exp", {1}, {1}, {}, DType::Int64), std::nullopt);
  EXPECT_EQ(folded_weight("Softmax", {0, 0, 1, 1}, {2, 2}, {{"axis", std::int64_t{-1}}}), (Values{0.5, 0.5, 0.5, 0.5}));
  EXPECT_EQ(folded_weight("Relu", {-1, 2}, {2}), (Values{0, 2}));
  EXPECT_EQ(folded_weight("Sign", {-3, 0, 2}, {3}), (Values{-1, 0, 1}));
  EXPECT_EQ(folded_weight("Softplus", {0, 1000, -1000}, {3}), (Values{static_cast<float>(std::log(2.0)), 1000, 0}));
  EXPECT_EQ(folded_weight("LeakyRelu", {-2, 2}, {2}, {{"alpha", 0.5}}), (Values{-1, 2}));
  EXPECT_EQ(folded_weight("HardSigmoid", {-9, 1, 9}, {3}, {{"alpha", 0.25}}), (Values{0, 0.75, 1}));
  EXPECT_TRUE(std::isnan(folded_weight("Relu", {kNan}, {1}).value().at(0)));
  EXPECT_TRUE(std::isnan(folded_weight("HardSigmoid", {kNan}, {1}).value().at(0)));
}

// Before opset 13 the sum is over all axes from the given one on.
TEST(FoldConstants, F51_SoftmaxOfWeightsOverAnyAxis) {
  using Values = std::vector<double>;
  const Values values{0, 0, 0, 0, 0, 0, 0, 0};
  const auto folded = [&](std::int64_t axis, std::int32_t opset) {
    return folded_weight("Softmax", values, {2, 2, 2}, {{"axis", axis}}, DType::Float32, opset);
  };
  EXPECT_EQ(folded(0, 13), Values(8, 0.5));
  EXPECT_EQ(folded(1, 13), Values(8, 0.5));
  EXPECT_EQ(folded(1, 12), Values(8, 0.25));
  EXPECT_EQ(folded(0, 12), Values(8, 0.125));
  EXPECT_EQ(folded(3, 13), std::nullopt);
  EXPECT_EQ(folded_weight("Softmax", {0, 1, 0, 1}, {2, 2}, {{"axis", std::int64_t{0}}}), Values(4, 0.5));
  EXPECT_EQ(folded_weight("LogSoftmax", {0, 1, 0, 1}, {2, 2}, {{"axis", std::int64_t{0}}}),
            Values(4, static_cast<float>(-std::log(2.0))));
  EXPECT_EQ(folded_weight("Softmax", {0, 0}, {2}, {}, DType::Float32, 12), std::nullopt);  // no axis 1
  EXPECT_EQ(folded_weight("Softmax", {0, HUGE_VAL}, {2}), std::nullopt);
  EXPECT_EQ(folded_weight("Softmax", {}, {0}), std::nullopt);
}

TEST(FoldConstants, F51_CumulativeSumsBoundsAndProductsOfWeights) {
  using Values = std::vector<double>;
  const auto along = [](std::int64_t axis) { return std::vector{Tensor::scalar(DType::Int64, axis)}; };
  const auto sums = [&](std::int64_t axis, std::vector<ir::NamedAttribute> attributes = {}) {
    return folded_weight("CumSum", {1, 2, 3, 4}, {2, 2}, std::move(attributes), DType::Float32, 17, along(axis));
  };
  const ir::NamedAttribute exclusive{"exclusive", std::int64_t{1}}, reverse{"reverse", std::int64_t{1}};
  EXPECT_EQ(sums(0), (Values{1, 2, 4, 6}));
  EXPECT_EQ(sums(-1), (Values{1, 3, 3, 7}));
  EXPECT_EQ(sums(1, {exclusive}), (Values{0, 1, 0, 3}));
  EXPECT_EQ(sums(1, {reverse}), (Values{3, 2, 7, 4}));
  EXPECT_EQ(sums(1, {exclusive, reverse}), (Values{2, 0, 4, 0}));
  EXPECT_EQ(sums(2), std::nullopt);
  const std::vector bounds{Tensor::scalar(DType::Float32, 0.0), Tensor::scalar(DType::Float32, 2.0)};
  EXPECT_EQ(folded_weight("Clip", {-1, 1, 3}, {3}, {}, DType::Float32, 17, bounds), (Values{0, 1, 2}));
  EXPECT_EQ(folded_weight("Clip", {-1, 1, 3}, {3}, {{"max", 2.0}}, DType::Float32, 10), (Values{-1, 1, 2}));
  EXPECT_EQ(folded_weight("Clip", {kNan}, {1}, {}, DType::Float32, 17, bounds), std::nullopt);
  const std::vector column{Tensor::from_bytes(DType::Float32, {2, 1}, std::array{1.0f, 10.0f}.data(), 8)};
  EXPECT_EQ(folded_weight("MatMul", {1, 2, 3, 4}, {2, 2}, {}, DType::Float32, 17, column), (Values{21, 43}));
  const std::vector row{Tensor::from_bytes(DType::Float32, {1, 3}, std::array{1.0f, 10.0f, 2.0f}.data(), 12)};
  EXPECT_EQ(folded_weight("MatMul", {1, 2, 3}, {3, 1}, {}, DType::Float32, 17, row), std::nullopt);  // larger
}

TEST(FoldConstants, F51_ReductionsOfWeights) {
  using Values = std::vector<double>;
  const Values six{1, 2, 3, 4, 5, 6};
  const ir::NamedAttribute first{"axes", Dims{0}}, last{"axes", Dims{-1}}, flat{"keepdims", std::int64_t{0}};
  EXPECT_EQ(folded_weight("ReduceSum", six, {2, 3}, {first}), (Values{5, 7, 9}));
  EXPECT_EQ(folded_weight("ReduceSum", six, {2, 3}, {last, flat}), (Values{6, 15}));
  EXPECT_EQ(folded_weight("ReduceMean", six, {2, 3}, {flat}), (Values{3.5}));
  EXPECT_EQ(folded_weight("ReduceL2", {3, 4}, {2}, {flat}), (Values{5}));
  EXPECT_EQ(folded_weight("ReduceMax", {-3, -4}, {2}, {flat}), (Values{-3}));
  EXPECT_EQ(folded_weight("ReduceProd", six, {6}, {flat}), (Values{720}));
  EXPECT_EQ(folded_weight("ReduceMax", {1, kNan}, {2}, {flat}), std::nullopt);
  EXPECT_EQ(folded_weight("ReduceSum", {1, 2}, {2}, {{"noop_with_empty_axes", std::int64_t{1}}}), std::nullopt);
  EXPECT_EQ(folded_weight("ReduceSum", {1, 2}, {2}, {{"axes", Dims{3}}}), std::nullopt);
  EXPECT_EQ(folded_weight("ReduceSum", {}, {0, 2}, {first}), std::nullopt);
}

// The product replaces b; the exponential of a would be stored beside a.
TEST(FoldConstants, F51_ASharedWeightIsFoldedIfTheModelDoesNotGrow) {
  ModelBuilder m;
  ir::Value *a = m.weight("a", {300, 2}), *b = m.weight("b", {300, 2});
  ir::Value* x = m.op("Add", {m.input("x", DType::Float32, {300, 2}), a});
  x = m.op("Add", {x, m.op("Mul", {a, b})});
  m.output(m.op("Add", {x, m.op("Exp", {a})}));
  optimize::optimize(m.graph, {});
  EXPECT_THAT(m.kinds(), ElementsAre("Add", "Add", "Exp", "Add"));
  EXPECT_EQ(m.graph.weights().size(), 2u);
}
