#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "error_matchers.h"
#include "symbolic_host.h"

// What a symbolic reads of its operator's arguments, and what it returns for outputs.
using host::failure;
using testing::HasSubstr;
using tonnx::Attributes;
using tonnx::Graph;
using tonnx::Node;
using tonnx::Value;

namespace {

tonnx::Model exported(const std::string& body, const std::string& op, const tonnx::Symbolic& symbolic) {
  tonnx::Registry registry;
  registry.add(op, 9, symbolic);
  return tonnx::export_program(host::compiled(body), host::example(), {}, registry);
}

}  // namespace

TEST(Arguments, F178_AnUnusedOutputNeedsNoValue) {
  const auto values_only = [](Graph& graph, const Node& node, const std::vector<Value>& inputs) -> host::Results {
    EXPECT_EQ(node.output_count(), 2u);
    return std::vector<Value>{
        graph.op("ReduceMax", {inputs[0]}, Attributes().set_ints("axes", {1}).set_int("keepdims", 0)), Value()};
  };
  const auto model = exported("torch.max(x, 1)[0]", "aten::max.dim", values_only);
  EXPECT_THAT(model.text(), HasSubstr("onnx::ReduceMax"));
  model.verify(host::compiled("torch.max(x, 1)[0]"), host::example());
  EXPECT_THAT(failure([&] { exported("torch.max(x, 1)[1]", "aten::max.dim", values_only); }),
              host::is_error(TONNX_STATUS_ARGUMENT, HasSubstr("returned no value for output 1, which is used")));
}

TEST(Arguments, F179_F180_HaveThePlacesAndNamesOfTheSchema) {
  exported("torch.elu(x, 0.5, 2.0)", "aten::elu",
           [](Graph& graph, const Node& node, const std::vector<Value>& inputs) -> host::Results {
             EXPECT_EQ(node.argument("self"), 0);
             EXPECT_EQ(node.argument("scale"), 2);
             EXPECT_EQ(node.argument("nothing"), -1);
             EXPECT_EQ(inputs[static_cast<std::size_t>(node.argument("scale"))].to_float(), 2.0);
             // Tensors first, as old symbolics expect them: those that are no constants.
             std::vector<bool> constant;
             for (const Value& input : inputs) constant.push_back(input.is_constant());
             EXPECT_THAT(constant, testing::ElementsAre(false, true, true, true));
             return std::vector<Value>{graph.op("Elu", {inputs[0]})};
           });
}

TEST(Arguments, F186_F190_ConstantsAndAbsentInputs) {
  const auto model = exported(
      "torch.clamp(x, None, 1.0) + 1", "aten::clamp",
      [](Graph& graph, const Node&, const std::vector<Value>& inputs) -> host::Results {
        EXPECT_TRUE(inputs[1].is_none());
        EXPECT_EQ(inputs[2].to_float(), 1.0);
        const float one = 1;
        const Value made = graph.constant(tonnx::Tensor(TONNX_DTYPE_FLOAT32, {}, &one, sizeof one));
        EXPECT_TRUE(made.is_constant());
        EXPECT_EQ(made.to_float(), 1.0);
        // A constant argument becomes a constant of the model, here with the dtype of another value.
        return std::vector<Value>{graph.op("Clip", {inputs[0], Value(), graph.cast(inputs[2], inputs[0].dtype())})};
      });
  EXPECT_THAT(model.text(), HasSubstr("onnx::Clip(%x, none, %"));
  model.verify(host::compiled("torch.clamp(x, None, 1.0) + 1"), host::example());
}
