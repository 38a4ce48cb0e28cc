#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "error_matchers.h"
#include "symbolic_host.h"

// Symbolics that build If, Loop and Scan.
using host::failure;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using tonnx::Attributes;
using tonnx::Graph;
using tonnx::Node;
using tonnx::Value;

namespace {

Value number(Graph& graph, float value) {
  return graph.constant(tonnx::Tensor(TONNX_DTYPE_FLOAT32, {}, &value, sizeof value));
}

Value number(Graph& graph, std::int64_t value, const std::vector<std::int64_t>& dims = {}) {
  return graph.constant(tonnx::Tensor(TONNX_DTYPE_INT64, dims, &value, sizeof value));
}

Value truth(Graph& graph, bool value) {
  return graph.constant(tonnx::Tensor(TONNX_DTYPE_BOOL, {}, &value, sizeof value));
}

// |x|: a branch for a positive sum, which reads x of the graph around it, and one for the rest.
Value absolute(Graph& graph, const Value& x) {
  const Value sum = graph.op("ReduceSum", {x}, Attributes().set_int("keepdims", 0));
  const Value condition = graph.op("Greater", {sum, number(graph, 0.0f)});
  Graph then = graph.add_subgraph(), otherwise = graph.add_subgraph();
  then.set_results({x});
  otherwise.set_results({otherwise.op("Neg", {x})});
  return graph.op("If", {condition}, Attributes().set_graph("then_branch", then).set_graph("else_branch", otherwise));
}

// Exports and verifies a program of an operator with this symbolic.
std::string verified(const std::string& body, const std::string& name, const tonnx::Symbolic& symbolic) {
  tonnx::Registry registry;
  registry.add(name, 11, symbolic);
  const tonnx::Program program = host::compiled(body);
  const tonnx::Args args = host::example();
  const auto model = tonnx::export_program(program, args, {}, registry);
  model.check();
  model.verify(program, args);
  return model.text();
}

// The error of such a symbolic for torch.neg.
tonnx::Error failure_of(const std::function<void(Graph&, const Value&)>& body) {
  tonnx::Registry registry;
  registry.add("aten::neg", 11, [&](Graph& graph, const Node&, const std::vector<Value>& inputs) {
    body(graph, inputs[0]);
    return host::Results({graph.op("Neg", {inputs[0]})});
  });
  return failure([&] { tonnx::export_program(host::compiled("torch.neg(x)"), host::example(), {}, registry); });
}

}  // namespace

TEST(Subgraph, F187_IsABranchOfAnIf) {
  // The sum of the example is 3.
  const std::string text = verified("torch.positive(x) + torch.positive(-x) * 0", "aten::positive",
                                    [](Graph& graph, const Node&, const std::vector<Value>& inputs) {
                                      const Value twice = graph.op("Add", {inputs[0], inputs[0]});
                                      const Value made = absolute(graph, inputs[0]);
                                      return host::Results({graph.op("Sub", {twice, made})});
                                    });
  EXPECT_THAT(text, HasSubstr("If"));
}

TEST(Subgraph, IsTheBodyOfALoop) {
  // x ** 3 by two multiplications; the second carried value counts them.
  const std::string text =
      verified("torch.pow(x, 3)", "aten::pow", [](Graph& graph, const Node&, const std::vector<Value>& inputs) {
        Graph body = graph.add_subgraph();
        body.add_input();
        const Value going = body.add_input(), product = body.add_input(), count = body.add_input();
        Value(product).copy_type(inputs[0]);
        Value(count).set_type(TONNX_DTYPE_INT64, {});
        body.set_results(
            {going, body.op("Mul", {product, inputs[0]}), body.op("Add", {count, number(body, std::int64_t{1})})});
        const auto made = graph.op(
            "Loop", {number(graph, std::int64_t{2}), truth(graph, true), inputs[0], number(graph, std::int64_t{0})},
            Attributes().set_graph("body", body), 2);
        EXPECT_EQ(made[1].dtype(), TONNX_DTYPE_INT64);
        return host::Results({graph.cast(made[0], TONNX_DTYPE_FLOAT32)});
      });
  EXPECT_THAT(text, HasSubstr("Loop"));
}

TEST(Subgraph, IsTheBodyOfAScan) {
  const std::string text =
      verified("torch.cumsum(x, 0)", "aten::cumsum", [](Graph& graph, const Node&, const std::vector<Value>& inputs) {
        const float zeros[3] = {};
        const Value zero = graph.constant(tonnx::Tensor(TONNX_DTYPE_FLOAT32, {3}, zeros, sizeof zeros));
        Graph body = graph.add_subgraph();
        const Value sum = body.add_input(), row = body.add_input();
        const Value next = body.op("Add", {sum, row});
        body.set_results({next, next});
        const auto made =
            graph.op("Scan", {zero, inputs[0]}, Attributes().set_graph("body", body).set_int("num_scan_inputs", 1), 2);
        return host::Results({made[1]});
      });
  EXPECT_THAT(text, HasSubstr("Scan"));
}

TEST(Subgraph, F193_ContainsOthersAndBuiltInLowerings) {
  const std::string text =
      verified("torch.silu(x)", "aten::silu", [](Graph& graph, const Node&, const std::vector<Value>& inputs) {
        Graph then = graph.add_subgraph(), otherwise = graph.add_subgraph();
        then.set_results({then.call("aten::silu", {inputs[0]})});
        otherwise.set_results({absolute(otherwise, otherwise.op("Exp", {inputs[0]}))});
        return host::Results(
            {graph.op("If", {truth(graph, true)},
                      Attributes().set_graph("then_branch", then).set_graph("else_branch", otherwise))});
      });
  EXPECT_THAT(text, HasSubstr("Sigmoid"));
}

TEST(Subgraph, SharesTheConstantArgumentsOfTheOperator) {
  verified("torch.add(x, 2.5)", "aten::add", [](Graph& graph, const Node&, const std::vector<Value>& inputs) {
    Graph then = graph.add_subgraph(), otherwise = graph.add_subgraph();
    for (Graph* branch : {&then, &otherwise})
      branch->set_results({branch->op("Add", {inputs[0], branch->cast(inputs[1], TONNX_DTYPE_FLOAT32)})});
    const Value chosen = graph.op("If", {truth(graph, false)},
                                  Attributes().set_graph("then_branch", then).set_graph("else_branch", otherwise));
    const Value zero = graph.op("Sub", {graph.cast(inputs[1], TONNX_DTYPE_FLOAT32), number(graph, 2.5f)});
    return host::Results({graph.op("Add", {chosen, zero})});
  });
}

TEST(Subgraph, F185_IsAnAttributeOfAnOperatorOfAnotherDomain) {
  tonnx::Registry registry;
  registry.add("aten::neg", 11, [](Graph& graph, const Node&, const std::vector<Value>& inputs) {
    Graph step = graph.add_subgraph(), start = graph.add_subgraph();
    Value before = step.add_input();
    before.copy_type(inputs[0]);
    step.set_results({step.op("Add", {before, inputs[0]})});
    start.set_results({absolute(start, inputs[0])});
    Value made = graph.op("my::Repeat", {inputs[0]},
                          Attributes().set_graph("step", step).set_int("count", 2).set_graph("start", start));
    made.copy_type(inputs[0]);
    return host::Results({made});
  });
  const auto model = tonnx::export_program(host::compiled("torch.neg(torch.relu(x))"), host::example(), {}, registry);
  model.check();
  const auto contents = model.contents();
  for (const Node& node : contents.graph().nodes()) {
    if (node.op() != "my::Repeat") continue;
    ASSERT_EQ(node.graphs().size(), 2U);
    EXPECT_EQ(node.graphs()[0].name(), "start");
    EXPECT_EQ(node.graphs()[1].name(), "step");
    EXPECT_EQ(node.graphs()[1].inputs().size(), 1U);
    EXPECT_EQ(node.attributes().size(), 1U);
    return;
  }
  FAIL() << model.text();
}

TEST(Subgraph, ThatIsNotUsedIsRemoved) {
  const std::string text =
      verified("torch.neg(x)", "aten::neg", [](Graph& graph, const Node&, const std::vector<Value>& inputs) {
        Graph outer = graph.add_subgraph();
        Graph inner = outer.add_subgraph();
        inner.set_results({inner.op("Exp", {outer.op("Log", {inputs[0]})})});
        return host::Results({graph.op("Neg", {inputs[0]})});
      });
  EXPECT_THAT(text, AllOf(Not(HasSubstr("Exp")), Not(HasSubstr("Log"))));
}

TEST(Subgraph, SaysWhichRuleIsBroken) {
  const auto says = [](const std::string& text) { return host::is_error(TONNX_STATUS_CALLBACK, HasSubstr(text)); };
  const auto branches = [](const Graph& then, const Graph& otherwise) {
    Attributes attributes;
    attributes.set_graph("then_branch", then).set_graph("else_branch", otherwise);
    return attributes;
  };
  EXPECT_THAT(failure_of([&](Graph& graph, const Value& x) {
                Graph then = graph.add_subgraph();
                then.set_results({x});
                graph.op("If", {truth(graph, true)}, Attributes().set_graph("then_branch", then));
              }),
              says("If needs the sub-graph 'else_branch'"));
  EXPECT_THAT(failure_of([&](Graph& graph, const Value& x) {
                graph.op("Relu", {x}, Attributes().set_graph("body", graph.add_subgraph()));
              }),
              says("Relu has no sub-graph 'body'"));
  EXPECT_THAT(failure_of([&](Graph& graph, const Value& x) {
                graph.op("my::Repeat", {x}, Attributes().set_graph("step", graph.add_subgraph()));
              }),
              says("the sub-graph 'step' has no results"));
  EXPECT_THAT(failure_of([&](Graph& graph, const Value&) {
                graph.op("If", {truth(graph, true)}, branches(graph.add_subgraph(), graph.add_subgraph()));
              }),
              says("the sub-graph 'then_branch' has no results"));
  EXPECT_THAT(failure_of([&](Graph& graph, const Value& x) {
                Graph one = graph.add_subgraph();
                one.set_results({x});
                graph.op("If", {truth(graph, true)}, branches(one, one));
              }),
              says("the sub-graph 'else_branch' is part of a node already"));
  EXPECT_THAT(failure_of([&](Graph& graph, const Value& x) {
                Graph one = graph.add_subgraph();
                one.set_results({x});
                one.op("Neg", {x});
              }),
              says("the sub-graph has its results already"));
  EXPECT_THAT(failure_of([&](Graph& graph, const Value& x) { graph.op("Neg", {graph.add_subgraph().op("Exp", {x})}); }),
              says("the value belongs to a sub-graph that does not contain this node"));
  EXPECT_THAT(failure_of([&](Graph& graph, const Value& x) {
                Graph inner = graph.add_subgraph().add_subgraph();
                inner.set_results({x});
                graph.op("If", {truth(graph, true)}, branches(inner, inner));
              }),
              says("was added to another graph"));
  EXPECT_THAT(failure_of([&](Graph& graph, const Value&) { graph.add_input(); }), says("only a sub-graph gets inputs"));
  EXPECT_THAT(failure_of([&](Graph& graph, const Value&) { Attributes().set_graph("body", graph); }),
              says("the graph is not a sub-graph"));
  EXPECT_THAT(failure_of([&](Graph& graph, const Value&) { graph.add_subgraph().set_results({Value()}); }),
              says("a result of a sub-graph is NULL"));
}

TEST(Subgraph, OfAnEarlierSymbolicIsRefused) {
  Attributes kept;
  tonnx::Registry registry;
  bool first = true;
  registry.add("aten::neg", 11, [&](Graph& graph, const Node&, const std::vector<Value>& inputs) -> host::Results {
    if (!std::exchange(first, false)) return host::Results({graph.op("Loop", {Value(), Value(), inputs[0]}, kept)});
    Graph body = graph.add_subgraph();
    body.set_results({inputs[0]});
    kept.set_graph("body", body);
    return host::Results({graph.op("Neg", {inputs[0]})});
  });
  const auto error = failure(
      [&] { tonnx::export_program(host::compiled("torch.neg(torch.neg(x) + 1)"), host::example(), {}, registry); });
  EXPECT_THAT(error,
              host::is_error(TONNX_STATUS_CALLBACK, HasSubstr("the symbolic of the sub-graph 'body' has returned")));
}
