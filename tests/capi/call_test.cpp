#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tonnx.hpp"

// Between the trees of a program's call and the flat lists of its model, and weights from elsewhere.
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

std::string archive() { return std::string(std::getenv("TONNX_SOURCE_ROOT")) + "/tests/exported/torch-2.9.1.pt2"; }

tonnx::Tensor image(std::int64_t batch, std::int32_t dtype = TONNX_DTYPE_FLOAT32) {
  const std::vector<char> bytes(static_cast<std::size_t>(batch) * 32 * tonnx_dtype_size(dtype));
  return tonnx::Tensor(dtype, {batch, 2, 4, 4}, bytes.data(), bytes.size());
}

tonnx::Tensor floats(std::vector<std::int64_t> dims) {
  const auto count = std::accumulate(dims.begin(), dims.end(), std::int64_t{1}, std::multiplies<>());
  const std::vector<float> zeros(static_cast<std::size_t>(count));
  return tonnx::Tensor(TONNX_DTYPE_FLOAT32, dims, zeros.data(), zeros.size() * sizeof(float));
}

template <class Call>
tonnx::Error refusal(Call&& call) {
  try {
    call();
  } catch (const tonnx::Error& error) {
    return error;
  }
  return tonnx::Error(TONNX_STATUS_OK, "no refusal");
}

TEST(Exported, SymbolicsArePickedByOverloadAndDtype) {
  tonnx::Registry registry;
  const auto as = [&](const char* name, const char* op) {
    registry.add(name, 9, [op](tonnx::Graph& graph, const tonnx::Node& node, const std::vector<tonnx::Value>& inputs) {
      tonnx::Value made = graph.op(op, {inputs[0]});
      made.copy_type(node.output());
      return std::optional(std::vector<tonnx::Value>{made});
    });
  };
  as("aten::add.Tensor", "custom_domain::Any");
  as("aten::add.Tensor<float32>", "custom_domain::Single");
  as("aten::linear<float16>", "custom_domain::Half");
  as("aten::argmax<complex>", "custom_domain::Complex");
  as("aten::conv2d.padding", "custom_domain::Padded");
  as("aten::relu", "custom_domain::Relu");
  const std::string text = tonnx::export_program(tonnx::Program::load(archive()), {}, {}, registry).text();
  for (const char* taken : {"custom_domain::Single", "custom_domain::Relu", "onnx::Gemm", "onnx::ArgMax", "onnx::Conv"})
    EXPECT_THAT(text, HasSubstr(taken));
  for (const char* left : {"Any", "Half", "Complex", "Padded"})
    EXPECT_THAT(text, testing::Not(HasSubstr(std::string("custom_domain::") + left)));
  const auto count = [&](const std::string& name, bool is_custom) {
    const auto all = registry.entries();
    return std::count_if(all.begin(), all.end(),
                         [&](const auto& entry) { return entry.name == name && entry.is_custom == is_custom; });
  };
  EXPECT_EQ(count("aten::add.Tensor<float32>", true), 1);
  EXPECT_GE(count("aten::add", false) + count("aten::add.Tensor", false), 1);
}

class Call : public testing::Test {
 protected:
  // {"a": floats, "b": (batch, None, ints)}
  tonnx::Args result(std::int64_t batch, bool with_none = true) const {
    const std::vector<std::int64_t> largest(static_cast<std::size_t>(batch), 1);
    tonnx::Args args;
    args.begin_dict().key("a").add(floats({batch, 2})).key("b").begin_tuple().add_int(batch);
    if (with_none)
      args.add_none();
    else
      args.add(floats({1}));
    args.add(tonnx::Tensor(TONNX_DTYPE_INT64, {batch}, largest.data(), largest.size() * sizeof(std::int64_t)))
        .end()
        .end();
    return args;
  }

  tonnx::Program program_ = tonnx::Program::load(archive());
  tonnx::Model model_ = tonnx::export_program(program_, tonnx::Args());
};

TEST_F(Call, F258_ArgumentsBecomeInputs) {
  const auto by_place = model_.flat_inputs(tonnx::Args().add(image(5)));
  ASSERT_EQ(by_place.size(), 1U);
  EXPECT_THAT(by_place[0].dims(), ElementsAre(5, 2, 4, 4));
  EXPECT_EQ(model_.flat_inputs(tonnx::Args().key("x").add(image(3))).size(), 1U);
}

TEST_F(Call, ArgumentsThatDoNotFitAreRefused) {
  const auto status = [&](const tonnx::Args& args) { return refusal([&] { model_.flat_inputs(args); }).status(); };
  EXPECT_EQ(status(tonnx::Args()), TONNX_STATUS_ARGUMENT);
  EXPECT_EQ(status(tonnx::Args().add(image(5, TONNX_DTYPE_FLOAT64))), TONNX_STATUS_ARGUMENT);
  EXPECT_EQ(status(tonnx::Args().add(image(5)).add(image(5))), TONNX_STATUS_ARGUMENT);
  EXPECT_EQ(status(tonnx::Args().key("y").add(image(5))), TONNX_STATUS_ARGUMENT);
}

TEST_F(Call, F259_ResultsBecomeOutputs) {
  const auto outputs = model_.flat_outputs(result(5));
  ASSERT_EQ(outputs.size(), model_.output_names().size());
  EXPECT_THAT(outputs[0].dims(), ElementsAre(5, 2));
  EXPECT_EQ(outputs[1].dtype(), TONNX_DTYPE_INT64);
  EXPECT_TRUE(outputs[1].dims().empty());
  EXPECT_EQ(*static_cast<const std::int64_t*>(outputs[1].data()), 5);
  EXPECT_THAT(outputs[2].dims(), ElementsAre(5));
}

TEST_F(Call, ResultsOfAnotherTreeAreRefused) {
  EXPECT_EQ(refusal([&] { model_.flat_outputs(result(5, false)); }).status(), TONNX_STATUS_ARGUMENT);
  EXPECT_EQ(refusal([&] { model_.flat_outputs(tonnx::Args().add(image(5))); }).status(), TONNX_STATUS_ARGUMENT);
  EXPECT_EQ(refusal([&] { model_.flat_outputs(tonnx::Args()); }).status(), TONNX_STATUS_ARGUMENT);
}

TEST_F(Call, F257_TheTreesAreReturnedAsJson) {
  EXPECT_EQ(
      model_.call(),
      R"({"positional":{"kind":"tuple","items":[{"input":"x"}]},"keywords":{"kind":"dict","names":[],"items":[]},)"
      R"("result":{"kind":"dict","names":["a","b"],"items":[{"output":"a"},)"
      R"({"kind":"tuple","items":[{"output":"b.0"},{"fixed":null},{"output":"b.2"}]}]},"parameters":["x"]})");
  EXPECT_THAT(model_.text(TONNX_TEXT_FULL), HasSubstr("tonnx.call"));
}

TEST_F(Call, NamesInTheTreesAreThoseOfTheModel) {
  tonnx::Options options;
  options.input_name("picture").output_name("best");
  const tonnx::Model model = tonnx::export_program(program_, tonnx::Args(), options);
  EXPECT_THAT(model.call(), testing::AllOf(HasSubstr(R"({"input":"picture"})"), HasSubstr(R"({"output":"best"})")));
}

TEST_F(Call, AnArgumentIsATensorOrANumber) {
  tonnx::Args args;
  args.add_float(2.5).add_string("text");
  EXPECT_EQ(args.tensor(0).dtype(), TONNX_DTYPE_FLOAT64);
  EXPECT_EQ(refusal([&] { args.tensor(1); }).status(), TONNX_STATUS_ARGUMENT);
  EXPECT_EQ(refusal([&] { args.tensor(2); }).status(), TONNX_STATUS_ARGUMENT);
}

TEST_F(Call, WeightsThatAreNotThereAreAnError) {
  EXPECT_EQ(refusal([&] { program_.with_weights("/missing.safetensors"); }).status(), TONNX_STATUS_FILE);
}

}  // namespace
