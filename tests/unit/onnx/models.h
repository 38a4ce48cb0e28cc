#pragma once

// Small models, and folders to write them to.

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "ir/error.h"
#include "ir/graph.h"
#include "onnx/opset.h"
#include "onnx/writer.h"

namespace tonnx::onnx {

// A folder that is removed with the test.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "tonnx-onnx-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  const std::filesystem::path& path() const { return path_; }
  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) result.push_back(entry.path().filename());
    std::sort(result.begin(), result.end());
    return result;
  }

 private:
  std::filesystem::path path_;
};

inline std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void put_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

inline ir::Value* add_input(ir::Graph& graph, const std::string& name, ir::DType dtype, std::vector<ir::Dim> dims) {
  ir::Value* value = graph.block().add_input();
  value->set_name(name);
  value->facts().dtype = dtype;
  value->facts().dims = std::move(dims);
  return value;
}

inline ir::Node* add_node(ir::Block& block, const std::string& kind, std::vector<ir::Value*> inputs,
                          std::vector<ir::NamedAttribute> attributes = {}, std::size_t outputs = 1) {
  ir::Node* node = block.graph().create(kind, inputs, outputs);
  for (ir::NamedAttribute& a : attributes) node->set_attribute(a.name, a.value);
  block.append(node);
  return node;
}

inline ir::Value* add_constant(ir::Block& block, const ir::Tensor& tensor) {
  ir::Value* value = add_node(block, "onnx::Constant", {}, {{"value", tensor}})->output();
  value->facts().dtype = tensor.dtype;
  value->facts().dims = std::vector<ir::Dim>(tensor.dims.begin(), tensor.dims.end());
  value->facts().constant = std::make_shared<ir::Constant>(ir::Constant{tensor});
  return value;
}

inline ir::Value* add_constant(ir::Block& block, std::vector<std::int64_t> values) {
  return add_constant(block, ir::Tensor::of_int64(values));
}

// 0, 1, 2, ... in float32.
inline std::string counting_floats(std::size_t count, float first = 0) {
  std::string bytes(count * sizeof(float), '\0');
  for (std::size_t i = 0; i < count; ++i) {
    const float value = first + static_cast<float>(i);
    std::memcpy(bytes.data() + i * sizeof(float), &value, sizeof(float));
  }
  return bytes;
}

inline ir::Tensor float_tensor(std::vector<std::int64_t> dims, float first = 0) {
  std::int64_t count = 1;
  for (const std::int64_t size : dims) count *= size;
  const std::string bytes = counting_floats(static_cast<std::size_t>(count), first);
  return ir::Tensor::from_bytes(ir::DType::Float32, std::move(dims), bytes.data(), bytes.size());
}

inline ir::Tensor file_tensor(std::vector<std::int64_t> dims, const std::string& path, std::uint64_t offset) {
  ir::Tensor tensor;
  tensor.dtype = ir::DType::Float32;
  tensor.strides = ir::contiguous_strides(dims);
  tensor.dims = std::move(dims);
  tensor.storage = ir::Storage::file(path, offset, tensor.bytes());
  return tensor;
}

inline ModelInfo info_of(int opset) {
  ModelInfo info;
  info.opset = opset;
  info.producer_name = "tonnx";
  info.producer_version = "0.1";
  return info;
}

// y = x weight + bias for a weight with any storage; the bias is small and in memory.
inline std::unique_ptr<ir::Graph> linear(const ir::Tensor& weight, int version = 18) {
  auto graph = std::make_unique<ir::Graph>();
  ir::Value* x = add_input(*graph, "x", ir::DType::Float32, {ir::Dim::symbol("batch"), ir::Dim(weight.dims[0])});
  ir::Value* w = graph->add_weight("fc.weight", weight);
  ir::Value* b = graph->add_weight("fc.bias", float_tensor({weight.dims[1]}, 0.5F));
  for (ir::Value* value : {w, b}) {
    value->facts().dtype = value->weight()->dtype;
    value->facts().dims = std::vector<ir::Dim>(value->weight()->dims.begin(), value->weight()->dims.end());
  }
  ir::Node* product = add_node(graph->block(), "onnx::MatMul", {x, w});
  ir::Node* sum = add_node(graph->block(), "onnx::Add", {product->output(), b});
  sum->output()->set_name("y");
  for (ir::Node* node : {product, sum}) opset(version)->infer(*node);
  graph->block().add_output(sum->output());
  return graph;
}

template <class Call>
ir::Error error_of(const Call& call) {
  try {
    call();
  } catch (const ir::Error& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return ir::Error(ir::Code::Ok, "");
}

}  // namespace tonnx::onnx
