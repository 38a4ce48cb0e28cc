#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "aten/schemas.h"
#include "torch/convert.h"
#include "torch/graph_run.h"

namespace tonnx {
namespace {

class GraphRun : public testing::TestWithParam<const char*> {};

// Programs that were decomposed for an accelerator name kernels that the host lacks.
TEST_P(GraphRun, AttentionOfAnAcceleratorIsThatOfTheHost) {
  const std::string kind = GetParam();
  const bool takes_bias = kind.find("flash") == std::string::npos;
  const bool asks_for_sums = kind.find("efficient") != std::string::npos || kind.find("cudnn") != std::string::npos;
  ir::Graph graph;
  std::vector<ir::Value*> operands;
  std::vector<at::Tensor> tensors;
  for (const std::int64_t rows : {5, 7, 7}) {
    operands.push_back(graph.block().add_input());
    operands.back()->set_type(ir::Type{ir::Type::Kind::Tensor});
    tensors.push_back(at::randn({2, 3, rows, 8}));
  }
  const auto constant = [&](ir::Constant value) {
    ir::Node* node = graph.create_constant(std::move(value));
    graph.block().append(node);
    operands.push_back(node->output());
  };
  std::optional<at::Tensor> bias;
  if (takes_bias) {
    bias = at::randn({2, 3, 5, 7});
    constant({torch::to_ir(*bias)});
  }
  if (asks_for_sums) constant({false});
  constant({0.0});
  constant({!takes_bias});
  ir::Node* node = graph.create(kind, operands, 4);
  graph.block().append(node);
  graph.block().add_output(node->output(0));

  const auto results = torch::run_graph(graph, {torch::to_ir(tensors[0]), torch::to_ir(tensors[1]), torch::to_ir(tensors[2])});
  const at::Tensor expected =
      at::scaled_dot_product_attention(tensors[0], tensors[1], tensors[2], bias, 0.0, /*is_causal=*/!takes_bias);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_TRUE(at::allclose(torch::to_torch(results[0]), expected, 1e-5, 1e-6));
}

INSTANTIATE_TEST_SUITE_P(Kernels, GraphRun,
                         testing::Values("aten::_scaled_dot_product_efficient_attention",
                                         "aten::_scaled_dot_product_cudnn_attention",
                                         "aten::_scaled_dot_product_flash_attention",
                                         "aten::_scaled_dot_product_fused_attention_overrideable"));

// In training a normalisation writes to its statistics, though its schema does not say so.
TEST(GraphRunWeights, StayAsTheyAre) {
  ir::Graph graph;
  ir::Value* x = graph.block().add_input();
  x->set_type(ir::Type{ir::Type::Kind::Tensor});
  const at::Tensor mean = at::zeros({3}), variance = at::ones({3});
  std::vector<ir::Value*> operands{x};
  const auto constant = [&](ir::Constant value) {
    ir::Node* node = graph.create_constant(std::move(value));
    graph.block().append(node);
    operands.push_back(node->output());
  };
  constant({});
  constant({});
  operands.push_back(graph.add_weight("mean", torch::to_ir(mean)));
  operands.push_back(graph.add_weight("variance", torch::to_ir(variance)));
  constant({true});
  constant({0.1});
  constant({1e-5});
  constant({false});
  ir::Node* node = graph.create("aten::batch_norm", operands, 1);
  node->set_schema(aten::find_schema("aten::batch_norm"));
  graph.block().append(node);
  graph.block().add_output(node->output());
  torch::run_graph(graph, {torch::to_ir(at::randn({4, 3}) + 5)});
  EXPECT_TRUE(at::equal(mean, at::zeros({3})));
  EXPECT_TRUE(at::equal(variance, at::ones({3})));
}

}  // namespace
}  // namespace tonnx
