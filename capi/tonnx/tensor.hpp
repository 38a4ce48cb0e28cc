#ifndef TONNX_TENSOR_HPP
#define TONNX_TENSOR_HPP

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tonnx/error.hpp"
#include "tonnx/tensor.h"

namespace tonnx {

class Tensor {
 public:
  explicit Tensor(tonnx_tensor* taken) : handle_(taken) {}
  // Copies `size` bytes.
  Tensor(tonnx_dtype dtype, const std::vector<std::int64_t>& dims, const void* data, std::size_t size) {
    tonnx_tensor* made = nullptr;
    detail::call(
        [&](tonnx_error** e) { return tonnx_tensor_new(&made, dtype, dims.data(), dims.size(), data, size, e); });
    handle_.reset(made);
  }
  // Borrows memory that is row-major, or has `strides` counted in elements. Calls `release` when it is no longer
  // needed, on any thread, also if this call fails. `release` must not throw.
  static Tensor borrow(tonnx_dtype dtype, const std::vector<std::int64_t>& dims, const void* data,
                       std::function<void()> release = {}, const std::vector<std::int64_t>& strides = {}) {
    if (!strides.empty() && strides.size() != dims.size()) {
      if (release) release();
      throw Error(TONNX_STATUS_ARGUMENT, "the number of strides differs from the number of dimensions");
    }
    auto* owned = new std::function<void()>(std::move(release));
    tonnx_tensor* made = nullptr;
    detail::call([&](tonnx_error** e) {
      return tonnx_tensor_new_borrowed(
          &made, dtype, dims.data(), strides.empty() ? nullptr : strides.data(), dims.size(), data, owned,
          [](void* taken) {
            const std::unique_ptr<std::function<void()>> last(static_cast<std::function<void()>*>(taken));
            if (*last) (*last)();
          },
          e);
    });
    return Tensor(made);
  }
  // Wraps an at::Tensor *; see tonnx_tensor_from_torch.
  static Tensor from_torch(const void* at_tensor) {
    tonnx_tensor* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_tensor_from_torch(&made, at_tensor, e); });
    return Tensor(made);
  }

  // Wraps a tensor of DLPack, which is taken, also on failure.
  static Tensor from_dlpack(DLManagedTensorVersioned* managed_tensor) {
    tonnx_tensor* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_tensor_from_dlpack_versioned(&made, managed_tensor, e); });
    return Tensor(made);
  }
  static Tensor from_dlpack(DLManagedTensor* managed_tensor) {
    tonnx_tensor* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_tensor_from_dlpack(&made, managed_tensor, e); });
    return Tensor(made);
  }

  // Returns a new at::Tensor * with a copy of the elements; the caller deletes it.
  void* to_torch() const {
    void* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_tensor_to_torch(&made, get(), e); });
    return made;
  }
  // Returns a new tensor of DLPack with a copy of the elements; the consumer calls its deleter.
  DLManagedTensorVersioned* to_dlpack_versioned() const {
    DLManagedTensorVersioned* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_tensor_to_dlpack_versioned(&made, get(), e); });
    return made;
  }
  DLManagedTensor* to_dlpack() const {
    DLManagedTensor* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_tensor_to_dlpack(&made, get(), e); });
    return made;
  }

  tonnx_dtype dtype() const { return tonnx_tensor_dtype(get()); }
  std::vector<std::int64_t> dims() const {
    const std::int64_t* first = tonnx_tensor_dims(get());
    return {first, first + tonnx_tensor_rank(get())};
  }
  // Copies bytes of the row-major elements; see tonnx_tensor_read.
  void read(std::size_t begin, void* into, std::size_t size) const {
    detail::call([&](tonnx_error** e) { return tonnx_tensor_read(get(), begin, into, size, e); });
  }
  // See tonnx_tensor_data: the bytes of a file are a mapping.
  const void* data() const { return tonnx_tensor_data(get()); }
  std::size_t size() const { return tonnx_tensor_size(get()); }
  const tonnx_tensor* get() const { return handle_.get(); }

 private:
  detail::Handle<tonnx_tensor, tonnx_tensor_free> handle_;
};

// Deletes a result of Tensor::to_torch.
inline void delete_torch(void* at_tensor) { tonnx_tensor_delete_torch(at_tensor); }

inline std::string dtype_name(tonnx_dtype dtype) { return tonnx_dtype_name(dtype); }
inline tonnx_dtype dtype_from_name(const std::string& name) { return tonnx_dtype_from_name(name.c_str()); }
inline std::size_t dtype_bits(tonnx_dtype dtype) { return tonnx_dtype_bits(dtype); }
inline std::size_t dtype_size(tonnx_dtype dtype) { return tonnx_dtype_size(dtype); }

}  // namespace tonnx

#endif
