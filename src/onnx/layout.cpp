#include "onnx/layout.h"

#include "ir/error.h"
#include "onnx/message.h"
#include "onnx/wire.h"

namespace tonnx::onnx {
namespace {

using wire::kGraphInitializer, wire::kModelGraph, wire::kTensorRawData;

std::string serialize(const google::protobuf::MessageLite& message) {
  if (message.ByteSizeLong() > wire::kMaxMessage) {
    throw ir::Error(ir::Code::Unsupported, "the model is larger than 2 GiB without its weights");
  }
  std::string bytes;
  message.SerializePartialToString(&bytes);
  return bytes;
}

// The fields of a TensorProto after `message` and before the bytes.
std::string trailer(const Layout::Initializer& initializer) {
  std::string out;
  if (!initializer.external) {
    wire::put_header(out, kTensorRawData, initializer.bytes);
    return out;
  }
  pb::TensorProto external;
  const auto add = [&external](const char* key, const std::string& value) {
    pb::StringStringEntryProto& entry = *external.add_external_data();
    entry.set_key(key);
    entry.set_value(value);
  };
  add("location", initializer.external->location);
  add("offset", std::to_string(initializer.external->offset));
  add("length", std::to_string(initializer.bytes));
  external.set_data_location(pb::TensorProto::EXTERNAL);
  return serialize(external);
}

std::uint64_t inside(const Layout::Initializer& initializer) { return initializer.external ? 0 : initializer.bytes; }

}  // namespace

Layout::Layout(const ir::Graph& graph, const ModelInfo& info) {
  const Names names(graph);
  pb::ModelProto model;
  to_proto(graph, info, names, model);

  // Fields are in the order of their numbers, as protobuf writes them: graph is 7 in the model, initializer 5 in the
  // graph.
  pb::GraphProto head;
  head.mutable_node()->Swap(model.mutable_graph()->mutable_node());
  head.set_name(model.graph().name());
  model.mutable_graph()->clear_name();
  graph_head_ = serialize(head);
  graph_tail_ = serialize(model.graph());
  model.clear_graph();
  pb::ModelProto tail;
  tail.mutable_opset_import()->Swap(model.mutable_opset_import());
  tail.mutable_metadata_props()->Swap(model.mutable_metadata_props());
  tail.mutable_functions()->Swap(model.mutable_functions());
  model_head_ = serialize(model);
  model_tail_ = serialize(tail);

  for (const ir::Value* weight : graph.weights()) {
    pb::TensorProto tensor;
    to_proto(*weight, names, tensor);
    initializers_.push_back({weight, serialize(tensor), weight->weight()->bytes(), std::nullopt});
  }
}

std::uint64_t Layout::graph_size() const {
  std::uint64_t size = graph_head_.size() + graph_tail_.size();
  for (const Initializer& initializer : initializers_) {
    const std::uint64_t tensor = initializer.message.size() + trailer(initializer).size() + inside(initializer);
    size += wire::header_size(kGraphInitializer, tensor) + tensor;
  }
  return size;
}

std::uint64_t Layout::size() const {
  const std::uint64_t graph = graph_size();
  return model_head_.size() + wire::header_size(kModelGraph, graph) + graph + model_tail_.size();
}

WeightWriter weights_of(const std::vector<Layout::Initializer>& initializers, bool external) {
  std::vector<const ir::Tensor*> weights;
  for (const Layout::Initializer& initializer : initializers)
    if (initializer.external.has_value() == external) weights.push_back(initializer.weight->weight());
  return WeightWriter(std::move(weights));
}

void Layout::write(Sink& sink) const {
  std::string bytes = model_head_;
  wire::put_header(bytes, kModelGraph, graph_size());
  sink.write(bytes.data(), bytes.size());
  sink.write(graph_head_.data(), graph_head_.size());
  WeightWriter weights = weights_of(initializers_, false);
  for (const Initializer& initializer : initializers_) {
    const std::string end = trailer(initializer);
    bytes.clear();
    wire::put_header(bytes, kGraphInitializer, initializer.message.size() + end.size() + inside(initializer));
    bytes += initializer.message;
    bytes += end;
    sink.write(bytes.data(), bytes.size());
    if (!initializer.external) weights.write_next(sink);
  }
  sink.write(graph_tail_.data(), graph_tail_.size());
  sink.write(model_tail_.data(), model_tail_.size());
}

}  // namespace tonnx::onnx
