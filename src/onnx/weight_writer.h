#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <vector>

#include "ir/tensor.h"
#include "onnx/sink.h"

namespace tonnx::onnx {

// Writes the bytes of weights in row-major order, one weight after the other: from a file by the kernel, from memory by
// pointer. Strided and computed weights, and those on another device, are written in pieces; another thread gathers the
// next piece while one is written.
class WeightWriter {
 public:
  // The tensors must outlive this object.
  explicit WeightWriter(std::vector<const ir::Tensor*> weights);
  WeightWriter(const WeightWriter&) = delete;
  WeightWriter& operator=(const WeightWriter&) = delete;

  // Writes the next weight. Throws what reading and writing throws.
  void write_next(Sink& sink);

 private:
  // Elements [begin, end) of a weight.
  struct Piece {
    std::size_t weight;
    std::int64_t begin, end;
  };
  struct Buffer {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t size = 0;
  };

  void cut(std::size_t weight);
  std::size_t size_of(const Piece& piece) const;
  void gather(const Piece& piece, Buffer& buffer);
  void gather_ahead();
  const std::byte* take();

  std::vector<const ir::Tensor*> weights_;
  std::vector<Piece> pieces_;
  std::size_t next_weight_ = 0, next_piece_ = 0;
  std::array<Buffer, 2> buffers_;  // of alternate pieces
  ir::Tensor host_copy_;           // of the strided weight on another device whose pieces are gathered
  std::future<void> ahead_;        // gathers the next piece; destroyed before the buffers
};

}  // namespace tonnx::onnx
