#include "onnx/check.h"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <unordered_set>

#include <onnx/checker.h>
#include <onnx/shape_inference/implementation.h>

#include "ir/error.h"
#include "ir/observer.h"
#include "onnx/message.h"
#include "onnx/skeleton.h"

namespace tonnx::onnx {
namespace {

constexpr int kMaxLines = 6;
// Smaller weights may be shapes or axes, which inference needs.
constexpr std::size_t kMaxSeen = 1024;

// ONNX's messages may contain pages of dumped nodes.
std::string trim(const std::string& message) {
  std::istringstream in(message);
  std::string result, line;
  for (int lines = 0; lines < kMaxLines && std::getline(in, line);) {
    if (line.find_first_not_of(" \t") == std::string::npos) continue;
    if (line.size() > 500) line = line.substr(0, 500) + "...";
    result += (result.empty() ? "" : "\n") + line;
    ++lines;
  }
  return result;
}

// The registry of onnx, which lets the observer of the call cancel at each look-up: inference makes one for each node.
class ObservedSchemas final : public pb::ISchemaRegistry {
 public:
  const pb::OpSchema* GetSchema(const std::string& key, int version, const std::string& domain) const override {
    ir::checkpoint();
    return pb::OpSchemaRegistry::Instance()->GetSchema(key, version, domain);
  }
};

// May change the model. `full`: also infers shapes, strictly, as check_model() of onnx does.
void run(pb::ModelProto& model, bool full, const std::string& prefix) {
  static const ObservedSchemas schemas;
  try {
    pb::checker::check_model(model, false);
    ir::checkpoint();
    if (full) pb::shape_inference::InferShapes(model, &schemas, pb::ShapeInferenceOptions{true, 1, false});
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw ir::Error(ir::Code::Checker, prefix + trim(error.what()));
  }
}

// Declares a tensor as a graph input, with its type and without its bytes.
void add_input(const pb::TensorProto& tensor, pb::GraphProto& graph) {
  pb::ValueInfoProto& input = *graph.add_input();
  input.set_name(tensor.name());
  pb::TypeProto_Tensor& type = *input.mutable_type()->mutable_tensor_type();
  type.set_elem_type(tensor.data_type());
  type.mutable_shape();
  for (const std::int64_t size : tensor.dims()) type.mutable_shape()->add_dim()->set_dim_value(size);
}

// ONNX's checker accepts no form of an unknown rank, while runtimes accept an output without a shape.
void drop_outputs_of_unknown_rank(pb::GraphProto& graph) {
  auto& outputs = *graph.mutable_output();
  const auto end = std::remove_if(outputs.begin(), outputs.end(), [](const pb::ValueInfoProto& output) {
    return output.type().has_tensor_type() && output.type().tensor_type().elem_type() != 0 &&
           !output.type().tensor_type().has_shape();
  });
  outputs.erase(end, outputs.end());
}

void check_external(const StoredTensor& tensor, const std::string& folder, const std::string& prefix) {
  const auto fail = [&](const std::string& reason) {
    throw ir::Error(ir::Code::Checker, prefix + "initializer " + tensor.header.name() + ": " + reason);
  };
  const ExternalRegion& external = *tensor.external;
  std::filesystem::path file;
  try {
    file = pb::checker::resolve_external_data_location(folder, external.location, tensor.header.name());
  } catch (const std::exception& error) {
    fail(trim(error.what()));
  }
  std::error_code error;
  const std::uint64_t length = std::filesystem::file_size(file, error);
  if (error) fail(file.string() + ": " + error.message());
  const std::int64_t expected = expected_bytes(tensor.header);
  const auto needed = static_cast<std::uint64_t>(std::max<std::int64_t>(expected, 0));
  const std::uint64_t size = external.length.value_or(needed);
  if (expected >= 0 && size != needed) {
    fail(std::to_string(size) + " bytes of external data, but its shape needs " + std::to_string(expected));
  }
  if (external.offset > length || size > length - external.offset) {
    fail(file.string() + " ends at byte " + std::to_string(length) + ", before the " + std::to_string(size) +
         " bytes at offset " + std::to_string(external.offset));
  }
}

void check_message(std::span<const std::byte> bytes, bool full, const std::string& folder, const std::string& name) {
  Skeleton skeleton = read_skeleton(bytes, name);
  const std::string prefix = name + ": ";
  pb::GraphProto& graph = *skeleton.model.mutable_graph();
  std::unordered_set<std::string> inputs;
  for (const pb::ValueInfoProto& input : graph.input()) inputs.insert(input.name());
  for (const StoredTensor& tensor : skeleton.tensors) {
    if (tensor.external) check_external(tensor, folder, prefix);
    if (!tensor.kept && inputs.insert(tensor.header.name()).second) add_input(tensor.header, graph);
  }
  drop_outputs_of_unknown_rank(graph);
  run(skeleton.model, full, prefix);
}

void check_graph(const ir::Graph& graph, const ModelInfo& info, bool full) {
  const Names names(graph);
  pb::ModelProto model;
  to_proto(graph, info, names, model);
  std::unordered_set<std::string> inputs;
  for (const pb::ValueInfoProto& input : model.graph().input()) inputs.insert(input.name());
  for (const ir::Value* weight : graph.weights()) {
    pb::TensorProto tensor;
    to_proto(*weight, names, tensor);
    if (weight->weight()->bytes() <= kMaxSeen) {
      pb::TensorProto& initializer = *model.mutable_graph()->add_initializer();
      to_proto(*weight->weight(), true, initializer);
      initializer.set_name(names.of(weight));
    } else if (!inputs.contains(tensor.name())) {
      add_input(tensor, *model.mutable_graph());
    }
  }
  drop_outputs_of_unknown_rank(*model.mutable_graph());
  run(model, full, "");
}

}  // namespace

void check(const ir::Graph& graph, const ModelInfo& info) {
  const bool is_plain = info.module_functions.empty() && info.functions.empty();
  check_graph(graph, info, is_plain);
  if (is_plain) return;
  // Values in a function have no declared types, and none can be inferred after a custom operator.
  ModelInfo without = info;
  without.module_functions.clear();
  without.functions.clear();
  check_graph(graph, without, true);
}

void check_file(const std::string& path, bool full) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const auto mapped = map_file(path);
  check_message({mapped->data(), mapped->size()}, full, folder.empty() ? "." : folder.string(), path);
}

}  // namespace tonnx::onnx
