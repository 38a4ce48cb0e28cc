#include "onnx/infer_file.h"

#include <algorithm>
#include <filesystem>
#include <limits>

#include <onnx/shape_inference/implementation.h>

#include "ir/error.h"
#include "onnx/skeleton.h"
#include "onnx/writer.h"

namespace tonnx::onnx {
namespace {

namespace fs = std::filesystem;

pb::ModelProto read_whole(const std::string& path) {
  const auto mapped = map_file(path);
  if (mapped->size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw ir::Error(ir::Code::File, path + ": the model exceeds 2 GiB; store its weights as external data");
  pb::ModelProto model;
  if (!model.ParseFromArray(mapped->data(), static_cast<int>(mapped->size())) || !model.has_graph())
    throw ir::Error(ir::Code::File, path + ": the file is not an ONNX model");
  return model;
}

fs::path folder_of(const std::string& path) {
  std::error_code failed;
  return fs::weakly_canonical(fs::absolute(path), failed).parent_path();
}

// True if a tensor of a message has its bytes in another file.
template <class Messages>
bool any_has_external(const Messages& messages);

bool has_external(const pb::TensorProto& tensor) { return tensor.data_location() == pb::TensorProto::EXTERNAL; }

bool has_external(const pb::SparseTensorProto& tensor) {
  return has_external(tensor.values()) || has_external(tensor.indices());
}

bool has_external(const pb::GraphProto& graph);

bool has_external(const pb::AttributeProto& attribute) {
  return has_external(attribute.t()) || has_external(attribute.sparse_tensor()) || has_external(attribute.g()) ||
         any_has_external(attribute.tensors()) || any_has_external(attribute.sparse_tensors()) ||
         any_has_external(attribute.graphs());
}

bool has_external(const pb::NodeProto& node) { return any_has_external(node.attribute()); }

bool has_external(const pb::GraphProto& graph) {
  return any_has_external(graph.initializer()) || any_has_external(graph.sparse_initializer()) ||
         any_has_external(graph.node());
}

bool has_external(const pb::FunctionProto& function) {
  return any_has_external(function.node()) || any_has_external(function.attribute_proto());
}

bool has_external(const pb::ModelProto& model) {
  return has_external(model.graph()) || any_has_external(model.functions());
}

template <class Messages>
bool any_has_external(const Messages& messages) {
  return std::ranges::any_of(messages, [](const auto& message) { return has_external(message); });
}

}  // namespace

void infer_file(const std::string& path, const std::string& result) {
  pb::ModelProto model = read_whole(path);
  if (has_external(model) && folder_of(path) != folder_of(result))
    throw ir::Error(ir::Code::Argument,
                    path + ": the model has external data in its folder; write the result to that folder");
  const pb::ShapeInferenceOptions strict{true, 1, true};  // a contradiction is an error
  try {
    pb::shape_inference::InferShapes(model, pb::OpSchemaRegistry::Instance(), strict);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw ir::Error(ir::Code::Checker, path + ": " + error.what());
  }
  std::string bytes;
  if (!model.SerializeToString(&bytes))
    throw ir::Error(ir::Code::File,
                    path + ": the model with its types exceeds 2 GiB; store its weights as external data");
  write_file(result,
             [&](const Receive& receive) { receive(reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()); });
}

}  // namespace tonnx::onnx
