#include "tonnx/tensor.h"

#include <cstring>

#include "backend/libtorch.h"
#include "dlpack.h"
#include "dtype.h"
#include "export/loaded_program.h"
#include "guard.h"
#include "ir/dtype_spelling.h"
#include "shape.h"

using tonnx::capi::answer;
using tonnx::capi::checked_dims;
using tonnx::capi::guard;
using tonnx::capi::own_user_data;
using tonnx::capi::refuse;
using tonnx::capi::require;
using tonnx::ir::DType;
using tonnx::ir::Storage;
using tonnx::ir::Tensor;

namespace {

DType known_dtype(tonnx_dtype dtype) {
  const auto type = tonnx::capi::from_c(dtype);
  if (type == DType::String || tonnx::ir::bits_per_element(type) == 0)
    refuse("dtype " + std::to_string(dtype) + " is unknown");
  return type;
}

// Row-major elements. Those of a strided tensor of a file are read, not mapped, since others may cut off the file.
Tensor row_major(const Tensor& tensor) {
  if (tensor.is_contiguous() || !tensor.storage || tensor.storage->path().empty()) return tensor.contiguous();
  std::vector<std::byte> bytes(tensor.storage->size());
  tensor.storage->read(0, bytes.size(), bytes.data());
  Tensor read = tensor;
  read.storage = Storage::own(std::move(bytes));
  return read.contiguous();
}

const Tensor& dense_of(const tonnx_tensor* tensor) {
  auto* mutable_tensor = const_cast<tonnx_tensor*>(tensor);
  std::call_once(mutable_tensor->gathered, [&] { mutable_tensor->dense = row_major(tensor->tensor); });
  return tensor->dense;
}

}  // namespace

tonnx_status tonnx_tensor_new(tonnx_tensor** out, tonnx_dtype dtype, const int64_t* dims, size_t rank, const void* data,
                              size_t size, tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, [&] {
    require(out, "out");
    const DType type = known_dtype(dtype);
    std::vector<std::int64_t> shape = checked_dims(dims, rank, type);
    std::int64_t count = 1;
    for (const std::int64_t d : shape) count *= d;
    const std::size_t wanted = tonnx::ir::bytes_for(type, count);
    if (wanted > 0) require(data, "data");
    if (size != wanted)
      refuse(std::to_string(size) + " bytes were passed, but dtype and dims need " + std::to_string(wanted));
    *out = new tonnx_tensor(Tensor::from_bytes(type, std::move(shape), data, size));
  });
}

tonnx_status tonnx_tensor_new_borrowed(tonnx_tensor** out, tonnx_dtype dtype, const int64_t* dims,
                                       const int64_t* strides, size_t rank, const void* data, void* user_data,
                                       tonnx_destroy_fn destroy, tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, [&] {
    const std::shared_ptr<void> owner = own_user_data(user_data, destroy);
    require(out, "out");
    Tensor t;
    t.dtype = known_dtype(dtype);
    t.dims = checked_dims(dims, rank, t.dtype);
    t.strides = strides ? std::vector<std::int64_t>(strides, strides + rank) : tonnx::ir::contiguous_strides(t.dims);
    const std::size_t bytes = tonnx::capi::checked_extent(t);
    if (bytes > 0) require(data, "data");
    t.storage = Storage::borrow(data, bytes, owner);
    *out = new tonnx_tensor(std::move(t));
  });
}

tonnx_status tonnx_tensor_from_torch(tonnx_tensor** out, const void* at_tensor, tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, [&] {
    require(out, "out");
    require(at_tensor, "at_tensor");
    const tonnx::backend::Untraced untraced;
    *out = new tonnx_tensor(tonnx::backend::libtorch().tensor_from_handle(at_tensor));
  });
}

tonnx_status tonnx_tensor_from_dlpack(tonnx_tensor** out, DLManagedTensor* managed_tensor, tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, [&] {
    require(managed_tensor, "managed_tensor");
    Tensor t = tonnx::capi::take_dlpack(managed_tensor);
    require(out, "out");
    *out = new tonnx_tensor(std::move(t));
  });
}

tonnx_status tonnx_tensor_from_dlpack_versioned(tonnx_tensor** out, DLManagedTensorVersioned* managed_tensor,
                                                tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, [&] {
    require(managed_tensor, "managed_tensor");
    Tensor t = tonnx::capi::take_dlpack(managed_tensor);
    require(out, "out");
    *out = new tonnx_tensor(std::move(t));
  });
}

tonnx_status tonnx_tensor_to_torch(void** out, const tonnx_tensor* tensor, tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, [&] {
    require(out, "out");
    require(tensor, "tensor");
    const tonnx::backend::Untraced untraced;
    *out = tonnx::backend::libtorch().make_handle(tensor->tensor);
  });
}

void tonnx_tensor_delete_torch(void* at_tensor) {
  if (!at_tensor) return;
  answer(0, [&] {
    tonnx::backend::libtorch().destroy_handle(at_tensor);
    return 0;
  });
}

tonnx_status tonnx_tensor_to_dlpack(DLManagedTensor** out, const tonnx_tensor* tensor, tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, [&] {
    require(out, "out");
    require(tensor, "tensor");
    *out = tonnx::capi::give_dlpack(tensor->tensor);
  });
}

tonnx_status tonnx_tensor_to_dlpack_versioned(DLManagedTensorVersioned** out, const tonnx_tensor* tensor,
                                              tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, [&] {
    require(out, "out");
    require(tensor, "tensor");
    *out = tonnx::capi::give_versioned_dlpack(tensor->tensor);
  });
}

tonnx_dtype tonnx_tensor_dtype(const tonnx_tensor* tensor) {
  return tensor ? tonnx::capi::to_c(tensor->tensor.dtype) : TONNX_DTYPE_UNDEFINED;
}

size_t tonnx_tensor_rank(const tonnx_tensor* tensor) { return tensor ? tensor->tensor.dims.size() : 0; }
const int64_t* tonnx_tensor_dims(const tonnx_tensor* tensor) { return tensor ? tensor->tensor.dims.data() : nullptr; }

const void* tonnx_tensor_data(const tonnx_tensor* tensor) {
  if (!tensor) return nullptr;
  return answer(static_cast<const void*>(nullptr), [&]() -> const void* { return dense_of(tensor).data(); });
}

tonnx_status tonnx_tensor_read(const tonnx_tensor* tensor, size_t begin, void* into, size_t size, tonnx_error** error) {
  return guard(error, [&] {
    require(tensor, "tensor");
    const size_t all = tensor->tensor.bytes();
    if (begin > all || size > all - begin)
      refuse(std::to_string(size) + " bytes from byte " + std::to_string(begin) + " on do not fit a tensor of " +
             std::to_string(all) + " bytes");
    if (size == 0) return;
    require(into, "into");
    const Tensor& dense = dense_of(tensor);
    const auto first = static_cast<std::uint64_t>(dense.offset) * tonnx::ir::size_of(dense.dtype);
    dense.storage->read(first + begin, size, static_cast<std::byte*>(into));
  });
}

size_t tonnx_tensor_size(const tonnx_tensor* tensor) { return tensor ? tensor->tensor.bytes() : 0; }
void tonnx_tensor_free(tonnx_tensor* tensor) { tonnx::capi::destroy(tensor); }

const char* tonnx_dtype_name(tonnx_dtype dtype) { return tonnx::ir::name_of(tonnx::capi::from_c(dtype)).data(); }

tonnx_dtype tonnx_dtype_from_name(const char* name) {
  if (!name) return TONNX_DTYPE_UNDEFINED;
  const auto dtype = tonnx::ir::dtype_from_spelling(name);
  return dtype ? tonnx::capi::to_c(*dtype) : TONNX_DTYPE_UNDEFINED;
}

size_t tonnx_dtype_bits(tonnx_dtype dtype) { return tonnx::ir::bits_per_element(tonnx::capi::from_c(dtype)); }
size_t tonnx_dtype_size(tonnx_dtype dtype) { return tonnx::ir::size_of(tonnx::capi::from_c(dtype)); }
