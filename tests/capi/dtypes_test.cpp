#include <cstdint>
#include <filesystem>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "error_matchers.h"
#include "symbolic_host.h"

// Dtypes of ONNX that no tensor of LibTorch has.
using host::failure;
using host::is_error;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

struct Row {
  tonnx_dtype dtype;
  const char* name;
  std::size_t bits;
  std::int32_t opset;
};

constexpr Row kRows[] = {
    {TONNX_DTYPE_INT4, "int4", 4, 21},
    {TONNX_DTYPE_UINT4, "uint4", 4, 21},
    {TONNX_DTYPE_INT2, "int2", 2, 25},
    {TONNX_DTYPE_UINT2, "uint2", 2, 25},
    {TONNX_DTYPE_FLOAT4E2M1, "float4_e2m1", 4, 23},
    {TONNX_DTYPE_FLOAT8E8M0, "float8_e8m0", 8, 24},
};

tonnx::Tensor filled(tonnx_dtype dtype, std::vector<std::int64_t> dims, std::size_t bytes, unsigned char value = 0x21) {
  const std::vector<unsigned char> data(bytes, value);
  return tonnx::Tensor(dtype, std::move(dims), data.data(), data.size());
}

// Converts relu by `symbolic`.
tonnx::Model with(const tonnx::Options& options, const tonnx::Symbolic& symbolic) {
  tonnx::Registry registry;
  registry.add("aten::relu", 9, symbolic);
  return tonnx::export_program(host::compiled("torch.relu(x)"), host::example(), options, registry);
}

tonnx::Options at_opset(std::int32_t opset) {
  tonnx::Options options;
  options.opset(opset).target(TONNX_TARGET_ONNX);
  return options;
}

host::Results cast_to(tonnx::Graph& graph, const tonnx::Value& x, tonnx_dtype dtype) {
  return std::vector<tonnx::Value>{graph.cast(graph.cast(x, dtype), TONNX_DTYPE_FLOAT32)};
}

// A weight of six elements that are added to the input, row by row.
host::Results dequantized(tonnx::Graph& graph, const tonnx::Value& x, const tonnx::Tensor& weight) {
  const float one = 1;
  tonnx::Attributes attributes;
  const tonnx::Value scale = graph.constant(tonnx::Tensor(TONNX_DTYPE_FLOAT32, {}, &one, sizeof one));
  const tonnx::Value y = graph.op("DequantizeLinear", {graph.constant(weight), scale}, attributes);
  return std::vector<tonnx::Value>{graph.op("Add", {x, y})};
}

class File {
 public:
  ~File() { std::filesystem::remove(path); }
  const std::string path = testing::TempDir() + "dtypes_test." + std::to_string(getpid()) + ".onnx";
};

}  // namespace

TEST(Dtypes, HaveNamesAndBits) {
  for (const Row& row : kRows) {
    EXPECT_STREQ(tonnx_dtype_name(row.dtype), row.name);
    EXPECT_EQ(tonnx_dtype_from_name(row.name), row.dtype);
    EXPECT_EQ(tonnx_dtype_bits(row.dtype), row.bits);
    EXPECT_EQ(tonnx_dtype_size(row.dtype), row.bits / 8);
  }
  EXPECT_EQ(tonnx_dtype_from_name("FLOAT4E2M1"), TONNX_DTYPE_FLOAT4E2M1);
  EXPECT_EQ(tonnx_dtype_bits(TONNX_DTYPE_FLOAT32), 32U);
  for (const tonnx_dtype none : {255, 64, 71, -1}) EXPECT_EQ(tonnx_dtype_bits(none), 0U) << none;
}

TEST(Dtypes, ElementsFillBytes) {
  EXPECT_EQ(filled(TONNX_DTYPE_INT4, {3}, 2).size(), 2U);
  EXPECT_EQ(filled(TONNX_DTYPE_INT2, {5}, 2).size(), 2U);
  EXPECT_EQ(filled(TONNX_DTYPE_INT2, {2, 2}, 1).size(), 1U);
  EXPECT_EQ(filled(TONNX_DTYPE_INT4, {}, 1).size(), 1U);
  EXPECT_EQ(filled(TONNX_DTYPE_UINT4, {0, 3}, 0).size(), 0U);
  EXPECT_EQ(filled(TONNX_DTYPE_FLOAT8E8M0, {3}, 3).size(), 3U);
  EXPECT_EQ(failure([] { filled(TONNX_DTYPE_INT4, {3}, 3); }).status(), TONNX_STATUS_ARGUMENT);
  EXPECT_EQ(failure([] { filled(TONNX_DTYPE_INT4, {INT64_MAX, 2}, 3); }).status(), TONNX_STATUS_ARGUMENT);
  const tonnx::Tensor tensor = filled(TONNX_DTYPE_INT4, {3}, 2, 0x57);
  unsigned char byte = 0;
  tensor.read(1, &byte, 1);
  EXPECT_EQ(byte, 0x57);
  EXPECT_EQ(failure([&] { tensor.read(2, &byte, 1); }).status(), TONNX_STATUS_ARGUMENT);
}

TEST(Dtypes, AreRowMajorIfPacked) {
  const unsigned char data[4] = {};
  const std::int64_t dims[2] = {2, 2}, strides[2] = {1, 2}, rows[2] = {2, 1};
  tonnx_tensor* made = nullptr;
  EXPECT_EQ(tonnx_tensor_new_borrowed(&made, TONNX_DTYPE_INT4, dims, strides, 2, data, nullptr, nullptr, nullptr),
            TONNX_STATUS_ARGUMENT);
  EXPECT_EQ(tonnx_tensor_new_borrowed(&made, TONNX_DTYPE_INT4, dims, rows, 2, data, nullptr, nullptr, nullptr),
            TONNX_STATUS_OK);
  EXPECT_EQ(tonnx_tensor_size(made), 2U);
  tonnx_tensor_free(made);
}

TEST(Dtypes, ACastNeedsItsOpset) {
  for (const Row& row : kRows) {
    const auto cast = [&row](tonnx::Graph& graph, const tonnx::Node&, const auto& inputs) {
      return cast_to(graph, inputs[0], row.dtype);
    };
    const tonnx::Model model = with(at_opset(row.opset), cast);
    EXPECT_THAT(model.text(), HasSubstr("onnx::Cast")) << row.name;
    model.check();
    EXPECT_THAT(failure([&] { with(at_opset(row.opset - 1), cast); }),
                is_error(TONNX_STATUS_CALLBACK,
                         HasSubstr(std::string(row.name) + " needs opset " + std::to_string(row.opset))));
  }
}

TEST(Dtypes, AConstantAndAnAttributeNeedTheirOpset) {
  for (const Row& row : kRows) {
    const tonnx::Tensor tensor = filled(row.dtype, {2, 3}, (6 * row.bits + 7) / 8);
    const auto constant = [&](tonnx::Graph& graph, const tonnx::Node&, const auto& inputs) -> host::Results {
      const tonnx::Value other = graph.cast(graph.constant(tensor), TONNX_DTYPE_FLOAT32);
      return std::vector<tonnx::Value>{graph.op("Add", {inputs[0], other})};
    };
    const auto attribute = [&](tonnx::Graph& graph, const tonnx::Node&, const auto& inputs) -> host::Results {
      tonnx::Attributes attributes;
      attributes.set_tensor("weight", tensor).set_type("type", row.dtype, {2});
      tonnx::Value made = graph.op("custom_domain::Op", {inputs[0]}, attributes);
      made.copy_type(inputs[0]);
      return std::vector<tonnx::Value>{made};
    };
    with(at_opset(row.opset), constant).check();
    EXPECT_THAT(with(at_opset(row.opset), attribute).text(TONNX_TEXT_FULL), HasSubstr("raw_data")) << row.name;
    for (const tonnx::Symbolic& symbolic : {tonnx::Symbolic(constant), tonnx::Symbolic(attribute)})
      EXPECT_THAT(failure([&] { with(at_opset(row.opset - 1), symbolic); }),
                  is_error(TONNX_STATUS_CALLBACK, HasSubstr("needs opset")));
  }
}

TEST(Dtypes, AreTheTypesOfValues) {
  const tonnx::Model model =
      with(at_opset(21), [](tonnx::Graph& graph, const tonnx::Node&, const auto& inputs) -> host::Results {
        const tonnx::Value small = graph.cast(inputs[0], TONNX_DTYPE_UINT4);
        EXPECT_EQ(small.dtype(), TONNX_DTYPE_UINT4);
        return std::vector<tonnx::Value>{graph.cast(small, TONNX_DTYPE_FLOAT32)};
      });
  EXPECT_THAT(model.text(), HasSubstr("UInt4(2, 3)"));
}

TEST(Dtypes, AModelFileRuns) {
  // The elements 1, 2, 1, 2, 1, 2.
  const tonnx::Model model = with(at_opset(21), [](tonnx::Graph& graph, const tonnx::Node&, const auto& inputs) {
    return dequantized(graph, inputs[0], filled(TONNX_DTYPE_INT4, {2, 3}, 3));
  });
  const File file;
  model.save(file.path);
  tonnx::check_file(file.path);
  const auto outputs = tonnx::run_file(file.path, host::example());
  std::vector<float> values(6);
  outputs.at(0).second.read(0, values.data(), values.size() * sizeof(float));
  EXPECT_THAT(values, ElementsAre(-1, 1, 1, 3, 3, 5));
  EXPECT_THAT(tonnx::file_text(file.path), HasSubstr("Int4"));
}

TEST(Dtypes, LargeConstantsAreStoredPacked) {
  const tonnx::Tensor weight = filled(TONNX_DTYPE_INT4, {1001, 3}, 1502, 0x10);
  const tonnx::Model model =
      with(at_opset(21), [&](tonnx::Graph& graph, const tonnx::Node&, const auto& inputs) -> host::Results {
        const tonnx::Value part = graph.cast(graph.constant(weight), TONNX_DTYPE_FLOAT32);
        return std::vector<tonnx::Value>{graph.op("Add", {inputs[0], graph.op("ReduceMean", {part})})};
      });
  model.check();
  const File file;
  model.save(file.path);
  EXPECT_LT(std::filesystem::file_size(file.path), 4000U);
  tonnx::check_file(file.path);
  tonnx::infer_file(file.path, file.path);
  tonnx::check_file(file.path);
}

TEST(Dtypes, LibTorchDoesNotHaveThem) {
  for (const Row& row : kRows) {
    const tonnx::Tensor tensor = filled(row.dtype, {2, 3}, (6 * row.bits + 7) / 8);
    const auto refuses =
        is_error(TONNX_STATUS_ARGUMENT, HasSubstr("LibTorch has no tensors of " + std::string(row.name)));
    EXPECT_THAT(failure([&] { tensor.to_torch(); }), refuses);
    tonnx::Args args;
    args.add(tensor);
    EXPECT_THAT(failure([&] { tonnx::export_program(host::compiled("torch.relu(x)"), args); }), refuses);
    int calls = 0;
    const auto call = [&](tonnx::Graph& graph, const tonnx::Node&, const auto& inputs) -> host::Results {
      ++calls;
      EXPECT_THAT(failure([&] { graph.call("aten::relu", {graph.cast(inputs[0], row.dtype)}); }), refuses);
      return std::nullopt;
    };
    with(at_opset(25), call);
    EXPECT_GT(calls, 0);
    EXPECT_EQ(failure([&] { tensor.to_dlpack(); }).status(), TONNX_STATUS_ARGUMENT);
  }
}
