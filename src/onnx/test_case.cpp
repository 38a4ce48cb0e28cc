#include "onnx/test_case.h"

#include <filesystem>
#include <system_error>

#include "ir/error.h"
#include "onnx/proto.h"
#include "onnx/writer.h"

namespace tonnx::onnx {
namespace {

void write_tensors(const std::string& stem, std::span<ir::Value* const> values,
                   const std::vector<ir::Tensor>& tensors) {
  if (values.size() != tensors.size())
    throw ir::Error(ir::Code::Argument, "a test case needs one tensor for each input and output of the model");
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    pb::TensorProto message;
    to_proto(tensors[i], true, message);
    message.set_name(values[i]->name());
    std::string bytes;
    if (!message.SerializeToString(&bytes))
      throw ir::Error(ir::Code::Argument,
                      "tensor '" + values[i]->name() + "' is larger than 2 GiB, the limit of a message");
    write_file(stem + std::to_string(i) + ".pb", [&](const Receive& receive) {
      receive(reinterpret_cast<const std::byte*>(bytes.data()), bytes.size());
    });
  }
}

}  // namespace

void write_test_case(const ir::Graph& graph, const ModelInfo& info, const std::string& folder,
                     const std::vector<ir::Tensor>& inputs, const std::vector<ir::Tensor>& outputs) {
  const std::string data = folder + "/test_data_set_0";
  std::error_code failed;
  std::filesystem::create_directories(data, failed);
  if (failed) throw ir::Error(ir::Code::File, data + ": " + failed.message());
  write_file(graph, info, folder + "/model.onnx");
  write_tensors(data + "/input_", graph.inputs(), inputs);
  write_tensors(data + "/output_", graph.outputs(), outputs);
}

}  // namespace tonnx::onnx
