#include "torch/real_call.h"

#include <cstring>
#include <exception>
#include <new>
#include <sys/mman.h>
#include <unordered_map>

#include <ATen/ops/fill.h>
#include <ATen/ops/resize.h>
#include <ATen/record_function.h>
#include <c10/core/Allocator.h>

#include "torch/meta_memory.h"
#include "torch/random_state.h"

namespace tonnx::torch {
namespace {

constexpr std::size_t max_bytes = std::size_t{1} << 36;

struct Pages {
  void* address;
  std::size_t size;
};

void release_pages(void* context) {
  auto* pages = static_cast<Pages*>(context);
  munmap(pages->address, pages->size);
  delete pages;
}

// Memory that reads as zeros; large areas use no memory until they are written. Small ones can be resized, as for an
// `out` argument.
c10::Storage zero_storage(std::size_t bytes) {
  constexpr std::size_t page = 4096;
  if (bytes <= page) {
    c10::Storage storage(c10::Storage::use_byte_size_t(), bytes, c10::GetAllocator(c10::kCPU), true);
    if (bytes > 0) std::memset(storage.mutable_data(), 0, bytes);
    return storage;
  }
  TORCH_CHECK_NOT_IMPLEMENTED(bytes <= max_bytes, "a tensor of ", bytes, " bytes is too big to evaluate");
  void* address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) throw std::bad_alloc();
  madvise(address, bytes, MADV_NOHUGEPAGE);
  return c10::Storage(c10::Storage::use_byte_size_t(), static_cast<std::int64_t>(bytes),
                      c10::DataPtr(address, new Pages{address, bytes}, &release_pages, c10::kCPU), nullptr, false);
}

// Some operators refuse zeros (a distribution, a divisor). This many bytes of ones per tensor are affordable.
constexpr std::size_t max_ones = std::size_t{64} << 20;

class RealTensors {
 public:
  explicit RealTensors(bool ones) : ones_(ones) {}

  c10::IValue to_real(const c10::IValue& value) {
    return map(value, [this](const at::Tensor& tensor) { return real(tensor); });
  }
  c10::IValue to_meta(const c10::IValue& value) {
    return map(value, [this](const at::Tensor& tensor) { return meta(tensor); });
  }

 private:
  template <class F>
  static c10::IValue map(const c10::IValue& value, F&& change) {
    if (value.isTensor()) return change(value.toTensor());
    if (value.isList()) {
      const auto from = value.toList();
      c10::impl::GenericList list(from.elementType());
      list.reserve(from.size());
      for (const c10::IValue& item : from) list.push_back(map(item, change));
      return list;
    }
    if (value.isTuple()) {
      std::vector<c10::IValue> items;
      for (const c10::IValue& item : value.toTupleRef().elements()) items.push_back(map(item, change));
      return c10::ivalue::Tuple::create(std::move(items));
    }
    return value;
  }

  at::Tensor real(const at::Tensor& tensor) {
    if (!tensor.defined() || !tensor.is_meta() || !tensor.has_storage()) return tensor;
    const auto known = objects_.find(tensor.unsafeGetTensorImpl());
    if (known != objects_.end()) return known->second;
    const c10::StorageImpl* from = tensor.storage().unsafeGetStorageImpl();
    auto storage = real_storages_.find(from);
    if (storage == real_storages_.end()) {
      storage = real_storages_.emplace(from, zero_storage(tensor.storage().nbytes())).first;
      meta_storages_.emplace(storage->second.unsafeGetStorageImpl(), tensor.storage());
    }
    at::Tensor result = tensor_over(storage->second, c10::DispatchKey::CPU, tensor.scalar_type(), tensor.sizes(),
                                    tensor.strides(), tensor.storage_offset());
    if (ones_ && tensor.storage().nbytes() <= max_ones) result.fill_(1);
    if (tensor.unsafeGetTensorImpl()->is_wrapped_number()) result.unsafeGetTensorImpl()->set_wrapped_number(true);
    objects_.emplace(tensor.unsafeGetTensorImpl(), result);
    objects_back_.emplace(result.unsafeGetTensorImpl(), tensor);
    return result;
  }

  at::Tensor meta(const at::Tensor& tensor) {
    TORCH_CHECK(!tensor.is_nested(),
                "a nested tensor has no ONNX form; an nn.TransformerEncoder creates none if it is built with "
                "enable_nested_tensor=False");
    if (!tensor.defined() || !tensor.has_storage() || tensor.is_quantized() || tensor.is_meta()) return tensor;
    const auto known = objects_back_.find(tensor.unsafeGetTensorImpl());
    if (known != objects_back_.end()) {
      if (known->second.sizes() != tensor.sizes()) known->second.resize_(tensor.sizes());
      return known->second;
    }
    const c10::StorageImpl* from = tensor.storage().unsafeGetStorageImpl();
    auto storage = meta_storages_.find(from);
    if (storage == meta_storages_.end()) {
      storage = meta_storages_.emplace(from, meta_storage(tensor.storage().nbytes())).first;
    }
    return tensor_over(storage->second, c10::DispatchKey::Meta, tensor.scalar_type(), tensor.sizes(), tensor.strides(),
                       tensor.storage_offset());
  }

  bool ones_;
  std::unordered_map<const c10::TensorImpl*, at::Tensor> objects_;
  std::unordered_map<const c10::TensorImpl*, at::Tensor> objects_back_;
  std::unordered_map<const c10::StorageImpl*, c10::Storage> real_storages_;
  std::unordered_map<const c10::StorageImpl*, c10::Storage> meta_storages_;
};

// True if an operator that was called depends on the data. Operators called inside a CPU kernel are ignored, since tags
// of the kernel say whether it does.
thread_local bool saw_data_dependence = false;
thread_local int kernel_depth = 0;

struct InKernel final : at::ObserverContext {
  InKernel() { ++kernel_depth; }
  ~InKernel() override { --kernel_depth; }
};

std::unique_ptr<at::ObserverContext> watch(const at::RecordFunction& function) {
  const auto name = function.operator_name();
  if (!name || saw_data_dependence || kernel_depth > 0) return nullptr;
  const auto handle = c10::Dispatcher::singleton().findSchema(*name);
  if (!handle) return nullptr;
  if (handle->hasTag(at::Tag::data_dependent_output) || handle->hasTag(at::Tag::dynamic_output_shape)) {
    saw_data_dependence = true;
  } else if (handle->hasKernelForDispatchKey(c10::DispatchKey::CPU)) {
    return std::make_unique<InKernel>();
  }
  return nullptr;
}

class WatchDataDependence {
 public:
  WatchDataDependence()
      : handle_(at::addThreadLocalCallback(at::RecordFunctionCallback(&watch).scopes({at::RecordScope::FUNCTION}))) {
    saw_data_dependence = false;
    kernel_depth = 0;
  }
  ~WatchDataDependence() { at::removeCallback(handle_); }

 private:
  at::CallbackHandle handle_;
};

bool call_on(const Operator& op, c10::Stack& stack, bool ones) {
  RealTensors tensors(ones);
  c10::Stack real;
  for (const c10::IValue& value : stack) {
    real.push_back(value.isDevice() ? c10::IValue(c10::Device(c10::kCPU)) : tensors.to_real(value));
  }
  bool is_probe = false;
  {
    const KeepRandomState keep;
    const WatchDataDependence watch;
    op.call(real);
    is_probe = saw_data_dependence || op.is_data_dependent;
  }
  // If one result cannot be converted, the arguments stay unchanged for another attempt.
  for (c10::IValue& value : real) value = tensors.to_meta(value);
  stack = std::move(real);
  return is_probe;
}

}  // namespace

bool call_on_zeros(const Operator& op, c10::Stack& stack) {
  std::exception_ptr refusal;
  try {
    return call_on(op, stack, false);
  } catch (const c10::NotImplementedError&) {
    throw;
  } catch (const c10::Error&) {
    refusal = std::current_exception();
  }
  try {
    return call_on(op, stack, true);
  } catch (const c10::Error&) {
    std::rethrow_exception(refusal);
  }
}

}  // namespace tonnx::torch
