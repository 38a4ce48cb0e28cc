#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host.h"

// The examples of PyTorch's documentation for operators that the user converts, and for names of axes.
using host::program;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using tonnx::Attributes;
using tonnx::Graph;
using tonnx::Node;
using tonnx::Value;
using Results = std::optional<std::vector<Value>>;

namespace {

tonnx::Args floats(const std::vector<std::int64_t>& dims) {
  const std::int64_t count = std::accumulate(dims.begin(), dims.end(), std::int64_t{1}, std::multiplies<>());
  const std::vector<float> values(static_cast<std::size_t>(count), 0.5F);
  tonnx::Args args;
  args.add(tonnx::Tensor(TONNX_DTYPE_FLOAT32, dims, values.data(), values.size() * sizeof(float)));
  return args;
}

}  // namespace

TEST(Documented, F168_TheUnconvertedProgramShowsEluWithItsConstants) {
  EXPECT_THAT(program("torch.elu(x)").text(floats({1})),
              AllOf(HasSubstr("aten::elu(%x"), HasSubstr("prim::Constant[value=1")));
}

TEST(Documented, F200_EluOfTheUsersOwn) {
  tonnx::Registry registry;
  registry.add("aten::elu", 9, [](Graph& graph, const Node&, const std::vector<Value>& inputs) -> Results {
    return std::vector<Value>{graph.op("Elu", {inputs[0]}, Attributes().set_float("alpha", inputs[1].to_float()))};
  });
  EXPECT_THAT(tonnx::export_program(program("torch.elu(x, 0.5)"), floats({2, 3}), {}, registry).text(),
              HasSubstr("onnx::Elu[alpha=0.5]"));
}

TEST(Documented, F198_F203_F219_F282_SeluAndReluAreReplaced) {
  tonnx::Registry registry;
  registry.add("aten::selu", 9, [](Graph& graph, const Node&, const std::vector<Value>& inputs) -> Results {
    return std::vector<Value>{graph.op("Selu", {graph.op("Neg", {inputs[0]})})};
  });
  registry.add("aten::relu", 9, [](Graph& graph, const Node&, const std::vector<Value>& inputs) -> Results {
    return std::vector<Value>{graph.op("custom_domain::Relu", {inputs[0]})};
  });
  tonnx::Options options;
  options.custom_opset("custom_domain", 1);
  const std::string text =
      tonnx::export_program(program("torch.relu(torch.selu(x))"), floats({2, 3}), options, registry).text();
  EXPECT_THAT(text, AllOf(HasSubstr("onnx::Neg"), HasSubstr("onnx::Selu"), HasSubstr("custom_domain::Relu")));
}

TEST(Documented, F155_ASumWithAndWithoutNamedAxes) {
  tonnx::Options fixed;
  fixed.input_name("x").output_name("sum");
  EXPECT_THAT(tonnx::export_program(program("torch.sum(x, dim=1)"), floats({2, 2}), fixed).text(),
              AllOf(HasSubstr("%x : Float(2, 2)"), HasSubstr("%sum : Float(2)")));
  tonnx::Options open;
  open.input_name("x").output_name("sum").dynamic_axis("x", 0, "my_axis").dynamic_axis("sum", 0);
  const std::string text = tonnx::export_program(program("torch.sum(x, dim=1)"), floats({2, 2}), open).text();
  EXPECT_THAT(text, AllOf(HasSubstr("%x : Float(my_axis, 2)"), HasSubstr("sum_dynamic_axes_1")));
}

TEST(Documented, AnEmptyNameKeepsTheDefaultName) {
  tonnx::Options options;
  options.input_name("").output_name("sum");
  const tonnx::Model model = tonnx::export_program(program("torch.sum(x, dim=1)"), floats({2, 2}), options);
  EXPECT_THAT(model.input_names(), testing::ElementsAre("x"));
  EXPECT_THAT(model.output_names(), testing::ElementsAre("sum"));
}

TEST(Documented, ExpAndLogStayTheOperatorsTheyAre) {
  const std::string text = tonnx::export_program(program("torch.log(torch.log(torch.exp(x)))"), floats({2, 3})).text();
  EXPECT_THAT(text, AllOf(HasSubstr("onnx::Exp"), HasSubstr("onnx::Log"), Not(HasSubstr("aten::"))));
}
