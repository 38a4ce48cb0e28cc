#include "onnx/layout.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "ir/computed.h"
#include "ir/error.h"
#include "ir/gather.h"
#include "onnx/message.h"
#include "onnx/wire.h"

namespace tonnx::onnx {
namespace {

using wire::kGraphInitializer, wire::kModelGraph, wire::kTensorRawData;

// A larger piece takes longer runs from each page of a transposed weight, which is then visited less often, and gives longer
// ones to each row where they are placed.
constexpr std::size_t kStridedPiece = std::size_t{16} << 20;
constexpr std::size_t kComputedPiece = std::size_t{1} << 20;
constexpr std::size_t kShortestWrite = 256;  // shorter ones cost more than to read the source anew

std::string serialize(const google::protobuf::MessageLite& message) {
  if (message.ByteSizeLong() > wire::kMaxMessage) {
    throw ir::Error(ir::Code::Unsupported, "the model is over 2 GiB without its weights");
  }
  std::string bytes;
  message.SerializePartialToString(&bytes);
  return bytes;
}

// What follows `message` in a TensorProto, up to the bytes.
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

// The pages of a mapped file go back to the page cache, so that memory does not grow with what was read.
void release(const std::byte* begin, const std::byte* end) {
  static const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(begin) / page * page;
  ::madvise(reinterpret_cast<void*>(first), reinterpret_cast<std::uintptr_t>(end) - first, MADV_DONTNEED);
}

// A matrix whose columns lie one after the other in the file, and of which no piece of rows would be one of the file's.
bool is_long_transposed(const ir::Tensor& tensor) {
  return tensor.dims.size() == 2 && tensor.strides[0] == 1 && tensor.strides[1] == tensor.dims[0] &&
         !tensor.storage->path().empty() && tensor.bytes() > kStridedPiece &&
         tensor.dims[0] <= static_cast<std::int64_t>(kStridedPiece / kShortestWrite);
}

// Reads the file once and in order: some columns at a time, whose parts of the rows are put where these are.
void place_transposed(const ir::Tensor& tensor, Sink& sink) {
  const std::size_t item = ir::size_of(tensor.dtype);
  const std::int64_t rows = tensor.dims[0], columns = tensor.dims[1];
  const auto step = std::max<std::int64_t>(static_cast<std::int64_t>(kStridedPiece / item) / rows, 1);
  const auto piece = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(std::min(step, columns) * rows) * item);
  for (std::int64_t begin = 0; begin < columns; begin += step) {
    ir::Tensor part = tensor;
    part.dims[1] = std::min(step, columns - begin);
    part.offset += begin * rows;
    part.read(0, part.numel(), piece.get(), release);
    const std::size_t run = static_cast<std::size_t>(part.dims[1]) * item;
    for (std::int64_t row = 0; row < rows; ++row)
      sink.write_ahead(static_cast<std::uint64_t>(row * columns + begin) * item,
                 piece.get() + static_cast<std::size_t>(row) * run, run);
  }
  sink.skip(tensor.bytes());
}

std::uint64_t inside(const Layout::Initializer& initializer) { return initializer.external ? 0 : initializer.bytes; }

}  // namespace

Layout::Layout(const ir::Graph& graph, const ModelInfo& info) {
  const Names names(graph);
  pb::ModelProto model;
  to_proto(graph, info, names, model);

  // Fields go in the order of their numbers, as protobuf writes them: graph is 7 of the model, initializer 5 of it.
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

void Layout::write(Sink& sink) const {
  std::string bytes = model_head_;
  wire::put_header(bytes, kModelGraph, graph_size());
  sink.write(bytes.data(), bytes.size());
  sink.write(graph_head_.data(), graph_head_.size());
  for (const Initializer& initializer : initializers_) {
    const std::string end = trailer(initializer);
    bytes.clear();
    wire::put_header(bytes, kGraphInitializer, initializer.message.size() + end.size() + inside(initializer));
    bytes += initializer.message;
    bytes += end;
    sink.write(bytes.data(), bytes.size());
    if (!initializer.external) write_tensor(*initializer.weight->weight(), sink);
  }
  sink.write(graph_tail_.data(), graph_tail_.size());
  sink.write(model_tail_.data(), model_tail_.size());
}

void write_tensor(const ir::Tensor& tensor, Sink& sink) {
  const std::size_t size = tensor.bytes();
  if (size == 0) return;
  const std::size_t item = ir::size_of(tensor.dtype);
  if (sink.takes_any_order() && is_long_transposed(tensor)) return place_transposed(tensor, sink);
  const bool computed = tensor.is_contiguous() && ir::computed_of(tensor);
  if (computed || !tensor.is_contiguous()) {
    const std::int64_t count = tensor.numel();
    const auto step = static_cast<std::int64_t>((computed ? kComputedPiece : kStridedPiece) / item);
    const auto piece = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(std::min(step, count)) * item);
    const ir::Done done = computed || !tensor.storage->path().empty() ? release : ir::Done();
    for (std::int64_t begin = 0; begin < count; begin += step) {
      const std::int64_t end = std::min(begin + step, count);
      tensor.read(begin, end, piece.get(), done);
      sink.write(piece.get(), static_cast<std::size_t>(end - begin) * item);
    }
  } else if (!tensor.storage->path().empty()) {
    sink.copy(region_of(tensor));
  } else {
    sink.write(tensor.data(), size);
  }
}

}  // namespace tonnx::onnx
