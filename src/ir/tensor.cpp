#include "ir/tensor.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "ir/computed.h"
#include "ir/error.h"
#include "ir/gather.h"

namespace tonnx::ir {
namespace {

constexpr std::int64_t kChunk = 1 << 16;  // elements compared or converted at a time

std::size_t item_size(const Tensor& tensor) {
  const std::size_t size = size_of(tensor.dtype);
  if (size == 0) {
    throw Error(Code::Internal, "a tensor of dtype " + std::string(name_of(tensor.dtype)) + " has no bytes");
  }
  return size;
}

// The storage index of element i (row-major), in elements.
std::int64_t element_index(const Tensor& tensor, std::int64_t i) {
  std::int64_t at = tensor.offset;
  for (std::size_t axis = tensor.dims.size(); axis-- > 0;) {
    at += i % tensor.dims[axis] * tensor.strides[axis];
    i /= tensor.dims[axis];
  }
  return at;
}

// The first byte, and the end of the last one, of a non-empty tensor in its storage; nullopt if an element is outside
// it.
std::optional<std::pair<std::size_t, std::size_t>> extent(const Tensor& tensor) {
  std::int64_t low = tensor.offset, high = tensor.offset, reach = 0;
  for (std::size_t i = 0; i < tensor.dims.size(); ++i)
    if (__builtin_mul_overflow(tensor.dims[i] - 1, tensor.strides[i], &reach) ||
        __builtin_add_overflow(reach < 0 ? low : high, reach, reach < 0 ? &low : &high))
      return std::nullopt;
  if (is_packed(tensor.dtype)) {
    if (tensor.offset != 0 || !tensor.is_contiguous() || tensor.bytes() > tensor.storage->size()) return std::nullopt;
    return std::pair{std::size_t{0}, tensor.bytes()};
  }
  const std::size_t size = size_of(tensor.dtype);
  if (size == 0 || tensor.offset < 0 || low < 0 || static_cast<std::uint64_t>(high) >= tensor.storage->size() / size)
    return std::nullopt;
  return std::pair{static_cast<std::size_t>(low) * size, (static_cast<std::size_t>(high) + 1) * size};
}

// Throws if an element is outside the storage.
void require_inside(const Tensor& tensor) {
  if (!tensor.storage) throw Error(Code::Internal, "a tensor without data is read");
  if (tensor.strides.size() != tensor.dims.size()) throw Error(Code::Internal, "a tensor has dims without strides");
  if (tensor.numel() == 0 || extent(tensor)) return;
  const std::string& path = tensor.storage->path();
  throw Error(path.empty() ? Code::Internal : Code::File, (path.empty() ? std::string() : path + ": ") +
                                                              "a tensor extends beyond the end of its storage of " +
                                                              std::to_string(tensor.storage->size()) + " bytes");
}

// The address of element 0.
const std::byte* checked_data(const Tensor& tensor) {
  if (is_packed(tensor.dtype)) {
    require_inside(tensor);
    return tensor.storage->data();
  }
  const auto size = static_cast<std::int64_t>(item_size(tensor));
  require_inside(tensor);
  return tensor.storage->data() + (tensor.numel() == 0 ? 0 : tensor.offset * size);
}

const std::byte* element(const Tensor& tensor, std::int64_t i) {
  if (i < 0 || i >= tensor.numel()) {
    throw Error(Code::Internal, "element " + std::to_string(i) + " is outside its tensor");
  }
  checked_data(tensor);
  return tensor.storage->data() + element_index(tensor, i) * static_cast<std::int64_t>(item_size(tensor));
}

template <class T, class Load>
std::vector<T> convert(const Tensor& tensor, const Load& load) {
  const std::int64_t count = tensor.numel();
  const std::size_t size = item_size(tensor);
  std::vector<T> out;
  out.reserve(static_cast<std::size_t>(count));
  std::vector<std::byte> chunk(static_cast<std::size_t>(std::min(count, kChunk)) * size);
  for (std::int64_t begin = 0; begin < count; begin += kChunk) {
    const std::int64_t end = std::min(count, begin + kChunk);
    tensor.read(begin, end, chunk.data());
    for (std::int64_t i = 0; i < end - begin; ++i) {
      out.push_back(load(tensor.dtype, chunk.data() + static_cast<std::size_t>(i) * size));
    }
  }
  return out;
}

template <class T>
Tensor make_scalar(DType dtype, T value) {
  std::vector<std::byte> bytes(size_of(dtype));
  store(dtype, value, bytes.data());
  return Tensor{dtype, {}, {}, 0, Storage::own(std::move(bytes))};
}

}  // namespace

std::vector<std::int64_t> contiguous_strides(std::span<const std::int64_t> dims) {
  std::vector<std::int64_t> strides(dims.size(), 1);
  for (std::size_t i = dims.size(); i-- > 1;) strides[i - 1] = strides[i] * std::max<std::int64_t>(dims[i], 1);
  return strides;
}

Tensor Tensor::from_bytes(DType dtype, std::vector<std::int64_t> dims, const void* bytes, std::size_t size) {
  Tensor out;
  out.dtype = dtype;
  out.strides = contiguous_strides(dims);
  out.dims = std::move(dims);
  if (size != out.bytes()) {
    throw Error(Code::Internal,
                "a tensor of " + std::to_string(out.bytes()) + " bytes is made from " + std::to_string(size));
  }
  out.storage = Storage::copy(bytes, size);
  return out;
}

Tensor Tensor::scalar(DType dtype, double value) { return make_scalar(dtype, value); }
Tensor Tensor::scalar(DType dtype, std::int64_t value) { return make_scalar(dtype, value); }

Tensor Tensor::of_int64(std::span<const std::int64_t> values) {
  return from_bytes(DType::Int64, {static_cast<std::int64_t>(values.size())}, values.data(), values.size_bytes());
}

std::int64_t Tensor::numel() const {
  std::int64_t count = 1;
  for (const std::int64_t dim : dims) count *= dim;
  return count;
}

bool Tensor::is_contiguous() const {
  if (numel() == 0) return true;
  std::int64_t expected = 1;
  for (std::size_t i = dims.size(); i-- > 0;) {
    if (dims[i] == 1) continue;
    if (strides[i] != expected) return false;
    expected *= dims[i];
  }
  return true;
}

const std::byte* Tensor::data() const { return checked_data(*this); }

void Tensor::read(std::int64_t begin, std::int64_t end, std::byte* out, const Done& done) const {
  if (begin < 0 || end > numel()) throw Error(Code::Internal, "a range outside a tensor is read");
  if (begin >= end) return;
  if (is_packed(dtype)) {
    if (begin != 0 || end != numel()) throw Error(Code::Internal, "a part of a tensor of a packed dtype is read");
    require_inside(*this);
    return storage->read(0, bytes(), out);
  }
  if (is_contiguous()) {
    if (const Computed* computed = computed_of(*this))
      return computed->compute(offset + begin, offset + end, out, done);
    require_inside(*this);
    const auto size = static_cast<std::int64_t>(item_size(*this));
    return storage->read(static_cast<std::uint64_t>((offset + begin) * size),
                         static_cast<std::size_t>((end - begin) * size), out);
  }
  gather(checked_data(*this), item_size(*this), dims, strides, begin, end, out, done);
}

Tensor Tensor::on_host() const {
  if (!storage || !storage->is_on_device()) return *this;
  require_inside(*this);
  const auto [begin, end] = numel() == 0 ? std::pair<std::size_t, std::size_t>() : extent(*this).value();
  std::vector<std::byte> bytes_read(end - begin);
  storage->read(begin, bytes_read.size(), bytes_read.data());
  Tensor copy = *this;
  if (begin > 0) copy.offset -= static_cast<std::int64_t>(begin / size_of(dtype));
  copy.storage = Storage::own(std::move(bytes_read));
  return copy;
}

Tensor Tensor::contiguous() const {
  if (is_contiguous()) return *this;
  std::vector<std::byte> bytes_read(bytes());
  read(0, numel(), bytes_read.data());
  return Tensor{dtype, dims, contiguous_strides(dims), 0, Storage::own(std::move(bytes_read))};
}

bool Tensor::same_view(const Tensor& other) const {
  return storage == other.storage && dtype == other.dtype && offset == other.offset && dims == other.dims &&
         strides == other.strides;
}

bool Tensor::may_overlap(const Tensor& other) const {
  if (!storage || storage != other.storage || numel() == 0 || other.numel() == 0) return false;
  const auto mine = extent(*this), theirs = extent(other);
  return !mine || !theirs || (mine->first < theirs->second && theirs->first < mine->second);
}

bool Tensor::equals(const Tensor& other) const {
  if (dtype != other.dtype || dims != other.dims) return false;
  if (same_view(other)) return true;
  const std::int64_t count = numel();
  if (count == 0) return true;
  if (is_contiguous() && other.is_contiguous()) return std::memcmp(data(), other.data(), bytes()) == 0;
  std::vector<std::byte> mine(static_cast<std::size_t>(std::min(count, kChunk)) * item_size(*this));
  std::vector<std::byte> theirs(mine.size());
  for (std::int64_t begin = 0; begin < count; begin += kChunk) {
    const std::int64_t end = std::min(count, begin + kChunk);
    read(begin, end, mine.data());
    other.read(begin, end, theirs.data());
    const auto length = static_cast<std::size_t>(end - begin) * item_size(*this);
    if (std::memcmp(mine.data(), theirs.data(), length) != 0) return false;
  }
  return true;
}

double Tensor::as_double(std::int64_t i) const { return load_double(dtype, element(*this, i)); }
std::int64_t Tensor::as_int64(std::int64_t i) const { return load_int64(dtype, element(*this, i)); }

std::vector<std::int64_t> Tensor::to_int64s() const { return convert<std::int64_t>(*this, load_int64); }
std::vector<double> Tensor::to_doubles() const { return convert<double>(*this, load_double); }

}  // namespace tonnx::ir
