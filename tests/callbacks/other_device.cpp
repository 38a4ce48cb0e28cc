#include "other_device.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>

#include <ATen/ATen.h>
#include <ATen/TracerMode.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/record_function.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/library.h>

namespace callbacks {
namespace {

constexpr c10::DeviceType kType = c10::DeviceType::PrivateUse1;
const c10::Device kDevice(kType, 0);

void invert(const void* from, void* to, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) static_cast<std::byte*>(to)[i] = ~static_cast<const std::byte*>(from)[i];
}

struct DeviceMemory final : c10::Allocator {
  c10::DataPtr allocate(std::size_t size) override {
    c10::DataPtr data = c10::GetCPUAllocator()->allocate(size);
    data.unsafe_set_device(kDevice);
    return data;
  }
  c10::DeleterFnPtr raw_deleter() const override { return c10::GetCPUAllocator()->raw_deleter(); }
  void copy_data(void* to, const void* from, std::size_t size) const override { default_copy_data(to, from, size); }
};

DeviceMemory memory;
REGISTER_ALLOCATOR(kType, &memory)

std::size_t most_page_locked = 0;

struct PageLockedMemory final : c10::Allocator {
  c10::DataPtr allocate(std::size_t size) override {
    most_page_locked = std::max(most_page_locked, size);
    return c10::GetCPUAllocator()->allocate(size);
  }
  c10::DeleterFnPtr raw_deleter() const override { return c10::GetCPUAllocator()->raw_deleter(); }
  void copy_data(void* to, const void* from, std::size_t size) const override { default_copy_data(to, from, size); }
};

struct Hooks final : at::PrivateUse1HooksInterface {
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
  c10::Allocator* getPinnedMemoryAllocator() const override {
    static PageLockedMemory allocator;
    return &allocator;
  }
};

// The same view of a copy of the storage on the host.
at::Tensor on_host(const at::Tensor& tensor) {
  const std::size_t size = tensor.storage().nbytes();
  const at::Tensor bytes = at::empty({static_cast<std::int64_t>(size)}, at::kByte);
  invert(tensor.storage().data(), bytes.mutable_data_ptr(), size);
  return at::empty({0}, tensor.options().device(at::kCPU))
      .set_(bytes.storage(), tensor.storage_offset(), tensor.sizes(), tensor.strides());
}

at::Tensor empty_strided(c10::IntArrayRef sizes, c10::IntArrayRef strides, std::optional<c10::ScalarType> dtype,
                         std::optional<c10::Layout>, std::optional<c10::Device>, std::optional<bool>) {
  return at::detail::empty_strided_generic(sizes, strides, &memory, c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
                                           dtype.value_or(c10::kFloat));
}

at::Tensor empty(c10::IntArrayRef sizes, std::optional<c10::ScalarType> dtype, std::optional<c10::Layout>,
                 std::optional<c10::Device>, std::optional<bool>, std::optional<c10::MemoryFormat> format) {
  return at::detail::empty_generic(sizes, &memory, c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
                                   dtype.value_or(c10::kFloat), format);
}

// `from` or `to` is on the device.
at::Tensor copy_from(const at::Tensor& from, const at::Tensor& to, bool) {
  if (to.is_cpu() && from.dtype() == to.dtype() && from.is_contiguous() && to.is_contiguous()) {
    invert(from.const_data_ptr(), to.mutable_data_ptr(), from.nbytes());
    return to;
  }
  const at::Tensor source = from.is_cpu() ? from : on_host(from);
  if (to.is_cpu()) {
    const_cast<at::Tensor&>(to).copy_(source);
    return to;
  }
  at::Tensor target = on_host(to);
  target.copy_(source);
  invert(target.storage().data(), to.storage().mutable_data(), to.storage().nbytes());
  return to;
}

at::Tensor copy_from_and_resize(const at::Tensor& from, const at::Tensor& to) { return copy_from(from, to, false); }

at::Scalar local_scalar(const at::Tensor& tensor) {
  const at::DisableRecordFunctionGuard unseen;
  const at::tracer::impl::NoTracerDispatchMode untraced;
  return on_host(tensor).item();
}

at::Tensor strided_view(const at::Tensor& tensor, c10::IntArrayRef sizes, c10::IntArrayRef strides,
                        std::optional<std::int64_t> offset) {
  at::Tensor view = at::detail::make_tensor<c10::TensorImpl>(c10::TensorImpl::VIEW, c10::Storage(tensor.storage()),
                                                             tensor.key_set(), tensor.dtype());
  view.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, strides, offset.value_or(tensor.storage_offset()));
  return view;
}

at::Tensor view(const at::Tensor& tensor, c10::IntArrayRef sizes) {
  const at::Tensor layout =
      at::empty_strided(tensor.sizes(), tensor.strides(), tensor.options().device(at::kMeta)).view(sizes);
  return strided_view(tensor, layout.sizes(), layout.strides(), tensor.storage_offset());
}

at::Tensor reshape_alias(const at::Tensor& tensor, c10::IntArrayRef sizes, c10::IntArrayRef strides) {
  return strided_view(tensor, sizes, strides, tensor.storage_offset());
}

at::Tensor convolution(const at::Tensor& input, const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                       c10::IntArrayRef stride, c10::IntArrayRef padding, c10::IntArrayRef dilation, bool transposed,
                       c10::IntArrayRef output_padding, std::int64_t groups) {
  const auto bias_here = bias && bias->defined() ? std::optional<at::Tensor>(on_host(*bias)) : std::nullopt;
  return at::convolution(on_host(input), on_host(weight), bias_here, stride, padding, dilation, transposed,
                         output_padding, groups)
      .to(input.device());
}

// Set after an operator failed; every later operator fails, as on CUDA.
bool is_dead = false;

void by_the_host(const c10::OperatorHandle& op, c10::Stack* stack) {
  TORCH_CHECK(!is_dead, "the device failed before");
  try {
    at::native::cpu_fallback(op, stack);
  } catch (const c10::Error&) {
    is_dead = true;
    throw;
  }
}

}  // namespace

C10_REGISTER_GUARD_IMPL(PrivateUse1, c10::impl::NoOpDeviceGuardImpl<kType>)

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) { m.fallback(torch::CppFunction::makeFromBoxedFunction<&by_the_host>()); }

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("empty.memory_format", &empty);
  m.impl("empty_strided", &empty_strided);
  m.impl("_copy_from", &copy_from);
  m.impl("_copy_from_and_resize", &copy_from_and_resize);
  m.impl("_local_scalar_dense", &local_scalar);
  m.impl("convolution_overrideable", &convolution);
  m.impl("as_strided", &strided_view);
  m.impl("view", &view);
  m.impl("_reshape_alias", &reshape_alias);
}

c10::Device other_device() {
  if (const char* real = std::getenv("TONNX_TEST_DEVICE")) return c10::Device(real);
  static const bool registered = [] {
    static Hooks hooks;
    at::RegisterPrivateUse1HooksInterface(&hooks);
    return true;
  }();
  return registered ? kDevice : c10::Device(c10::kCPU);
}

std::size_t largest_page_locked_block() { return most_page_locked; }

}  // namespace callbacks
