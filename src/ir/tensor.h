#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ir/dtype.h"

namespace tonnx::ir {

// The bytes of tensors: memory with an owner, or a region of a file that is mapped at the first access. Immutable and
// safe to share between threads.
class Storage {
 public:
  // Copies `bytes`.
  static std::shared_ptr<const Storage> copy(const void* bytes, std::size_t size);
  static std::shared_ptr<const Storage> own(std::vector<std::byte> bytes);
  // Borrows `data`; keeps `owner` alive.
  static std::shared_ptr<const Storage> borrow(const void* data, std::size_t size, std::shared_ptr<const void> owner);
  // A region of a file. Reads nothing yet; data() maps the file (read-only, private).
  static std::shared_ptr<const Storage> file(std::string path, std::uint64_t offset, std::size_t size);

  virtual ~Storage() = default;

  virtual std::size_t size() const = 0;
  // The bytes; valid while this Storage lives. Throws Error(Code::File) if the file cannot be mapped.
  virtual const std::byte* data() const = 0;
  // Copies `size` bytes from `begin` on; does not map a file. Throws Error(Code::File) if they cannot be read.
  virtual void read(std::uint64_t begin, std::size_t size, std::byte* out) const;
  // The file that contains these bytes, and their offset in it; empty path for memory.
  virtual const std::string& path() const = 0;
  virtual std::uint64_t offset() const = 0;
  // The open file, valid while this Storage lives; -1 for memory, or if it could not be opened. It refers to the file
  // that was at path() when the storage was made, even if another file is there now.
  virtual int descriptor() const { return -1; }
  // True while the bytes are on another device than the host. data() then copies all of them to the host and keeps the
  // copy, which makes this false.
  virtual bool is_on_device() const { return false; }
};

// A strided view of a storage: a weight, a constant, or an example input. Cheap to copy; changing strides copies no
// element. Strides and offset count elements, as in LibTorch.
struct Tensor {
  DType dtype = DType::Undefined;
  std::vector<std::int64_t> dims;
  std::vector<std::int64_t> strides;
  std::int64_t offset = 0;
  std::shared_ptr<const Storage> storage;

  // A contiguous tensor with fresh storage; `size` must be its bytes().
  static Tensor from_bytes(DType dtype, std::vector<std::int64_t> dims, const void* bytes, std::size_t size);
  static Tensor scalar(DType dtype, double value);
  static Tensor scalar(DType dtype, std::int64_t value);
  static Tensor of_int64(std::span<const std::int64_t> values);  // rank 1

  std::int64_t rank() const { return static_cast<std::int64_t>(dims.size()); }
  std::int64_t numel() const;
  std::size_t bytes() const { return bytes_for(dtype, numel()); }
  bool is_contiguous() const;
  // The address of element 0; strided unless is_contiguous(). Maps the file of a file storage.
  const std::byte* data() const;
  // Copies elements [begin, end) in row-major order into `out`, contiguously. `done` is as for gather(); it is called
  // for strided tensors only, because otherwise no file is mapped. Of a packed dtype, all elements are read at once.
  void read(std::int64_t begin, std::int64_t end, std::byte* out,
            const std::function<void(const std::byte* begin, const std::byte* end)>& done = {}) const;
  // The tensor itself, or a copy on the host of the bytes that it extends over if its storage is on another device.
  Tensor on_host() const;
  // The tensor itself if contiguous, else a gathered copy.
  Tensor contiguous() const;
  // True if storage, offset, dims and strides are the same.
  bool same_view(const Tensor& other) const;
  // True if the byte ranges (first to last element) of both overlap; false for different storages.
  bool may_overlap(const Tensor& other) const;
  // Same dtype, dims and bytes.
  bool equals(const Tensor& other) const;

  // Element i (row-major) as a double; any dtype except complex, quantised and string.
  double as_double(std::int64_t i) const;
  std::int64_t as_int64(std::int64_t i) const;
  std::vector<std::int64_t> to_int64s() const;
  std::vector<double> to_doubles() const;
};

std::vector<std::int64_t> contiguous_strides(std::span<const std::int64_t> dims);

// Writes `value` to `out` as one element of `dtype`, rounded to nearest even; or reads it. Source: IEEE 754, bfloat16,
// OCP's and Graphcore's float8.
void store(DType dtype, double value, std::byte* out);
void store(DType dtype, std::int64_t value, std::byte* out);
double load_double(DType dtype, const std::byte* in);
std::int64_t load_int64(DType dtype, const std::byte* in);

}  // namespace tonnx::ir
