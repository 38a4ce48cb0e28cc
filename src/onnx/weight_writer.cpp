#include "onnx/weight_writer.h"

#include <algorithm>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "ir/computed.h"

namespace tonnx::onnx {
namespace {

// With larger pieces each page of a transposed weight is visited less often, for longer runs.
constexpr std::size_t kStridedPiece = std::size_t{16} << 20;
constexpr std::size_t kComputedPiece = std::size_t{2} << 20;
constexpr std::size_t kWorthAThread = std::size_t{256} << 10;

// Releases the pages of a mapped file, so that memory does not grow with what was read.
void release(const std::byte* begin, const std::byte* end) {
  static const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const std::byte* first = begin - reinterpret_cast<std::uintptr_t>(begin) % page;
  ::madvise(const_cast<std::byte*>(first), static_cast<std::size_t>(end - first), MADV_DONTNEED);
}

bool is_computed(const ir::Tensor& tensor) { return tensor.is_contiguous() && ir::computed_of(tensor); }

bool is_gathered(const ir::Tensor& tensor) {
  return !tensor.is_contiguous() || is_computed(tensor) || tensor.storage->is_on_device();
}

}  // namespace

WeightWriter::WeightWriter(std::vector<const ir::Tensor*> weights) : weights_(std::move(weights)) {
  for (std::size_t weight = 0; weight < weights_.size(); ++weight)
    if (weights_[weight]->bytes() > 0 && is_gathered(*weights_[weight])) cut(weight);
  gather_ahead();
}

void WeightWriter::cut(std::size_t weight) {
  const ir::Tensor& tensor = *weights_[weight];
  const std::int64_t end = tensor.numel();
  const std::size_t most = is_computed(tensor) ? kComputedPiece : kStridedPiece;
  const auto step = static_cast<std::int64_t>(most / ir::size_of(tensor.dtype));
  for (std::int64_t begin = 0; begin < end; begin += step)
    pieces_.push_back({weight, begin, std::min(begin + step, end)});
}

std::size_t WeightWriter::size_of(const Piece& piece) const {
  return ir::size_of(weights_[piece.weight]->dtype) * static_cast<std::size_t>(piece.end - piece.begin);
}

// Pieces are gathered one at a time, in order.
void WeightWriter::gather(const Piece& piece, Buffer& buffer) {
  const std::size_t size = size_of(piece);
  if (buffer.size < size) buffer = {std::make_unique_for_overwrite<std::byte[]>(size), size};
  const ir::Tensor& weight = *weights_[piece.weight];
  if (piece.begin == 0 && !weight.is_contiguous()) host_copy_ = weight.on_host();
  const ir::Tensor& tensor = weight.is_contiguous() ? weight : host_copy_;
  const bool reads_files = is_computed(tensor) || !tensor.storage->path().empty();
  tensor.read(piece.begin, piece.end, buffer.bytes.get(), reads_files ? release : ir::Done());
  if (piece.end == weight.numel()) host_copy_ = {};
}

void WeightWriter::gather_ahead() {
  if (next_piece_ == pieces_.size() || size_of(pieces_[next_piece_]) < kWorthAThread) return;
  const auto work = [this, &piece = pieces_[next_piece_], &buffer = buffers_[next_piece_ % 2]] {
    gather(piece, buffer);
  };
  try {
    ahead_ = std::async(std::launch::async, work);
  } catch (const std::system_error&) {
    // No thread is available: the piece is gathered later, in this thread.
  }
}

const std::byte* WeightWriter::take() {
  Buffer& buffer = buffers_[next_piece_ % 2];
  if (ahead_.valid()) {
    ahead_.get();
  } else {
    gather(pieces_[next_piece_], buffer);
  }
  ++next_piece_;
  gather_ahead();
  return buffer.bytes.get();
}

void WeightWriter::write_next(Sink& sink) {
  const std::size_t weight = next_weight_++;
  const ir::Tensor& tensor = *weights_[weight];
  if (tensor.bytes() == 0) return;
  if (next_piece_ == pieces_.size() || pieces_[next_piece_].weight != weight) {
    if (tensor.storage->path().empty()) return sink.write(tensor.data(), tensor.bytes());
    return sink.copy(region_of(tensor));
  }
  while (next_piece_ < pieces_.size() && pieces_[next_piece_].weight == weight) {
    const std::size_t size = size_of(pieces_[next_piece_]);
    sink.write(take(), size);
  }
}

}  // namespace tonnx::onnx
