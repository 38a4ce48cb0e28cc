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

  const auto results =
      torch::run_graph(graph, {torch::to_ir(tensors[0]), torch::to_ir(tensors[1]), torch::to_ir(tensors[2])});
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

// A normalisation in training writes to its statistics, although its schema does not mark them.
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

// Quantised and back, by operators that LibTorch has no kernels of.
at::Tensor there_and_back(const std::string& way, const at::Tensor& x, const std::vector<ir::Constant>& numbers,
                          int low, int high, at::ScalarType dtype) {
  ir::Graph graph;
  ir::Value* value = graph.block().add_input();
  value->set_type(ir::Type{ir::Type::Kind::Tensor});
  for (const std::string kind : {"quantized_decomposed::quantize_", "quantized_decomposed::dequantize_"}) {
    std::vector<ir::Value*> operands{value};
    std::vector<ir::Constant> all = numbers;
    for (const std::int64_t number : {std::int64_t{low}, std::int64_t{high}, static_cast<std::int64_t>(dtype)})
      all.push_back({number});
    for (ir::Constant& constant : all) {
      ir::Node* node = graph.create_constant(constant);
      graph.block().append(node);
      operands.push_back(node->output());
    }
    ir::Node* node = graph.create(kind + way, operands, 1);
    node->set_schema(aten::find_schema(kind + way));
    EXPECT_NE(node->schema(), nullptr) << kind << way;
    graph.block().append(node);
    value = node->output();
  }
  graph.block().add_output(value);
  return torch::to_torch(torch::run_graph(graph, {torch::to_ir(x)}).at(0)).clone();
}

TEST(GraphRunQuantised, AGridOfTheWholeTensor) {
  const at::Tensor x = at::randn({5, 4}) * 20;
  const at::Tensor got = there_and_back("per_tensor", x, {{0.25}, {std::int64_t{3}}}, -128, 127, at::kChar);
  EXPECT_TRUE(at::equal(got, at::fake_quantize_per_tensor_affine(x, 0.25, 3, -128, 127)));
  const at::Tensor bytes = there_and_back("per_tensor", x, {{0.25}, {std::int64_t{100}}}, 0, 255, at::kByte);
  EXPECT_TRUE(at::equal(bytes, at::fake_quantize_per_tensor_affine(x, 0.25, 100, 0, 255)));
}

TEST(GraphRunQuantised, AGridOfEachChannel) {
  const at::Tensor x = at::randn({5, 4}) * 20;
  const at::Tensor scales = at::tensor({0.25f, 0.5f, 1.f, 2.f}), zeros = at::tensor({0, 1, 2, -3}, at::kInt);
  for (const std::int64_t axis : {1, -1}) {
    const at::Tensor got =
        there_and_back("per_channel", x, {{torch::to_ir(scales)}, {torch::to_ir(zeros)}, {axis}}, -128, 127, at::kChar);
    EXPECT_TRUE(at::equal(got, at::fake_quantize_per_channel_affine(x, scales, zeros, 1, -128, 127)));
  }
}

}  // namespace
}  // namespace tonnx
