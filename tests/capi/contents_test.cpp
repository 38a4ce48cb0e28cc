#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "error_matchers.h"
#include "symbolic_host.h"

// Inputs, outputs, weights and operators of programs and models, by the getters of values.
using host::failure;
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
    }
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
