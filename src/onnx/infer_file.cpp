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

}  // namespace

void infer_file(const std::string& path, const std::string& result) {
  pb::ModelProto model = read_whole(path);
  const bool is_external = std::ranges::any_of(model.graph().initializer(), [](const pb::TensorProto& tensor) {
    return tensor.data_location() == pb::TensorProto::EXTERNAL;
  });
  if (is_external && folder_of(path) != folder_of(result))
    throw ir::Error(ir::Code::Argument,
                    path + ": the model has external data in its folder; write the result to that folder");
  try {
    pb::shape_inference::InferShapes(model, pb::OpSchemaRegistry::Instance(), pb::ShapeInferenceOptions{true, 0, true});
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw ir::Error(ir::Code::Checker, path + ": " + error.what());
  }
  const std::string bytes = model.SerializeAsString();
  write_file(result,
             [&](const Receive& receive) { receive(reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()); });
}

}  // namespace tonnx::onnx
