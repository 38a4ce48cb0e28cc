#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include "ir/computed.h"
#include "ir/open_ranks.h"
#include "ir/source_line.h"
#include "models.h"
#include "onnx/check.h"
#include "onnx/writer.h"

namespace tonnx::onnx {
namespace {

using ir::Dim;
using ir::DType;
using ir::Graph;
using ir::Node;
using ir::Tensor;
using ir::Value;
using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string text(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

::onnx::ModelProto parse(const std::string& bytes) {
  ::onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromString(bytes));
  return model;
}

std::string first_weight(const Graph& graph) {
  return parse(text(write_bytes(graph, info_of(18)))).graph().initializer(0).raw_data();
}

TEST(Writer, WritesWhatProtobufWould) {
  const auto graph = linear(float_tensor({4, 8}));
  ModelInfo info = info_of(18);
  info.metadata = {{"key", "value"}};
  info.doc = "doc";
  const std::string bytes = text(write_bytes(*graph, info));
  const ::onnx::ModelProto model = parse(bytes);
  EXPECT_EQ(model.SerializeAsString(), bytes);
  EXPECT_EQ(message_size(*graph, info), bytes.size());
  EXPECT_EQ(model.ir_version(), 8);
  EXPECT_EQ(model.opset_import(0).version(), 18);
  EXPECT_EQ(model.producer_name(), "tonnx");
  EXPECT_EQ(model.metadata_props(0).key(), "key");
  ASSERT_EQ(model.graph().initializer_size(), 2);
  EXPECT_EQ(model.graph().initializer(0).name(), "fc.weight");
  EXPECT_EQ(model.graph().initializer(0).raw_data(), counting_floats(32));
  EXPECT_EQ(model.graph().input_size(), 1);
  EXPECT_EQ(model.graph().input(0).type().tensor_type().shape().dim(0).dim_param(), "batch");
  EXPECT_EQ(model.graph().output(0).name(), "y");
  EXPECT_EQ(model.graph().output(0).type().tensor_type().shape().dim(1).dim_value(), 8);
  EXPECT_EQ(model.graph().node(0).input(1), "fc.weight");
}

TEST(Writer, EverySinkGetsTheSameBytes) {
  const Folder folder;
  // Too large for any buffer.
  const auto graph = linear(float_tensor({300, 300}));
  const ModelInfo info = info_of(18);
  const std::string expected = text(write_bytes(*graph, info));

  const Written written = write_file(*graph, info, folder / "model.onnx");
  EXPECT_EQ(written.model_bytes, expected.size());
  EXPECT_EQ(bytes_of(folder / "model.onnx"), expected);
  EXPECT_THAT(folder.names(), ElementsAre("model.onnx"));

  std::string received;
  write_callback(*graph, info, [&](const std::byte* data, std::size_t size) {
    received.append(reinterpret_cast<const char*>(data), size);
  });
  EXPECT_EQ(received, expected);

  const int fd = ::open((folder / "fd.onnx").c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_EQ(::write(fd, "head", 4), 4);
  write_descriptor(*graph, info, fd);
  ::close(fd);
  EXPECT_EQ(bytes_of(folder / "fd.onnx"), "head" + expected);
}

TEST(Writer, EqualGraphsProduceEqualBytes) {
  const auto make = [](bool reversed) {
    auto graph = linear(float_tensor({4, 8}));
    std::vector<ir::NamedAttribute> attributes{{"alpha", 0.1}, {"beta", 0.2}, {"gamma", std::int64_t{1}}};
    if (reversed) std::ranges::reverse(attributes);
    add_node(graph->block(), "second::Foo", {graph->inputs()[0]}, attributes);
    add_node(graph->block(), "first::Foo", {graph->inputs()[0]}, attributes);
    return graph;
  };
  const std::string bytes = text(write_bytes(*make(false), info_of(18)));
  EXPECT_EQ(text(write_bytes(*make(true), info_of(18))), bytes);
  EXPECT_EQ(text(write_bytes(*make(false)->clone(), info_of(18))), bytes);
}

TEST(Writer, SendsFileRegions) {
  const Folder folder;
  // A small and a large region, neither at the start of its file.
  put_file(folder / "weights.bin", "abcd" + counting_floats(200 * 200) + counting_floats(50, 7));
  for (const auto& [dims, offset] : {std::pair{std::vector<std::int64_t>{200, 200}, 4},
                                     std::pair{std::vector<std::int64_t>{5, 10}, 4 + 200 * 200 * 4}}) {
    const Tensor on_file = file_tensor(dims, folder / "weights.bin", static_cast<std::uint64_t>(offset));
    const auto graph = linear(on_file);
    const auto same = linear(float_tensor(dims, dims[0] == 5 ? 7 : 0));
    const ModelInfo info = info_of(18);
    const std::string expected = text(write_bytes(*same, info));
    EXPECT_EQ(text(write_bytes(*graph, info)), expected);
    write_file(*graph, info, folder / "model.onnx");
    EXPECT_EQ(bytes_of(folder / "model.onnx"), expected);
    // copy_file_range does not support a descriptor opened for appending.
    const int fd = ::open((folder / "append.onnx").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_TRUNC, 0600);
    write_descriptor(*graph, info, fd);
    ::close(fd);
    EXPECT_EQ(bytes_of(folder / "append.onnx"), expected);
  }
}

TEST(Writer, WritesToPipesAndSockets) {
  const Folder folder;
  put_file(folder / "weights.bin", counting_floats(400 * 400));
  const auto graph = linear(file_tensor({400, 400}, folder / "weights.bin", 0));
  const ModelInfo info = info_of(18);
  const std::string expected = text(write_bytes(*graph, info));
  for (const bool socket : {false, true}) {
    int ends[2];
    ASSERT_EQ(socket ? ::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) : ::pipe(ends), 0);
    std::string received;
    std::thread reader([&received, fd = ends[0]] {
      std::vector<char> piece(1 << 16);
      for (ssize_t got; (got = ::read(fd, piece.data(), piece.size())) > 0;) received.append(piece.data(), got);
    });
    write_descriptor(*graph, info, ends[1]);
    ::close(ends[1]);
    reader.join();
    ::close(ends[0]);
    EXPECT_EQ(received, expected);
  }
}

TEST(Writer, GathersStridedWeights) {
  const Folder folder;
  Tensor tensor = float_tensor({1500, 1000});  // more than one piece
  std::swap(tensor.dims[0], tensor.dims[1]);
  std::swap(tensor.strides[0], tensor.strides[1]);
  const auto graph = linear(tensor);
  write_file(*graph, info_of(18), folder / "model.onnx");
  const ::onnx::ModelProto model = parse(bytes_of(folder / "model.onnx"));
  const Tensor copy = tensor.contiguous();
  EXPECT_EQ(model.graph().initializer(0).raw_data(),
            std::string(reinterpret_cast<const char*>(copy.data()), copy.bytes()));
  // A view into the middle of a storage.
  Tensor row = float_tensor({3, 4});
  row.dims = {2, 4};
  row.offset = 4;
  EXPECT_EQ(first_weight(*linear(row)), counting_floats(8, 4));
}

TEST(Writer, WritesALongTransposedWeightInPieces) {
  const Folder folder;
  constexpr std::int64_t kRows = 1100, kColumns = 8191;  // 36 MB, three pieces
  put_file(folder / "weights", "head" + counting_floats(kRows * kColumns));
  ir::Tensor weight = file_tensor({kColumns, kRows}, folder / "weights", 4);
  std::swap(weight.dims[0], weight.dims[1]);
  std::swap(weight.strides[0], weight.strides[1]);
  auto graph = linear(weight);
  graph->add_weight("after", float_tensor({3}, 0.25F));
  const ModelInfo info = info_of(18);
  const std::vector<std::byte> expected = write_bytes(*graph, info);
  write_file(*graph, info, folder / "model.onnx");
  EXPECT_TRUE(bytes_of(folder / "model.onnx") == text(expected));
  const Written beside = write_file(*graph, info, folder / "model.onnx", {.external_data = ExternalData::Yes});
  const std::string raw = parse(text(expected)).graph().initializer(0).raw_data();
  EXPECT_TRUE(bytes_of(beside.data_path).starts_with(raw));
}

// A computed weight with enough pieces to be gathered ahead: element i is i / 2.
class Halves final : public ir::Computed {
 public:
  explicit Halves(std::int64_t count, std::int64_t fails_at = -1)
      : Computed(DType::Float32, count), fails_at_(fails_at) {}
  void compute(std::int64_t begin, std::int64_t end, std::byte* out, const ir::Done&) const override {
    if (begin <= fails_at_ && fails_at_ < end) throw ir::Error(ir::Code::File, "the source is gone");
    for (std::int64_t i = begin; i < end; ++i, out += sizeof(float))
      ir::store(DType::Float32, static_cast<double>(i) / 2, out);
  }

 private:
  std::int64_t fails_at_;
};

Tensor halves(std::int64_t count, std::int64_t fails_at = -1) {
  return {DType::Float32, {count}, {1}, 0, std::make_shared<Halves>(count, fails_at)};
}

TEST(Writer, WritesWeightsThatAreGatheredAheadInOrder) {
  const Folder folder;
  put_file(folder / "weights", counting_floats(2000 * 1000));
  Tensor turned = file_tensor({2000, 1000}, folder / "weights", 0);
  std::swap(turned.dims[0], turned.dims[1]);
  std::swap(turned.strides[0], turned.strides[1]);
  const auto graph = linear(turned);
  const std::vector<Tensor> others = {
      halves(1'500'000), float_tensor({7}, 3), halves(5), file_tensor({400, 400}, folder / "weights", 40), turned,
      halves(0),         halves(600'000)};
  for (std::size_t i = 0; i < others.size(); ++i) graph->add_weight("w" + std::to_string(i), others[i]);
  const ModelInfo info = info_of(18);
  const ::onnx::ModelProto model = parse(text(write_bytes(*graph, info)));
  for (std::size_t i = 0; i < others.size(); ++i) {
    std::string expected(others[i].bytes(), '\0');
    others[i].read(0, others[i].numel(), reinterpret_cast<std::byte*>(expected.data()));
    EXPECT_TRUE(model.graph().initializer(static_cast<int>(i) + 2).raw_data() == expected) << i;
  }
  const std::string whole = text(write_bytes(*graph, info));
  write_file(*graph, info, folder / "model.onnx");
  EXPECT_TRUE(bytes_of(folder / "model.onnx") == whole);
  write_file(*graph, info, folder / "each.onnx", {.external_data = ExternalData::Each});
  const Written beside = write_file(*graph, info, folder / "beside.onnx", {.external_data = ExternalData::Yes});
  EXPECT_NE(bytes_of(beside.data_path).find(model.graph().initializer(8).raw_data()), std::string::npos);
}

TEST(Writer, StopsIfAGatheredWeightOrTheReceiverFails) {
  const auto graph = linear(float_tensor({2, 3}));
  graph->add_weight("first", halves(1'200'000));
  graph->add_weight("second", halves(1'200'000, 1'100'000));
  const ir::Error error = error_of([&] { write_bytes(*graph, info_of(18)); });
  EXPECT_EQ(error.code(), ir::Code::File);
  EXPECT_THAT(error.what(), HasSubstr("the source is gone"));
  std::size_t received = 0;
  const auto receive = [&received](const std::byte*, std::size_t size) {
    received += size;
    if (received > 3'000'000) throw std::runtime_error("full");
  };
  EXPECT_THROW(write_callback(*graph, info_of(18), receive), std::runtime_error);
}

TEST(Writer, AssignsNamesInOrderAndRefusesDuplicates) {
  Graph graph;
  Value* x = add_input(graph, "0", DType::Float32, {2});
  Node* a = add_node(graph.block(), "onnx::Relu", {x});
  Node* b = add_node(graph.block(), "onnx::Relu", {a->output()});
  graph.block().add_output(b->output());
  const ::onnx::ModelProto model = parse(text(write_bytes(graph, info_of(18))));
  EXPECT_EQ(model.graph().node(0).output(0), "1");
  EXPECT_EQ(model.graph().node(1).output(0), "2");
  b->output()->set_name("0");
  EXPECT_EQ(error_of([&] { write_bytes(graph, info_of(18)); }).code(), ir::Code::Internal);
}

TEST(Writer, BlocksBecomeGraphAttributes) {
  Graph graph;
  Value* condition = add_input(graph, "c", DType::Bool, {});
  Value* x = add_input(graph, "x", DType::Float32, {2, 3});
  Node* branch = add_node(graph.block(), "onnx::If",
                          {
                              condition,
                          });
  for (const char* kind : {"onnx::Relu", "onnx::Neg"}) {
    ir::Block* block = branch->add_block();
    Node* node = add_node(*block, kind, {x});
    node->output()->set_name("inner");
    block->add_output(node->output());
  }
  opset(18)->infer(*branch);
  graph.block().add_output(branch->output());
  const ::onnx::ModelProto model = parse(text(write_bytes(graph, info_of(18))));
  const ::onnx::NodeProto& node = model.graph().node(0);
  ASSERT_EQ(node.attribute_size(), 2);
  EXPECT_EQ(node.attribute(0).name(), "else_branch");
  EXPECT_EQ(node.attribute(0).g().node(0).op_type(), "Neg");
  EXPECT_EQ(node.attribute(1).name(), "then_branch");
  EXPECT_EQ(node.attribute(1).g().node(0).input(0), "x");
}

TEST(Writer, CopiesAnOuterValueThatIsABlockOutput) {
  Graph graph;
  Value* condition = add_input(graph, "c", DType::Bool, {});
  Value* x = add_input(graph, "x", DType::Float32, {2, 3});
  Value* weight = graph.add_weight("w", float_tensor({2, 3}));
  Node* branch = add_node(graph.block(), "onnx::If", {condition});
  branch->add_block()->add_output(x);
  branch->add_block()->add_output(weight);
  branch->output()->set_name("y");
  opset(18)->infer(*branch);
  graph.block().add_output(branch->output());
  EXPECT_NO_THROW(check(graph, info_of(18)));
  const ::onnx::ModelProto model = parse(text(write_bytes(graph, info_of(18))));
  const ::onnx::GraphProto& then_branch = model.graph().node(0).attribute(1).g();
  ASSERT_EQ(then_branch.node_size(), 1);
  EXPECT_EQ(then_branch.node(0).op_type(), "Identity");
  EXPECT_EQ(then_branch.node(0).input(0), "x");
  EXPECT_EQ(then_branch.output(0).name(), then_branch.node(0).output(0));
}

TEST(Writer, WritesEveryKindOfAttributeSorted) {
  Graph graph;
  Value* x = add_input(graph, "x", DType::Float32, {2});
  ir::TypeAttribute type;
  type.dtype = DType::Int64;
  Node* node = add_node(graph.block(), "custom::Foo", {x, nullptr, x},
                        {{"i", std::int64_t{3}},
                         {"f", 0.5},
                         {"a_string", std::string("text")},
                         {"ints", std::vector<std::int64_t>{1, 2}},
                         {"floats", std::vector<double>{}},
                         {"strings", std::vector<std::string>{"a", "b"}},
                         {"tensor", float_tensor({2})},
                         {"tensors", std::vector<Tensor>{float_tensor({1})}},
                         {"type", type}});
  node->set_location({nullptr, std::make_shared<const ir::SourceLine>("model.py:12")});
  graph.block().add_output(node->output());
  ModelInfo info = info_of(21);
  info.domains = {{"custom", 3}};
  info.doc_strings = info.node_metadata = true;
  const ::onnx::ModelProto model = parse(text(write_bytes(graph, info)));
  const ::onnx::NodeProto& written = model.graph().node(0);
  EXPECT_EQ(written.op_type(), "Foo");
  EXPECT_EQ(written.domain(), "custom");
  EXPECT_EQ(written.input(1), "");
  EXPECT_EQ(written.doc_string(), "model.py:12");
  EXPECT_EQ(written.metadata_props(0).value(), "model.py:12");
  std::vector<std::string> names;
  for (const auto& attribute : written.attribute()) names.push_back(attribute.name());
  EXPECT_THAT(names, ElementsAre("a_string", "f", "floats", "i", "ints", "strings", "tensor", "tensors", "type"));
  EXPECT_EQ(written.attribute(2).type(), ::onnx::AttributeProto::FLOATS);
  EXPECT_EQ(written.attribute(6).t().raw_data(), counting_floats(2));
  EXPECT_EQ(model.opset_import(1).domain(), "custom");
  EXPECT_EQ(model.opset_import(1).version(), 3);
  // Nodes have no metadata below IR version 10, and unlisted domains are imported.
  info.opset = 18;
  info.domains.clear();
  const ::onnx::ModelProto older = parse(text(write_bytes(graph, info)));
  EXPECT_EQ(older.graph().node(0).metadata_props_size(), 0);
  EXPECT_EQ(older.opset_import(1).version(), 1);
}

TEST(Writer, WeightsAreInputsBelowIrVersion4) {
  const auto graph = linear(float_tensor({4, 8}), 8);
  ModelInfo info = info_of(8);
  const ::onnx::ModelProto old = parse(text(write_bytes(*graph, info)));
  ASSERT_EQ(old.graph().input_size(), 3);
  EXPECT_EQ(old.graph().input(1).name(), "fc.weight");
  EXPECT_EQ(old.graph().input(1).type().tensor_type().shape().dim(1).dim_value(), 8);
  info.opset = 18;
  EXPECT_EQ(parse(text(write_bytes(*graph, info))).graph().input_size(), 1);
  info.initializers_as_inputs = true;
  EXPECT_EQ(parse(text(write_bytes(*graph, info))).graph().input_size(), 3);
}

TEST(Writer, WritesTypesOfIntermediateValuesWhenAsked) {
  const auto graph = linear(float_tensor({4, 8}));
  ModelInfo info = info_of(18);
  info.value_infos = true;
  const ::onnx::ModelProto model = parse(text(write_bytes(*graph, info)));
  ASSERT_EQ(model.graph().value_info_size(), 1);
  EXPECT_EQ(model.graph().value_info(0).name(), model.graph().node(0).output(0));
  graph->block().first()->set_name("/first");
  EXPECT_EQ(parse(text(write_bytes(*graph, info))).graph().node(0).name(), "/first");
  info.node_names = false;
  EXPECT_TRUE(parse(text(write_bytes(*graph, info))).graph().node(0).name().empty());
}

TEST(Writer, NamesEachUnknownSizeAfterValueAndAxis) {
  Graph graph;
  Value* x = add_input(graph, "x", DType::Float32, {Dim::symbol("y_dim_1"), 3});
  Node* inner = add_node(graph.block(), "onnx::NonZero", {x});
  Node* relu = add_node(graph.block(), "onnx::Relu", {inner->output()});
  for (Node* node : {inner, relu}) opset(18)->infer(*node);
  inner->output()->set_name("n");
  relu->output()->set_name("y");
  graph.block().add_output(relu->output());
  ModelInfo info = info_of(18);
  const auto size_of = [](const ::onnx::ValueInfoProto& value) {
    return value.type().tensor_type().shape().dim(1).dim_param();
  };
  EXPECT_EQ(size_of(parse(text(write_bytes(graph, info))).graph().output(0)), "");
  info.value_infos = true;
  const ::onnx::ModelProto model = parse(text(write_bytes(graph, info)));
  EXPECT_EQ(size_of(model.graph().value_info(0)), "n_dim_1");
  EXPECT_EQ(size_of(model.graph().output(0)), "y_dim_1_");  // "y_dim_1" is the size of another axis
  ir::set_open_rank(graph.block(), 0);
  EXPECT_EQ(size_of(parse(text(write_bytes(graph, info))).graph().output(0)), "");
}

// Facts assume that x[:1] has one row, but it has none if x has none.
TEST(Writer, NamesASizeOfOneThatMayBeZero) {
  for (const bool is_open : {true, false}) {
    Graph graph;
    Value* x = add_input(graph, "x", DType::Float32, {is_open ? Dim::symbol("n") : Dim(5), 3});
    Node* slice = add_node(graph.block(), "onnx::Neg", {x});
    slice->output()->set_facts({DType::Float32, std::vector<Dim>{1, 3}, nullptr});
    Node* relu = add_node(graph.block(), "onnx::Relu", {slice->output()});
    relu->output()->set_facts({DType::Float32, std::vector<Dim>{1, 3}, nullptr});
    slice->output()->set_name("s");
    graph.block().add_output(relu->output());
    ModelInfo info = info_of(18);
    info.value_infos = true;
    const ::onnx::ModelProto model = parse(text(write_bytes(graph, info)));
    const auto& dim = model.graph().value_info(0).type().tensor_type().shape().dim(0);
    EXPECT_EQ(dim.dim_param(), is_open ? "s_dim_0" : "");
    EXPECT_EQ(dim.dim_value(), is_open ? 0 : 1);
    EXPECT_EQ(model.graph().output(0).type().tensor_type().shape().dim(0).dim_value(), 1);
  }
}

// ONNX's own inference would name their size "n".
TEST(Writer, NamesTheDynamicSizesOfSlicesAtOpset10) {
  Graph graph;
  Value* x = add_input(graph, "x", DType::Float32, {Dim::symbol("n"), 3});
  for (int i = 0; i < 2; ++i) {
    Value* first = add_constant(graph.block(), {0});
    Node* slice = add_node(graph.block(), "onnx::Slice", {x, first, add_constant(graph.block(), {2}), first});
    Node* relu = add_node(graph.block(), "onnx::Relu", {slice->output()});
    for (Node* node : {slice, relu}) opset(10)->infer(*node);
    EXPECT_TRUE(relu->output()->facts().dims->front().is_unknown());
    graph.block().add_output(relu->output());
  }
  const ::onnx::ModelProto model = parse(text(write_bytes(graph, info_of(10))));
  ASSERT_EQ(model.graph().value_info_size(), 2);
  const auto name = [&](int i) { return model.graph().value_info(i).type().tensor_type().shape().dim(0).dim_param(); };
  EXPECT_THAT(name(0), Not(AnyOf("", "n", name(1))));
  EXPECT_EQ(model.graph().value_info(0).type().tensor_type().shape().dim(1).dim_value(), 3);
  EXPECT_EQ(parse(text(write_bytes(graph, info_of(11)))).graph().value_info_size(), 0);
}

TEST(Writer, ReplacesAFileAtomically) {
  const Folder folder;
  const std::string path = folder / "model.onnx";
  put_file(path, "before");
  // The weight's file is too short, which is found only when the bytes are written.
  put_file(folder / "weights.bin", "short");
  const auto broken = linear(file_tensor({200, 200}, folder / "weights.bin", 0));
  const ir::Error error = error_of([&] { write_file(*broken, info_of(18), path); });
  EXPECT_EQ(error.code(), ir::Code::File);
  EXPECT_THAT(error.what(), HasSubstr("weights.bin: ends at byte 5"));
  EXPECT_EQ(bytes_of(path), "before");
  EXPECT_THAT(folder.names(), ElementsAre("model.onnx", "weights.bin"));
  write_file(*linear(float_tensor({4, 8})), info_of(18), path);
  EXPECT_EQ(parse(bytes_of(path)).graph().initializer_size(), 2);
}

TEST(Writer, ReplacesTheFileItReadsFrom) {
  const Folder folder;
  const std::string path = folder / "model.pt";
  put_file(path, "archive!" + counting_floats(300 * 300));
  const auto graph = linear(file_tensor({300, 300}, path, 8));
  write_file(*graph, info_of(18), path);
  EXPECT_EQ(parse(bytes_of(path)).graph().initializer(0).raw_data(), counting_floats(300 * 300));
  // The weight keeps its bytes: the replaced file lives as long as its storage.
  EXPECT_EQ(first_weight(*graph), counting_floats(300 * 300));
  EXPECT_TRUE(graph->weights()[0]->weight()->equals(float_tensor({300, 300})));
  // A storage created now refers to the new file.
  EXPECT_FALSE(file_tensor({300, 300}, path, 8).equals(float_tensor({300, 300})));
}

TEST(Writer, WritesThroughALinkAndLeavesTheLink) {
  const Folder folder;
  put_file(folder / "real.onnx", "before");
  std::filesystem::create_symlink("real.onnx", folder / "link.onnx");
  write_file(*linear(float_tensor({4, 8})), info_of(18), folder / "link.onnx");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.onnx"));
  EXPECT_EQ(parse(bytes_of(folder / "real.onnx")).graph().node_size(), 2);
}

TEST(Writer, NamesFileAndReasonWhenItCannotWrite) {
  const Folder folder;
  const auto graph = linear(float_tensor({300, 300}));
  const ModelInfo info = info_of(18);
  const ir::Error missing = error_of([&] { write_file(*graph, info, folder / "no/such/model.onnx"); });
  EXPECT_EQ(missing.code(), ir::Code::File);
  EXPECT_THAT(missing.what(), HasSubstr("no/such/model.onnx: No such file or directory"));
  EXPECT_THAT(error_of([&] { write_file(*graph, info, folder.path()); }).what(), HasSubstr("Is a directory"));
  EXPECT_THAT(error_of([&] { write_file(*graph, info, ""); }).what(), HasSubstr("No such file"));
  EXPECT_THAT(folder.names(), ElementsAre());
  const ir::Error full = error_of([&] { write_file(*graph, info, "/dev/full"); });
  EXPECT_EQ(full.code(), ir::Code::File);
  EXPECT_STREQ(full.what(), "/dev/full: No space left on device");
  const int fd = ::open("/dev/full", O_WRONLY);
  EXPECT_THAT(error_of([&] { write_descriptor(*graph, info, fd); }).what(), HasSubstr("No space left on device"));
  ::close(fd);
}

TEST(Writer, PropagatesTheCallbacksException) {
  const auto graph = linear(float_tensor({4, 8}));
  EXPECT_THROW(write_callback(*graph, info_of(18), [](const std::byte*, std::size_t) { throw 7; }), int);
}

}  // namespace
}  // namespace tonnx::onnx
