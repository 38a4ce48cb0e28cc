#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "build.h"
#include "optimize/optimize.h"
#include "optimize/passes.h"

using namespace tonnx;
using ir::DType;
using ir::testing::ModelBuilder;
using testing::ElementsAre;
using testing::IsEmpty;
using Dims = std::vector<std::int64_t>;

TEST(RemoveDeadCode, ErasesUnusedNodesAndWeights) {
  ModelBuilder m;
  ir::Value* x = m.input("x", DType::Float32, {2});
  m.op("Neg", {m.op("Abs", {x})});
  m.weight("unused", {2});
  m.output(m.op("Relu", {x}));
  EXPECT_TRUE(optimize::remove_dead_code(m.graph));
  EXPECT_THAT(m.kinds(), ElementsAre("Relu"));
  EXPECT_THAT(m.graph.weights(), IsEmpty());
  EXPECT_EQ(m.graph.inputs().size(), 1u);
  EXPECT_FALSE(optimize::remove_dead_code(m.graph));
}

TEST(RemoveIdentities, ErasesWhatReturnsItsInput) {
  ModelBuilder m;
  ir::Value* x = m.input("x", DType::Float32, {2, 3});
  ir::Value* v = m.op(DType::Float32, {2, 3}, "Identity", {x});
  v = m.op(DType::Float32, {2, 3}, "Cast", {v}, {{"to", std::int64_t{1}}});
  v = m.op(DType::Float32, {2, 3}, "Transpose", {v}, {{"perm", Dims{0, 1}}});
  v = m.op(DType::Float32, {2, 3}, "Reshape", {v, m.int64s({2, 3})});
  m.output(m.op(DType::Float32, {2, 3}, "Relu", {v}));
  optimize::optimize(m.graph, {});
  EXPECT_THAT(m.kinds(), ElementsAre("Relu"));
  ir::verify(m.graph, "test");
}

TEST(RemoveIdentities, KeepsTheNodeBetweenAnInputAndAnOutput) {
  ModelBuilder m;
  ir::Value* x = m.input("x", DType::Float32, {2});
  m.output(m.op(DType::Float32, {2}, "Identity", {x}));
  EXPECT_FALSE(optimize::remove_identities(m.graph));
  EXPECT_THAT(m.kinds(), ElementsAre("Identity"));
}

TEST(RemoveIdentities, KeepsAValueForEachOutput) {
  ModelBuilder m;
  ir::Value* y = m.op(DType::Float32, {2}, "Relu", {m.input("x", DType::Float32, {2})});
  m.output(y);
  m.output(m.op(DType::Float32, {2}, "Identity", {y}));
  optimize::optimize(m.graph, {});
  EXPECT_NE(m.graph.outputs()[0], m.graph.outputs()[1]);
}

TEST(RemoveIdentities, KeepsLossyCasts) {
  ModelBuilder m;
  ir::Value* x = m.input("x", DType::Float32, {2});
  ir::Value* narrow = m.op(DType::Int32, {2}, "Cast", {x}, {{"to", std::int64_t{6}}});
  m.output(m.op(DType::Float32, {2}, "Relu", {m.op(DType::Float32, {2}, "Cast", {narrow}, {{"to", std::int64_t{1}}})}));
  EXPECT_FALSE(optimize::remove_identities(m.graph));
}

TEST(RemoveIdentities, CancelsLosslessPairs) {
  ModelBuilder m;
  ir::Value* x = m.input("x", DType::Int8, {2, 3});
  ir::Value* wide = m.op(DType::Int32, {2, 3}, "Cast", {x}, {{"to", std::int64_t{6}}});
  ir::Value* back = m.op(DType::Int8, {2, 3}, "Cast", {wide}, {{"to", std::int64_t{3}}});
  ir::Value* t = m.op(DType::Int8, {3, 2}, "Transpose", {back}, {{"perm", Dims{1, 0}}});
  ir::Value* tt = m.op(DType::Int8, {2, 3}, "Transpose", {t}, {{"perm", Dims{1, 0}}});
  m.output(m.op(DType::Int8, {2, 3}, "Abs", {tt}));
  optimize::optimize(m.graph, {});
  EXPECT_THAT(m.kinds(), ElementsAre("Abs"));
}

TEST(RemoveIdentities, ErasesExpansionsToTheSameShape) {
  ModelBuilder m;
  ir::Value* x = m.input("x", DType::Float32, {2, 3});
  x->facts().dims->front() = ir::Dim::symbol("n");
  const auto expanded = [&](ir::Value* sizes) {
    ir::Value* y = m.op("Expand", {x, sizes});
    m.output(m.op("Relu", {y}));
    return y;
  };
  expanded(m.int64s({1, 1}));
  expanded(m.int64s({3}));
  expanded(m.int64s({1, 3}));
  expanded(m.int64s({1, 1, 1}));
  expanded(m.int64s({2, 1}));
  optimize::remove_identities(m.graph);
  optimize::remove_dead_code(m.graph);
  EXPECT_THAT(m.kinds(),
              ElementsAre("Relu", "Relu", "Relu", "Constant", "Expand", "Relu", "Constant", "Expand", "Relu"));
}

TEST(RemoveIdentities, ErasesReshapesToTheSameShape) {
  ModelBuilder m;
  ir::Value* x = m.input("x", DType::Float32, {2, 3});
  x->facts().dims->front() = ir::Dim::symbol("n");
  for (const Dims& sizes : {Dims{-1, 3}, Dims{0, 3}, Dims{0, -1}, Dims{2, -1}, Dims{3, -1}, Dims{-1, 6}, Dims{-1}})
    m.output(m.op("Relu", {m.op("Reshape", {x, m.constant(ir::Tensor::of_int64(sizes))})}));
  optimize::remove_identities(m.graph);
  optimize::remove_dead_code(m.graph);
  EXPECT_THAT(m.kinds(), ElementsAre("Relu", "Relu", "Relu", "Constant", "Reshape", "Relu", "Constant", "Reshape",
                                     "Relu", "Constant", "Reshape", "Relu", "Constant", "Reshape", "Relu"));
}

// True if MatMul uses x directly, where x is expanded before it and the other operand is on its left or right.
bool is_dropped(std::initializer_list<ir::Dim> x, std::initializer_list<ir::Dim> expanded,
                std::initializer_list<ir::Dim> other, bool left, bool declared_sizes = true) {
  ModelBuilder m;
  const auto with = [](ir::Value* value, std::initializer_list<ir::Dim> dims) {
    value->facts().dims.emplace(dims);
    return value;
  };
  ir::Value* small = with(m.input("x", DType::Float32, {}), x);
  ir::Value* wide = with(m.op(DType::Float32, {}, "Expand", {small, m.input("sizes", DType::Int64, {3})}), expanded);
  ir::Value* beside = with(m.input("other", DType::Float32, {}), other);
  m.output(left ? m.op("MatMul", {wide, beside}) : m.op("MatMul", {beside, wide}));
  const bool changed = optimize::drop_expansions(m.graph, declared_sizes);
  EXPECT_EQ(changed, m.graph.outputs()[0]->node()->input(left ? 0 : 1) == small);
  return changed;
}

TEST(DropExpansions, IfMatMulBroadcastsToTheSameShape) {
  const ir::Dim n = ir::Dim::symbol("n"), k = ir::Dim::symbol("k"), open;
  EXPECT_TRUE(is_dropped({8, 4}, {5, 8, 4}, {5, 3, 8}, false));
  EXPECT_TRUE(is_dropped({8, 4}, {n, 8, 4}, {n, 3, 8}, false));
  EXPECT_TRUE(is_dropped({8, 4}, {5, 8, 4}, {5, 4, 3}, true));
  EXPECT_TRUE(is_dropped({1, 8, 4}, {5, 8, 4}, {5, 4, 3}, true));
  EXPECT_TRUE(is_dropped({5, 1, 8, 4}, {5, 2, 8, 4}, {2, 4, 3}, true));
  EXPECT_TRUE(is_dropped({n, k, 4}, {n, k, 4}, {4, 5}, true));
  // The result would have fewer elements or axes, or gets them only from the expansion.
  EXPECT_FALSE(is_dropped({8, 4}, {5, 8, 4}, {3, 8}, false));
  EXPECT_FALSE(is_dropped({8, 4}, {5, 8, 4}, {1, 3, 8}, false));
  EXPECT_FALSE(is_dropped({8, 4}, {n, 8, 4}, {k, 3, 8}, false));
  EXPECT_FALSE(is_dropped({8, 4}, {open, 8, 4}, {open, 3, 8}, false));
  EXPECT_FALSE(is_dropped({k, 8, 4}, {n, 8, 4}, {n, 3, 8}, false));
  // Sizes that were fitted to some runs are not a proof.
  EXPECT_FALSE(is_dropped({8, 4}, {n, 8, 4}, {n, 3, 8}, false, false));
  EXPECT_FALSE(is_dropped({n, k, 4}, {n, k, 4}, {4, 5}, true, false));
  EXPECT_TRUE(is_dropped({8, 4}, {5, 8, 4}, {5, 3, 8}, false, false));
  // A run may have no elements.
  EXPECT_FALSE(is_dropped({1, 8, 4}, {n, 8, 4}, {n, 4, 3}, true));
  EXPECT_FALSE(is_dropped({8, 4}, {n, 8, 4}, {n, 4, 3}, true));
  EXPECT_FALSE(is_dropped({1, 8, 4}, {5, 8, 4}, {5, 4, n}, true));
  EXPECT_FALSE(is_dropped({1, 8, 4}, {5, 8, 4}, {5, 4, 0}, true));
  // The matrices themselves are expanded.
  EXPECT_FALSE(is_dropped({5, 1, 4}, {5, 8, 4}, {5, 3, 8}, false));
  EXPECT_FALSE(is_dropped({4}, {5, 8, 4}, {5, 3, 8}, false));
  EXPECT_FALSE(is_dropped({8, 4}, {5, 8, 4}, {8}, false));
}

// A mask [n, 1, 1, 5] that is expanded to [n, 4, 1, 5], values computed from it, and scores [n, 4, 5, 5].
struct Masked {
  ModelBuilder m;
  ir::Dim n = ir::Dim::symbol("n");
  ir::Value* mask = m.input("mask", DType::Float32, {1, 1, 1, 5});
  ir::Value* scores = m.input("scores", DType::Float32, {1, 4, 5, 5});
  ir::Value* wide = of({n, 4, 1, 5}, "Expand", {mask, m.input("sizes", DType::Int64, {4})});

  Masked() { mask->facts().dims->front() = scores->facts().dims->front() = n; }
  ir::Value* of(std::initializer_list<ir::Dim> dims, const char* kind, std::initializer_list<ir::Value*> inputs) {
    ir::Value* value = m.op(kind, inputs);
    value->facts().dims.emplace(dims);
    return value;
  }
};

TEST(BroadcastLate, IfAnotherOperandHasTheFullShape) {
  Masked x;
  ir::Value* low = x.of({x.n, 4, 1, 5}, "Max", {x.wide, x.m.input("low", DType::Float32, {})});
  ir::Value* seen = x.of({x.n, 4, 1, 5}, "Greater", {x.wide, low});
  ir::Value* any = x.of({x.n, 4, 1, 1}, "ReduceMax", {x.of({x.n, 4, 1, 5}, "Cast", {seen}), x.m.int64s({-1})});
  x.m.output(x.of({x.n, 4, 5, 5}, "Mul", {x.of({x.n, 4, 5, 5}, "Add", {x.scores, low}), any}));
  EXPECT_TRUE(optimize::broadcast_late(x.m.graph, true));
  EXPECT_TRUE(x.wide->is_unused());
  EXPECT_EQ(low->node()->input(0), x.mask);
  EXPECT_EQ((*low->facts().dims)[1].size(), 1);
  EXPECT_EQ((*any->facts().dims)[1].size(), 1);
  EXPECT_EQ((*any->facts().dims)[3].size(), 1);
  EXPECT_FALSE(optimize::broadcast_late(x.m.graph, true));
  ir::verify(x.m.graph, "test");
}

TEST(BroadcastLate, NotIfOnlyTheExpansionHasTheFullShape) {
  const auto is_changed = [](const std::function<ir::Value*(Masked&)>& make, bool declared_sizes = true) {
    Masked x;
    x.m.output(make(x));
    return optimize::broadcast_late(x.m.graph, declared_sizes);
  };
  using Dim = ir::Dim;
  const auto added = [](Masked& x) { return x.of({x.n, 4, 5, 5}, "Add", {x.scores, x.wide}); };
  EXPECT_TRUE(is_changed(added));
  EXPECT_FALSE(is_changed(added, false));  // the batch was fitted to some runs
  EXPECT_FALSE(is_changed([](Masked& x) { return x.of({x.n, 4, 1, 5}, "Neg", {x.wide}); }));
  EXPECT_FALSE(is_changed([](Masked& x) { return x.of({x.n, 4, 1, 5}, "Add", {x.wide, x.wide}); }));
  EXPECT_FALSE(is_changed([](Masked& x) { return x.of({4}, "Shape", {x.wide}); }));
  EXPECT_FALSE(is_changed([](Masked& x) { return x.of({x.n, 1, 1, 5}, "ReduceSum", {x.wide, x.m.int64s({1})}); }));
  EXPECT_FALSE(is_changed(
      [](Masked& x) { return x.of({x.n, 4, 1, 5}, "ReduceSum", {x.wide, x.m.input("axes", DType::Int64, {1})}); }));
  // The result of two narrow operands is narrow.
  EXPECT_FALSE(is_changed([](Masked& x) {
    return x.of({x.n, 4, 1, 5}, "Mul", {x.of({x.n, 4, 1, 5}, "Neg", {x.wide}), x.of({x.n, 4, 1, 5}, "Abs", {x.wide})});
  }));
  EXPECT_FALSE(is_changed([](Masked& x) {
    x.m.output(x.wide);
    return x.of({x.n, 4, 5, 5}, "Add", {x.scores, x.wide});
  }));
  // Short runs are copied faster than they are broadcast.
  const auto beside = [](std::int64_t last) {
    return [=](Masked& x) {
      ir::Value* small = x.of({7, 1, last}, "Neg", {x.m.input("x", DType::Float32, {7, 1, last})});
      ir::Value* wide = x.of({7, 9, last}, "Expand", {small, x.m.int64s({7, 9, last})});
      return x.of({7, 9, last}, "Add", {wide, x.m.input("y", DType::Float32, {7, 9, last})});
    };
  };
  EXPECT_FALSE(is_changed(beside(3)));
  Masked short_runs;
  short_runs.m.output(beside(3)(short_runs));
  EXPECT_TRUE(optimize::broadcast_late(short_runs.m.graph, true, true));
  EXPECT_TRUE(is_changed(beside(64)));
  EXPECT_TRUE(is_changed(beside(1)));
  // Another batch size, or an undeclared one.
  EXPECT_FALSE(is_changed(
      [](Masked& x) { return x.of({Dim(), 4, 1, 5}, "Add", {x.wide, x.m.input("y", DType::Float32, {1, 1, 1, 5})}); }));
}

TEST(JoinViews, MergesReshapesAndTransposes) {
  ModelBuilder m;
  ir::Value* x = m.input("x", DType::Float32, {2, 3, 4});
  ir::Value* v = m.op(DType::Float32, {4, 2, 3}, "Transpose", {x}, {{"perm", Dims{2, 0, 1}}});
  v = m.op(DType::Float32, {2, 4, 3}, "Transpose", {v}, {{"perm", Dims{1, 0, 2}}});
  v = m.op(DType::Float32, {24}, "Reshape", {v, m.int64s({24})});
  m.output(m.op(DType::Float32, {6, 4}, "Reshape", {v, m.int64s({6, -1})}));
  optimize::optimize(m.graph, {});
  EXPECT_THAT(m.kinds(), ElementsAre("Transpose", "Constant", "Reshape"));
  EXPECT_EQ(*m.graph.outputs()[0]->node()->input(0)->node()->attribute_as<Dims>("perm"), (Dims{0, 2, 1}));
  EXPECT_EQ(m.graph.outputs()[0]->node()->input(0)->node()->input(0), x);
  ir::verify(m.graph, "test");
}

TEST(JoinViews, KeepsAReshapeFromWhichASizeIsCopied) {
  ModelBuilder m;
  ir::Value* x = m.input("x", DType::Float32, {2, 3, 4});
  ir::Value* v = m.op(DType::Float32, {6, 4}, "Reshape", {x, m.int64s({6, 4})});
  m.output(m.op(DType::Float32, {6, 2, 2}, "Reshape", {v, m.int64s({0, 2, 2})}));
  EXPECT_FALSE(optimize::join_views(m.graph));
}

TEST(JoinViews, KeepsAReshapeThatFailsAtSomeSizes) {
  const auto is_joined = [](const std::vector<ir::Dim>& from, const std::vector<ir::Dim>& to,
                            std::initializer_list<std::int64_t> sizes) {
    ModelBuilder m;
    ir::Value* x = m.input("x", DType::Float32, {});
    x->set_facts({DType::Float32, from, nullptr});
    ir::Value* v = m.op(DType::Float32, {}, "Reshape", {x, m.int64s(sizes)});
    v->set_facts({DType::Float32, to, nullptr});
    m.output(m.op(DType::Float32, {-1}, "Reshape", {v, m.int64s({-1})}));
    return optimize::join_views(m.graph);
  };
  const ir::Dim n = ir::Dim::symbol("n"), unknown;
  EXPECT_FALSE(is_joined({n, 3}, {unknown, 6}, {-1, 6}));
  EXPECT_FALSE(is_joined({n, 3}, {2, unknown}, {2, -1}));
  EXPECT_FALSE(is_joined({unknown, 3}, {2, 3}, {2, 3}));
  EXPECT_TRUE(is_joined({unknown, 12}, {unknown, 6}, {-1, 6}));
  EXPECT_TRUE(is_joined({unknown, 12}, {unknown, 3, 4}, {0, 3, -1}));
  EXPECT_FALSE(is_joined({4, unknown}, {4, 2, unknown}, {0, 2, -1}));
  EXPECT_TRUE(is_joined({n, 3}, {n, 3, 1}, {-1, 3, 1}));
}

TEST(JoinViews, CancelsInverseTransposes) {
  ModelBuilder m;
  ir::Value* x = m.input("x", DType::Float32, {2, 3, 4});
  ir::Value* v = m.op(DType::Float32, {4, 2, 3}, "Transpose", {x}, {{"perm", Dims{2, 0, 1}}});
  v = m.op(DType::Float32, {2, 3, 4}, "Transpose", {v}, {{"perm", Dims{1, 2, 0}}});
  m.output(m.op(DType::Float32, {2, 3, 4}, "Relu", {v}));
  optimize::optimize(m.graph, {});
  EXPECT_THAT(m.kinds(), ElementsAre("Relu"));
}

// The nodes that remain of Squeeze(Transpose(Unsqueeze(x))), x [2, 3, 4].
std::vector<std::string> squeezed(const Dims& added, const Dims& order, const Dims& taken, Dims* left = nullptr) {
  ModelBuilder m;
  ir::Value* x = m.input("x", DType::Float32, {2, 3, 4});
  ir::Value* wide = m.op("Unsqueeze", {x, m.constant(ir::Tensor::of_int64(added))});
  ir::Value* result =
      m.op("Squeeze", {m.op("Transpose", {wide}, {{"perm", order}}), m.constant(ir::Tensor::of_int64(taken))});
  m.output(m.op("Relu", {result}));
  optimize::join_views(m.graph);
  optimize::remove_dead_code(m.graph);
  ir::verify(m.graph, "test");
  if (left) *left = *m.graph.outputs()[0]->node()->input(0)->node()->attribute_as<Dims>("perm");
  return m.kinds();
}

TEST(JoinViews, RemovesAnAxisThatIsAddedMovedAndRemoved) {
  Dims order;
  EXPECT_THAT(squeezed({0}, {2, 1, 3, 0}, {-1}, &order), ElementsAre("Transpose", "Relu"));
  EXPECT_THAT(order, ElementsAre(1, 0, 2));
  EXPECT_THAT(squeezed({-1}, {3, 2, 1, 0}, {0}, &order), ElementsAre("Transpose", "Relu"));
  EXPECT_THAT(order, ElementsAre(2, 1, 0));
  EXPECT_THAT(squeezed({0, 2}, {0, 3, 2, 4, 1}, {2, 0}, &order), ElementsAre("Transpose", "Relu"));
  EXPECT_THAT(order, ElementsAre(1, 2, 0));
  // Another axis is removed.
  EXPECT_THAT(squeezed({0}, {2, 1, 3, 0}, {0}),
              ElementsAre("Constant", "Unsqueeze", "Transpose", "Constant", "Squeeze", "Relu"));
  EXPECT_THAT(squeezed({0, 2}, {0, 3, 2, 4, 1}, {2}),
              ElementsAre("Constant", "Unsqueeze", "Transpose", "Constant", "Squeeze", "Relu"));
}

TEST(JoinViews, SelectsAnIndexBeforeTheTranspose) {
  const auto picked = [](const Dims& order, std::int64_t axis, std::int64_t from, bool is_read = false) {
    ModelBuilder m;
    ir::Value* moved = m.op("Transpose", {m.input("x", DType::Float32, {2, 3, 4})}, {{"perm", order}});
    for (const std::int64_t place : {0, 1})
      m.output(m.op("Relu",
                    {m.op("Gather", {moved, m.constant(ir::Tensor::scalar(DType::Int64, place))}, {{"axis", axis}})}));
    if (is_read) m.output(m.op("Relu", {moved}));
    const bool changed = optimize::join_views(m.graph);
    const ir::Node& gather = *m.graph.outputs()[0]->node()->input(0)->node();
    EXPECT_EQ(changed, gather.input(0)->name() == "x");
    EXPECT_EQ(*gather.attribute_as<std::int64_t>("axis"), changed ? from : axis);
    return changed;
  };
  EXPECT_TRUE(picked({2, 0, 1}, 0, 2));
  EXPECT_TRUE(picked({0, 2, 1}, -2, 2));
  EXPECT_TRUE(picked({1, 2, 0}, 2, 0));
  EXPECT_FALSE(picked({2, 1, 0}, 0, 2));  // the other axes are swapped
  EXPECT_FALSE(picked({2, 0, 1}, 1, 0));
  EXPECT_FALSE(picked({2, 0, 1}, 0, 2, true));  // another use needs the Transpose
}

TEST(ShareCommonSubexpressions, SharesEqualNodesOnly) {
  ModelBuilder m;
  ir::Value* x = m.input("x", DType::Float32, {2});
  ir::Value* a = m.op("Elu", {x}, {{"alpha", 1.0}});
  ir::Value* b = m.op("Elu", {x}, {{"alpha", 1.0}});
  ir::Value* c = m.op("Elu", {x}, {{"alpha", 2.0}});
  m.output(m.op("Sum", {a, b, c}));
  EXPECT_TRUE(optimize::share_common_subexpressions(m.graph));
  EXPECT_THAT(m.kinds(), ElementsAre("Elu", "Elu", "Sum"));
}

TEST(ShareCommonSubexpressions, LeavesRandomAndForeignOperatorsAlone) {
  ModelBuilder m;
  ir::Value* x = m.input("x", DType::Float32, {2});
  ir::Value* a = m.op("RandomNormalLike", {x});
  ir::Value* b = m.op("RandomNormalLike", {x});
  m.output(m.op("Sub", {a, b}));
  EXPECT_FALSE(optimize::share_common_subexpressions(m.graph));
}

// An If whose branches add constants to x, one after the other.
ir::Value* branched(ModelBuilder& m, ir::Value* x, const Dims& first, const Dims& second) {
  ir::Node* branch = m.op("If", {m.input("c", DType::Bool, {})})->node();
  for (const Dims& numbers : {first, second}) {
    ir::Block* block = branch->add_block();
    ir::Value* sum = x;
    for (const std::int64_t number : numbers) {
      ir::Node* constant = m.graph.create("onnx::Constant", {});
      constant->set_attribute("value", ir::Tensor::of_int64(std::vector{number}));
      const std::vector<ir::Value*> operands{sum, constant->output()};
      ir::Node* add = m.graph.create("onnx::Add", operands);
      block->append(constant);
      block->append(add);
      sum = add->output();
    }
    block->add_output(sum);
  }
  return branch->output();
}

TEST(ShareCommonSubexpressions, MergesEqualBranches) {
  const auto kinds = [](const Dims& first, const Dims& second) {
    ModelBuilder m;
    ir::Value* x = m.input("x", DType::Int64, {1});
    m.output(m.op("Neg", {branched(m, x, first, second)}));
    optimize::share_common_subexpressions(m.graph);
    ir::verify(m.graph, "test");
    return m.kinds();
  };
  EXPECT_THAT(kinds({1, 2}, {1, 2}), ElementsAre("Constant", "Add", "Constant", "Add", "Neg"));
  EXPECT_THAT(kinds({}, {}), ElementsAre("Neg"));
  EXPECT_THAT(kinds({1, 2}, {2, 1}), ElementsAre("If", "Neg"));
  EXPECT_THAT(kinds({1, 2}, {1}), ElementsAre("If", "Neg"));
  EXPECT_THAT(kinds({1}, {1, 2}), ElementsAre("If", "Neg"));
  ModelBuilder m;  // an output of the model keeps a separate value
  m.output(branched(m, m.input("x", DType::Int64, {1}), {}, {}));
  EXPECT_FALSE(optimize::share_common_subexpressions(m.graph));
}

TEST(FuseGemmTransposes, GemmUsesTheWeightUnchanged) {
  ModelBuilder m;
  ir::Value* x = m.input("x", DType::Float32, {1, 3});
  ir::Value* w = m.weight("fc.weight", {300, 3});
  ir::Value* t = m.op(DType::Float32, {3, 300}, "Transpose", {w}, {{"perm", Dims{1, 0}}});
  m.output(m.op("Gemm", {x, t}));
  optimize::optimize(m.graph, {});
  EXPECT_THAT(m.kinds(), ElementsAre("Gemm"));
  EXPECT_EQ(*m.graph.block().first()->attribute_as<std::int64_t>("transB"), 1);
  EXPECT_EQ(m.graph.block().first()->input(1)->name(), "fc.weight");
}

TEST(TransposeLate, MultipliesFloat16BeforeTransposingBatches) {
  ModelBuilder m;
  ir::Value* x = m.input("x", DType::Float16, {2, 5, 4});
  const std::vector<std::uint16_t> halves(12);
  ir::Value* w =
      m.graph.add_weight("w", ir::Tensor::from_bytes(DType::Float16, {4, 3}, halves.data(), halves.size() * 2));
  ir::Value* v = m.op(DType::Float16, {5, 2, 4}, "Transpose", {x}, {{"perm", Dims{1, 0, 2}}});
  m.output(m.op(DType::Float16, {5, 2, 3}, "MatMul", {v, w}));
  optimize::optimize(m.graph, {});
  EXPECT_THAT(m.kinds(), ElementsAre("MatMul", "Transpose"));
  EXPECT_EQ(m.graph.block().first()->output()->facts().dims->back().size(), 3);
  ir::verify(m.graph, "test");
}

TEST(Optimize, ChangesNothingForDefectsThatTheTargetLacks) {
  ModelBuilder m;
  ir::Value* x = m.input("x", DType::Float16, {2, 5, 4});
  ir::Value* v = m.op(DType::Float16, {5, 2, 4}, "Transpose", {x}, {{"perm", Dims{1, 0, 2}}});
  const std::vector<std::uint16_t> halves(12);
  ir::Value* w =
      m.graph.add_weight("w", ir::Tensor::from_bytes(DType::Float16, {4, 3}, halves.data(), halves.size() * 2));
  m.output(m.op(DType::Float16, {5, 2, 3}, "MatMul", {v, w}));
  x = m.input("y", DType::Int8, {2, 3});
  v = m.op(DType::Float32, {2, 3}, "DequantizeLinear", {x, m.input("scale", DType::Float32, {})});
  m.output(m.op(DType::Float32, {3, 2}, "Transpose", {v}, {{"perm", Dims{1, 0}}}));
  optimize::optimize(m.graph, {.target = ir::Target::onnx(), .opset = 21});
  EXPECT_THAT(m.kinds(), ElementsAre("Transpose", "MatMul", "DequantizeLinear", "Transpose"));
}

TEST(TransposeLate, CastsBeforeTransposingBatches) {
  for (const Dims& order : {Dims{1, 0, 2}, Dims{1, 2, 0}, Dims{0, 2, 1}, Dims{2, 1, 0}}) {
    ModelBuilder m;
    ir::Value* x = m.input("x", DType::Int64, {4, 4, 4});
    ir::Value* v = m.op(DType::Int64, {4, 4, 4}, "Transpose", {x}, {{"perm", order}});
    v = m.op(DType::Float32, {4, 4, 4}, "Cast", {v}, {{"to", std::int64_t{1}}});
    m.output(m.op(DType::Float32, {4, 4, 3}, "MatMul", {v, m.weight("w", {4, 3})}));
    optimize::optimize(m.graph, {});
    if (order[0] == 1) {
      EXPECT_THAT(m.kinds(), ElementsAre("Cast", "Transpose", "MatMul"));
    } else {
      EXPECT_THAT(m.kinds(), ElementsAre("Transpose", "Cast", "MatMul"));
    }
    ir::verify(m.graph, "test");
  }
}

TEST(DequantiseLate, MovesAPoolWithIndices) {
  ModelBuilder m;
  ir::Value* x = m.input("x", DType::Int8, {1, 1, 4, 4});
  ir::Value* v = m.op(DType::Float32, {1, 1, 4, 4}, "DequantizeLinear", {x, m.input("scale", DType::Float32, {})});
  ir::Node* pool = m.graph.create("onnx::MaxPool", std::vector{v}, 2);
  pool->set_attribute("kernel_shape", Dims{2, 2});
  for (const std::size_t i : {0, 1})
    pool->output(i)->set_facts({i == 0 ? DType::Float32 : DType::Int64, std::vector<ir::Dim>{1, 1, 3, 3}, nullptr});
  m.graph.block().append(pool);
  m.output(m.op(DType::Float32, {1, 1, 3, 3}, "Relu", {pool->output(0)}));
  m.output(pool->output(1));
  optimize::optimize(m.graph, {.opset = 21});
  EXPECT_THAT(m.kinds(), ElementsAre("MaxPool", "DequantizeLinear", "Relu"));
  ir::verify(m.graph, "test");
}

TEST(DequantiseLate, MovesOnlyInt8) {
  for (const bool again : {false, true}) {
    ModelBuilder m;
    ir::Value* x = m.input("x", DType::Int8, {2, 3});
    ir::Value* scale = m.input("scale", DType::Float32, {});
    ir::Value* zero = m.input("zero", DType::Int8, {});
    ir::Value* v = m.op(DType::Float32, {2, 3}, "DequantizeLinear", {x, scale, zero});
    v = m.op(DType::Float32, {3, 2}, "Transpose", {v}, {{"perm", Dims{1, 0}}});
    m.output(again ? m.op(DType::Int8, {3, 2}, "QuantizeLinear", {v, scale, zero})
                   : m.op(DType::Float32, {3, 2}, "Relu", {v}));
    optimize::optimize(m.graph, {.opset = 21});
    if (again) {
      EXPECT_THAT(m.kinds(), ElementsAre("DequantizeLinear", "Transpose", "QuantizeLinear"));
    } else {
      EXPECT_THAT(m.kinds(), ElementsAre("Transpose", "DequantizeLinear", "Relu"));
    }
    ir::verify(m.graph, "test");
  }
}

TEST(MergeEqualWeights, StoresEqualContentOnce) {
  ModelBuilder m;
  ir::Value* a = m.weight("a", {300, 2});
  ir::Value* b = m.weight("b", {300, 2});
  ir::Value* flat = m.weight("flat", {600});
  std::vector<float> other(600, 1.0F);
  ir::Value* c = m.graph.add_weight("c", ir::Tensor::from_bytes(DType::Float32, {300, 2}, other.data(), 2400));
  ir::Value* x = m.input("x", DType::Float32, {300, 2});
  for (ir::Value* w : {a, b, c}) x = m.op(DType::Float32, {300, 2}, "Add", {x, w});
  m.output(
      m.op(DType::Float32, {300, 600}, "Mul", {m.op(DType::Float32, {600}, "Reshape", {x, m.int64s({600})}), flat}));
  EXPECT_TRUE(optimize::merge_equal_weights(m.graph));
  ASSERT_EQ(m.graph.weights().size(), 3u);
  EXPECT_EQ(m.graph.weights()[0], a);
  EXPECT_EQ(a->uses().size(), 2u);
  EXPECT_FALSE(optimize::merge_equal_weights(m.graph));
}

TEST(MergeEqualWeights, ComparesBytesInTheOrderOfElements) {
  ModelBuilder m;
  std::vector<float> data{0, 1, 2, 3};
  const ir::Tensor rows = ir::Tensor::from_bytes(DType::Float32, {2, 2}, data.data(), 16);
  ir::Tensor columns = rows;
  columns.strides = {1, 2};
  std::vector<float> turned{0, 2, 1, 3}, zeros{0, 0}, negative{0.0F, -0.0F};
  ir::Value* x = m.input("x", DType::Float32, {2, 2});
  for (const auto& [name, tensor] : std::vector<std::pair<std::string, ir::Tensor>>{
           {"rows", rows},
           {"columns", columns},
           {"turned", ir::Tensor::from_bytes(DType::Float32, {2, 2}, turned.data(), 16)},
           {"zeros", ir::Tensor::from_bytes(DType::Float32, {2}, zeros.data(), 8)},
           {"negative", ir::Tensor::from_bytes(DType::Float32, {2}, negative.data(), 8)}})
    x = m.op(DType::Float32, {2, 2}, "Add", {x, m.graph.add_weight(name, tensor)});
  m.output(x);
  EXPECT_TRUE(optimize::merge_equal_weights(m.graph));
  std::vector<std::string> names;
  for (const ir::Value* weight : m.graph.weights()) names.push_back(weight->name());
  EXPECT_THAT(names, testing::ElementsAre("rows", "columns", "zeros", "negative"));
}
