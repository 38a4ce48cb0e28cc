#include "onnx/weight_writer.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "ir/computed.h"

namespace tonnx::onnx {
namespace {

// A larger piece takes longer runs from each page of a transposed weight, which is then visited less often, and gives longer
// ones to each row where they are placed.
constexpr std::size_t kStridedPiece = std::size_t{4} << 20;
constexpr std::size_t kColumnsPiece = std::size_t{16} << 20;
constexpr std::size_t kComputedPiece = std::size_t{2} << 20;
constexpr std::size_t kShortestWrite = 256;  // shorter ones cost more than to read the source anew
constexpr std::size_t kWorthAThread = std::size_t{256} << 10;

// The pages of a mapped file go back to the page cache, so that memory does not grow with what was read.
void release(const std::byte* begin, const std::byte* end) {
  static const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(begin) / page * page;
  ::madvise(reinterpret_cast<void*>(first), reinterpret_cast<std::uintptr_t>(end) - first, MADV_DONTNEED);
}

bool is_computed(const ir::Tensor& tensor) { return tensor.is_contiguous() && ir::computed_of(tensor); }

bool is_gathered(const ir::Tensor& tensor) { return !tensor.is_contiguous() || is_computed(tensor); }

// A matrix whose columns lie one after the other in the file, and of which no piece of rows would be one of the file's.
bool is_long_transposed(const ir::Tensor& tensor) {
  return tensor.dims.size() == 2 && tensor.strides[0] == 1 && tensor.strides[1] == tensor.dims[0] &&
         !tensor.storage->path().empty() && tensor.bytes() > kColumnsPiece &&
         tensor.dims[0] <= static_cast<std::int64_t>(kColumnsPiece / kShortestWrite);
}

}  // namespace

WeightWriter::WeightWriter(std::vector<const ir::Tensor*> weights, bool any_order) : weights_(std::move(weights)) {
  for (std::size_t weight = 0; weight < weights_.size(); ++weight)
    if (weights_[weight]->bytes() > 0 && is_gathered(*weights_[weight])) cut(weight, any_order);
  gather_ahead();
}

// The columns of a long transposed weight are read once and in order, and their parts of the rows put where these are.
void WeightWriter::cut(std::size_t weight, bool any_order) {
  const ir::Tensor& tensor = *weights_[weight];
  const bool columns = any_order && is_long_transposed(tensor);
  const std::int64_t end = columns ? tensor.dims[1] : tensor.numel();
  const std::size_t one = ir::size_of(tensor.dtype) * static_cast<std::size_t>(columns ? tensor.dims[0] : 1);
  const std::size_t most = columns ? kColumnsPiece : is_computed(tensor) ? kComputedPiece : kStridedPiece;
  const auto step = static_cast<std::int64_t>(std::max<std::size_t>(most / one, 1));
  for (std::int64_t begin = 0; begin < end; begin += step) pieces_.push_back({weight, begin, std::min(begin + step, end), columns});
}

std::size_t WeightWriter::size_of(const Piece& piece) const {
  const ir::Tensor& tensor = *weights_[piece.weight];
  return ir::size_of(tensor.dtype) * static_cast<std::size_t>((piece.end - piece.begin) * (piece.columns ? tensor.dims[0] : 1));
}

void WeightWriter::gather(const Piece& piece, Buffer& buffer) const {
  const std::size_t size = size_of(piece);
  if (buffer.size < size) buffer = {std::make_unique_for_overwrite<std::byte[]>(size), size};
  const ir::Tensor& tensor = *weights_[piece.weight];
  if (piece.columns) {
    ir::Tensor part = tensor;
    part.dims[1] = piece.end - piece.begin;
    part.offset += piece.begin * tensor.dims[0];
    return part.read(0, part.numel(), buffer.bytes.get(), release);
  }
  const bool reads_files = is_computed(tensor) || !tensor.storage->path().empty();
  tensor.read(piece.begin, piece.end, buffer.bytes.get(), reads_files ? release : ir::Done());
}

void WeightWriter::gather_ahead() {
  if (next_piece_ == pieces_.size() || size_of(pieces_[next_piece_]) < kWorthAThread) return;
  const auto work = [this, &piece = pieces_[next_piece_], &buffer = buffers_[next_piece_ % 2]] { gather(piece, buffer); };
  try {
    ahead_ = std::async(std::launch::async, work);
  } catch (const std::system_error&) {
    // No thread is to be had: the piece is gathered when its turn comes.
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

void WeightWriter::put(const Piece& piece, const std::byte* bytes, Sink& sink) const {
  if (!piece.columns) return sink.write(bytes, size_of(piece));
  const ir::Tensor& tensor = *weights_[piece.weight];
  const auto item = static_cast<std::int64_t>(ir::size_of(tensor.dtype));
  const std::int64_t run = (piece.end - piece.begin) * item;
  for (std::int64_t row = 0; row < tensor.dims[0]; ++row)
    sink.write_ahead(static_cast<std::uint64_t>((row * tensor.dims[1] + piece.begin) * item), bytes + row * run, static_cast<std::size_t>(run));
  if (piece.end == tensor.dims[1]) sink.skip(tensor.bytes());
}

void WeightWriter::write_next(Sink& sink) {
  const std::size_t weight = next_weight_++;
  const ir::Tensor& tensor = *weights_[weight];
  if (tensor.bytes() == 0) return;
  if (!is_gathered(tensor)) {
    if (tensor.storage->path().empty()) return sink.write(tensor.data(), tensor.bytes());
    return sink.copy(region_of(tensor));
  }
  while (next_piece_ < pieces_.size() && pieces_[next_piece_].weight == weight) {
    const Piece& piece = pieces_[next_piece_];
    put(piece, take(), sink);
  }
}

}  // namespace tonnx::onnx
