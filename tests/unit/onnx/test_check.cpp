#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models.h"
#include "onnx/check.h"

namespace tonnx::onnx {
namespace {

using ir::Dim;
using ir::DType;
using ir::Graph;
using testing::HasSubstr;

template <class Call>
std::string refusal(const Call& call) {
  const ir::Error error = error_of(call);
  EXPECT_EQ(error.code(), ir::Code::Checker) << error.what();
  const std::string message = error.what();
  EXPECT_LE(std::ranges::count(message, '\n'), 6) << message;
  return message;
}

TEST(Check, AcceptsAValidModelWithoutReadingItsWeights) {
  for (const int version : {7, 8, 9, 13, 18, 21, 23}) {
    const auto graph = linear(file_tensor({300, 300}, "/no/such/file", 0), version);
    EXPECT_NO_THROW(check(*graph, info_of(version))) << version;
  }
}

TEST(Check, AcceptsAShapeThatIsAWeight) {
  Graph graph;
  ir::Value* x = add_input(graph, "x", DType::Float32, {2, 6});
  ir::Value* shape = graph.add_weight("shape", ir::Tensor::of_int64(std::vector<std::int64_t>{3, 4}));
  ir::Node* node = add_node(graph.block(), "onnx::Reshape", {x, shape});
  opset(18)->infer(*node);
  graph.block().add_output(node->output());
  EXPECT_NO_THROW(check(graph, info_of(18)));
}

TEST(Check, RefusesWhatOnnxRefuses) {
  Graph graph;
  ir::Value* x = add_input(graph, "x", DType::Float32, {2, 6});
  ir::Node* node = add_node(graph.block(), "onnx::LeakyRelu", {x}, {{"alpha", std::string("text")}});
  node->output()->facts() = x->facts();
  graph.block().add_output(node->output());
  EXPECT_THAT(refusal([&] { check(graph, info_of(18)); }), HasSubstr("alpha"));
  node->set_attribute("alpha", 0.1);
  check(graph, info_of(18));
  node->output()->facts().dims = std::vector<Dim>{2, 7};
  EXPECT_THAT(refusal([&] { check(graph, info_of(18)); }), HasSubstr("6"));
  node->output()->facts().dims = std::vector<Dim>{2, 6};
  node->set_kind("onnx::NoSuchOperator");
  EXPECT_THAT(refusal([&] { check(graph, info_of(18)); }), HasSubstr("NoSuchOperator"));
  node->set_kind("custom::Anything");
  EXPECT_NO_THROW(check(graph, info_of(18)));
}

TEST(Check, AcceptsAnOutputOfUnknownRank) {
  const Folder folder;
  Graph graph;
  ir::Value* x = add_input(graph, "x", DType::Float32, {2, 6});
  ir::Node* node = add_node(graph.block(), "custom::Foo", {x});
  graph.block().add_output(node->output());
  EXPECT_THAT(refusal([&] { check(graph, info_of(18)); }), HasSubstr("elem_type"));
  node->output()->facts().dtype = DType::Float32;
  EXPECT_NO_THROW(check(graph, info_of(18)));
  write_file(graph, info_of(18), folder / "m.onnx");
  EXPECT_NO_THROW(check_file(folder / "m.onnx"));
}

TEST(Check, ChecksFilesWithTheirExternalData) {
  const Folder folder;
  const auto graph = linear(float_tensor({300, 300}));
  write_file(*graph, info_of(18), folder / "whole.onnx");
  EXPECT_NO_THROW(check_file(folder / "whole.onnx"));
  std::filesystem::resize_file(folder / "whole.onnx", std::filesystem::file_size(folder / "whole.onnx") / 2);
  EXPECT_EQ(error_of([&] { check_file(folder / "whole.onnx"); }).code(), ir::Code::File);
  WriteOptions options;
  options.external_data = ExternalData::Yes;
  write_file(*graph, info_of(18), folder / "m.onnx", options);
  EXPECT_NO_THROW(check_file(folder / "m.onnx"));
  std::filesystem::resize_file(folder / "m.onnx.data", 5000);
  EXPECT_THAT(refusal([&] { check_file(folder / "m.onnx"); }), HasSubstr("ends at byte 5000"));
  std::filesystem::remove(folder / "m.onnx.data");
  EXPECT_THAT(refusal([&] { check_file(folder / "m.onnx"); }), HasSubstr("m.onnx.data"));
}

TEST(Check, ChecksAnArchiveThatAModelPointsTo) {
  const Folder folder;
  put_file(folder / "model.pt", counting_floats(300 * 300));
  WriteOptions options;
  options.external_data = ExternalData::Archive;
  write_file(*linear(file_tensor({300, 300}, folder / "model.pt", 0)), info_of(18), folder / "m.onnx", options);
  EXPECT_NO_THROW(check_file(folder / "m.onnx"));
}

}  // namespace
}  // namespace tonnx::onnx
