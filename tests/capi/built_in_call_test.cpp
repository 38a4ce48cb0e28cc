#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "error_matchers.h"
#include "symbolic_host.h"

// Symbolics that call built-in lowerings.
using host::failure;
using testing::HasSubstr;
using testing::Not;
using tonnx::Attributes;
using tonnx::Graph;
using tonnx::Node;
using tonnx::Value;

namespace {

// The model of a program whose operator aten::silu is converted by `symbolic`.
tonnx::Model with_silu(const tonnx::Symbolic& symbolic, const std::string& body = "torch.silu(x)",
                       const tonnx::Options& options = {}) {
  tonnx::Registry registry;
  registry.add("aten::silu", 9, symbolic);
  return tonnx::export_program(host::compiled(body), host::example(), options, registry);
}

// Why such an export fails.
std::string failure_of(const tonnx::Symbolic& symbolic) {
  return failure([&] { with_silu(symbolic); }).what();
}

}  // namespace

TEST(BuiltInCall, OfAnotherOperatorIsPartOfTheModel) {
  tonnx::register_operator("my::gelu3(Tensor x, float scale) -> Tensor");
  tonnx::Registry registry;
  registry.add("my::gelu3", 9, [](Graph& graph, const Node&, const std::vector<Value>& inputs) -> host::Results {
    const Value half = graph.call("aten::gelu", {inputs[0]}, Attributes().set_string("approximate", "tanh"));
    return std::vector<Value>{graph.call("aten::mul", {half, inputs[1]})};
  });
  tonnx::Options options;
  options.dynamic_axis("x", 0, "batch");
  const auto model =
      tonnx::export_program(host::compiled("torch.ops.my.gelu3(x, 3.0) + 1"), host::example(), options, registry);
  EXPECT_THAT(model.text(), HasSubstr("Tanh"));
  EXPECT_THAT(model.text(), HasSubstr("Float(batch, 3)"));
  model.check();
}

TEST(BuiltInCall, RemovesAnAxisWhereItsSizeIs1) {
  const auto symbolic = [](Graph& graph, const Node&, const std::vector<Value>& inputs) -> host::Results {
    const Value product = graph.call("aten::mul", {inputs[0], graph.call("aten::sigmoid", {inputs[0]})});
    return std::vector<Value>{graph.op("Reshape", {graph.call("aten::squeeze", {product}), graph.op("Shape", inputs)})};
  };
  tonnx::Options options;
  options.dynamic_axis("x", 0, "batch");
  EXPECT_THAT(with_silu(symbolic, "torch.silu(x)", options).text(), HasSubstr("onnx::Squeeze"));
  EXPECT_THAT(with_silu(symbolic).text(), Not(HasSubstr("onnx::Squeeze")));
}

TEST(BuiltInCall, ComputesWhatLibTorchDoes) {
  tonnx::Registry registry;
  registry.add("aten::silu", 9, [](Graph& graph, const Node&, const std::vector<Value>& inputs) -> host::Results {
    return std::vector<Value>{graph.call("aten::mul", {inputs[0], graph.call("aten::sigmoid", {inputs[0]})})};
  });
  // The arguments of the source operator are passed through: `dim` is 1, `keepdim` is True.
  registry.add("aten::amax", 9, [](Graph& graph, const Node&, const std::vector<Value>& inputs) -> host::Results {
    const Value negative = graph.call("aten::neg", {inputs[0]});
    return std::vector<Value>{graph.call("aten::neg", {graph.call("aten::amin", {negative, inputs[1], inputs[2]})})};
  });
  const tonnx::Program program = host::compiled("torch.amax(torch.silu(x), [1], True)");
  const tonnx::Args args = host::example();
  const auto model = tonnx::export_program(program, args, {}, registry);
  EXPECT_THAT(model.text(), HasSubstr("ReduceMin"));
  model.verify(program, args);
}

TEST(BuiltInCall, OfTheOperatorItselfIsItsBuiltInLowering) {
  int calls = 0;
  const auto model = with_silu([&](Graph& graph, const Node& node, const std::vector<Value>& inputs) {
    ++calls;
    return host::Results({graph.call(node.op(), {graph.op("Identity", {inputs[0]})})});
  });
  EXPECT_EQ(calls, 1);
  EXPECT_THAT(model.text(), HasSubstr("Sigmoid"));
}

TEST(BuiltInCall, TakesAndReturnsListsAndSeveralResults) {
  tonnx::Registry registry;
  registry.add("aten::silu", 9, [](Graph& graph, const Node&, const std::vector<Value>& inputs) -> host::Results {
    const auto parts =
        graph.call("aten::chunk", {inputs[0]}, Attributes().set_int("chunks", 3).set_int("dim", 1)).to_list();
    EXPECT_EQ(parts.size(), 3u);
    const Value joined =
        graph.call("aten::cat", {graph.list({parts.at(2), parts.at(1), parts.at(0)})}, Attributes().set_int("dim", 1));
    const auto sorted = graph.call("aten::sort", {joined}, Attributes().set_int("descending", 1), 2);
    EXPECT_EQ(sorted[1].dtype(), TONNX_DTYPE_INT64);
    return std::vector<Value>{sorted[0]};
  });
  const auto model = tonnx::export_program(host::compiled("torch.silu(x)"), host::example(), {}, registry);
  EXPECT_THAT(model.text(), HasSubstr("TopK"));
}

TEST(BuiltInCall, KnowsTheDtypesOfItsResults) {
  with_silu([](Graph& graph, const Node&, const std::vector<Value>& inputs) {
    const Value whole = graph.call("aten::to", {inputs[0]}, Attributes().set_int("dtype", TONNX_DTYPE_INT64));
    EXPECT_EQ(whole.dtype(), TONNX_DTYPE_INT64);
    const Value quotient = graph.call("aten::div", {whole, whole});
    EXPECT_EQ(quotient.dtype(), TONNX_DTYPE_FLOAT32);
    EXPECT_EQ(quotient.dim(1), 3);
    return host::Results({quotient});
  });
}

TEST(BuiltInCall, SaysWhatIsWrongWithTheCall) {
  const auto call = [](const std::string& name, const Attributes& arguments, std::size_t outputs = 1) {
    return failure_of([&](Graph& graph, const Node&, const std::vector<Value>& inputs) {
      return host::Results(graph.call(name, {inputs[0]}, arguments, outputs));
    });
  };
  EXPECT_THAT(call("aten::no_such", {}), HasSubstr("LibTorch has no operator aten::no_such"));
  EXPECT_THAT(call("aten::gelu", Attributes().set_int("approximate", 1)),
              HasSubstr("aten::gelu takes str as the argument 'approximate', not 1"));
  EXPECT_THAT(call("aten::gelu", Attributes().set_int("exact", 1)), HasSubstr("aten::gelu has no argument 'exact'"));
  EXPECT_THAT(call("aten::gelu", Attributes().set_int("self", 1)), HasSubstr("receives the argument 'self' twice"));
  EXPECT_THAT(call("aten::unsqueeze", {}), HasSubstr("aten::unsqueeze needs the argument 'dim' (int)"));
  EXPECT_THAT(call("aten::gelu", {}, 2), HasSubstr("aten::gelu has 1 outputs, not 2"));
  EXPECT_THAT(call("aten::gelu", {}), Not(HasSubstr("fail")));
  EXPECT_THAT(call("aten::coalesce", {}), HasSubstr("not supported"));
}

TEST(BuiltInCall, ReportsTheModeOfTheExport) {
  for (const bool training : {false, true}) {
    tonnx::Options options;
    options.training(training ? TONNX_TRAINING_TRAIN : TONNX_TRAINING_EVAL);
    bool seen = !training;
    with_silu(
        [&](Graph& graph, const Node&, const std::vector<Value>& inputs) {
          seen = graph.is_training();
          return host::Results({graph.op("Identity", {inputs[0]})});
        },
        "torch.silu(x)", options);
    EXPECT_EQ(seen, training);
  }
}
