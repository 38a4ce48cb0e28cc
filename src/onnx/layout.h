#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "onnx/model_info.h"
#include "onnx/sink.h"

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

// The bytes of a tensor in row-major order: by the kernel from a file, by pointer from memory, gathered in pieces
// where it is strided.
void write_tensor(const ir::Tensor& tensor, Sink& sink);

}  // namespace tonnx::onnx
