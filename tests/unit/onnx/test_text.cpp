#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include "models.h"
#include "onnx/text.h"

namespace tonnx::onnx {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(FullText, EqualsProtobufsTextWithoutTheBytesOfWeights) {
  const auto graph = linear(file_tensor({300, 300}, "/no/such/file", 0));
  graph->add_weight("small", ir::Tensor::of_int64(std::vector<std::int64_t>{1}));
  const std::string text = full_text(*graph, info_of(18));
  EXPECT_THAT(text, HasSubstr("name: \"fc.weight\"\n    # raw_data: 360000 bytes\n"));
  EXPECT_THAT(text, HasSubstr("op_type: \"MatMul\""));
  EXPECT_THAT(text, HasSubstr("dim_param: \"batch\""));
  EXPECT_THAT(text, HasSubstr("raw_data: \"\\001\\000"));
  ::onnx::ModelProto parsed;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &parsed));
  EXPECT_EQ(parsed.graph().initializer_size(), 3);
}

TEST(FullText, HidesLargeConstants) {
  ir::Graph graph;
  ir::Value* constant = add_constant(graph.block(), std::vector<std::int64_t>(100, 7));
  graph.block().add_output(constant);
  const std::string text = full_text(graph, info_of(18));
  EXPECT_THAT(text, HasSubstr("# raw_data: 800 bytes"));
  EXPECT_THAT(text, Not(HasSubstr("raw_data: \"")));
}

}  // namespace
}  // namespace tonnx::onnx
