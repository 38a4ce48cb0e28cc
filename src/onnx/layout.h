#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "onnx/model_info.h"
#include "onnx/sink.h"
#include "onnx/weight_writer.h"

namespace tonnx::onnx {

// A model cut into the pieces of its message, everything measured and no weight's bytes read.
class Layout {
 public:
  Layout(const ir::Graph& graph, const ModelInfo& info);

  // Where the bytes of one weight are once they are not in the message.
  struct External {
    std::string location;  // relative to the model
    std::uint64_t offset;
  };
  struct Initializer {
    const ir::Value* weight;
    std::string message;  // TensorProto but the bytes
    std::uint64_t bytes;
    std::optional<External> external;
  };

  std::vector<Initializer>& initializers() { return initializers_; }
  // The whole message's size as things stand.
  std::uint64_t size() const;
  void write(Sink& sink) const;

 private:
  std::uint64_t graph_size() const;

  std::string model_head_, graph_head_, graph_tail_, model_tail_;
  std::vector<Initializer> initializers_;
};

// What writes the bytes of the weights outside of the message, or of those in it; as WeightWriter.
WeightWriter weights_of(const std::vector<Layout::Initializer>& initializers, bool external);

}  // namespace tonnx::onnx
