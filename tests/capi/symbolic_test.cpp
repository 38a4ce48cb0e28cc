#include <cstdio>
#include <set>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/jit/frontend/resolver.h>
#include <torch/csrc/jit/frontend/sugared_value.h>

#include "error_matchers.h"
#include "host.h"

// Symbolics and models through the C++ header, on archives that a host program made.
using host::failure;
using host::program;
using testing::HasSubstr;
using tonnx::Attributes;
using tonnx::Graph;
using tonnx::Node;
using tonnx::Value;
using Results = std::optional<std::vector<Value>>;

namespace {

// Lets a source call operators of a domain as ops.NAME.
struct Operators : torch::jit::Resolver {
  explicit Operators(std::string domain) : domain(std::move(domain)) {}
  std::shared_ptr<torch::jit::SugaredValue> resolveValue(const std::string& name, torch::jit::GraphFunction& function,
                                                         const torch::jit::SourceRange& range) override {
    if (name == "ops") return std::make_shared<torch::jit::BuiltinModule>(domain);
    return torch::jit::nativeResolver()->resolveValue(name, function, range);
  }
  std::string domain;
};

// As host::program, with operators of a domain.
tonnx::Program program(const std::string& body, const std::string& domain) {
  torch::jit::Module module("Net");
  module.define("def forward(self, x):\n    return " + body + "\n", std::make_shared<Operators>(domain));
  return host::load(module);
}

tonnx::Args example() {
  const float values[6] = {-2, -1, 0, 1, 2, 3};
  tonnx::Args args;
  args.add(tonnx::Tensor(TONNX_DTYPE_FLOAT32, {2, 3}, values, sizeof values));
  return args;
}

}  // namespace

TEST(Symbolic, F175_F182_F188_F201_BuildsNodesOfAnyDomainFromWhatItReads) {
  tonnx::Registry registry;
  registry.add("aten::elu", 9, [](Graph& graph, const Node& node, const std::vector<Value>& inputs) -> Results {
    EXPECT_EQ(node.op(), "aten::elu");
    EXPECT_EQ(inputs[0].dtype(), TONNX_DTYPE_FLOAT32);
    EXPECT_EQ(inputs[0].dim_symbol(0), "batch");
    EXPECT_EQ(inputs[0].dim(1), 3);
    EXPECT_EQ(node.argument_index("alpha"), 1);
    const double alpha = inputs[1].to_float();
    Value doubled = graph.op("Add", {inputs[0], inputs[0]});
    Value result = graph.op("custom_domain::Foo", {doubled},
                            Attributes().set_float("alpha", alpha).set_ints("axes", {0, 1}).set_string("mode", "a"));
    result.copy_type(node.output());
    return std::vector<Value>{result};
  });
  tonnx::Options options;
  options.dynamic_axis("x", 0, "batch").custom_opset("custom_domain", 2);
  const auto model = tonnx::export_program(program("torch.elu(torch.relu(x), 0.5)"), example(), options, registry);
  const std::string text = model.text();
  EXPECT_THAT(text, HasSubstr("custom_domain::Foo[alpha=0.5, axes=[0, 1], mode=\"a\"]"));
  EXPECT_THAT(text, HasSubstr("onnx::Add"));
  EXPECT_THAT(text, HasSubstr("Float(batch, 3)"));
  EXPECT_THAT(model.text(TONNX_TEXT_FULL), HasSubstr("custom_domain"));
}

TEST(Symbolic, F91_F265_AComplexTensorHasALastAxisOfTwo) {
  tonnx::Registry registry;
  registry.add("aten::polar", 9, [](Graph& graph, const Node& node, const std::vector<Value>& inputs) -> Results {
    EXPECT_EQ(inputs[0].dtype(), TONNX_DTYPE_FLOAT32);
    EXPECT_EQ(node.output().dtype(), TONNX_DTYPE_COMPLEX64);
    Value made = graph.op("custom_domain::Polar", {inputs[0], inputs[1]});
    made.copy_type(node.output());
    return std::vector<Value>{made};
  });
  registry.add("aten::angle", 9, [](Graph& graph, const Node&, const std::vector<Value>& inputs) -> Results {
    EXPECT_EQ(inputs[0].dtype(), TONNX_DTYPE_FLOAT32);
    EXPECT_EQ(inputs[0].rank(), 3);
    EXPECT_EQ(inputs[0].dim(2), 2);
    return std::vector<Value>{
        graph.op("ReduceL2", {inputs[0]}, Attributes().set_ints("axes", {2}).set_int("keepdims", 0))};
  });
  const auto model = tonnx::export_program(program("torch.angle(torch.polar(x, x) * 2j)"), example(), {}, registry);
  EXPECT_THAT(model.text(), HasSubstr("custom_domain::Polar"));
  EXPECT_THAT(model.text(), HasSubstr("ReduceL2"));
}

TEST(Symbolic, AnOperatorWithoutAFormForComplexTensorsIsRefused) {
  EXPECT_THAT(
      failure([] {
        tonnx::export_program(program("torch.embedding(torch.polar(x, x), torch.zeros([1]).long()).real"), example());
      }),
      host::refuses_operator("aten::embedding",
                             HasSubstr("aten::embedding (<string>:2): it is not supported for complex tensors")));
}

TEST(Symbolic, WhatItReadsOfAValueStaysWhereItIs) {
  tonnx::Registry registry;
  registry.add("aten::amax", 9, [](Graph& graph, const Node&, const std::vector<Value>& inputs) -> Results {
    const tonnx_value* value = inputs[0].get();
    const char* symbol = tonnx_value_dim_symbol(value, 0);
    Value(inputs[0]).set_type(TONNX_DTYPE_FLOAT32, {2, 3});
    EXPECT_STREQ(symbol, "batch");
    EXPECT_STREQ(tonnx_value_dim_symbol(value, 0), "");
    std::vector<const std::int64_t*> seen(4);
    std::vector<std::thread> threads;
    for (auto& first : seen)
      threads.emplace_back([&] {
        std::size_t count = 0;
        for (int i = 0; i < 1000; ++i) (void)tonnx_value_get_ints(&first, &count, inputs[1].get(), nullptr);
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(std::set(seen.begin(), seen.end()).size(), 1u);
    EXPECT_EQ(*seen[0], 1);
    return std::vector<Value>{graph.op("ReduceMax", {inputs[0]}, Attributes().set_ints("axes", {1}))};
  });
  tonnx::Options options;
  options.dynamic_axis("x", 0, "batch");
  tonnx::export_program(program("torch.amax(torch.relu(x), [1], True)"), example(), options, registry);
}

TEST(Symbolic, PassesTensorsAndTypesAsAttributes) {
  tonnx::Registry registry;
  registry.add("aten::relu", 1, [](Graph& graph, const Node&, const std::vector<Value>& inputs) -> Results {
    const float number = 7.5;
    const tonnx::Tensor one(TONNX_DTYPE_FLOAT32, {}, &number, sizeof number), two(TONNX_DTYPE_FLOAT32, {1}, &number, 4);
    Value made = graph.op("custom_domain::Foo", {inputs[0]},
                          Attributes().set_tensors("both", {one, two}).set_type("type", TONNX_DTYPE_INT8, {-1, 77}));
    made.copy_type(inputs[0]);
    return std::vector<Value>{made};
  });
  const std::string text =
      tonnx::export_program(program("torch.relu(x)"), example(), {}, registry).text(TONNX_TEXT_FULL);
  EXPECT_THAT(text, HasSubstr("type: TENSORS"));
  EXPECT_THAT(text, HasSubstr("type: TYPE_PROTO"));
  EXPECT_THAT(text, HasSubstr("dim_value: 77"));
}

TEST(Symbolic, AnInvalidResultFailsWithItsOperator) {
  const auto refused_with = [](tonnx::Symbolic symbolic) {
    tonnx::Registry registry;
    registry.add("aten::relu", 1, std::move(symbolic));
    return failure([&] { tonnx::export_program(program("torch.relu(x)"), example(), {}, registry); });
  };
  const tonnx::Error output = refused_with(
      [](Graph&, const Node& node, const std::vector<Value>&) -> Results { return std::vector<Value>{node.output()}; });
  EXPECT_EQ(output.status(), TONNX_STATUS_CALLBACK);
  ASSERT_EQ(output.reasons().size(), 1u);
  EXPECT_EQ(output.reasons()[0].op, "aten::relu");
  EXPECT_EQ(output.reasons()[0].text, "an output of the source operator cannot be read");
  for (const std::string name : {"", "::", "custom_domain::", "::Foo"}) {
    const tonnx::Error error =
        refused_with([&](Graph& graph, const Node&, const std::vector<Value>& inputs) -> Results {
          return std::vector<Value>{graph.op(name, {inputs[0]})};
        });
    EXPECT_EQ(error.status(), TONNX_STATUS_CALLBACK);
    EXPECT_THAT(error.what(), HasSubstr("'" + name + "' is not an operator name"));
  }
}

TEST(Symbolic, ANodeThatOnnxRefusesIsTheCallersMistake) {
  const auto status_of = [](auto&& make) { return failure(make).status(); };
  tonnx::Registry registry;
  registry.add("aten::relu", 9, [&](Graph& graph, const Node&, const std::vector<Value>& inputs) -> Results {
    EXPECT_EQ(status_of([&] { graph.op("Relu", {}); }), TONNX_STATUS_ARGUMENT);
    EXPECT_EQ(status_of([&] { graph.op("Relu", {inputs[0], inputs[0]}); }), TONNX_STATUS_ARGUMENT);
    EXPECT_EQ(status_of([&] { graph.op("MatMul", {inputs[0], inputs[0]}); }), TONNX_STATUS_ARGUMENT);
    EXPECT_EQ(status_of([&] { graph.op("Nonsense", {inputs[0]}); }), TONNX_STATUS_ARGUMENT);
    EXPECT_EQ(status_of([&] { graph.op("Attention", {inputs[0], inputs[0], inputs[0]}); }), TONNX_STATUS_UNSUPPORTED);
    return std::vector<Value>{graph.op("Relu", {inputs[0]})};
  });
  EXPECT_THAT(tonnx::export_program(program("torch.relu(x)"), example(), {}, registry).text(), HasSubstr("onnx::Relu"));
}

TEST(Symbolic, F183_MayReturnInvalidNodesIfChecksAreOff) {
  tonnx::Registry registry;
  registry.add("aten::relu", 9, [](Graph& graph, const Node& node, const std::vector<Value>& inputs) -> Results {
    Value made = graph.op("Nonsense", {inputs[0], inputs[0]}, Attributes().set_float("alpha", 0.5));
    made.copy_type(node.output());
    return std::vector<Value>{made};
  });
  const auto net = program("torch.relu(x) + 1.0");
  EXPECT_EQ(failure([&] { tonnx::export_program(net, example(), {}, registry); }).status(), TONNX_STATUS_CALLBACK);
  const auto model = tonnx::export_program(net, example(), tonnx::Options().check(false), registry);
  EXPECT_THAT(model.text(), HasSubstr("onnx::Nonsense[alpha=0.5]"));
  EXPECT_EQ(failure([&] { model.check(); }).status(), TONNX_STATUS_CHECKER);
}

TEST(Symbolic, F60_TheCheckerRunsUnlessItIsSwitchedOff) {
  tonnx::register_operator("symbolic_test::unchecked(Tensor x) -> Tensor");
  tonnx::Registry registry;
  registry.add("symbolic_test::unchecked", 9,
               [](Graph& graph, const Node&, const std::vector<Value>& inputs) -> Results {
                 return std::vector<Value>{graph.op("own::Unchecked", {inputs[0]})};
               });
  const auto net = program("ops.unchecked(x)", "symbolic_test");
  for (const bool is_asked : {false, true}) {
    tonnx::Options options;
    if (is_asked) options.check(true);
    const tonnx::Error error = failure([&] { tonnx::export_program(net, example(), options, registry); });
    EXPECT_EQ(error.status(), TONNX_STATUS_CHECKER);
    EXPECT_EQ(error.class_name(), "CheckerError");
  }
  const auto model = tonnx::export_program(net, example(), tonnx::Options().check(false), registry);
  EXPECT_THAT(model.text(), HasSubstr("own::Unchecked"));
  EXPECT_FALSE(model.bytes().empty());
  EXPECT_EQ(failure([&] { model.check(); }).status(), TONNX_STATUS_CHECKER);
}

TEST(Symbolic, F61_F206_OneThatSetsNoTypeIsNamedIfATypeIsNeeded) {
  tonnx::register_operator("symbolic_test::untyped(Tensor x) -> Tensor");
  tonnx::Registry registry;
  registry.add("symbolic_test::untyped", 9, [](Graph& graph, const Node&, const std::vector<Value>& inputs) -> Results {
    return std::vector<Value>{graph.op("own::Untyped", {inputs[0]})};
  });
  const auto refused = [&](const std::string& body) {
    return failure([&] { tonnx::export_program(program(body, "symbolic_test"), example(), {}, registry); });
  };
  const auto named = HasSubstr("the symbolic for symbolic_test::untyped");
  EXPECT_THAT(refused("ops.untyped(x)"), host::is_error(TONNX_STATUS_CHECKER, named));
  const std::string file = ::testing::TempDir() + "symbolic_test_invalid." + std::to_string(getpid()) + ".onnx";
  const tonnx::Error kept = failure([&] {
    tonnx::export_program(program("ops.untyped(x)", "symbolic_test"), example(), tonnx::Options().invalid_model(file),
                          registry);
  });
  EXPECT_THAT(kept, host::is_error(TONNX_STATUS_CHECKER, HasSubstr("the invalid model is in '" + file + "'")));
  EXPECT_THAT(tonnx::file_text(file), HasSubstr("own::Untyped"));
  EXPECT_EQ(std::remove(file.c_str()), 0);
  EXPECT_THAT(refused("ops.untyped(x) + 1.0"), host::is_error(TONNX_STATUS_UNSUPPORTED, named));
  const auto alone = program("ops.untyped(x)", "symbolic_test");
  const auto open = tonnx::export_program(alone, example(), tonnx::Options().check(false), registry);
  EXPECT_THAT(open.warnings(), testing::Contains(named));
}

TEST(Symbolic, F73_AMistakeOfItsAuthorIsAnArgumentErrorWithoutAdviceForUsers) {
  tonnx::register_operator("symbolic_test::mistaken(Tensor x) -> Tensor");
  struct Row {
    const char* body;
    const char* op;
    tonnx::Symbolic symbolic;
    const char* text;
  };
  const auto returns = [](std::size_t count) {
    return [count](Graph&, const Node&, const std::vector<Value>& inputs) -> Results {
      return std::vector<Value>(count, inputs[0]);
    };
  };
  const auto nothing = [](Graph&, const Node&, const std::vector<Value>&) -> Results {
    return std::vector<Value>{Value()};
  };
  const Row rows[] = {
      {"torch.relu(x) + 1", "aten::relu", returns(2), "returned 2 values for 1 output"},
      {"torch.relu(x)", "aten::relu", returns(0), "returned 0 values for 1 output"},
      {"torch.relu(ops.mistaken(x))", "symbolic_test::mistaken", returns(3), "returned 3 values for 1 output"},
      {"ops.mistaken(x)", "symbolic_test::mistaken", returns(2), "returned 2 values for 1 output"},
      {"torch.aminmax(x)[0]", "aten::aminmax", returns(1), "returned 1 value for 2 outputs"},
      {"torch.relu(x) + 1", "aten::relu", nothing, "returned no value for output 0, which is used"},
  };
  for (const Row& row : rows) {
    tonnx::Registry registry;
    registry.add(row.op, 7, row.symbolic);
    const tonnx::Error error =
        failure([&] { tonnx::export_program(program(row.body, "symbolic_test"), example(), {}, registry); });
    EXPECT_EQ(error.status(), TONNX_STATUS_ARGUMENT) << row.body << ": " << error.what();
    EXPECT_EQ(error.class_name(), "ArgumentError") << row.body;
    EXPECT_THAT(error.what(),
                testing::AllOf(HasSubstr(std::string("the symbolic registered as ") + row.op + " " + row.text),
                               testing::Not(HasSubstr("register a symbolic")),
                               testing::Not(HasSubstr("does not set the type"))))
        << row.body;
    ASSERT_EQ(error.reasons().size(), 1u) << row.body;
    EXPECT_THAT(error.reasons()[0].op, testing::StartsWith(row.op));
    EXPECT_NE(error.reasons()[0].source, "") << row.body;
  }
}

TEST(Symbolic, AnOperatorMayReturnANumber) {
  tonnx::register_operator("symbolic_test::scale(Tensor x) -> float");
  tonnx::register_operator("symbolic_test::scaled(Tensor x) -> (Tensor, int)");
  tonnx::Registry registry;
  registry.add("symbolic_test::scale", 9, [](Graph& graph, const Node&, const std::vector<Value>& inputs) -> Results {
    return std::vector<Value>{
        graph.cast(graph.op("ReduceMax", {inputs[0]}, Attributes().set_int("keepdims", 0)), TONNX_DTYPE_FLOAT64)};
  });
  registry.add("symbolic_test::scaled", 9, [](Graph& graph, const Node&, const std::vector<Value>& inputs) -> Results {
    return std::vector<Value>{graph.op("Neg", {inputs[0]}), graph.op("Size", {inputs[0]})};
  });
  for (const char* body : {"x * ops.scale(x)", "torch.relu(x + ops.scale(x) * 2)", "torch.full([2], ops.scale(x))",
                           "torch.relu(x) * int(ops.scale(x))"})
    EXPECT_THAT(tonnx::export_program(program(body, "symbolic_test"), example(), {}, registry).text(),
                HasSubstr("ReduceMax"))
        << body;
  EXPECT_THAT(
      tonnx::export_program(program("ops.scaled(x)[0] * ops.scaled(x)[1]", "symbolic_test"), example(), {}, registry)
          .text(),
      HasSubstr("Size"));
  const tonnx::Error lacks =
      failure([&] { tonnx::export_program(program("x * ops.scale(x)", "symbolic_test"), example()); });
  EXPECT_EQ(lacks.status(), TONNX_STATUS_UNSUPPORTED);
  ASSERT_EQ(lacks.reasons().size(), 1u) << lacks.what();
  EXPECT_EQ(lacks.reasons()[0].op, "symbolic_test::scale");
}

// Advice is printed only for refusals that it helps.
TEST(Symbolic, AdviceIsGivenWhereItApplies) {
  tonnx::register_operator("symbolic_test::open(Tensor x) -> Tensor");
  tonnx::register_operator("symbolic_test::lacking(Tensor x) -> Tensor");
  tonnx::Registry registry;
  registry.add("symbolic_test::open", 9, [](Graph& graph, const Node&, const std::vector<Value>& inputs) -> Results {
    return std::vector<Value>{graph.op("own::Open", {inputs[0]})};
  });
  const auto refused = [&](const std::string& body) {
    return failure([&] { tonnx::export_program(program(body, "symbolic_test"), example(), {}, registry); });
  };
  const auto untyped = HasSubstr("does not set the type of its results");
  EXPECT_THAT(refused("(ops.open(x), ops.lacking(x))"),
              host::refuses_operator("symbolic_test::lacking",
                                     testing::AllOf(HasSubstr("symbolic_test::lacking"), testing::Not(untyped))));
  EXPECT_THAT(refused("ops.open(x) + 1.0"), host::is_error(TONNX_STATUS_UNSUPPORTED, untyped));
  const auto fixed = [](const std::string& body) {
    tonnx::Args args = example();
    args.add_int(1);
    const auto net = tonnx::Program::compile("def f(x, k: int):\n    return " + body + "\n");
    return failure([&] { tonnx::export_program(net, args); });
  };
  EXPECT_THAT(fixed("torch.ops.symbolic_test.lacking(x) * k"),
              host::refuses_operator("symbolic_test::lacking", testing::Not(HasSubstr("--fixed-axes"))));
  EXPECT_THAT(fixed("torch.conv1d(x.unsqueeze(1), torch.ones([4, 1, 3]), None, [k]) * k"),
              host::refuses_operator("aten::conv1d", HasSubstr("--fixed-axes k")));
}

TEST(Symbolic, F177_ReplacesTheBuiltInAndMayDecline) {
  int calls = 0;
  tonnx::Registry registry;
  registry.add("aten::relu", 1, [&](Graph& graph, const Node&, const std::vector<Value>& inputs) -> Results {
    ++calls;
    if (inputs[0].rank() != 2) return std::nullopt;
    return std::vector<Value>{graph.op("Abs", {inputs[0]})};
  });
  const auto net = program("torch.relu(x)");
  EXPECT_THAT(tonnx::export_program(net, example(), {}, registry).text(), HasSubstr("onnx::Abs"));
  registry.add("aten::relu", 1, [](Graph&, const Node&, const std::vector<Value>&) -> Results { return std::nullopt; });
  EXPECT_THAT(tonnx::export_program(net, example(), {}, registry).text(), HasSubstr("onnx::Relu"));
  registry.remove("aten::relu", 1);
  EXPECT_THAT(tonnx::export_program(net, example(), {}, registry).text(), HasSubstr("onnx::Relu"));
  EXPECT_EQ(calls, 1);
}

TEST(Symbolic, F264_IsPickedByOverloadAndDtype) {
  tonnx::Registry registry;
  const auto as = [&](const char* name, const char* op) {
    registry.add(name, 9, [op](Graph& graph, const Node& node, const std::vector<Value>& inputs) -> Results {
      Value made = graph.op(op, {inputs[0], inputs[1]});
      made.copy_type(node.output());
      return std::vector<Value>{made};
    });
  };
  as("aten::add.Tensor", "custom_domain::Any");
  as("aten::add.Tensor<float16>", "custom_domain::Half");
  as("aten::add.Tensor<complex>", "custom_domain::Complex");
  const auto text = [&](const std::string& body) {
    return tonnx::export_program(program(body), example(), {}, registry).text();
  };
  EXPECT_THAT(text("x + torch.relu(x)"), HasSubstr("custom_domain::Any"));
  EXPECT_THAT(text("x.half() + torch.relu(x).half()"), HasSubstr("custom_domain::Half"));
  EXPECT_THAT(text("torch.abs(torch.complex(x, x) + torch.complex(x, torch.relu(x)))"),
              HasSubstr("custom_domain::Complex"));
  EXPECT_THAT(text("torch.relu(x) + 1"), HasSubstr("onnx::Add"));
}

TEST(Symbolic, F189_SetsTheTypeOfAnOperatorWithoutAKernel) {
  tonnx::register_operator("symbolic_test::twice(Tensor x, float alpha=2) -> Tensor");
  const auto net = program("torch.relu(ops.twice(x)) + 1", "symbolic_test");
  tonnx::Registry registry;
  registry.add("symbolic_test::twice", 9, [](Graph& graph, const Node&, const std::vector<Value>& inputs) -> Results {
    EXPECT_EQ(inputs[1].to_float(), 2);
    Value made = graph.op("custom_domain::Twice", {inputs[0]});
    made.copy_type(inputs[0]);
    return std::vector<Value>{made};
  });
  tonnx::Options options;
  options.dynamic_axis("x", 0, "batch");
  const std::string text = tonnx::export_program(net, example(), options, registry).text();
  EXPECT_THAT(text, HasSubstr("Float(batch, 3) = custom_domain::Twice"));
  EXPECT_THAT(text, HasSubstr("Float(batch, 3) = onnx::Relu"));
  EXPECT_THAT(text, HasSubstr("Float(batch, 3) = onnx::Add"));
}

TEST(Symbolic, ItsFailureDuringTypeInferenceIsTheExportsError) {
  tonnx::register_operator("symbolic_test::picky(Tensor x) -> Tensor");
  const auto net = program("torch.relu(ops.picky(x))", "symbolic_test");
  tonnx::Registry registry;
  registry.add("symbolic_test::picky", 9, [](Graph&, const Node&, const std::vector<Value>&) -> Results {
    throw std::runtime_error("picky as ever");
  });
  const auto error = failure([&] { tonnx::export_program(net, example(), {}, registry); });
  EXPECT_EQ(error.status(), TONNX_STATUS_CALLBACK);
  EXPECT_THAT(error.what(), HasSubstr("picky as ever"));
  EXPECT_TRUE(error.cause());
}

TEST(Symbolic, CannotContradictAKnownType) {
  tonnx::Registry registry;
  registry.add("aten::relu", 9, [](Graph& graph, const Node& node, const std::vector<Value>& inputs) -> Results {
    Value made = graph.op("Abs", {inputs[0]});
    made.set_type(TONNX_DTYPE_FLOAT32, {-1, 3});
    made.copy_type(node.output());
    EXPECT_THAT(failure([&] { made.set_type(TONNX_DTYPE_INT8, {2, 3}); }),
                host::is_error(TONNX_STATUS_ARGUMENT, HasSubstr("dtype float32 and dtype int8")));
    EXPECT_THAT(failure([&] { made.set_type(TONNX_DTYPE_FLOAT32, {7}); }),
                host::is_error(TONNX_STATUS_ARGUMENT, HasSubstr("shape (2, 3) and shape (7)")));
    EXPECT_THAT(failure([&] { Value(inputs[0]).set_type(TONNX_DTYPE_FLOAT32, {2, 4}); }),
                host::is_error(TONNX_STATUS_ARGUMENT, HasSubstr("size 3 and size 4 of axis 1")));
    return std::vector<Value>{made};
  });
  EXPECT_THAT(tonnx::export_program(program("torch.relu(x)"), example(), {}, registry).text(),
              HasSubstr("Float(2, 3) = onnx::Abs"));
}

// An operator on quantised tensors receives its dequantised operands, and packed weights as a list.
TEST(Symbolic, F195_ConvertsQuantisedOperators) {
  tonnx::Registry registry;
  registry.add("quantized::add", 9, [](Graph& graph, const Node&, const std::vector<Value>& inputs) -> Results {
    EXPECT_EQ(inputs[0].dtype(), TONNX_DTYPE_FLOAT32);
    EXPECT_EQ(inputs[2].to_float(), 0.5);
    Value sum = graph.op("custom_domain::QuantisedAdd", {inputs[0], inputs[1]});
    sum.set_type(TONNX_DTYPE_FLOAT32, {2, 3});
    return std::vector<Value>{sum};
  });
  registry.add("quantized::linear", 9, [](Graph& graph, const Node&, const std::vector<Value>& inputs) -> Results {
    const std::vector<Value> packed = inputs[1].to_list();
    EXPECT_EQ(packed.size(), 1u);  // no bias
    Value made = graph.op("custom_domain::QuantisedLinear", {inputs[0], packed[0]});
    made.set_type(TONNX_DTYPE_FLOAT32, {2, 2});
    return std::vector<Value>{made};
  });
  const std::string rounded = "torch.quantize_per_tensor(x, 0.25, 3, 13)";
  const std::string weight = "ops.linear_prepack(torch.quantize_per_tensor(x, 0.5, 0, 12), None)";
  const auto net = program("(torch.relu(ops.add(" + rounded + ", " + rounded + ", 0.5, 7)).dequantize(), ops.linear(" +
                               rounded + ", " + weight + ", 0.5, 7).dequantize())",
                           "quantized");
  tonnx::Options options;
  options.custom_opset("custom_domain", 1);
  const std::string text = tonnx::export_program(net, example(), options, registry).text();
  EXPECT_THAT(text, HasSubstr("custom_domain::QuantisedAdd"));
  EXPECT_THAT(text, HasSubstr("custom_domain::QuantisedLinear"));
  EXPECT_THAT(text, HasSubstr("onnx::Relu"));
}

// An operator in a dynamic branch is refused as outside of a branch. A branch that rank or mode decides is removed
// first.
TEST(Symbolic, AQuantisedOperatorWithoutAFormIsRefusedInABranchThatStays) {
  const std::string rounded = "torch.quantize_per_tensor(x, 0.25, 3, 13)";
  const auto branches = [&](const std::string& condition) {
    return program("(torch.erf(" + rounded + ") if " + condition + " else " + rounded + ").dequantize()");
  };
  EXPECT_THAT(failure([&] { tonnx::export_program(branches("bool(x.sum() > 0)"), example()); }),
              host::refuses_operator("aten::erf",
                                     HasSubstr("aten::erf (<string>:2): it has no ONNX form for quantised tensors")));
  tonnx::Options options;
  options.dynamic_axis("x", 0, "rows");
  EXPECT_THAT(tonnx::export_program(branches("x.dim() == 3"), example(), options).text(), HasSubstr("QuantizeLinear"));
}

TEST(Symbolic, ListsOperatorsOnQuantisedTensors) {
  bool found = false;
  for (const auto& entry : tonnx::Registry().entries()) found = found || entry.name == "quantized::linear";
  EXPECT_TRUE(found);
}

// ONNX infers no shape from a dynamic shape argument, so LibTorch's shape is assumed during the conversion.
TEST(Symbolic, AReshapeToOtherSizesIsNotDropped) {
  tonnx::Registry registry;
  registry.add("aten::relu", 11, [](Graph& graph, const Node&, const std::vector<Value>& inputs) -> Results {
    const std::int64_t order[2] = {1, 0};
    Value turned = graph.op("Gather", {graph.op("Shape", {inputs[0]}),
                                       graph.constant(tonnx::Tensor(TONNX_DTYPE_INT64, {2}, order, sizeof order))});
    return std::vector<Value>{graph.op("Reshape", {inputs[0], turned})};
  });
  const auto net = program("torch.relu(x) + 1");
  EXPECT_THAT(failure([&] { tonnx::export_program(net, example(), {}, registry); }),
              host::is_error(TONNX_STATUS_ARGUMENT, HasSubstr("aten::relu")));
  tonnx::Options open;
  open.dynamic_axis("x", 0, "n").dynamic_axis("x", 1, "m");
  EXPECT_THAT(tonnx::export_program(net, example(), open, registry).text(), HasSubstr("onnx::Reshape"));
}

TEST(Symbolic, MayLeaveASizeOpen) {
  tonnx::register_operator("symbolic_test::some_rows(Tensor x) -> Tensor");
  const auto net = program("torch.relu(ops.some_rows(x)).reshape(-1)", "symbolic_test");
  tonnx::Registry registry;
  registry.add("symbolic_test::some_rows", 9,
               [](Graph& graph, const Node&, const std::vector<Value>& inputs) -> Results {
                 Value made = graph.op("custom_domain::SomeRows", {inputs[0]});
                 made.set_type(TONNX_DTYPE_FLOAT32, {-1, inputs[0].dim(1)});
                 return std::vector<Value>{made};
               });
  const std::string text = tonnx::export_program(net, example(), {}, registry).text();
  EXPECT_THAT(text, testing::ContainsRegex("Float\\([^0-9]*, 3\\) = onnx::Relu"));
  EXPECT_THAT(text, testing::Not(HasSubstr("Float(2, 3) = onnx::Relu")));
}

TEST(Symbolic, ItsFailureIsTheExportsError) {
  tonnx::Registry registry;
  registry.add("aten::elu", 9, [](Graph&, const Node&, const std::vector<Value>&) -> Results {
    throw std::runtime_error("this network has no business with elu");
  });
  const auto net = program("torch.elu(x)");
  const auto error = failure([&] { tonnx::export_program(net, example(), {}, registry); });
  EXPECT_EQ(error.status(), TONNX_STATUS_CALLBACK);
  EXPECT_THAT(error.what(), HasSubstr("this network has no business with elu"));
  EXPECT_THAT(error.what(), HasSubstr("aten::elu"));
}

TEST(Symbolic, F207_ItsExceptionIsTheErrorsCause) {
  struct Mine {
    int number;
  };
  tonnx::Registry registry;
  registry.add("aten::elu", 9, [](Graph&, const Node&, const std::vector<Value>&) -> Results { throw Mine{7}; });
  const auto net = program("torch.elu(x)");
  const auto error = failure([&] { tonnx::export_program(net, example(), {}, registry); });
  ASSERT_TRUE(error.cause());
  try {
    std::rethrow_exception(error.cause());
  } catch (const Mine& mine) {
    EXPECT_EQ(mine.number, 7);
  }
  EXPECT_FALSE(failure([] { tonnx::Program::load("no such file"); }).cause());
}

TEST(Symbolic, ACauseIsDestroyedOnceAndReturnedToItsOwnerOnly) {
  static int destroyed;
  destroyed = 0;
  const tonnx_destroy_fn destroy = [](void*) { ++destroyed; };
  const tonnx_destroy_fn foreign = [](void*) {};
  int mine = 0;
  const auto symbolic = [](tonnx_graph* graph, const tonnx_node*, tonnx_value* const*, std::size_t, void* data) {
    auto** given = static_cast<void**>(data);
    tonnx_graph_fail(graph, "first", given[0], reinterpret_cast<tonnx_destroy_fn>(given[1]));
    tonnx_graph_fail(graph, "second", given[0], reinterpret_cast<tonnx_destroy_fn>(given[1]));
    return std::int32_t{TONNX_SYMBOLIC_FAIL};
  };
  void* given[2] = {&mine, reinterpret_cast<void*>(destroy)};
  tonnx::Registry registry;
  ASSERT_EQ(tonnx_registry_add(registry.get(), "aten::elu", 9, symbolic, given, nullptr, nullptr), TONNX_STATUS_OK);
  const auto net = program("torch.elu(x)");
  const auto args = example();
  tonnx_model* model = nullptr;
  tonnx_error* error = nullptr;
  ASSERT_EQ(tonnx_program_export(&model, net.get(), args.get(), nullptr, registry.get(), &error),
            TONNX_STATUS_CALLBACK);
  EXPECT_STREQ(tonnx_error_reason_text(error, 0), "second");
  EXPECT_EQ(destroyed, 1);
  EXPECT_EQ(tonnx_error_cause(error, destroy), &mine);
  EXPECT_EQ(tonnx_error_cause(error, foreign), nullptr);
  tonnx_error_free(error);
  EXPECT_EQ(destroyed, 2);
  ASSERT_EQ(tonnx_program_export(&model, net.get(), args.get(), nullptr, registry.get(), nullptr),
            TONNX_STATUS_CALLBACK);
  EXPECT_EQ(destroyed, 4);
}

// A target below 9 takes it before the built-in; what no such opset has is one error that names the operator.
TEST(Symbolic, F204_OfOpsetNineServesTargetsBelowIt) {
  tonnx::register_operator("symbolic_test::shifted(Tensor x) -> Tensor");
  const auto own = program("ops.shifted(x)", "symbolic_test");
  const auto known = program("torch.relu(x)");
  const auto build = [](const std::string& name) {
    return [=](Graph& graph, const Node& node, const std::vector<Value>& inputs) -> Results {
      Value made = graph.op(name, {inputs[0]});
      made.copy_type(node.output());
      return std::vector<Value>{made};
    };
  };
  for (const int opset : {7, 8}) {
    tonnx::Options options;
    options.opset(opset);
    tonnx::Registry registry;
    registry.add("symbolic_test::shifted", 9, build("Abs"));
    registry.add("aten::relu", 9, build("Abs"));
    EXPECT_THAT(tonnx::export_program(own, example(), options, registry).text(), HasSubstr("onnx::Abs"));
    EXPECT_THAT(tonnx::export_program(known, example(), options, registry).text(), HasSubstr("onnx::Abs"));
    registry.add("symbolic_test::shifted", 9, build("Sinh"));
    const auto error = failure([&] { tonnx::export_program(own, example(), options, registry); });
    EXPECT_EQ(error.status(), TONNX_STATUS_CALLBACK);
    ASSERT_EQ(error.reasons().size(), 1u);
    EXPECT_EQ(error.reasons()[0].op, "symbolic_test::shifted");
    EXPECT_THAT(error.reasons()[0].text,
                HasSubstr("Sinh is not part of opset " + std::to_string(opset) + "; it was added in opset 9"));
    EXPECT_EQ(failure([&] { tonnx::export_program(program("torch.nonzero(x)"), example(), options); }).status(),
              TONNX_STATUS_UNSUPPORTED);
  }
}

TEST(Symbolic, F181_ReturnsAListOfTensors) {
  tonnx::register_operator("symbolic_test::sides(Tensor x) -> Tensor[]");
  const auto sides = [](std::size_t count) {
    return [=](Graph& graph, const Node&, const std::vector<Value>& inputs) -> Results {
      std::vector<Value> items;
      for (std::size_t i = 0; i < count; ++i) items.push_back(graph.op(i % 2 ? "Neg" : "Abs", {inputs[0]}));
      return items;
    };
  };
  tonnx::Options options;
  options.dynamic_axis("x", 0, "batch");
  tonnx::Registry registry;
  registry.add("symbolic_test::sides", 9, sides(2));
  registry.add("aten::unbind", 9, sides(2));
  for (const std::string body :
       {"torch.relu(ops.sides(x)[0]) + ops.sides(x)[-1]", "torch.cat(ops.sides(x), 1)", "torch.stack(ops.sides(x))"}) {
    const std::string text = tonnx::export_program(program(body, "symbolic_test"), example(), options, registry).text();
    EXPECT_THAT(text, HasSubstr("Float(batch, 3) = onnx::Neg")) << body;
  }
  // The types of the items are those of LibTorch's kernel.
  const auto known = program("x.unbind()[1] + 1");
  EXPECT_THAT(
      failure([&] { tonnx::export_program(known, example(), {}, registry); }),
      host::is_error(
          TONNX_STATUS_ARGUMENT,
          HasSubstr("the symbolic registered as aten::unbind returned an output 0 that differs from LibTorch's")));
  registry.add("aten::chunk", 9, [](Graph& graph, const Node&, const std::vector<Value>& inputs) -> Results {
    Attributes attributes;
    attributes.set_int("axis", 0);
    return graph.op("Split", {inputs[0]}, &attributes, 2);
  });
  const auto chunks = program("x.chunk(2)");
  tonnx::Options eleven;
  eleven.opset(11);
  const auto model =
      tonnx::export_program(program("torch.cat([i + 1 for i in x.chunk(2)])"), example(), eleven, registry);
  EXPECT_THAT(model.text(), HasSubstr("onnx::Split"));
  model.verify(program("torch.cat([i + 1 for i in x.chunk(2)])"), example());
  tonnx::export_program(chunks, example(), eleven, registry).verify(chunks, example());
  registry.add("aten::chunk", 9, sides(3));
  EXPECT_THAT(failure([&] { tonnx::export_program(chunks, example(), {}, registry); }),
              host::is_error(TONNX_STATUS_ARGUMENT, HasSubstr("a list of 3 tensors where LibTorch returns 2")));
  registry.add("aten::relu", 9, sides(2));
  EXPECT_THAT(failure([&] { tonnx::export_program(program("torch.relu(x)"), example(), {}, registry); }),
              host::is_error(TONNX_STATUS_ARGUMENT, HasSubstr("returned 2 values for 1 output")));
}

TEST(Symbolic, ReturnsASequence) {
  tonnx::Registry registry;
  registry.add("aten::unbind", 11, [](Graph& graph, const Node&, const std::vector<Value>& inputs) -> Results {
    const Value twice = graph.op("Add", {inputs[0], inputs[0]});
    return std::vector<Value>{
        graph.op("SplitToSequence", {twice}, Attributes().set_int("axis", 0).set_int("keepdims", 0))};
  });
  tonnx::Options options;
  options.dynamic_axis("x", 0, "batch");
  const auto model = tonnx::export_program(program("torch.stack(x.unbind(), 1) + x.unbind()[-1].unsqueeze(1)"),
                                           example(), options, registry);
  model.verify(program("torch.stack((x + x).unbind(), 1) + (x[-1] * 2).unsqueeze(1)"), example());
  registry.add("aten::relu", 11, [](Graph& graph, const Node&, const std::vector<Value>& inputs) -> Results {
    return std::vector<Value>{graph.op("SplitToSequence", {inputs[0]})};
  });
  EXPECT_THAT(
      failure([&] { tonnx::export_program(program("torch.relu(x)"), example(), {}, registry); }),
      host::is_error(TONNX_STATUS_ARGUMENT, HasSubstr("returned a sequence for output 0, which is not a list")));
}

TEST(Symbolic, ReturnsAListOfComplexTensors) {
  tonnx::Registry registry;
  registry.add("aten::unbind", 11, [](Graph& graph, const Node& node, const std::vector<Value>& inputs) -> Results {
    EXPECT_EQ(node.argument_index("dim"), 1);
    EXPECT_EQ(inputs[0].rank(), 3u);
    std::vector<Value> items;
    for (const std::int64_t k : {0, 1})
      items.push_back(graph.op("Gather",
                               {inputs[0], graph.constant(tonnx::Tensor(TONNX_DTYPE_INT64, {}, &k, sizeof k))},
                               Attributes().set_int("axis", 0)));
    return items;
  });
  const auto net = program("torch.view_as_real(torch.complex(x, x + 1).unbind()[1] * 2)");
  const auto model = tonnx::export_program(net, example(), {}, registry);
  model.verify(net, example());
}

TEST(Symbolic, F176_WrongResultsAreRefused) {
  tonnx::Registry registry;
  registry.add("aten::relu", 9,
               [](Graph&, const Node&, const std::vector<Value>&) -> Results { return std::vector<Value>{}; });
  const auto net = program("torch.relu(x)");
  EXPECT_THAT(failure([&] { tonnx::export_program(net, example(), {}, registry); }),
              host::is_error(TONNX_STATUS_ARGUMENT, HasSubstr("0 values")));
  registry.add("aten::relu", 9, [](Graph& graph, const Node&, const std::vector<Value>& inputs) -> Results {
    return std::vector<Value>{graph.op("NoSuchOperator", {inputs[0]})};
  });
  EXPECT_THAT(failure([&] { tonnx::export_program(net, example(), {}, registry); }),
              host::is_error(TONNX_STATUS_CALLBACK, HasSubstr("NoSuchOperator")));
}

TEST(Symbolic, EveryOutputFormHasTheSameBytes) {
  const auto net = program("torch.relu(x) + 1");
  const auto model = tonnx::export_program(net, example());
  const std::string bytes = model.bytes();
  EXPECT_EQ(bytes, tonnx::export_program(net, example()).bytes());
  std::string written;
  model.write([&](const void* data, std::size_t size) {
    written.append(static_cast<const char*>(data), size);
    return true;
  });
  EXPECT_EQ(bytes, written);
  EXPECT_EQ(failure([&] { model.write([](const void*, std::size_t) { return false; }); }).status(),
            TONNX_STATUS_CALLBACK);
  model.verify(net, example());
  model.check();
}

TEST(Symbolic, F12_ThreadsExportAtOnce) {
  const auto net = program("torch.softmax(x, 1)");
  const std::string expected = tonnx::export_program(net, example()).bytes();
  std::vector<std::string> results(4);
  std::vector<std::thread> threads;
  for (std::string& result : results)
    threads.emplace_back([&] { result = tonnx::export_program(net, example()).bytes(); });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& result : results) EXPECT_EQ(result, expected);
}

TEST(Symbolic, OutlivesItsProgram) {
  auto model = [] {
    const auto net = program("torch.relu(x)");
    return tonnx::export_program(net, example());
  }();
  EXPECT_THAT(model.text(), HasSubstr("onnx::Relu"));
  EXPECT_FALSE(model.bytes().empty());
}

TEST(Symbolic, AWeightWhoseFileIsCutOffIsAnError) {
  const std::string path = testing::TempDir() + "cut_off.pt";
  torch::jit::Module module("Net");
  module.register_parameter("w", at::arange(100'000, at::kFloat), false);
  module.define("def forward(self, x):\n    return x * self.w\n");
  module.save(path);
  tonnx::Registry registry;
  registry.add("aten::mul", 9, [&path](Graph& graph, const Node&, const std::vector<Value>& inputs) -> Results {
    const tonnx::Tensor weight = inputs[1].to_tensor();
    float read[2];
    weight.read(4, read, sizeof read);
    EXPECT_EQ(read[1], 2);
    EXPECT_EQ(::truncate(path.c_str(), 1'000), 0);
    EXPECT_THAT(failure([&] { weight.read(200'000, read, sizeof read); }),
                host::is_error(TONNX_STATUS_FILE, HasSubstr(path)));
    return std::vector<Value>{graph.op("Add", {inputs[0], inputs[1]})};
  });
  tonnx::export_program(tonnx::Program::load(path), host::args({at::ones({1})}), {}, registry);
  std::remove(path.c_str());
}
