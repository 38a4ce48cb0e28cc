#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include "ir/printer.h"
#include "models.h"
#include "onnx/reader.h"

namespace tonnx::onnx {
namespace {

using ir::Dim;
using ir::DType;
using ir::Graph;
using ir::Node;
using ir::Tensor;
using ir::Value;
using testing::HasSubstr;

std::string text(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Model read(const Folder& folder, const std::string& bytes) {
  put_file(folder / "read.onnx", bytes);
  return read_file(folder / "read.onnx");
}

TEST(Reader, ReadsAndRewritesWhatWasWritten) {
  const Folder folder;
  const auto graph = linear(float_tensor({300, 300}));
  ModelInfo info = info_of(18);
  info.metadata = {{"key", "value"}};
  info.value_infos = true;
  write_file(*graph, info, folder / "m.onnx");
  const Model model = read_file(folder / "m.onnx");
  EXPECT_EQ(model.info.opset, 18);
  EXPECT_EQ(model.info.ir_version, 8);
  EXPECT_EQ(model.info.producer_version, "0.1");
  EXPECT_EQ(model.info.metadata, info.metadata);
  EXPECT_EQ(ir::print(*model.graph), ir::print(*graph));
  const Value* weight = model.graph->weights()[0];
  EXPECT_EQ(weight->name(), "fc.weight");
  EXPECT_EQ(weight->weight()->storage->path(), folder / "m.onnx");
  EXPECT_TRUE(weight->weight()->equals(float_tensor({300, 300})));
  write_file(*model.graph, model.info, folder / "again.onnx");
  EXPECT_EQ(read_file(folder / "again.onnx").graph->weights().size(), 2U);
  EXPECT_EQ(text(write_bytes(*model.graph, model.info)), text(write_bytes(*graph, info)));
}

TEST(Reader, ExternalWeightsStayInTheirFile) {
  const Folder folder;
  WriteOptions options;
  options.external_data = ExternalData::Yes;
  write_file(*linear(float_tensor({300, 300}, 5)), info_of(18), folder / "m.onnx", options);
  const Model model = read_file(folder / "m.onnx");
  EXPECT_EQ(model.graph->weights()[0]->weight()->storage->path(), folder / "m.onnx.data");
  EXPECT_TRUE(model.graph->weights()[0]->weight()->equals(float_tensor({300, 300}, 5)));
}

TEST(Reader, ReadsBlocksAndAttributes) {
  const Folder folder;
  Graph graph;
  Value* condition = add_input(graph, "c", DType::Bool, {});
  Value* x = add_input(graph, "x", DType::Float32, {2, 3});
  Node* branch = add_node(graph.block(), "onnx::If", {condition});
  for (const char* kind : {"onnx::LeakyRelu", "onnx::Neg"}) {
    ir::Block* block = branch->add_block();
    Node* node = add_node(*block, kind, {x});
    if (node->is("onnx::LeakyRelu")) node->set_attribute("alpha", 0.1);
    node->output()->set_name("inner");
    block->add_output(node->output());
  }
  Value* constant = add_constant(graph.block(), {1, 2, 3});
  add_node(graph.block(), "onnx::Constant", {}, {{"value_ints", std::vector<std::int64_t>{4, 5}}});
  Node* custom = add_node(graph.block(), "custom::Foo", {branch->output(), nullptr, constant},
                          {{"names", std::vector<std::string>{"a"}}, {"scale", 0.3}});
  graph.block().add_output(custom->output());
  opset(18)->infer(*branch);
  custom->output()->facts().dtype = DType::Float32;
  const std::string bytes = text(write_bytes(graph, info_of(18)));
  const Model model = read(folder, bytes);
  EXPECT_EQ(text(write_bytes(*model.graph, model.info)), bytes);
  const Node* first = model.graph->block().first();
  EXPECT_EQ(first->block(0)->first()->op(), "LeakyRelu");
  EXPECT_EQ(*first->block(0)->first()->attribute_as<double>("alpha"), 0.1);
  EXPECT_NE(first->next()->output()->constant(), nullptr);
  EXPECT_EQ(first->next()->next()->output()->constant()->get<Tensor>()->to_int64s(), (std::vector<std::int64_t>{4, 5}));
  EXPECT_EQ(first->next()->next()->next()->input(1), nullptr);
}

TEST(Reader, ReadsTensorsStoredAsNumbers) {
  const Folder folder;
  ::onnx::ModelProto proto;
  proto.set_ir_version(8);
  proto.add_opset_import()->set_version(18);
  const auto add = [&](const char* name, int type) {
    ::onnx::TensorProto& tensor = *proto.mutable_graph()->add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(type);
    tensor.add_dims(2);
    return &tensor;
  };
  ::onnx::TensorProto* single = add("f", ::onnx::TensorProto::FLOAT);
  single->add_float_data(1.5F);
  single->add_float_data(-2);
  ::onnx::TensorProto* bytes = add("b", ::onnx::TensorProto::INT8);
  bytes->add_int32_data(-3);
  bytes->add_int32_data(4);
  ::onnx::TensorProto* half = add("h", ::onnx::TensorProto::FLOAT16);
  half->add_int32_data(0x3c00);
  half->add_int32_data(0xc000);
  ::onnx::TensorProto* big = add("u", ::onnx::TensorProto::UINT64);
  big->add_uint64_data(7);
  big->add_uint64_data(8);
  const Model model = read(folder, proto.SerializeAsString());
  const auto numbers = [&](std::size_t i) { return model.graph->weights()[i]->weight()->to_doubles(); };
  EXPECT_EQ(numbers(0), (std::vector<double>{1.5, -2}));
  EXPECT_EQ(numbers(1), (std::vector<double>{-3, 4}));
  EXPECT_EQ(numbers(2), (std::vector<double>{1, -2}));
  EXPECT_EQ(numbers(3), (std::vector<double>{7, 8}));
  big->add_uint64_data(9);
  EXPECT_THAT(error_of([&] { read(folder, proto.SerializeAsString()); }).what(),
              HasSubstr("3 numbers, but its shape needs 2"));
  // A dim of 0 must not hide an overflow.
  big->set_dims(0, 0);
  big->add_dims(std::int64_t{1} << 62);
  big->add_dims(16);
  EXPECT_THAT(error_of([&] { read(folder, proto.SerializeAsString()); }).what(), HasSubstr("dims out of range"));
}

TEST(Reader, WeightsThatAreInputsAreOnlyWeights) {
  const Folder folder;
  const Model model = read(folder, text(write_bytes(*linear(float_tensor({4, 8}), 8), info_of(8))));
  EXPECT_EQ(model.graph->inputs().size(), 1U);
  EXPECT_TRUE(model.info.initializers_as_inputs);
}

TEST(Reader, RefusesFilesThatAreNotModels) {
  const Folder folder;
  const auto message = [&](const std::string& bytes) {
    put_file(folder / "m.onnx", bytes);
    const ir::Error error = error_of([&] { read_file(folder / "m.onnx"); });
    EXPECT_EQ(error.code(), ir::Code::File);
    EXPECT_THAT(error.what(), HasSubstr(folder / "m.onnx"));
    return std::string(error.what());
  };
  EXPECT_THAT(message(""), HasSubstr("not an ONNX model"));
  EXPECT_THAT(message("PK\3\4 and so on"), HasSubstr("not an ONNX model"));
  EXPECT_THAT(message(std::string(1000, '\0')), HasSubstr("not an ONNX model"));
  EXPECT_THAT(message("some text that was never meant to be a model\n"), HasSubstr("not an ONNX model"));
  EXPECT_THAT(error_of([&] { read_file(folder / "missing"); }).what(), HasSubstr("No such file or directory"));
  EXPECT_THAT(error_of([&] { read_file(folder.path()); }).what(), HasSubstr("not a regular file"));
}

// Every truncation and every single changed byte yields a model or an Error.
TEST(Reader, SurvivesDamage) {
  const Folder folder;
  const auto graph = linear(float_tensor({4, 8}));
  add_node(graph->block(), "onnx::Constant", {}, {{"value", Tensor::of_int64(std::vector<std::int64_t>{1, 2})}});
  const std::string bytes = text(write_bytes(*graph, info_of(18)));
  const auto attempt = [&](const std::string& damaged) {
    try {
      const Model model = read(folder, damaged);
      ir::print(*model.graph);
    } catch (const ir::Error& error) {
      EXPECT_EQ(error.code(), ir::Code::File) << error.what();
    }
  };
  for (std::size_t size = 0; size < bytes.size(); ++size) attempt(bytes.substr(0, size));
  std::mt19937 random(7);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(random());
    attempt(damaged);
  }
}

}  // namespace
}  // namespace tonnx::onnx
