#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "error_matchers.h"
#include "symbolic_host.h"

// Mistakes in symbolics, and symbolics registered under the operator's own name.
using host::failure;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using tonnx::Attributes;
using tonnx::Graph;
using tonnx::Node;
using tonnx::Value;

namespace {

tonnx::Error failure_of(const std::string& body, const std::string& name, const tonnx::Symbolic& symbolic) {
  tonnx::Registry registry;
  registry.add(name, 9, symbolic);
  return failure([&] { tonnx::export_program(host::compiled(body), host::example(), {}, registry); });
}

// A mistake of the symbolic's author: no other symbolic would help.
auto is_mistake(tonnx_status status, const std::string& text) {
  return host::is_error(status, AllOf(HasSubstr(text), Not(HasSubstr("register a symbolic"))));
}

}  // namespace

TEST(Misuse, TooFewResults) {
  EXPECT_THAT(failure_of("torch.topk(x, 1)[0] + torch.topk(x, 1)[1]", "aten::topk",
                         [](Graph& graph, const Node&, const std::vector<Value>& inputs) {
                           return host::Results({graph.op("Neg", {inputs[0]})});
                         }),
              is_mistake(TONNX_STATUS_ARGUMENT, "aten::topk returned 1 value for 2 outputs"));
}

TEST(Misuse, ValuesOfAnotherGraph) {
  std::optional<Value> kept;
  tonnx::Registry registry;
  registry.add("aten::neg", 9, [&](Graph& graph, const Node&, const std::vector<Value>& inputs) {
    // An export inside of a symbolic has a graph of its own.
    if (!kept) {
      kept = inputs[0];
      tonnx::export_program(host::compiled("torch.neg(x) * 2"), host::example(), {}, registry);
    }
    return host::Results({graph.op("Neg", {*kept})});
  });
  EXPECT_THAT(failure([&] { tonnx::export_program(host::compiled("torch.neg(x)"), host::example(), {}, registry); }),
              is_mistake(TONNX_STATUS_CALLBACK, "the value belongs to another graph"));
}

TEST(Misuse, AFailureInTheMiddleLeavesNoState) {
  int calls = 0;
  tonnx::Registry registry;
  registry.add("aten::neg", 9, [&](Graph& graph, const Node&, const std::vector<Value>& inputs) -> host::Results {
    Graph branch = graph.add_subgraph();
    branch.set_results({branch.op("Exp", {inputs[0]})});
    const Value made = graph.op("Neg", {inputs[0]});
    if (calls++ == 0) throw std::runtime_error("on second thoughts");
    return std::vector<Value>{made};
  });
  const tonnx::Program program = host::compiled("torch.neg(x)");
  const tonnx::Args args = host::example();
  EXPECT_THAT(failure([&] { tonnx::export_program(program, args, {}, registry); }),
              is_mistake(TONNX_STATUS_CALLBACK, "on second thoughts"));
  tonnx::export_program(program, args, {}, registry).verify(program, args);
}

TEST(Misuse, AnExportInsideOfASymbolicIsAnExportOfItsOwn) {
  const auto error =
      failure_of("torch.neg(x)", "aten::neg", [](Graph& graph, const Node&, const std::vector<Value>& inputs) {
        const auto inner = tonnx::export_program(host::compiled("torch.relu(x)"), host::example());
        EXPECT_THAT(inner.text(), HasSubstr("Relu"));
        return host::Results({graph.op("Neg", {inputs[0]})});
      });
  EXPECT_EQ(error.status(), TONNX_STATUS_OK) << error.what();
}

TEST(Misuse, F69_AnArgumentOfAnotherKindIsNamed) {
  const auto reads = [](const auto& read) {
    return failure_of("torch.elu(torch.relu(x), 0.5)", "aten::elu",
                      [&](Graph&, const Node&, const std::vector<Value>& inputs) -> host::Results {
                        read(inputs);
                        return std::nullopt;
                      });
  };
  EXPECT_THAT(
      reads([](auto& inputs) { inputs[1].to_int(); }),
      is_mistake(TONNX_STATUS_CALLBACK, "argument 'alpha' of aten::elu is not an int: it is 0.5 of type float"));
  EXPECT_THAT(reads([](auto& inputs) { inputs[1].to_ints(); }),
              is_mistake(TONNX_STATUS_CALLBACK, "argument 'alpha' of aten::elu is not a list of ints: it is 0.5"));
  EXPECT_THAT(
      reads([](auto& inputs) { inputs[0].to_float(); }),
      is_mistake(TONNX_STATUS_CALLBACK, "argument 'self' of aten::elu is not a constant: it depends on the model's"));
}

TEST(Symbolics, F196_OfThePlainNameConvertInPlaceOperators) {
  tonnx::register_operator("my::inc_(Tensor(a!) self) -> Tensor(a!)");
  tonnx::Registry registry;
  const auto as = [](const std::string& op) {
    return [op](Graph& graph, const Node&, const std::vector<Value>& inputs) -> host::Results {
      return std::vector<Value>{graph.op(op, {inputs[0]})};
    };
  };
  registry.add("aten::relu", 9, as("Abs"));
  registry.add("my::inc", 9, as("Neg"));
  const tonnx::Program program = tonnx::Program::compile(
      "def forward(self, x):\n    y = x + 0\n    y.relu_()\n    torch.ops.my.inc_(y)\n    return y * 2\n");
  const std::string text = tonnx::export_program(program, host::example(), {}, registry).text();
  EXPECT_THAT(text, testing::AllOf(HasSubstr("Abs"), HasSubstr("Neg"), testing::Not(HasSubstr("Relu"))));
}

TEST(Symbolics, F196_OfAnInPlaceOperatorIsCalledUnderItsOwnName) {
  tonnx::register_operator("my::scale_(Tensor(a!) self, float factor) -> Tensor(a!)");
  tonnx::Registry registry;
  registry.add("my::scale_", 9, [](Graph& graph, const Node&, const std::vector<Value>& inputs) -> host::Results {
    return std::vector<Value>{graph.call("aten::mul", {inputs[0], inputs[1]})};
  });
  const tonnx::Program program = tonnx::Program::compile(
      "def forward(self, x):\n    y = torch.relu(x)\n    torch.ops.my.scale_(y, 2.0)\n    return y + 1\n");
  const auto model = tonnx::export_program(program, host::example(), {}, registry);
  EXPECT_THAT(model.text(), HasSubstr("Mul"));
  // The symbolic of the functional form takes precedence.
  registry.add("my::scale", 9, [](Graph& graph, const Node&, const std::vector<Value>& inputs) -> host::Results {
    return std::vector<Value>{graph.call("aten::div", {inputs[0], inputs[1]})};
  });
  EXPECT_THAT(tonnx::export_program(program, host::example(), {}, registry).text(), HasSubstr("Div"));
}
