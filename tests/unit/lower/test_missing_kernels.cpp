#include <gtest/gtest.h>

#include "ir/graph.h"
#include "lower/builder.h"
#include "lower/missing_kernels.h"
#include "onnx/opset.h"

namespace tonnx::lower {
namespace {

// The warnings for a model of two nodes of one operator with one input.
std::vector<std::string> warnings(std::string_view op, std::int32_t opset, DType dtype, Attributes attributes = {}) {
  ir::Graph graph;
  Builder b(graph, *onnx::opset(opset));
  Value* x = graph.block().add_input();
  x->set_facts({dtype, std::vector<ir::Dim>{1, 2, 6, 6}, nullptr});
  for (int i = 0; i < 2; ++i) x = b.op(op, {x}, attributes);
  return missing_kernels(graph, *onnx::opset(opset));
}

TEST(MissingKernels, DependOnTheVersionOfTheOperator) {
  const Attributes norm{{"p", std::int64_t{2}}};
  EXPECT_TRUE(warnings("GlobalLpPool", 21, DType::Float32, norm).empty());
  const auto found = warnings("GlobalLpPool", 22, DType::Float32, norm);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(found[0].find("no CPU kernel for GlobalLpPool of opset 22 with float32 (2 nodes"), std::string::npos)
      << found[0];
}

// Kernels for float64 load, and fail when they run.
TEST(MissingKernels, IncludeThoseThatAreNotImplemented) {
  for (const char* op : {"LSTM", "GRU", "RNN"})
    for (const DType dtype : {DType::Float32, DType::Float64}) {
      ir::Graph graph;
      Builder b(graph, *onnx::opset(8));
      Value* x = graph.block().add_input();
      x->set_facts({dtype, std::vector<ir::Dim>{1, 2, 2}, nullptr});
      b.op(op, {x, x, x}, {{"hidden_size", std::int64_t{2}}});
      EXPECT_EQ(missing_kernels(graph, *onnx::opset(8)).empty(), dtype == DType::Float32) << op;
    }
}

TEST(MissingKernels, DependOnTheDtype) {
  EXPECT_TRUE(warnings("Softplus", 17, DType::Float32).empty());
  EXPECT_EQ(warnings("Softplus", 17, DType::Float64).size(), 1U);
  EXPECT_TRUE(warnings("Tanh", 17, DType::Float64).empty());
}

}  // namespace
}  // namespace tonnx::lower
