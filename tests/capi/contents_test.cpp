#include <cstdlib>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "error_matchers.h"
#include "symbolic_host.h"

// Inputs, outputs, weights and operators of programs and models, by the getters of values.
using host::failure;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

namespace {

std::string archive() { return std::string(std::getenv("TONNX_SOURCE_ROOT")) + "/tests/exported/torch-2.9.1.pt2"; }

std::vector<std::int64_t> dims_of(const tonnx::Value& value) {
  std::vector<std::int64_t> dims;
  for (std::size_t axis = 0; axis < value.rank(); ++axis) dims.push_back(value.dim(axis));
  return dims;
}

std::vector<std::string> names_of(const std::vector<tonnx::Value>& values) {
  std::vector<std::string> names;
  for (const tonnx::Value& value : values) names.push_back(value.name());
  return names;
}

// Every value knows its users, every node its graph, as a walk from the outside finds them.
void expect_consistent(const tonnx::Graph& graph) {
  for (const tonnx::Node& node : graph.nodes()) {
    EXPECT_EQ(node.parent(), graph) << node.op();
    const std::vector<tonnx::Value> inputs = node.inputs();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (!inputs[i].get()) continue;
      bool is_used = false;
      for (const tonnx::Use& use : inputs[i].uses()) is_used |= use.node == node && use.index == i;
      EXPECT_TRUE(is_used) << node.op() << " " << i;
    }
    for (const tonnx::Value& output : node.outputs()) EXPECT_EQ(output.producer(), node);
    for (const tonnx::Graph& block : node.graphs()) {
      EXPECT_EQ(block.owner(), node);
      expect_consistent(block);
    }
  }
}

}  // namespace

TEST(Contents, F11_F16_OfAModel) {
  tonnx::Options options;
  options.dynamic_axis("x", 0, "batch").output_name("y");
  const tonnx::Program program = host::compiled("torch.relu(torch.relu(x) * 2.0).sum(0)");
  std::optional<tonnx::Model> model = tonnx::export_program(program, host::example(), options);
  const tonnx::Contents contents = model->contents();
  model.reset();  // the contents keep what they need
  ASSERT_EQ(contents.inputs().size(), 1U);
  const tonnx::Value x = contents.inputs()[0];
  EXPECT_EQ(x.name(), "x");
  EXPECT_EQ(x.kind(), TONNX_KIND_TENSOR);
  EXPECT_EQ(x.dtype(), TONNX_DTYPE_FLOAT32);
  EXPECT_THAT(dims_of(x), ElementsAre(-1, 3));
  EXPECT_EQ(x.dim_symbol(0), "batch");
  EXPECT_EQ(x.dim_symbol(1), "");
  EXPECT_THAT(names_of(contents.outputs()), ElementsAre("y"));
  EXPECT_THAT(dims_of(contents.outputs()[0]), ElementsAre(3));
  EXPECT_THAT(contents.operators(), testing::IsSupersetOf({Pair("Mul", 1U), Pair("Relu", 2U)}));
  EXPECT_EQ(tonnx_contents_input(contents.get(), 1), nullptr);
  EXPECT_STREQ(tonnx_contents_operator(contents.get(), 99), "");
}

TEST(Contents, F11_OfAProgram) {
  const tonnx::Contents contents = host::compiled("torch.relu(torch.relu(x) * 2.0)").contents(host::example());
  ASSERT_EQ(contents.inputs().size(), 1U);
  EXPECT_THAT(names_of(contents.inputs()), ElementsAre("x"));
  EXPECT_THAT(dims_of(contents.inputs()[0]), ElementsAre(2, 3));
  EXPECT_EQ(contents.outputs().size(), 1U);
  EXPECT_THAT(contents.weights(), IsEmpty());
  EXPECT_THAT(contents.operators(), ElementsAre(Pair("aten::mul.Scalar", 1U), Pair("aten::relu", 2U)));
  EXPECT_EQ(failure([] { host::compiled("torch.relu(x)").contents(tonnx::Args()); }).status(), TONNX_STATUS_ARGUMENT);
}

TEST(Contents, OfATorchExportArchiveWithItsWeights) {
  std::optional<tonnx::Program> program = tonnx::Program::load(archive());
  const tonnx::Contents of_program = program->contents(tonnx::Args());
  const tonnx::Contents of_model = tonnx::export_program(*program, tonnx::Args()).contents();
  program.reset();
  EXPECT_THAT(names_of(of_program.inputs()), ElementsAre("x"));
  EXPECT_FALSE(of_program.inputs()[0].dim_symbol(0).empty());
  EXPECT_THAT(of_program.operators(), Contains(Pair(HasSubstr("aten::conv2d"), 1U)));
  EXPECT_THAT(of_model.operators(), Contains(Pair("Conv", 1U)));
  ASSERT_FALSE(of_program.weights().empty());
  ASSERT_FALSE(of_model.weights().empty());
  for (const tonnx::Contents* contents : {&of_program, &of_model}) {
    for (const tonnx::Value& weight : contents->weights()) {
      const tonnx::Tensor tensor = weight.to_tensor();
      EXPECT_FALSE(weight.name().empty());
      EXPECT_EQ(weight.kind(), TONNX_KIND_TENSOR);
      EXPECT_EQ(weight.dtype(), tensor.dtype());
      EXPECT_EQ(dims_of(weight), tensor.dims());
      EXPECT_EQ(weight.producer(), std::nullopt);
      EXPECT_FALSE(weight.uses().empty()) << weight.name();
    }
    expect_consistent(contents->graph());
  }
}

TEST(Contents, ASequenceIsAListOfTensors) {
  const tonnx::Program program =
      tonnx::Program::compile("def forward(xs: List[Tensor]):\n    return torch.stack(xs), xs[0]\n");
  tonnx::Args args;
  const std::vector<float> zeros(6);
  const tonnx::Tensor item(TONNX_DTYPE_FLOAT32, {2, 3}, zeros.data(), zeros.size() * sizeof(float));
  args.begin_list().add(item).add(item).end();
  tonnx::Options options;
  options.sequence_inputs(true);
  const tonnx::Contents contents = tonnx::export_program(program, args, options).contents();
  ASSERT_EQ(contents.inputs().size(), 1U);
  EXPECT_EQ(contents.inputs()[0].kind(), TONNX_KIND_TENSOR_LIST);
  // The items of an input are not known; an empty list would be wrong.
  EXPECT_EQ(failure([&] { contents.inputs()[0].to_list(); }).status(), TONNX_STATUS_ARGUMENT);
  EXPECT_EQ(contents.outputs()[0].kind(), TONNX_KIND_TENSOR);
}

TEST(Contents, ValuesCanOnlyBeRead) {
  const tonnx::Program program = host::compiled("torch.relu(x)");
  const tonnx::Contents contents = tonnx::export_program(program, host::example()).contents();
  tonnx::Value x = contents.inputs()[0];
  EXPECT_THAT(failure([&] { x.set_type(TONNX_DTYPE_FLOAT16, {2, 3}); }),
              host::is_error(TONNX_STATUS_ARGUMENT, HasSubstr("type")));
  tonnx::Registry registry;
  int calls = 0;
  registry.add("aten::relu", 9, [&](tonnx::Graph& graph, const tonnx::Node&, const auto&) -> host::Results {
    ++calls;
    const auto refuses = host::is_error(TONNX_STATUS_ARGUMENT, HasSubstr("contents"));
    EXPECT_THAT(failure([&] { graph.op("Relu", {x}); }), refuses);
    EXPECT_THAT(failure([&] { graph.call("aten::gelu", {x}); }), refuses);
    EXPECT_THAT(failure([&] { graph.cast(x, TONNX_DTYPE_FLOAT16); }), refuses);
    return std::nullopt;
  });
  tonnx::export_program(program, host::example(), {}, registry);
  EXPECT_GT(calls, 0);
}

TEST(Contents, KindsOfArguments) {
  std::vector<tonnx_kind> kinds;
  tonnx::Registry registry;
  const auto note = [&](tonnx::Graph&, const tonnx::Node&, const std::vector<tonnx::Value>& inputs) -> host::Results {
    for (const tonnx::Value& input : inputs) kinds.push_back(input.kind());
    return std::nullopt;
  };
  registry.add("aten::sum.dim_IntList", 9, note);
  registry.add("aten::cat", 9, note);
  registry.add("aten::leaky_relu", 9, note);
  registry.add("aten::div.Scalar_mode", 9, note);
  const std::string body = "torch.leaky_relu(torch.cat([x, x.sum([0], True)], 0), 0.1)";
  tonnx::export_program(host::compiled("torch.div(" + body + ", 2, rounding_mode='floor')"), host::example(), {},
                        registry);
  EXPECT_THAT(kinds, ElementsAre(TONNX_KIND_TENSOR, TONNX_KIND_LIST, TONNX_KIND_BOOL, TONNX_KIND_NONE,
                                 TONNX_KIND_TENSOR_LIST, TONNX_KIND_INT, TONNX_KIND_TENSOR, TONNX_KIND_FLOAT,
                                 TONNX_KIND_TENSOR, TONNX_KIND_INT, TONNX_KIND_STRING));
}

namespace {

constexpr const char* kBranchAndLoop =
    "def forward(x, steps: int):\n"
    "    y = x * 0.5\n"
    "    if bool(y.sum() > 0.25):\n"
    "        y = torch.relu(y)\n"
    "    for i in range(steps):\n"
    "        y = y + x\n"
    "    return y\n";

tonnx::Args tensor_and_steps() {
  const std::vector<float> ones(6, 1);
  tonnx::Args args;
  args.add(tonnx::Tensor(TONNX_DTYPE_FLOAT32, {2, 3}, ones.data(), ones.size() * sizeof(float))).add_int(2);
  return args;
}

tonnx::Node find(const tonnx::Graph& graph, const std::string& name) {
  for (const tonnx::Node& node : graph.nodes())
    if (node.op() == name) return node;
  throw std::runtime_error("no node " + name);
}

}  // namespace

TEST(Contents, F11_F16_F127_BranchesAndLoopsOfAProgram) {
  const tonnx::Program program = tonnx::Program::compile(kBranchAndLoop, {}, "net.py");
  const tonnx::Contents contents = program.contents(tensor_and_steps());
  const tonnx::Graph graph = contents.graph();
  EXPECT_EQ(graph.owner(), std::nullopt);
  EXPECT_EQ(graph.opset(), 0);
  EXPECT_EQ(graph.inputs(), contents.inputs());
  EXPECT_EQ(graph.outputs(), contents.outputs());
  EXPECT_EQ(contents.graph(), graph);
  expect_consistent(graph);

  const tonnx::Node product = find(graph, "aten::mul");
  EXPECT_EQ(product.overload(), "Scalar");
  EXPECT_EQ(product.source(), "net.py:2");
  EXPECT_EQ(product.inputs()[0], graph.inputs()[0]);
  EXPECT_EQ(product.inputs()[1].to_float(), 0.5);
  EXPECT_EQ(product.inputs()[1].type(), "float");

  const tonnx::Node branch = find(graph, "prim::If");
  ASSERT_EQ(branch.graphs().size(), 2U);
  EXPECT_EQ(branch.graphs()[0].name(), "then_branch");
  EXPECT_EQ(branch.graphs()[1].name(), "else_branch");
  EXPECT_EQ(branch.inputs()[0].type(), "bool");
  EXPECT_EQ(find(branch.graphs()[0], "aten::relu").inputs()[0], product.output());
  // The other branch returns the value from outside.
  EXPECT_TRUE(branch.graphs()[1].nodes().empty());
  EXPECT_EQ(branch.graphs()[1].outputs(), product.outputs());
  bool is_returned = false;
  for (const tonnx::Use& use : product.output().uses())
    is_returned |= use.node.op() == "prim::Return" && use.node.parent() == branch.graphs()[1] && use.index == 0;
  EXPECT_TRUE(is_returned);

  const tonnx::Node loop = find(graph, "prim::Loop");
  ASSERT_EQ(loop.graphs().size(), 1U);
  const tonnx::Graph body = loop.graphs()[0];
  EXPECT_EQ(body.name(), "body");
  ASSERT_EQ(body.inputs().size(), 2U);
  EXPECT_EQ(body.inputs()[0].type(), "int");
  EXPECT_EQ(body.inputs()[0].producer(), std::nullopt);
  EXPECT_EQ(find(body, "aten::add").inputs()[0], body.inputs()[1]);
}

TEST(Contents, F11_F16_F127_NodesOfAModelHaveTypesAndLocations) {
  tonnx::Options options;
  options.dynamic_axis("x", 0, "batch");
  const tonnx::Contents contents =
      tonnx::export_program(tonnx::Program::compile(kBranchAndLoop, {}, "net.py"), tensor_and_steps(), options)
          .contents();
  const tonnx::Graph graph = contents.graph();
  EXPECT_EQ(graph.opset(), 17);
  expect_consistent(graph);
  const tonnx::Node branch = find(graph, "If");
  EXPECT_EQ(branch.source(), "net.py:3");
  EXPECT_FALSE(branch.name().empty());
  ASSERT_EQ(branch.graphs().size(), 2U);
  EXPECT_EQ(branch.graphs()[0].name(), "then_branch");
  EXPECT_THAT(branch.attributes(), IsEmpty());  // graphs are not among them
  const tonnx::Value rectified = find(branch.graphs()[0], "Relu").output();
  EXPECT_EQ(rectified.dtype(), TONNX_DTYPE_FLOAT32);
  EXPECT_THAT(dims_of(rectified), ElementsAre(-1, 3));
  EXPECT_EQ(rectified.dim_symbol(0), "batch");
  const tonnx::Graph body = find(graph, "Loop").graphs().at(0);
  EXPECT_EQ(body.owner(), find(graph, "Loop"));
  EXPECT_EQ(body.inputs().size(), 3U);
  EXPECT_EQ(body.outputs().size(), 2U);
  EXPECT_THAT(dims_of(body.inputs()[2]), ElementsAre(-1, 3));
}

TEST(Contents, F16_AttributesOfEveryKind) {
  const std::vector<std::int64_t> numbers = {5, 6, 7};
  const tonnx::Tensor tensor(TONNX_DTYPE_INT64, {3}, numbers.data(), numbers.size() * sizeof(std::int64_t));
  tonnx::Registry registry;
  registry.add("aten::relu", 9, [&](tonnx::Graph& graph, const tonnx::Node&, const auto& inputs) -> host::Results {
    tonnx::Attributes attributes;
    attributes.set_int("int", -3).set_float("float", 0.1).set_string("string", "a\u00e9");
    attributes.set_tensor("tensor", tensor)
        .set_ints("ints", {1, -2})
        .set_floats("floats", {0.1, 2})
        .set_ints("none", {})
        .set_tensors("void", {});
    attributes.set_strings("strings", {"", "b"}).set_tensors("tensors", {tensor, tensor});
    attributes.set_type("type", TONNX_DTYPE_FLOAT16, {-1, 4});
    tonnx::Value made = graph.op("my::Op", {tonnx::Value(), inputs[0]}, attributes);
    made.copy_type(inputs[0]);
    return {{made}};
  });
  tonnx::Options options;
  options.custom_opset("my", 1);
  const tonnx::Contents contents =
      tonnx::export_program(host::compiled("torch.relu(x)"), host::example(), options, registry).contents();
  const tonnx::Node node = find(contents.graph(), "my::Op");
  EXPECT_THAT(names_of(node.attributes()), ElementsAre("float", "floats", "int", "ints", "none", "string", "strings",
                                                       "tensor", "tensors", "type", "void"));
  EXPECT_EQ(node.attribute("int").to_int(), -3);
  EXPECT_EQ(node.attribute("int").kind(), TONNX_KIND_INT);
  EXPECT_EQ(node.attribute("float").to_float(), static_cast<double>(0.1F));  // as the file has it
  EXPECT_EQ(node.attribute("string").to_string(), "a\u00e9");
  EXPECT_EQ(node.attribute("tensor").to_tensor().dims(), std::vector<std::int64_t>{3});
  EXPECT_EQ(node.attribute("tensor").dtype(), TONNX_DTYPE_INT64);
  EXPECT_THAT(node.attribute("ints").to_ints(), ElementsAre(1, -2));
  EXPECT_EQ(node.attribute("ints").kind(), TONNX_KIND_LIST);
  EXPECT_EQ(node.attribute("ints").type(), "int[]");
  EXPECT_THAT(node.attribute("none").to_ints(), IsEmpty());
  EXPECT_THAT(node.attribute("floats").to_floats(), ElementsAre(static_cast<double>(0.1F), 2));
  EXPECT_THAT(node.attribute("strings").to_strings(), ElementsAre("", "b"));
  ASSERT_EQ(node.attribute("tensors").to_list().size(), 2U);
  EXPECT_EQ(node.attribute("tensors").kind(), TONNX_KIND_TENSOR_LIST);
  EXPECT_THAT(node.attribute("void").to_list(), IsEmpty());
  EXPECT_EQ(node.attribute("void").kind(), TONNX_KIND_TENSOR_LIST);
  EXPECT_EQ(node.attribute("tensors").to_list()[1].to_tensor().dims(), std::vector<std::int64_t>{3});
  EXPECT_EQ(node.attribute("type").kind(), TONNX_KIND_TYPE);
  EXPECT_FALSE(node.attribute("type").is_constant());
  EXPECT_EQ(node.attribute("type").dtype(), TONNX_DTYPE_FLOAT16);
  EXPECT_THAT(dims_of(node.attribute("type")), ElementsAre(-1, 4));
  EXPECT_TRUE(node.attribute("other").is_none());
  EXPECT_EQ(node.attribute("int").uses().size(), 0U);
  EXPECT_THAT(failure([&] { node.attribute("int").to_string(); }),
              host::is_error(TONNX_STATUS_ARGUMENT, AllOf(HasSubstr("attribute 'int'"), HasSubstr("type int"))));
  EXPECT_EQ(failure([&] { node.attribute("ints").to_strings(); }).status(), TONNX_STATUS_ARGUMENT);
  EXPECT_EQ(failure([&] { node.attribute("type").to_tensor(); }).status(), TONNX_STATUS_ARGUMENT);
  ASSERT_EQ(node.inputs().size(), 2U);
  EXPECT_TRUE(node.inputs()[0].is_none());  // omitted
}

TEST(Contents, GraphsCanOnlyBeRead) {
  const tonnx::Contents contents = tonnx::export_program(host::compiled("torch.relu(x)"), host::example()).contents();
  tonnx::Graph graph = contents.graph();
  const tonnx::Value x = graph.inputs()[0];
  const auto refuses = host::is_error(TONNX_STATUS_ARGUMENT, HasSubstr("can only be read"));
  EXPECT_THAT(failure([&] { graph.op("Relu", {x}); }), refuses);
  EXPECT_THAT(failure([&] { graph.call("aten::relu", {x}); }), refuses);
  EXPECT_THAT(failure([&] { graph.list({x}); }), refuses);
  EXPECT_THAT(failure([&] { graph.add_subgraph(); }), refuses);
  EXPECT_THAT(failure([&] { graph.add_input(); }), refuses);
  EXPECT_THAT(failure([&] { graph.set_results({x}); }), refuses);
  EXPECT_EQ(failure([&] { tonnx::Attributes().set_graph("body", graph); }).status(), TONNX_STATUS_ARGUMENT);
  tonnx_graph_fail(graph.get(), "no", nullptr, nullptr);
  EXPECT_EQ(tonnx::Graph(nullptr).nodes().size(), 0U);
  EXPECT_FALSE(graph.is_training());
  EXPECT_EQ(tonnx_graph_node(graph.get(), 99), nullptr);
  EXPECT_EQ(tonnx_node_input(graph.nodes()[0].get(), 99), nullptr);
  EXPECT_EQ(tonnx_value_user(x.get(), 99), nullptr);
}

TEST(Contents, ANodeOfASymbolicHasItsInputs) {
  tonnx::Registry registry;
  int calls = 0;
  registry.add("aten::add.Tensor", 9,
               [&](tonnx::Graph& graph, const tonnx::Node& node, const auto& inputs) -> host::Results {
                 ++calls;
                 EXPECT_EQ(node.inputs(), inputs);
                 EXPECT_EQ(node.outputs().size(), 1U);
                 EXPECT_EQ(inputs[2].type(), "int");
                 EXPECT_THAT(node.attributes(), IsEmpty());
                 EXPECT_THAT(node.graphs(), IsEmpty());
                 EXPECT_EQ(node.parent(), std::nullopt);
                 EXPECT_EQ(inputs[0].producer(), std::nullopt);
                 EXPECT_THAT(inputs[0].uses().size(), 0U);
                 EXPECT_THAT(graph.nodes().size(), 0U);
                 return std::nullopt;
               });
  tonnx::export_program(host::compiled("torch.relu(x) + x"), host::example(), {}, registry);
  EXPECT_GT(calls, 0);
}

TEST(Contents, SeveralThreadsWalk) {
  const tonnx::Program program = tonnx::Program::compile(kBranchAndLoop, {}, "net.py");
  const tonnx::Contents contents = program.contents(tensor_and_steps());
  std::vector<std::thread> threads;
  std::vector<std::vector<tonnx::Node>> found(4);
  for (auto& nodes : found)
    threads.emplace_back([&] {
      nodes = contents.graph().nodes();
      expect_consistent(contents.graph());
    });
  for (std::thread& thread : threads) thread.join();
  for (const auto& nodes : found) EXPECT_EQ(nodes, found[0]);
}
