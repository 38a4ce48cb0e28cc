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

// A model divided into the pieces of its message; all sizes are known and no weight was read.
class Layout {
 public:
  Layout(const ir::Graph& graph, const ModelInfo& info);

  // The file region of one weight that is stored outside the message.
  struct External {
    std::string location;  // relative to the model's folder
    std::uint64_t offset;
  };
  struct Initializer {
    const ir::Value* weight;
    std::string message;  // TensorProto without the bytes
    std::uint64_t bytes;
    std::optional<External> external;
  };

  std::vector<Initializer>& initializers() { return initializers_; }
  // The current size of the whole message.
  std::uint64_t size() const;
  void write(Sink& sink) const;

 private:
  std::uint64_t graph_size() const;

  std::string model_head_, graph_head_, graph_tail_, model_tail_;
  std::vector<Initializer> initializers_;
};

// A WeightWriter for the external weights, or for those in the message.
WeightWriter weights_of(const std::vector<Layout::Initializer>& initializers, bool external);

}  // namespace tonnx::onnx
