#include <csignal>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include "huge_weight.h"
#include "ir/folded.h"
#include "ir/normalised.h"
#include "models.h"
#include "onnx/check.h"

namespace tonnx::onnx {
namespace {

using ir::Tensor;
using testing::ElementsAre;
using testing::HasSubstr;

::onnx::ModelProto read_model(const std::string& path) {
  ::onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromString(bytes_of(path)));
  return model;
}

std::string entry(const ::onnx::TensorProto& tensor, const std::string& key) {
  for (const auto& item : tensor.external_data())
    if (item.key() == key) return item.value();
  return {};
}

WriteOptions options_of(ExternalData where) {
  WriteOptions options;
  options.external_data = where;
  return options;
}

TEST(ExternalData, IsAlignedToPagesInAnExternalFile) {
  const Folder folder;
  const auto graph = linear(float_tensor({300, 300}));
  ir::Value* second = graph->add_weight("second", float_tensor({300, 200}, 9));
  add_node(graph->block(), "onnx::Relu", {second});
  const Written written = write_file(*graph, info_of(18), folder / "m.onnx", options_of(ExternalData::Yes));
  EXPECT_THAT(folder.names(), ElementsAre("m.onnx", "m.onnx.data"));
  EXPECT_EQ(written.external_tensors, 3U);
  EXPECT_EQ(written.data_path, folder / "m.onnx.data");
  EXPECT_EQ(written.data_bytes, std::filesystem::file_size(folder / "m.onnx.data"));
  const ::onnx::ModelProto model = read_model(folder / "m.onnx");
  const std::string data = bytes_of(folder / "m.onnx.data");
  const ::onnx::TensorProto& weight = model.graph().initializer(2);
  EXPECT_EQ(weight.data_location(), ::onnx::TensorProto::EXTERNAL);
  EXPECT_EQ(entry(weight, "location"), "m.onnx.data");
  const std::size_t offset = std::stoul(entry(weight, "offset"));
  EXPECT_EQ(offset % 4096, 0U);
  EXPECT_EQ(data.substr(offset, std::stoul(entry(weight, "length"))), counting_floats(300 * 200, 9));
  // Below 1 KiB a weight stays in the model.
  const auto small = linear(float_tensor({4, 8}));
  EXPECT_EQ(write_file(*small, info_of(18), folder / "s.onnx", options_of(ExternalData::Yes)).external_tensors, 0U);
  EXPECT_THAT(folder.names(), ElementsAre("m.onnx", "m.onnx.data", "s.onnx"));
}

TEST(ExternalData, MayStayInTheArchive) {
  const Folder folder;
  std::filesystem::create_directory(folder / "in");
  put_file(folder / "in/model.pt", std::string(64, 'x') + counting_floats(300 * 300));
  const auto graph = linear(file_tensor({300, 300}, folder / "in/model.pt", 64));
  const Written written = write_file(*graph, info_of(18), folder / "m.onnx", options_of(ExternalData::Archive));
  EXPECT_EQ(written.external_tensors, 1U);
  EXPECT_EQ(written.data_bytes, 0U);
  EXPECT_LT(written.model_bytes, 4096U);
  EXPECT_THAT(folder.names(), ElementsAre("in", "m.onnx"));
  const ::onnx::ModelProto model = read_model(folder / "m.onnx");
  const ::onnx::TensorProto& weight = model.graph().initializer(0);
  EXPECT_EQ(entry(weight, "location"), "in/model.pt");
  EXPECT_EQ(entry(weight, "offset"), "64");
  EXPECT_EQ(entry(weight, "length"), "360000");
  EXPECT_TRUE(model.graph().initializer(1).has_raw_data());
}

TEST(ExternalData, TransposesWeightsThatAreTransposedInTheArchive) {
  const Folder folder;
  put_file(folder / "model.pt", counting_floats(300 * 200));
  Tensor weight = file_tensor({200, 300}, folder / "model.pt", 0);
  std::swap(weight.dims[0], weight.dims[1]);
  std::swap(weight.strides[0], weight.strides[1]);
  const auto graph = linear(weight);
  const Written written = write_file(*graph, info_of(18), folder / "m.onnx", options_of(ExternalData::Archive));
  EXPECT_EQ(written.external_tensors, 1U);
  EXPECT_LT(written.model_bytes, 4096U);
  const ::onnx::ModelProto model = read_model(folder / "m.onnx");
  const ::onnx::TensorProto& stored = model.graph().initializer(0);
  EXPECT_EQ(entry(stored, "offset"), "0");
  EXPECT_THAT(std::vector<std::int64_t>(stored.dims().begin(), stored.dims().end()), ElementsAre(200, 300));
  const ::onnx::NodeProto& transpose = model.graph().node(0);
  EXPECT_EQ(transpose.op_type(), "Transpose");
  EXPECT_EQ(transpose.input(0), stored.name());
  EXPECT_THAT(transpose.attribute(0).ints(), ElementsAre(1, 0));
  EXPECT_EQ(model.graph().node(1).input(1), transpose.output(0));
  check_file(folder / "m.onnx", true);
  // A view that skips elements cannot be stored in order.
  weight.dims[0] = 299;
  weight.strides[1] = 300;
  const auto part = linear(weight);
  EXPECT_EQ(write_file(*part, info_of(18), folder / "p.onnx", options_of(ExternalData::Archive)).external_tensors, 0U);
}

TEST(ExternalData, RestoresNormalisationsOfWeightsInTheArchive) {
  const Folder folder;
  put_file(folder / "model.pt", counting_floats(2 * 300) + counting_floats(2));
  const Tensor source = file_tensor({2, 300, 1, 1}, folder / "model.pt", 0);
  const Tensor mean = file_tensor({2}, folder / "model.pt", 2400), one = float_tensor({2});
  const ir::Normalisation normalisation{one, one, mean, one, 0.5, {"bn.weight", "bn.bias", "bn.mean", ""}};
  ir::Graph graph;
  ir::Value* x = add_input(graph, "x", ir::DType::Float32, {1, 300, 2, 2});
  ir::Value* weight =
      graph.add_weight("w.normalised",
                       {source.dtype, source.dims, source.strides, 0,
                        std::make_shared<ir::NormalisedWeight>(source, "w", normalisation, ir::Channels{.inner = 300})},
                       true);
  ir::Value* bias = graph.add_weight(
      "bn.bias.normalised",
      {one.dtype, one.dims, one.strides, 0, std::make_shared<ir::NormalisedBias>(std::nullopt, "", normalisation)},
      true);
  ir::Node* conv = graph.create("onnx::Conv", std::vector{x, weight, bias}, 1);
  graph.block().append(conv);
  conv->output()->set_name("y");
  conv->output()->facts().dtype = ir::DType::Float32;
  graph.block().add_output(conv->output());

  write_file(graph, info_of(18), folder / "inside.onnx", options_of(ExternalData::No));
  const ::onnx::ModelProto inside = read_model(folder / "inside.onnx");
  EXPECT_EQ(inside.graph().node_size(), 1);
  EXPECT_EQ(inside.graph().initializer(0).raw_data().size(), 2400u);

  write_file(graph, info_of(18), folder / "m.onnx", options_of(ExternalData::Archive));
  const ::onnx::ModelProto model = read_model(folder / "m.onnx");
  ASSERT_EQ(model.graph().node_size(), 2);
  const ::onnx::NodeProto &first = model.graph().node(0), &second = model.graph().node(1);
  EXPECT_THAT(std::vector<std::string>(first.input().begin(), first.input().end()), ElementsAre("x", "w"));
  EXPECT_THAT(std::vector<std::string>(second.input().begin(), second.input().end()),
              ElementsAre(first.output(0), "bn.weight", "bn.bias", "bn.mean", "w.constant"));
  EXPECT_EQ(second.output(0), "y");
  EXPECT_EQ(entry(model.graph().initializer(0), "length"), "2400");
  check_file(folder / "m.onnx", true);
}

TEST(ExternalData, RestoresFoldedOperatorsOfWeightsInTheArchive) {
  const Folder folder;
  put_file(folder / "model.pt", counting_floats(2 * 300));
  const ir::ElementFunction product{nullptr, [](double a, double b) { return a * b; }};
  const ir::ElementFunction negation{[](double a) { return -a; }, nullptr};
  const auto result_of = [](std::string kind, std::vector<std::int64_t> dims, std::vector<ir::Folded::Operand> operands,
                            ir::ElementFunction function) {
    return ir::Tensor{
        ir::DType::Float32, dims, ir::contiguous_strides(dims), 0,
        std::make_shared<ir::FoldedElementwise>(ir::Folded::Operator{std::move(kind), {}, std::move(operands)},
                                                ir::DType::Float32, dims, function)};
  };
  const ir::Tensor source = file_tensor({2, 300}, folder / "model.pt", 0);
  ir::Tensor scaled = result_of("onnx::Mul", {2, 300}, {{source, "w"}, {float_tensor({2, 1}), ""}}, product);
  scaled.dims = {1, 2, 300};
  scaled.strides = {600, 300, 1};
  ir::Tensor weight = result_of("onnx::Neg", {1, 2, 300}, {{scaled, "w.mul"}}, negation);
  weight.dims = {300, 2};
  weight.strides = {1, 300};
  const auto graph = linear(weight);

  write_file(*graph, info_of(18), folder / "inside.onnx", options_of(ExternalData::No));
  EXPECT_EQ(read_model(folder / "inside.onnx").graph().node_size(), 2);

  write_file(*graph, info_of(18), folder / "m.onnx", options_of(ExternalData::Archive));
  const ::onnx::ModelProto model = read_model(folder / "m.onnx");
  std::vector<std::string> kinds;
  for (const ::onnx::NodeProto& node : model.graph().node()) kinds.push_back(node.op_type());
  EXPECT_THAT(kinds, ElementsAre("Mul", "Reshape", "Neg", "Reshape", "Transpose", "MatMul", "Add"));
  EXPECT_EQ(model.graph().node(0).input(0), "w");
  const auto at = std::ranges::find(model.graph().initializer(), "w", &::onnx::TensorProto::name);
  ASSERT_NE(at, model.graph().initializer().end());
  EXPECT_EQ(entry(*at, "length"), "2400");
  check_file(folder / "m.onnx", true);
}

TEST(ExternalData, RefusesAnArchiveThatTheModelCannotPointTo) {
  const Folder folder;
  std::filesystem::create_directory(folder / "out");
  put_file(folder / "model.pt", counting_floats(300 * 300));
  const auto graph = linear(file_tensor({300, 300}, folder / "model.pt", 0));
  const auto message = [&](const std::string& path) {
    const ir::Error error = error_of([&] { write_file(*graph, info_of(18), path, options_of(ExternalData::Archive)); });
    EXPECT_EQ(error.code(), ir::Code::Argument);
    return std::string(error.what());
  };
  EXPECT_THAT(message(folder / "out/m.onnx"), HasSubstr("not in the model's folder or below it"));
  EXPECT_THAT(message(folder / "model.pt"), HasSubstr("would replace"));
  std::filesystem::create_hard_link(folder / "model.pt", folder / "again.pt");
  EXPECT_THAT(message(folder / "m.onnx"), HasSubstr("hard links"));
}

TEST(ExternalData, CanBeAFileForEachWeight) {
  const Folder folder;
  const auto graph = linear(float_tensor({300, 300}));
  graph->weights()[0]->set_name("layer/a:1");
  ir::Value* second = graph->add_weight("Layer_A_1", float_tensor({4, 8}, 9));
  ir::Value* empty = graph->add_weight("empty", float_tensor({0, 8}));
  add_node(graph->block(), "onnx::Relu", {second});
  add_node(graph->block(), "onnx::Relu", {empty});
  std::filesystem::create_directory(folder / "m.v1_initializers");
  put_file(folder / "m.v1_initializers/other", "kept");
  put_file(folder / "m.v1_initializers/Layer_A_1_2", "before");
  const Written written = write_file(*graph, info_of(18), folder / "m.v1.onnx", options_of(ExternalData::Each));
  EXPECT_THAT(folder.names(), ElementsAre("m.v1.onnx", "m.v1_initializers"));
  EXPECT_EQ(written.data_path, folder / "m.v1_initializers");
  const ::onnx::ModelProto model = read_model(folder / "m.v1.onnx");
  std::uint64_t bytes = 0;
  std::size_t external = 0;
  for (const ::onnx::TensorProto& weight : model.graph().initializer()) {
    if (weight.name() == "empty") {
      EXPECT_NE(weight.data_location(), ::onnx::TensorProto::EXTERNAL);
      continue;
    }
    EXPECT_EQ(entry(weight, "offset"), "0");
    const std::string data = bytes_of(folder / entry(weight, "location"));
    EXPECT_EQ(entry(weight, "length"), std::to_string(data.size()));
    bytes += data.size();
    ++external;
    if (weight.name() == "layer/a:1") {
      EXPECT_EQ(entry(weight, "location"), "m.v1_initializers/layer_a_1");
      EXPECT_EQ(data, counting_floats(300 * 300));
    }
    if (weight.name() == "Layer_A_1") {
      EXPECT_EQ(entry(weight, "location"), "m.v1_initializers/Layer_A_1_2");
      EXPECT_EQ(data, counting_floats(4 * 8, 9));
    }
  }
  EXPECT_EQ(written.data_bytes, bytes);
  EXPECT_EQ(written.external_tensors, external);
  EXPECT_EQ(bytes_of(folder / "m.v1_initializers/other"), "kept");
  check_file(folder / "m.v1.onnx", true);
}

TEST(ExternalData, RemovesFilesThatCannotBeWritten) {
  const Folder folder;
  const auto graph = linear(float_tensor({300, 300}));
  std::filesystem::create_directory(folder / "m.onnx");
  EXPECT_EQ(
      error_of([&] { write_file(*graph, info_of(18), folder / "m.onnx", options_of(ExternalData::Each)); }).code(),
      ir::Code::File);
  EXPECT_THAT(folder.names(), ElementsAre("m.onnx"));
  put_file(folder / "n_initializers", "a file");
  EXPECT_EQ(
      error_of([&] { write_file(*graph, info_of(18), folder / "n.onnx", options_of(ExternalData::Each)); }).code(),
      ir::Code::File);
  EXPECT_THAT(folder.names(), ElementsAre("m.onnx", "n_initializers"));
  EXPECT_EQ(bytes_of(folder / "n_initializers"), "a file");
}

TEST(ExternalData, HasAFolderForEachModel) {
  const Folder folder;
  std::vector<std::string> folders;
  float first = 1;
  for (const char* name : {"m.onnx", "m.ort", "m", "m.ONNX", ".onnx"}) {
    const auto graph = linear(float_tensor({300, 300}, first++));
    folders.push_back(
        std::filesystem::path(write_file(*graph, info_of(18), folder / name, options_of(ExternalData::Each)).data_path)
            .filename());
  }
  EXPECT_THAT(folders, ElementsAre("m_initializers", "m.ort.initializers", "m.initializers", "m.ONNX.initializers",
                                   ".onnx.initializers"));
  EXPECT_EQ(bytes_of(folder / entry(read_model(folder / "m.onnx").graph().initializer(0), "location")),
            counting_floats(300 * 300, 1));
}

TEST(ExternalData, TruncatesLongNamesBetweenCharacters) {
  const Folder folder;
  const auto graph = linear(float_tensor({300, 300}));
  std::vector<std::string> names;
  for (const std::size_t before : {197U, 198U, 199U}) {
    names.push_back(std::string(before, 'w') + "\xe2\x82\xac" + "tail");
    add_node(graph->block(), "onnx::Relu",
             {graph->add_weight(names.back(), float_tensor({300}, static_cast<float>(before)))});
  }
  names.push_back(std::string(199, 'w') + "\xe2\x82\xac" + "other");
  add_node(graph->block(), "onnx::Relu", {graph->add_weight(names.back(), float_tensor({300}, 5))});
  write_file(*graph, info_of(18), folder / "m.onnx", options_of(ExternalData::Each));
  std::vector<std::string> files;
  const ::onnx::ModelProto model = read_model(folder / "m.onnx");
  for (const std::string& name : names)
    for (const ::onnx::TensorProto& weight : model.graph().initializer())
      if (weight.name() == name)
        files.push_back(entry(weight, "location").substr(std::string("m_initializers/").size()));
  EXPECT_THAT(files, ElementsAre(std::string(197, 'w') + "\xe2\x82\xac", std::string(198, 'w'), std::string(199, 'w'),
                                 std::string(199, 'w') + "_2"));
}

TEST(ExternalData, KeepsAllFilesIfOneCannotBeReplaced) {
  const Folder folder;
  const auto graph_from = [](float first) {
    auto graph = linear(float_tensor({300, 300}, first));
    for (const char* name : {"a", "b", "c"})
      add_node(graph->block(), "onnx::Relu", {graph->add_weight(name, float_tensor({300}, first))});
    return graph;
  };
  const std::string path = folder / "m.onnx";
  write_file(*graph_from(1), info_of(18), path, options_of(ExternalData::Each));
  const std::string model = bytes_of(path);
  const std::filesystem::path files = folder / "m_initializers";
  std::filesystem::remove(files / "b");
  std::filesystem::create_directory(files / "b");
  put_file(files / "b/kept", "kept");
  const ir::Error error =
      error_of([&] { write_file(*graph_from(7), info_of(18), path, options_of(ExternalData::Each)); });
  EXPECT_EQ(error.code(), ir::Code::File);
  EXPECT_THAT(error.what(), HasSubstr("m_initializers/b: Is a directory"));
  EXPECT_EQ(bytes_of(path), model);
  EXPECT_EQ(bytes_of(files / "a"), counting_floats(300, 1));
  EXPECT_EQ(bytes_of(files / "c"), counting_floats(300, 1));
  EXPECT_EQ(bytes_of(files / "b/kept"), "kept");
  EXPECT_THAT(folder.names(), ElementsAre("m.onnx", "m_initializers"));
  std::filesystem::remove_all(files / "b");
  write_file(*graph_from(7), info_of(18), path, options_of(ExternalData::Each));
  EXPECT_EQ(bytes_of(files / "a"), counting_floats(300, 7));
  EXPECT_EQ(bytes_of(files / "b"), counting_floats(300, 7));
  EXPECT_THAT(folder.names(), ElementsAre("m.onnx", "m_initializers"));
}

TEST(ExternalData, ReplacesAFolderOfFilesAtOnce) {
  const Folder folder;
  const std::string path = folder / "m.onnx";
  const std::filesystem::path files = folder / "m_initializers", real = folder / "elsewhere";
  write_file(*linear(float_tensor({300, 300}, 1)), info_of(18), path, options_of(ExternalData::Each));
  std::filesystem::create_directory(files / "mine");
  put_file(files / "mine/kept", "kept");
  put_file(files / "note", "kept");
  std::filesystem::permissions(files, std::filesystem::perms(0710));
  for (const bool linked : {false, true}) {
    if (linked) {
      std::filesystem::rename(files, real);
      std::filesystem::create_directory_symlink("elsewhere", files);
    }
    write_file(*linear(float_tensor({300, 300}, 2)), info_of(18), path, options_of(ExternalData::Each));
    const std::string weight = entry(read_model(path).graph().initializer(0), "location");
    EXPECT_EQ(bytes_of(folder / weight), counting_floats(300 * 300, 2));
    EXPECT_EQ(bytes_of(files / "mine/kept") + bytes_of(files / "note"), "keptkept");
    EXPECT_EQ(std::filesystem::status(files).permissions(), std::filesystem::perms(0710));
    EXPECT_EQ(std::filesystem::is_symlink(files), linked);
  }
  EXPECT_THAT(folder.names(), testing::UnorderedElementsAre("m.onnx", "m_initializers", "elsewhere"));
}

TEST(ExternalData, NeedsAPath) {
  const auto graph = linear(float_tensor({300, 300}));
  for (const ExternalData where : {ExternalData::Yes, ExternalData::Archive, ExternalData::Each}) {
    const ir::Error error = error_of([&] { write_bytes(*graph, info_of(18), options_of(where)); });
    EXPECT_EQ(error.code(), ir::Code::Argument);
    EXPECT_THAT(error.what(), HasSubstr("path"));
  }
}

TEST_F(HugeWeight, IsRefusedInOneMessage) {
  EXPECT_GT(message_size(*graph_, info_of(18)), std::uint64_t{1} << 31);
  const auto message = [](const auto& call) {
    const ir::Error error = error_of(call);
    EXPECT_EQ(error.code(), ir::Code::Argument);
    return std::string(error.what());
  };
  EXPECT_THAT(message([&] { write_file(*graph_, info_of(18), folder_ / "m", options_of(ExternalData::No)); }),
              HasSubstr("use external data"));
  EXPECT_THAT(message([&] { write_bytes(*graph_, info_of(18)); }), HasSubstr("write to a path"));
  EXPECT_THAT(message([&] { write_descriptor(*graph_, info_of(18), 1); }), HasSubstr("write to a path"));
  bool called = false;
  EXPECT_THAT(
      message([&] { write_callback(*graph_, info_of(18), [&](const std::byte*, std::size_t) { called = true; }); }),
      HasSubstr("write to a path"));
  EXPECT_FALSE(called);
  EXPECT_THAT(folder_.names(), ElementsAre("sparse"));
}

TEST_F(HugeWeight, StaysInTheArchive) {
  const Written written = write_file(*graph_, info_of(18), folder_ / "m", options_of(ExternalData::Archive));
  EXPECT_EQ(written.external_tensors, 1U);
  EXPECT_EQ(written.data_bytes, 0U);
}

// Runs `body` in a child process with a file size limit, so that writing fails half way, as on a full disk.
template <class Body>
void with_file_limit(rlim_t bytes, const Body& body) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, bytes};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    ::_exit(body() ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(FullDisk, LeavesNoFile) {
  const Folder folder;
  put_file(folder / "weights.bin", counting_floats(600 * 600));
  put_file(folder / "m.onnx", "before");
  const auto in_memory = linear(float_tensor({600, 600}));
  const auto on_file = linear(file_tensor({600, 600}, folder / "weights.bin", 0));
  for (const ExternalData where : {ExternalData::No, ExternalData::Yes, ExternalData::Each}) {
    for (const ir::Graph* graph : {in_memory.get(), on_file.get()}) {
      with_file_limit(1 << 20, [&] {
        const ir::Error error =
            error_of([&] { write_file(*graph, info_of(18), folder / "m.onnx", options_of(where)); });
        return error.code() == ir::Code::File && std::string(error.what()).find("File too large") != std::string::npos;
      });
      EXPECT_THAT(folder.names(), ElementsAre("m.onnx", "weights.bin"));
      EXPECT_EQ(bytes_of(folder / "m.onnx"), "before");
    }
  }
}

TEST(FullDisk, OnASmallFileSystem) {
  const Folder folder;
  if (::mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=1m") != 0) GTEST_SKIP() << "needs the right to mount";
  const auto graph = linear(float_tensor({600, 600}));
  const ir::Error error = error_of([&] { write_file(*graph, info_of(18), folder / "m.onnx"); });
  const std::vector<std::string> left = folder.names();
  ::umount(folder.path().c_str());
  EXPECT_EQ(error.code(), ir::Code::File);
  EXPECT_THAT(error.what(), HasSubstr("m.onnx: No space left on device"));
  EXPECT_THAT(left, ElementsAre());
}

}  // namespace
}  // namespace tonnx::onnx
