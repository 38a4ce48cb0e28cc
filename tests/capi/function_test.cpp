#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "error_matchers.h"
#include "symbolic_host.h"

// ONNX functions that symbolics call.
using host::failure;
using testing::HasSubstr;
using testing::Not;
using tonnx::Attributes;
using tonnx::Graph;
using tonnx::Node;
using tonnx::Value;

namespace {

constexpr const char* kScaled = R"(
<domain: "my", opset_import: ["" : 17]>
Scaled <factor, bias: float = 1.0> (X, Y) => (Z, S) {
  f = Constant <value_float: float = @factor> ()
  b = Constant <value_float: float = @bias> ()
  s = Mul (X, f)
  t = Add (s, b)
  Z = Add (t, Y)
  S = Shape (Z)
})";

using Body = std::function<std::vector<Value>(Graph&, const Value&)>;

tonnx::Registry registry_of(const Body& body) {
  tonnx::Registry registry;
  registry.add_functions(kScaled);
  registry.add("aten::neg", 11, [body](Graph& graph, const Node&, const std::vector<Value>& inputs) {
    return host::Results(body(graph, inputs[0]));
  });
  return registry;
}

std::string verified(const Body& body) {
  const tonnx::Program program = host::compiled("torch.neg(x)");
  const auto model = tonnx::export_program(program, host::example(), {}, registry_of(body));
  model.check();
  model.verify(program, host::example());
  return model.text();
}

tonnx::Error failure_of(const Body& body) {
  return failure(
      [&] { tonnx::export_program(host::compiled("torch.neg(x)"), host::example(), {}, registry_of(body)); });
}

Value minus_x(Graph& graph, const Value& x, const Value& y, double factor) {
  return graph.op("my::Scaled", {x, y}, Attributes().set_float("factor", factor).set_float("bias", 0));
}

}  // namespace

TEST(Function, F223_IsCalledByASymbolicAndHasAType) {
  const std::string text = verified([](Graph& graph, const Value& x) {
    const auto made = graph.op("my::Scaled", {x, x}, Attributes().set_float("factor", -2).set_float("bias", 0), 2);
    EXPECT_EQ(made[0].dtype(), TONNX_DTYPE_FLOAT32);
    EXPECT_EQ(made[0].rank(), 2u);
    EXPECT_EQ(made[0].dim(1), 3);
    EXPECT_EQ(made[1].dtype(), TONNX_DTYPE_INT64);
    EXPECT_EQ(made[1].dim(0), 2);
    return std::vector<Value>{made[0]};
  });
  EXPECT_THAT(text, HasSubstr("my::Scaled"));
}

TEST(Function, F223_IsCalledInSubgraphs) {
  verified([](Graph& graph, const Value& x) {
    Graph then = graph.add_subgraph(), otherwise = graph.add_subgraph();
    then.set_results({minus_x(then, x, x, -2)});
    otherwise.set_results({minus_x(otherwise, x, x, -2)});
    const bool yes = true;
    const Value condition = graph.constant(tonnx::Tensor(TONNX_DTYPE_BOOL, {}, &yes, 1));
    return std::vector<Value>{
        graph.op("If", {condition}, Attributes().set_graph("then_branch", then).set_graph("else_branch", otherwise))};
  });
  // The type of a loop's value is known when the body becomes part of the Loop.
  verified([](Graph& graph, const Value& x) {
    const std::int64_t once = 1;
    const bool yes = true;
    Graph body = graph.add_subgraph();
    body.add_input();
    const Value goes_on = body.add_input(), state = body.add_input();
    body.set_results({body.op("Identity", {goes_on}), minus_x(body, state, state, -2)});
    const Value count = graph.constant(tonnx::Tensor(TONNX_DTYPE_INT64, {}, &once, sizeof once));
    const Value start = graph.constant(tonnx::Tensor(TONNX_DTYPE_BOOL, {}, &yes, 1));
    const Value result = graph.op("Loop", {count, start, x}, Attributes().set_graph("body", body));
    EXPECT_EQ(result.dtype(), TONNX_DTYPE_FLOAT32);
    return std::vector<Value>{result};
  });
}

TEST(Function, RefusesACallThatDoesNotFit) {
  const auto call = [](const Attributes& attributes, std::size_t inputs, std::size_t outputs) {
    return failure_of([&attributes, inputs, outputs](Graph& graph, const Value& x) {
      return std::vector<Value>{graph.op("my::Scaled", std::vector<Value>(inputs, x), attributes, outputs)[0]};
    });
  };
  const auto reason = [](const tonnx::Error& error, tonnx_status status) {
    EXPECT_EQ(error.status(), status);
    return std::string(error.what());
  };
  Attributes none, whole, other, factor;
  whole.set_int("factor", 1);
  other.set_float("other", 1);
  factor.set_float("factor", -2);
  EXPECT_THAT(reason(call(none, 2, 1), TONNX_STATUS_CALLBACK), HasSubstr("needs the attribute 'factor'"));
  EXPECT_THAT(reason(call(whole, 2, 1), TONNX_STATUS_CALLBACK), HasSubstr("as another type"));
  EXPECT_THAT(reason(call(other, 2, 1), TONNX_STATUS_CALLBACK), HasSubstr("has no attribute 'other'"));
  EXPECT_THAT(reason(call(factor, 3, 1), TONNX_STATUS_CALLBACK), HasSubstr("takes 2 inputs, not 3"));
  EXPECT_THAT(reason(call(factor, 2, 3), TONNX_STATUS_CALLBACK), HasSubstr("returns 2 outputs, not 3"));
  // ONNX does not accept the types in the body.
  EXPECT_THAT(reason(failure_of([](Graph& graph, const Value& x) {
                       return std::vector<Value>{minus_x(graph, graph.cast(x, TONNX_DTYPE_INT64), x, -2)};
                     }),
                     TONNX_STATUS_CALLBACK),
              HasSubstr("Mul"));
  // LibTorch returns another shape.
  EXPECT_THAT(reason(failure_of([](Graph& graph, const Value& x) {
                       const auto made = graph.op("my::Scaled", {x, x}, Attributes().set_float("factor", -2), 2);
                       return std::vector<Value>{made[1]};
                     }),
                     TONNX_STATUS_ARGUMENT),
              HasSubstr("differs from LibTorch's"));
}

TEST(Function, F224_TheRegistrationFitsTheBody) {
  const std::string old = R"(<domain: "my", opset_import: ["" : 15]> F (x) => (y) { y = LessOrEqual (x, x) })";
  tonnx::Registry registry;
  EXPECT_THAT(failure([&] { registry.add_functions(old, "aten::neg", 16); }).what(),
              HasSubstr("failed to register operator aten::neg from opset 16 on"));
  EXPECT_EQ(failure([&] { registry.add_functions(old, "aten::neg", -1); }).status(), TONNX_STATUS_ARGUMENT);
  EXPECT_EQ(failure([&] { registry.add_functions(old, "neg", 15); }).status(), TONNX_STATUS_ARGUMENT);
  // A refused call adds nothing.
  registry.add_functions(R"(<domain: "my", opset_import: ["" : 18]> F (x) => (y) { y = Neg (x) })", "aten::neg", 18);
  const auto export_at = [&](std::int32_t opset) {
    return tonnx::export_program(host::compiled("torch.neg(x)"), host::example(), tonnx::Options().opset(opset),
                                 registry);
  };
  EXPECT_THAT(export_at(18).text(), HasSubstr("my::F"));
  const auto older = export_at(17);
  EXPECT_THAT(older.text(), Not(HasSubstr("my::F")));
  EXPECT_THAT(older.warnings(), testing::ElementsAre(HasSubstr("my::F is registered for aten::neg from opset 18 on")));
  // Again, it is the same function; without the registration the built-in lowering applies.
  registry.add_functions(R"(<domain: "my", opset_import: ["" : 18]> F (x) => (y) { y = Neg (x) })");
  registry.remove("aten::neg", 18);
  EXPECT_THAT(export_at(18).text(), Not(HasSubstr("my::F")));
}

TEST(Function, ADoubleThatAnAttributeRoundsIsRefused) {
  const std::string by_attribute =
      R"(<domain: "my", opset_import: ["" : 17]> F <alpha> (X) => (Y) { Y = Elu <alpha: float = @alpha> (X) })";
  const std::string by_input = R"(<domain: "my", opset_import: ["" : 17]> G (X, alpha) => (Y) { Y = Max (X, alpha) })";
  const double doubles[2] = {-1, 2};
  tonnx::Args args;
  args.add(tonnx::Tensor(TONNX_DTYPE_FLOAT64, {2}, doubles, sizeof doubles));
  const auto exported = [&](const std::string& function, const std::string& alpha, const tonnx::Args& given) {
    tonnx::Registry registry;
    registry.add_functions(function, "aten::elu");
    return tonnx::export_program(host::compiled("torch.elu(x, " + alpha + ")"), given, {}, registry).text();
  };
  EXPECT_THAT(failure([&] { exported(by_attribute, "0.1", args); }),
              host::is_error(TONNX_STATUS_UNSUPPORTED, HasSubstr("make it an input of the function")));
  EXPECT_THAT(exported(by_attribute, "0.5", args), HasSubstr("my::F[alpha=0.5]"));
  EXPECT_THAT(exported(by_attribute, "0.1", host::example()), HasSubstr("my::F[alpha=0.1]"));
  EXPECT_THAT(exported(by_input, "0.1", args), HasSubstr("my::G"));
}
